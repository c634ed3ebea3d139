"""``gate --finalized``: is there a valid finalization of exactly this tree?"""

from ags_tui.core.assessment import Condition, GateReport, TaskAssessment
from ags_tui.core.checks.findings import Basis, Outcome, join_outcomes


def finalized_report(task: TaskAssessment) -> GateReport:
    """Judge the finalization of a task instead of its conditions, which were judged when it was finalized.

    Args:
        task: the assessed task.

    Returns:
        A report of three conditions: the log is intact, a human finalized the task, and the tree is the one
        that was finalized.
    """
    conditions = (_log(task), _finalized(task), _tree(task))
    opened = [c for c in conditions if c.outcome in (Outcome.FAILED, Outcome.UNKNOWN)]
    outcome = join_outcomes(condition.outcome for condition in conditions)
    return GateReport(outcome, conditions, headline=opened[0].reason if opened else "")


def _log(task: TaskAssessment) -> Condition:
    log = task.task.log
    reason = (
        log.findings[0].message if log.findings else f"{len(log.entries)} entries, chain and signatures hold"
    )
    return Condition(1, "log", log.integrity, Basis.OBSERVED, reason, log.findings)


def _finalized(task: TaskAssessment) -> Condition:
    entry = task.task.log.finalized
    if entry is None:
        return Condition(2, "finalize", Outcome.FAILED, Basis.HUMAN, "no human has finalized this task")
    who = entry.entry.actor.name or "a human"
    return Condition(2, "finalize", Outcome.PASSED, Basis.HUMAN, f"entry {entry.entry.sequence} by {who}")


def _tree(task: TaskAssessment) -> Condition:
    entry, changes = task.task.log.finalized, task.task.changes
    if entry is None:
        return Condition(3, "tree", Outcome.NOT_APPLICABLE, Basis.OBSERVED, "nothing to compare with")
    then = entry.entry.data.get("treeDigest")
    if changes is None or changes.unknown or not changes.tree_digest:
        why = changes.unknown if changes is not None else "there is no baseline"
        return Condition(3, "tree", Outcome.UNKNOWN, Basis.OBSERVED, f"the tree cannot be compared: {why}")
    if then != changes.tree_digest:
        reason = "the tree is not the one that was finalized"
        return Condition(3, "tree", Outcome.FAILED, Basis.OBSERVED, reason)
    return Condition(3, "tree", Outcome.PASSED, Basis.OBSERVED, "exactly the tree that was finalized")
