"""What the scope check stands on: a baseline, a git that answers, rules that hide nothing new.

Whatever is wrong here makes the scope INCONCLUSIVE: the list of changes may be incomplete, so no class of a
path means anything. Hiding rules count as changed even where the plan allows to edit a ``.gitignore``: its
next line may hide a file that the plan does not allow, so a human looks once and accepts exactly these.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ags_tui.core.assessment import Pending, PendingKind
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Finding
from ags_tui.core.decisions import Bound
from ags_tui.core.digests import digest, path_text
from ags_tui.core.log_state import Baseline, LoggedEntry

BASELINE_ITEM = "baseline"
"""Item id of a baseline that waits for a human."""


def check_ground(facts: Facts) -> tuple[Finding, ...]:
    """Everything that keeps the scope check from a conclusion; empty where it can conclude."""
    baseline = facts.task.log.baseline
    policy = tuple(_policy(facts))
    if baseline is None:
        message = "No baseline was recorded. Open the task here or run ags-tui baseline."
        return (_unknown("NO_BASELINE", message), *_git(facts), *policy)
    return (*_baseline(facts, baseline), *_git(facts), *_hiding(facts, baseline), *policy)


def _policy(facts: Facts) -> Iterator[Finding]:
    """A policy that cannot be read might forbid anything: nothing is concluded beside it."""
    for problem in facts.policy.problems[:1]:
        line = f" line {problem.line}" if problem.line is not None else ""
        message = f"{problem.artifact}{line}: {problem.message}. Correct the policy."
        yield _unknown("INVALID_POLICY", message)


def pending_baseline(facts: Facts) -> Pending | None:
    """The baseline, or the hiding rules, that a human may accept; None where there is nothing to accept."""
    baseline = facts.task.log.baseline
    if baseline is None:
        return None
    rows = [row for row in facts.task.log.entries if row.counted and row.entry.kind == "baseline"]
    newer = next((row for row in reversed(rows) if row.entry.verdict == "recorded"), None)
    if newer is not None and newer.entry.sequence > max(baseline.sequence, _last_accepted(rows)):
        title = "Measure the task from a new baseline?"
        return _item(facts, newer.digest, title, "A new baseline was recorded on request.")
    if (baseline.late or not baseline.signed) and not baseline.accepted:
        own = next((row.digest for row in rows if row.entry.sequence == baseline.sequence), "")
        return _item(
            facts, own, "Accept this baseline?", " ".join(f.message for f in _baseline(facts, baseline))
        )
    hidden = _hiding(facts, baseline)
    if not hidden:
        return None
    reason = " ".join(finding.message for finding in hidden)
    return _item(
        facts, hiding_digest(facts), "Accept the changed hiding rules?", reason, _facts(facts, baseline)
    )


def hiding_digest(facts: Facts) -> str:
    """Digest of the rules that may hide changes now: what a human accepts."""
    rules = sorted(facts.repo.hiding.items())
    bits = sorted(map(_path, facts.repo.hidden_bits))
    return digest(json.dumps(["hiding", rules, bits], separators=(",", ":")).encode())


def _baseline(facts: Facts, baseline: Baseline) -> tuple[Finding, ...]:
    findings: list[Finding] = []
    if not baseline.accepted:
        if baseline.late:
            message = "Planned files were already changed when the baseline was recorded. Look and accept it."
            findings.append(_unknown("LATE_BASELINE", message))
        if not baseline.signed:
            message = "The baseline is not signed by a trusted key. Look and accept it."
            findings.append(_unknown("UNSIGNED_BASELINE", message))
    relation = facts.task.baseline_relation
    if relation != "ancestor":
        why = {
            "not-ancestor": "is no ancestor of HEAD any more (rebase or squash)",
            "missing": "is missing from this clone",
        }.get(relation, "cannot be compared with HEAD")
        message = f"The baseline commit {why}. Run ags-tui baseline --again and accept it."
        findings.append(_unknown("BASELINE_LOST", message))
    return tuple(findings)


def _git(facts: Facts) -> tuple[Finding, ...]:
    reasons: list[str] = []
    changes = facts.changes
    if facts.repo.unknown:
        reasons.append(f"Git cannot answer: {facts.repo.unknown}. See ags-tui doctor.")
    if changes is None:
        if facts.task.log.baseline is not None:
            reasons.append("The changes since the baseline could not be read. See ags-tui doctor.")
        return tuple(_unknown("GIT_UNKNOWN", reason) for reason in reasons)
    if changes.unknown:
        reasons.append(f"The changes cannot be relied on: {changes.unknown}. See ags-tui doctor.")
    elif not changes.tree_digest:
        reasons.append("The tree has no digest. See ags-tui doctor.")
    if changes.target in ("work-tree", "index"):
        if facts.repo.operation:
            reasons.append(f"A {facts.repo.operation} is in progress. Finish or abort it.")
        unmerged = sorted(
            {path for path, _ in facts.repo.conflicts} | {c.path for c in changes.entries if c.conflict}
        )
        if unmerged:
            reasons.append(f"Unmerged: {_some(unmerged)}. Resolve the conflicts.")
    return tuple(_unknown("GIT_UNKNOWN", reason) for reason in reasons)


def _hiding(facts: Facts, baseline: Baseline) -> tuple[Finding, ...]:
    repo = facts.repo
    if repo.hiding == baseline.hiding and repo.hidden_bits == baseline.hidden_bits:
        return ()
    names = [
        name
        for name in sorted(repo.hiding.keys() | baseline.hiding.keys())
        if repo.hiding.get(name) != baseline.hiding.get(name)
    ]
    bits = sorted(set(repo.hidden_bits) - set(baseline.hidden_bits))
    if not (names or bits) or repo.unknown or _accepted(facts, hiding_digest(facts)):
        return ()
    findings: list[Finding] = []
    if names:
        message = f"What hides changes is not as it was: {_some(names)}. Look and accept it, or restore it."
        findings.append(_unknown("HIDING_RULES_CHANGED", message))
    if bits:
        message = f"Git was told to overlook {_some(bits)}. Clear the skip-worktree or assume-unchanged bit."
        findings.append(_unknown("HIDING_RULES_CHANGED", message))
    return tuple(findings)


def _accepted(facts: Facts, wanted: str) -> bool:
    return facts.trusted and any(
        row.counted
        and (row.entry.kind, row.entry.verdict) == ("baseline", "accepted")
        and row.entry.subject.digest == wanted
        for row in facts.task.log.entries
    )


def _last_accepted(rows: Iterable[LoggedEntry]) -> int:
    return max((row.entry.sequence for row in rows if row.entry.verdict == "accepted"), default=-1)


def _facts(facts: Facts, baseline: Baseline) -> Mapping[str, Any]:
    """The same baseline with today's hiding rules, in the form of a baseline entry's ``data``."""
    files = [
        {
            "path": _path(file.path),
            "mode": file.entry.mode if file.entry else "000000",
            "blob": file.entry.blob if file.entry else "",
            "kept": file.kept,
        }
        for file in baseline.files.values()
    ]
    return {
        "head": baseline.commit,
        "unborn": baseline.unborn,
        "files": files,
        "hiding": dict(facts.repo.hiding),
        "hiddenBits": [_path(path) for path in facts.repo.hidden_bits],
        "late": baseline.late,
    }


def _item(
    facts: Facts, item_digest: str, title: str, reason: str, data: Mapping[str, Any] | None = None
) -> Pending:
    return Pending(
        kind=PendingKind.BASELINE,
        task_id=facts.task_id,
        item_id=BASELINE_ITEM,
        digest=item_digest,
        artifact="",
        title=title,
        reason=reason,
        asked_by="ags-tui",
        risk="medium",
        claimed_risk="medium",
        first_seen=facts.snapshot.taken_at,
        expires_at=None,
        bound=Bound(),
        facts=data or {},
    )


def _unknown(code: str, message: str) -> Finding:
    return Finding(code, message, next_action="human", unknown=True)


def _path(path: str) -> str:
    return path_text(path.encode("utf-8", "surrogateescape"))


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
