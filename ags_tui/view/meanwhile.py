"""What became of an item while a human had it open: decided elsewhere, expired, withdrawn, or another one."""

from ags_tui.core.assessment import (
    Assessment,
    PathClass,
    Pending,
    PendingKind,
    RequestState,
    RequestStatus,
    TaskAssessment,
)

_OVER = {
    RequestState.APPROVED: "was approved", RequestState.DENIED: "was denied",
    RequestState.ANSWERED: "was answered", RequestState.EXPIRED: "expired",
    RequestState.WITHDRAWN: "was withdrawn by the agent", RequestState.CONSUMED: "was taken by its waiter",
    RequestState.DISMISSED: "was put away", RequestState.NOT_NEEDED: "needs no decision any more",
}  # fmt: skip


def same_item(shown: Pending, now: Pending) -> bool:
    """Whether two states are of one item: the same question about the same thing, whatever its bytes.

    A file of another kind that took the id is another item; what was shown is then over.
    """
    return (shown.task_id, shown.place, shown.item_id, shown.kind) == (
        now.task_id, now.place, now.item_id, now.kind,
    )  # fmt: skip


def over_words(pending: Pending, task: TaskAssessment | None) -> str:
    """Say what became of an item that does not wait any more. Foreign text."""
    if task is None:
        return "the task folder is gone"
    status = _status(pending, task)
    if task.task.log.frozen:
        return "the task was finalized or closed meanwhile"
    if status is None:
        return _path_words(pending, task)
    words = _OVER.get(status.state, status.state.value)
    reason = f": {status.reason}" if status.reason else ""
    return f"it {words} meanwhile{reason}"


def _path_words(pending: Pending, task: TaskAssessment) -> str:
    """Say why a change that nobody filed a request for asks no more: it is gone, allowed or planned now."""
    if pending.kind is not PendingKind.EDIT or pending.path is None:
        return "it does not wait any more"
    now = next((one for one in task.scope.paths if one.path == pending.path), None)
    if now is None or now.change is None:
        return f"{pending.path} is as it was before: the change was taken back"
    if now.path_class is PathClass.IN_SCOPE:
        return f"{pending.path} is in the plan now"
    return f"{pending.path} was approved meanwhile" if now.approved else "it does not wait any more"


def _status(pending: Pending, task: TaskAssessment) -> RequestStatus | None:
    own = (pending.place, pending.item_id, pending.kind)
    return next((one for one in task.requests if (one.place, one.item_id, one.kind) == own), None)


def denied_late(shown: Pending, assessment: Assessment) -> str:
    """Say what became of an item while the reason of its denial was written, and what is recorded then.

    Args:
        shown: The item as it is to be denied.
        assessment: The newest one.

    Returns:
        A sentence with foreign text in it; empty while the item waits as it did.
    """
    now = next((one for one in assessment.pending if same_item(shown, one)), None)
    if now is not None and now.digest == shown.digest:
        return ""
    if now is not None:
        return "it has other contents now. The denial holds for what was shown; the new version still waits."
    task = next((one for one in assessment.tasks if one.task_id == shown.task_id), None)
    words = over_words(shown, task).rstrip(".")
    if task is None or task.task.log.frozen:
        return f"{words}. Nothing is left to deny: Esc leaves."
    status = _status(shown, task)
    if status is not None and status.state in (RequestState.EXPIRED, RequestState.WITHDRAWN):
        return f"{words}. It cannot run any more; what you write is still recorded as a denial. Esc leaves."
    return f"{words}. What you write is recorded as a denial behind that. Esc leaves."
