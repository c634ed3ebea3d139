"""Sentences of the task: computed where facts can answer, attested by a human where they cannot.

Only a sentence that is nothing but the known phrase is computed; "the changed files and a screenshot" is
attested. An attestation holds for the tree that the human looked at, and no longer.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ags_tui.core.assessment import Prose
from ags_tui.core.checks.evidence import TEST_RESULT, Ran, TestsReport
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Basis, Finding, Outcome, Severity
from ags_tui.core.checks.freshness import foreign_since
from ags_tui.core.contracts.results import TestResult
from ags_tui.core.digests import text_digest
from ags_tui.core.wording import counted, refused

_ENDS = " .。!"

REQUIRED = "requiredEvidence"
"""Field whose sentences are computed or attested."""
EXPECTED = "expectedBehavior"
"""Field whose sentences are attested."""


class _Computed(NamedTuple):
    """What facts say about a sentence."""

    outcome: Outcome
    reason: str
    basis: Basis = Basis.OBSERVED


def prose_of(facts: Facts, tests: TestsReport) -> tuple[Prose, ...]:
    """All sentences that must hold before finalization, in the order of the task in force."""
    task = facts.terms.task
    if task is None:
        return ()
    found = [_prose(facts, tests, REQUIRED, index, text) for index, text in enumerate(task.required_evidence)]
    found += [
        _prose(facts, tests, EXPECTED, index, text) for index, text in enumerate(task.expected_behavior)
    ]
    return tuple(found)


def check_prose(prose: tuple[Prose, ...]) -> tuple[Finding, ...]:
    """REQUIRED_EVIDENCE_MISSING for each sentence that does not hold."""
    return tuple(
        Finding(
            "REQUIRED_EVIDENCE_MISSING", f"{one.text.rstrip(_ENDS)}: {one.reason}", Severity.ERROR,
            "task.json",
            one.prose_id.removeprefix("task#").replace("/", "."), next_action="human", basis=one.basis,
            unknown=one.outcome is Outcome.UNKNOWN,
        )
        for one in prose
        if one.outcome is not Outcome.PASSED
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rule:
    """A phrase that facts can answer."""

    phrase: re.Pattern[str]
    """Matches the whole sentence, without case, blanks and closing marks."""
    compute: Callable[[Facts, TestsReport], _Computed]
    """Finds the answer."""


def _changed_files(facts: Facts, tests: TestsReport) -> _Computed:
    del tests
    changes = facts.changes
    if changes is None or changes.unknown:
        return _Computed(Outcome.UNKNOWN, "git cannot say what changed.")
    return _Computed(Outcome.PASSED, f"git shows {counted(len(changes.entries), 'changed path')}.")


def _commands(facts: Facts, tests: TestsReport) -> _Computed:
    claim = facts.held(TEST_RESULT, TestResult)
    ran = [row for row in tests.ran if row.exit_code is not None]
    if ran:
        return _from_runs(f"{counted(len(ran), 'command')} ran", ran)
    if claim is not None and claim.status == "not_run":
        return _Computed(Outcome.PASSED, "none ran, and the tester says so.", Basis.DECLARED)
    return _Computed(Outcome.FAILED, _unread(facts) or "no test command ran. Run the tests.")


def _exit_codes(facts: Facts, tests: TestsReport) -> _Computed:
    without = [row.command for row in tests.ran if row.exit_code is None]
    if tests.ran and not without:
        codes = ", ".join(str(row.exit_code) for row in tests.ran)
        return _from_runs(f"exit codes {codes}", tests.ran)
    if not tests.ran:
        claim = facts.held(TEST_RESULT, TestResult)
        if claim is not None and claim.commands and all(one.exit_code is not None for one in claim.commands):
            return _Computed(
                Outcome.PASSED, "each command has an exit code, as the tester claims.", Basis.DECLARED
            )
        return _Computed(Outcome.FAILED, _unread(facts) or "no command has an exit code. Run the tests.")
    have = "has" if len(without) == 1 else "have"
    message = f"{counted(len(without), 'command')} {have} no exit code. Run the tests."
    return _Computed(Outcome.FAILED, message)


def _not_run(facts: Facts, tests: TestsReport) -> _Computed:
    left = [row.command for row in tests.ran if row.exit_code is None]
    if tests.ran and not left:
        return _from_runs("every planned command ran", tests.ran)
    claim = facts.held(TEST_RESULT, TestResult)
    if claim is not None and any(issue.strip() for issue in claim.environment_issues):
        return _Computed(Outcome.PASSED, "the tester says why.", Basis.DECLARED)
    return _Computed(Outcome.FAILED, _unread(facts) or "tests did not run and nobody says why.")


def _from_runs(words: str, rows: Iterable[Ran]) -> _Computed:
    """What runs show: observed only where each of them was seen here, else the tester's claim."""
    if all(row.basis is Basis.OBSERVED for row in rows):
        return _Computed(Outcome.PASSED, f"{words}.")
    return _Computed(Outcome.PASSED, f"{words}, as the tester claims.", Basis.DECLARED)


def _unread(facts: Facts) -> str:
    """That the tester's claim cannot be read, where that is why nothing is shown."""
    wrong = refused(TEST_RESULT, facts.task.files.problems)
    return f"{TEST_RESULT} cannot be read. Let the tester correct it." if wrong is not None else ""


_TESTS = r"(?:the)?(?:tests?)"
RULES = (
    Rule(re.compile(r"(?:the)?(?:listof)?(?:all)?(?:the)?(?:changed|modified|edited)files?(?:list)?"
                    r"|(?:수정|변경)(?:된|한)?파일(?:들)?(?:의)?(?:목록|리스트)?"), _changed_files),
    Rule(re.compile(rf"(?:the)?(?:reasons?|why)(?:for|why)?{_TESTS}(?:(?:that)?(?:were|was)?)?(?:notrun|skipped)"
                    r"|(?:reasons?for)(?:skippedtests?|testsnotrun)"
                    r"|(?:미실행|실행하지않은|실행되지않은|건너뛴)테스트(?:의)?(?:사유|이유)"), _not_run),
    Rule(re.compile(rf"(?:the)?(?:exitcodes?)(?:of)?(?:{_TESTS})?(?:commands?|runs?)?|{_TESTS}(?:commands?)?exitcodes?"
                    r"|(?:테스트)?(?:명령(?:어)?)?(?:의)?종료코드"), _exit_codes),
    Rule(re.compile(rf"(?:the)?(?:executed|run)?{_TESTS}commands?(?:(?:that)?(?:were|was)?(?:run|executed))?"
                    r"|(?:the)?commands?(?:run|executed)"
                    r"|(?:실행한|실행된)?테스트명령(?:어)?(?:목록)?"), _commands),
)  # fmt: skip
"""What can be computed of ``requiredEvidence``, in English and Korean."""


@lru_cache(maxsize=4096)
def _read(sentence: str) -> tuple[str, Rule | None]:
    """Digest of a sentence, and the rule that answers it."""
    text = unicodedata.normalize("NFC", sentence).casefold()
    plain = re.sub(r"[\s\-_:]+", "", text).strip(".。!")
    return text_digest(sentence), next((rule for rule in RULES if rule.phrase.fullmatch(plain)), None)


def _prose(facts: Facts, tests: TestsReport, field: str, index: int, text: str) -> Prose:
    prose_id = f"task#{field}/{index}"
    digest, rule = _read(text)
    answer = rule.compute(facts, tests) if rule is not None and field == REQUIRED else None
    if answer is not None and answer.outcome is Outcome.PASSED:
        return Prose(prose_id, text, digest, answer.outcome, answer.basis, answer.reason)
    row = facts.task.log.attested.get(prose_id) if facts.trusted else None
    if row is not None and row.entry.subject.digest == digest:
        tree = row.entry.data.get("treeDigest")
        if facts.tree and tree == facts.tree:
            name = row.entry.actor.name or "a human"
            return Prose(prose_id, text, digest, Outcome.PASSED, Basis.HUMAN, f"attested by {name}.")
        stale = "attested for another tree. Look again and attest it."
        if isinstance(tree, str) and foreign_since(facts, tree):
            stale = "attested before other tasks changed their files. Attest it again at the end."
        return Prose(prose_id, text, digest, Outcome.UNKNOWN, Basis.HUMAN, stale, stale=True)
    if answer is not None:
        return Prose(prose_id, text, digest, answer.outcome, answer.basis, answer.reason)
    return Prose(
        prose_id, text, digest, Outcome.UNKNOWN, Basis.HUMAN, "nobody attested it yet. Look and attest it."
    )
