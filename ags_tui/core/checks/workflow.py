"""AGS runs of a task: replayed through the rules, held against their receipts, today's tree and the task.

Condition 9 of the gate. Every run must be what the rules make of it; and every one must have passed, unless
a later one that passed covers all that it was to do.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ags_tui.core.assessment import Condition
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Basis, Finding, Outcome, Severity, join_outcomes, outcome_of
from ags_tui.core.checks.risk import highest, rank
from ags_tui.core.contracts.workflow import WorkflowReceipt
from ags_tui.core.digests import is_digest
from ags_tui.core.layout import place_of
from ags_tui.core.wording import counted
from ags_tui.core.workflow.failures import WorkflowRefused
from ags_tui.core.workflow.gates import audit_target
from ags_tui.core.workflow.providers import AUDIT
from ags_tui.core.workflow.replay import Replayed, replay, runs_of
from ags_tui.core.workflow.transitions import World, check_finalizable

NUMBER, NAME = 9, "workflow"
"""The condition's place and name in the gate."""

_OVER = frozenset({"failed", "blocked"})


@dataclass(frozen=True, slots=True, eq=False)
class RunRow:
    """One run of a task."""

    run_id: str
    """Its id."""
    replayed: Replayed
    """What the rules make of it."""
    outcome: Outcome
    """How it stands to the gate."""
    reason: str
    """Why, in a short sentence."""
    findings: tuple[Finding, ...]
    """What it holds the gate with."""
    superseded_by: str = ""
    """Later run that passed and covers all that this one was to do."""

    @property
    def receipt(self) -> WorkflowReceipt | None:
        """The last receipt; None where none can be told."""
        return self.replayed.receipt

    @property
    def digest(self) -> str:
        """Digest of the last receipt's file; empty where there is none."""
        receipts = self.replayed.files.receipts
        return receipts[max(receipts)] if receipts else ""


def check_runs(facts: Facts) -> tuple[RunRow, ...]:
    """Judge all runs of a task, oldest first."""
    replays = [replay(run, facts.task.run_facts.schemas) for run in runs_of(facts.task.files)]
    rows: list[RunRow] = []
    for number, one in enumerate(replays):
        later = next((other for other in replays[number + 1 :] if _supersedes(other, one)), None)
        findings = (*_integrity(facts, one), *(() if later is not None else _standing(facts, one)))
        held = [finding for finding in findings if finding.severity is Severity.ERROR or finding.unknown]
        state = one.receipt.state if one.receipt is not None else "unreadable"
        rows.append(
            RunRow(
                run_id=one.files.run_id,
                replayed=one,
                outcome=outcome_of(findings),
                reason=held[0].message if held else f"{state}, as its results say",
                findings=findings,
                superseded_by=later.files.run_id if later is not None else "",
            )
        )
    return tuple(rows)


def workflow_condition(facts: Facts, rows: tuple[RunRow, ...]) -> Condition | None:
    """Return condition 9; None where the task has no run and never had one.

    Args:
        facts: The task.
        rows: What ``check_runs`` said of it.
    """
    gone = tuple(_vanished(facts, {row.run_id for row in rows}))
    if not rows and not gone:
        return None
    outcome = join_outcomes((outcome_of(gone), *(row.outcome for row in rows)))
    findings = (*gone, *(finding for row in rows for finding in row.findings))
    reasons = [one.message for one in gone] + [row.reason for row in rows if row.outcome is outcome]
    passed = f"{counted(len(rows), 'run')}, replayed"
    return Condition(
        number=NUMBER,
        name=NAME,
        outcome=outcome,
        basis=Basis.DECLARED,
        reason=passed if outcome is Outcome.PASSED else reasons[0],
        findings=findings,
    )


def _vanished(facts: Facts, present: set[str]) -> Iterator[Finding]:
    """Runs that the log has seen and that are not there any more."""
    seen = {one.path: one for one in facts.task.log.observations if one.data.get("genuine") is True}
    for path in seen if facts.trusted else ():
        place = place_of(path)
        if place is not None and place.id is not None and place.id not in present:
            message = f"Run {place.id} was there and is gone. Put its folder back from git."
            yield Finding("LOG_TAMPERED", message, artifact=path, next_action="human")


def _supersedes(later: Replayed, earlier: Replayed) -> bool:
    if later.receipt is None or earlier.receipt is None or later.differs:
        return False
    if later.receipt.state != "passed" or earlier.receipt.state not in _OVER:
        return False
    return _capabilities(earlier.receipt) <= _capabilities(later.receipt)


def _capabilities(receipt: WorkflowReceipt) -> set[str]:
    return {name for stage in receipt.plan.stages for name in stage.satisfied_capabilities}


# -- is it what the rules make of it? --------------------------------------------------------------------


def _integrity(facts: Facts, one: Replayed) -> Iterator[Finding]:
    run_id, folder = one.files.run_id, f"workflow/{one.files.run_id}"
    if one.differs or one.refused is not None:
        why = one.differs or f"the rules refuse a result: {one.refused}"
        message = f"Run {run_id} was tampered with: {why.rstrip('.')}. Start a new run."
        yield Finding("LOG_TAMPERED", message, artifact=folder, next_action="human")
        return
    if one.outdated:
        message = f"Run {run_id} cannot be replayed: {one.outdated} has changed. Start a new run."
        yield Finding("STALE_REVISION", message, artifact=folder, next_action="planner", unknown=True)
    plan = one.files.plan
    if plan is not None and not _is_vouched(facts, run_id, plan.path, plan.digest):
        message = f"The plan of run {run_id} was not made on this machine, and no log entry vouches for it."
        yield Finding("UNKNOWN_SIGNER", message, artifact=plan.path, next_action="human", unknown=True)


def _is_vouched(facts: Facts, run_id: str, path: str, digest: str) -> bool:
    """Whether a plan bears the token of this machine, or one that another of ours has looked at."""
    if facts.task.run_facts.genuine.get(run_id) is True:
        return True
    seen = facts.seen.get((path, digest)) if facts.trusted else None
    return seen is not None and seen.data.get("genuine") is True


# -- does it hold the task? ------------------------------------------------------------------------------


def _standing(facts: Facts, one: Replayed) -> Iterator[Finding]:
    receipt = one.receipt
    if receipt is None or one.differs or one.refused is not None:
        return
    run_id, folder = receipt.run_id, f"workflow/{receipt.run_id}"
    if receipt.state == "running":
        yield _running(receipt, World(facts.task.run_facts.schemas.get), folder)
    elif receipt.state != "passed":
        why = f": {receipt.unresolved[0]}" if receipt.unresolved else ""
        code = receipt.error.code if receipt.error is not None else "GATE_FAILED"
        message = f"Run {run_id} is {receipt.state}{why}. Start a new run for what is left."
        yield Finding(code, message, artifact=folder, next_action="human", basis=Basis.DECLARED)
    if not receipt.plan.stages:
        message = f"Run {run_id} has no stages: that it passed says nothing."
        yield Finding("GATE_FAILED", message, Severity.WARNING, folder, next_action="human")
    yield from _audit(facts, receipt, folder)
    yield from _risk(facts, receipt, folder)


def _running(receipt: WorkflowReceipt, world: World, folder: str) -> Finding:
    """An unfinished run: failed with what finalizing would say, unknown where only the act is missing."""
    try:
        check_finalizable(receipt, world)
    except WorkflowRefused as error:
        message = f"Run {receipt.run_id} is not finished: {error.message}"
        return Finding(error.code, message, artifact=folder, next_action="retry", basis=Basis.DECLARED)
    message = f"All stages of run {receipt.run_id} have passed, and nobody has finalized it."
    return Finding("GATE_FAILED", message, artifact=folder, next_action="retry", unknown=True)


def _audit(facts: Facts, receipt: WorkflowReceipt, folder: str) -> Iterator[Finding]:
    found = audit_target(receipt)
    if found is None or (facts.tree and found[1] == facts.tree):
        return
    stage_id, target = found
    if is_digest(target) and facts.tree:
        message = f"The audit {stage_id} is of another tree than today's: audit again in a new run."
        yield Finding("STALE_EVIDENCE", message, artifact=folder, next_action="retry", basis=Basis.DECLARED)
        return
    message = f"The target of the audit {stage_id} cannot be compared with the tree: name its tree digest."
    yield Finding("STALE_EVIDENCE", message, artifact=folder, next_action="retry", unknown=True)


def _risk(facts: Facts, receipt: WorkflowReceipt, folder: str) -> Iterator[Finding]:
    """A run that was planned for less risk than the task has lacks the audit that the risk asks for."""
    terms = facts.terms
    risk = highest(one.risk_level for one in (terms.task, terms.plan) if one is not None)
    if rank(risk) < rank("high") or AUDIT in _capabilities(receipt):
        return
    message = (
        f"The task is of {risk} risk, and run {receipt.run_id} was planned without an independent audit."
    )
    yield Finding("RISK_LOWERED", message, artifact=folder, next_action="planner")
