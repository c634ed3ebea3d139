"""Tests: what was planned, what the tester claims, what this program saw itself. Seen outranks claimed."""

from dataclasses import dataclass, replace

from ags_tui.core.checks.facts import Facts, Freshness
from ags_tui.core.checks.findings import Basis, Finding, Outcome, Severity, outcome_of
from ags_tui.core.checks.freshness import check_freshness, freshness, said_of_others
from ags_tui.core.contracts.results import ImplementationResult, TestCommandResult, TestResult
from ags_tui.core.log_state import Observation
from ags_tui.core.wording import cannot_be_read, refused

TEST_RESULT = "test-result.json"
"""Artifact of the tester's claim."""


@dataclass(frozen=True, slots=True)
class Ran:
    """One planned command and what became of it."""

    command: str
    """Command line. Foreign text."""
    outcome: Outcome
    """passed, failed or unknown."""
    basis: Basis
    """observed where this program ran it on today's tree, else declared."""
    exit_code: int | None = None
    """Exit code, None where it did not run."""


@dataclass(frozen=True, slots=True)
class TestsReport:
    """The tests of one task."""

    __test__ = False

    outcome: Outcome
    """How they stand; not-applicable where none are planned and none are claimed."""
    basis: Basis
    """observed only where every planned command was seen to run."""
    reason: str
    """In a few words."""
    ran: tuple[Ran, ...]
    """Planned commands in order."""
    findings: tuple[Finding, ...]
    """What is wrong."""


def check_tests(facts: Facts) -> TestsReport:
    """Hold the planned commands against observed runs and the tester's claim."""
    plan = facts.terms.plan
    planned = tuple(dict.fromkeys(command.strip() for command in plan.tests_to_run)) if plan else ()
    claim = facts.held(TEST_RESULT, TestResult)
    observed = _observed_today(facts)
    claimed = _claimed_commands(claim)
    fresh = check_freshness(facts, TEST_RESULT) if claim else ()
    ran: list[Ran] = []
    findings: list[Finding] = []
    for command in planned:
        row, found = _command(facts, command, observed.get(command), claimed.get(command), fresh)
        ran.append(row)
        findings += found
    settled = bool(ran) and all(row.outcome is Outcome.PASSED and row.basis is Basis.OBSERVED for row in ran)
    about_claim = (*_claim(facts, claim, planned), *_contradictions(facts, claim)) if claim else ()
    if settled:
        about_claim = tuple(map(_outranked, about_claim))
    findings += about_claim
    findings += _unplanned(facts, claim, planned)
    if claim is None and not settled and refused(TEST_RESULT, facts.task.files.problems):
        message = cannot_be_read(TEST_RESULT, "test result", "tester")
        findings.insert(0, _error("INVALID_CONTRACT", message, basis=Basis.OBSERVED))
    if claim and not ran:
        findings += fresh
    if plan is None and claim is None:
        findings.append(_error("NOT_RUN", "No test ran: there is no plan yet.", next_action="planner"))
    unique = tuple(dict.fromkeys(findings))
    outcome = Outcome.NOT_APPLICABLE if plan and not planned and claim is None else outcome_of(unique)
    basis = Basis.OBSERVED if settled else Basis.DECLARED
    return TestsReport(outcome, basis, _reason(outcome, ran, unique, basis), tuple(ran), unique)


def _command(
    facts: Facts,
    command: str,
    observed: Observation | None,
    claimed: tuple[int, TestCommandResult] | None,
    fresh: tuple[Finding, ...],
) -> tuple[Ran, tuple[Finding, ...]]:
    if observed is not None:
        return _seen(command, observed)
    if claimed is None:
        last = next((run for run in reversed(facts.task.log.tests) if _is_of(run, command)), None)
        if last is not None and _passed_before_others(facts, last):
            return _before_others(facts, command, last)
        if last is not None:
            message = f"{_short(command)} ran on another tree. Run the tests again."
            finding = _error("STALE_EVIDENCE", message, basis=Basis.OBSERVED)
        else:
            finding = _error(
                "NOT_RUN", f"{_short(command)} did not run. Run the tests.", basis=Basis.OBSERVED
            )
        return Ran(command, Outcome.FAILED, Basis.OBSERVED), (finding,)
    index, result = claimed
    field = f"commands.{index}.exitCode"
    if result.exit_code is None:
        message = f"{_short(command)}: the tester gives no exit code, so nothing shows that it ran. Run it."
        return Ran(command, Outcome.FAILED, Basis.DECLARED), (_error("NOT_RUN", message, field),)
    if result.exit_code != 0:
        message = f"{_short(command)} ended with {result.exit_code}. Fix it and run it again."
        row = Ran(command, Outcome.FAILED, Basis.DECLARED, result.exit_code)
        return row, (_error("TEST_FAILED", message, field),)
    return Ran(command, outcome_of(fresh), Basis.DECLARED, result.exit_code), fresh


def _is_of(run: Observation, command: str) -> bool:
    return run.data.get("command") == command


def _passed_before_others(facts: Facts, run: Observation) -> bool:
    return run.data.get("exitCode") == 0 and freshness(facts, run) is Freshness.FOREIGN


def _before_others(facts: Facts, command: str, run: Observation) -> tuple[Ran, tuple[Finding, ...]]:
    """A run that passed, after which only other tasks changed files: not red, and not good for the end."""
    what = f"{_short(command)} ran before {said_of_others(facts, run)}"
    message = f"{what}. Run it again at the end."
    finding = Finding("STALE_EVIDENCE", message, next_action="retry", basis=Basis.OBSERVED, unknown=True)
    return Ran(command, Outcome.UNKNOWN, Basis.OBSERVED, 0), (finding,)


def _seen(command: str, observed: Observation) -> tuple[Ran, tuple[Finding, ...]]:
    code = observed.data.get("exitCode")
    if not isinstance(code, int) or isinstance(code, bool):
        message = f"{_short(command)} was started here but did not end. Run the tests again."
        return Ran(command, Outcome.FAILED, Basis.OBSERVED), (
            _error("NOT_RUN", message, basis=Basis.OBSERVED),
        )
    if code != 0:
        message = f"{_short(command)} ended with {code}, seen here. Fix it and run it again."
        finding = _error("TEST_FAILED", message, basis=Basis.OBSERVED)
        return Ran(command, Outcome.FAILED, Basis.OBSERVED, code), (finding,)
    return Ran(command, Outcome.PASSED, Basis.OBSERVED, 0), ()


def _claim(facts: Facts, claim: TestResult, planned: tuple[str, ...]) -> tuple[Finding, ...]:
    """What is wrong with the claim in itself."""
    findings: list[Finding] = []
    if claim.status == "passed":
        if not claim.commands:
            message = "The tester says passed and names no command. Run the tests."
            findings.append(_error("PASSED_WITHOUT_EXIT_CODE", message, "commands"))
        for index, result in enumerate(claim.commands):
            field = f"commands.{index}.exitCode"
            if result.exit_code is None:
                message = (
                    f"The tester says passed, but {_short(result.command)} has no exit code. Run the tests."
                )
                findings.append(_error("PASSED_WITHOUT_EXIT_CODE", message, field))
            elif result.exit_code != 0:
                message = (
                    f"The tester says passed, but {_short(result.command)} ended with {result.exit_code}."
                )
                findings.append(_error("PASSED_WITH_FAILURE", message, field))
        if claim.failed_tests:
            message = f"The tester says passed and lists {len(claim.failed_tests)} failed tests."
            findings.append(_error("PASSED_WITH_FAILURE", message, "failedTests"))
    elif claim.status == "failed":
        count = f"{len(claim.failed_tests)} tests failed" if claim.failed_tests else "The tests failed"
        findings.append(_error("TEST_FAILED", f"{count}. Fix them and run the tests again.", "status"))
    else:
        why = f": {claim.environment_issues[0]}" if claim.environment_issues else ""
        findings.append(_error("NOT_RUN", f"The tests did not run{why}. Run the tests.", "status"))
    return (*findings, *_artifacts(facts, claim))


def _artifacts(facts: Facts, claim: TestResult) -> list[Finding]:
    named = [(f"artifacts.{index}", name) for index, name in enumerate(claim.artifacts)]
    for index, result in enumerate(claim.commands):
        named += [
            (f"commands.{index}.{field}", name)
            for field, name in (
                ("stdoutArtifact", result.stdout_artifact),
                ("stderrArtifact", result.stderr_artifact),
            )
            if name is not None
        ]
    missing: dict[str, str] = {}
    for field, name in named:
        if name not in facts.task.files.evidence:
            missing.setdefault(name, field)
    return [
        _error(
            "MISSING_ARTIFACT", f"{name} is named as evidence and does not exist. Run the tests again.", field
        )
        for name, field in missing.items()
    ]


def _contradictions(facts: Facts, claim: TestResult) -> list[Finding]:
    """Claimed exit codes against runs that were seen on the very tree that the claim speaks of."""
    seen = facts.observed(TEST_RESULT)
    tree = seen.tree_digest if seen else facts.tree
    runs = {
        run.data.get("command"): run.data.get("exitCode")
        for run in facts.task.log.tests
        if run.tree_digest == tree
    }
    findings: list[Finding] = []
    for index, result in enumerate(claim.commands):
        code = runs.get(result.command.strip(), result.exit_code) if tree else result.exit_code
        if code == result.exit_code or not isinstance(code, int):
            continue
        said = "no exit code" if result.exit_code is None else result.exit_code
        message = f"{_short(result.command)}: claimed {said}, seen {code} on the same tree."
        harmless = code == 0
        findings.append(
            Finding(
                "CLAIM_CONTRADICTS_OBSERVATION", message, Severity.WARNING if harmless else Severity.ERROR,
                TEST_RESULT, f"commands.{index}.exitCode", next_action="human",
            )
        )  # fmt: skip
    return findings


def _unplanned(facts: Facts, claim: TestResult | None, planned: tuple[str, ...]) -> list[Finding]:
    if facts.terms.plan is None:
        return []
    named = [
        (TEST_RESULT, f"commands.{n}.command", one.command)
        for n, one in enumerate(claim.commands if claim else ())
    ]
    for artifact in ("implementation-result.json", "fix-result.json"):
        result = facts.held(artifact, ImplementationResult)
        named += [
            (artifact, f"commandsRequested.{n}.command", one.command)
            for n, one in enumerate(result.commands_requested if result else ())
            if one.tool == "run_tests" and one.command
        ]
    return [
        Finding(
            "COMMAND_NOT_PLANNED", f"{_short(command)} is not in plan.testsToRun.", Severity.WARNING,
            artifact, field, basis=Basis.DECLARED,
        )
        for artifact, field, command in named
        if command.strip() not in planned
    ]  # fmt: skip


def _observed_today(facts: Facts) -> dict[str, Observation]:
    """The last run of each command that was seen on today's tree."""
    runs = [run for run in facts.task.log.tests if facts.tree and run.tree_digest == facts.tree]
    return {str(run.data.get("command", "")).strip(): run for run in runs}


def _claimed_commands(claim: TestResult | None) -> dict[str, tuple[int, TestCommandResult]]:
    """Claimed results by command; the worst one where a command is named twice."""
    found: dict[str, tuple[int, TestCommandResult]] = {}
    for index, result in enumerate(claim.commands if claim else ()):
        command = result.command.strip()
        if command not in found or result.exit_code != 0:
            found[command] = (index, result)
    return found


def _outranked(finding: Finding) -> Finding:
    """What a claim gets wrong holds nothing any more once the same was seen to be right."""
    return replace(finding, severity=Severity.WARNING) if finding.severity is Severity.ERROR else finding


def _error(
    code: str, message: str, field: str = "", *, basis: Basis = Basis.DECLARED, next_action: str = "retry"
) -> Finding:
    return Finding(code, message, Severity.ERROR, TEST_RESULT, field, next_action=next_action, basis=basis)


def _reason(outcome: Outcome, ran: list[Ran], findings: tuple[Finding, ...], basis: Basis) -> str:
    if outcome is Outcome.NOT_APPLICABLE:
        return "the plan has no tests"
    if outcome is Outcome.PASSED:
        how = "seen here" if basis is Basis.OBSERVED else "as the tester claims"
        return f"{len(ran)} passed, {how}"
    return next((f.message for f in findings if f.severity is Severity.ERROR or f.unknown), "")


def _short(command: str) -> str:
    text = " ".join(command.split())
    return text if len(text) <= 60 else text[:59] + "…"
