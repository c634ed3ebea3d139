"""Requests that are over without a decision: expired, or taken back by the one who waited."""

from dataclasses import dataclass

from ags_tui.core.assessment import Assessment, RequestState, RequestStatus, TaskAssessment
from ags_tui.core.ends import SETTLED_OTHERWISE


@dataclass(frozen=True, slots=True)
class Passed:
    """A request that is over without a decision and was not put away yet."""

    task_id: str
    """Of which task."""
    status: RequestStatus
    """The request; ``expired`` or ``withdrawn``."""


def passed_items(assessment: Assessment) -> tuple[Passed, ...]:
    """Collect expired and withdrawn requests that nobody put away, newest first within a task."""
    return tuple(
        Passed(task.task_id, status)
        for task in assessment.tasks
        if not task.task.log.frozen
        for status in reversed(task.requests)
        if _is_over(task, status)
    )


def why_withdrawn(task: TaskAssessment, status: RequestStatus) -> str:
    """Say why a request was taken back, as the one who waited for it says it. Foreign text.

    Args:
        task: Its task.
        status: A withdrawn request.
    """
    rows = (row.entry for row in task.task.log.entries if row.entry.sequence == status.sequence)
    why = next((entry.data.get("why") for entry in rows), None)
    return why if isinstance(why, str) else ""


def _is_over(task: TaskAssessment, status: RequestStatus) -> bool:
    """Whether a request ended without an answer to its call; where a rule answered it, nothing is open."""
    if status.state is RequestState.WITHDRAWN:
        return not why_withdrawn(task, status).startswith(SETTLED_OTHERWISE)
    return status.state is RequestState.EXPIRED
