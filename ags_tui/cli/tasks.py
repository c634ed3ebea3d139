"""What most commands begin with: read, assess, and find the task or request that was named."""

from ags_tui.cli.failures import UsageProblem
from ags_tui.core.assessment import Assessment, TaskAssessment
from ags_tui.core.observations import request_id, requests_of
from ags_tui.core.snapshot import Artifact, Snapshot, TaskSnapshot

LISTED = 8
"""Most candidates that an error lists."""


def task_of(assessment: Assessment, task_id: str) -> TaskAssessment:
    """Find a task by its id.

    Raises:
        UsageProblem: there is none of that name; the message lists those that exist.
    """
    for task in assessment.tasks:
        if task.task_id == task_id:
            return task
    raise UsageProblem(_no_task(task_id, [task.task_id for task in assessment.tasks]))


def snapshot_of(snapshot: Snapshot, task_id: str) -> TaskSnapshot:
    """Find what was read of a task by its id.

    Raises:
        UsageProblem: there is none of that name.
    """
    for task in snapshot.tasks:
        if task.task_id == task_id:
            return task
    raise UsageProblem(_no_task(task_id, [task.task_id for task in snapshot.tasks]))


def split_request(given: str, candidates: list[tuple[str, str]]) -> tuple[str, str]:
    """Read ``TASK/ID``, or a bare ``ID`` where that is unique.

    Args:
        given: the argument.
        candidates: all requests as ``(task id, request id)``.

    Raises:
        UsageProblem: it names none, or several.
    """
    task_id, slash, item_id = given.rpartition("/")
    found = [pair for pair in candidates if pair[1] == item_id and (not slash or pair[0] == task_id)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageProblem(f"{given}: several requests have this id: {_listed(found)}; name one as TASK/ID")
    close = [pair for pair in candidates if not slash or pair[0] == task_id]
    there = f"there are: {_listed(close)}" if close else "there are none"
    raise UsageProblem(f"{given}: no such request; {there}")


def request_candidates(snapshot: Snapshot) -> list[tuple[str, str]]:
    """All request files as ``(task id, request id)``."""
    return [(task.task_id, request_id(artifact)) for task in snapshot.tasks for artifact in requests_of(task)]


def request_artifact(task: TaskSnapshot, item_id: str) -> Artifact | None:
    """The file of a request; None for what a check asks (``plan``, ``finalize``) and what cannot be read."""
    return next((artifact for artifact in requests_of(task) if request_id(artifact) == item_id), None)


def _no_task(task_id: str, names: list[str]) -> str:
    there = f"tasks here: {', '.join(names[:LISTED])}{' …' if len(names) > LISTED else ''}"
    return (
        f"{task_id}: no such task; {there if names else 'there are none; make one: ags-tui task new TITLE'}"
    )


def _listed(pairs: list[tuple[str, str]]) -> str:
    shown = ", ".join("/".join(pair) for pair in pairs[:LISTED])
    return f"{shown} …" if len(pairs) > LISTED else shown
