"""The gate of a task that has ended: its conditions were judged then, now its end is held against the tree.

One answer for the screen, ``gate TASK`` and ``gate --finalized``.
"""

from ags_tui.core.assessment import Condition, GateReport
from ags_tui.core.checks.findings import Basis, Outcome, join_outcomes
from ags_tui.core.snapshot import TaskSnapshot


def finalized_report(task: TaskSnapshot) -> GateReport:
    """Judge the end of a task instead of its conditions.

    Args:
        task: the task as read.

    Returns:
        A report of three conditions: the log is intact, a human finalized the task, and the tree is the one
        that was finalized.
    """
    conditions = (_log(task), _finalized(task), _tree(task))
    opened = [c for c in conditions if c.outcome in (Outcome.FAILED, Outcome.UNKNOWN)]
    outcome = join_outcomes(condition.outcome for condition in conditions)
    return GateReport(outcome, conditions, headline=opened[0].reason if opened else "")


def _log(task: TaskSnapshot) -> Condition:
    log = task.log
    reason = (
        log.findings[0].message if log.findings else f"{len(log.entries)} entries, chain and signatures hold"
    )
    return Condition(1, "log", log.integrity, Basis.OBSERVED, reason, log.findings)


def _finalized(task: TaskSnapshot) -> Condition:
    entry = task.log.finalized
    if entry is None:
        closed = task.log.closed is not None
        reason = "closed, not finalized: C reopens it" if closed else "no human has finalized this task"
        return Condition(2, "finalize", Outcome.FAILED, Basis.HUMAN, reason, for_human=closed)
    who = entry.entry.actor.name or "a human"
    return Condition(2, "finalize", Outcome.PASSED, Basis.HUMAN, f"entry {entry.entry.sequence} by {who}")


def _tree(task: TaskSnapshot) -> Condition:
    entry, changes = task.log.finalized, task.changes
    if entry is None:
        return Condition(3, "tree", Outcome.NOT_APPLICABLE, Basis.OBSERVED, "nothing to compare with")
    then = entry.entry.data.get("treeDigest")
    if changes is None or changes.unknown or not changes.tree_digest:
        why = changes.unknown if changes is not None else "there is no baseline"
        return Condition(3, "tree", Outcome.UNKNOWN, Basis.OBSERVED, f"the tree cannot be compared: {why}")
    if then != changes.tree_digest:
        reason = "the tree is not the one that was finalized: C reopens the task to judge this one"
        return Condition(3, "tree", Outcome.FAILED, Basis.OBSERVED, reason, for_human=True)
    return Condition(3, "tree", Outcome.PASSED, Basis.OBSERVED, "exactly the tree that was finalized")
