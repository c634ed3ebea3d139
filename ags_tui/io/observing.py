"""What a verdict begins with: half-written files get a moment, and what was just written is recorded."""

import time
from collections.abc import Callable

from ags_tui.core.checks.findings import Outcome
from ags_tui.core.decisions import Draft, Via
from ags_tui.core.failures import AgsError
from ags_tui.core.observations import due, is_young
from ags_tui.core.snapshot import Snapshot, TaskSnapshot
from ags_tui.io.workspace import Workspace

OBSERVED = 64
"""Most entries that one call writes: a thousand new requests must not hold up a verdict."""
SETTLING_S = 5.0
"""Seconds that a file which is being written gets to be finished before a verdict."""


def settled(workspace: Workspace, snapshot: Snapshot, target: str) -> Snapshot:
    """Read again where something is being written: a verdict on half a file helps nobody.

    Args:
        workspace: the repository.
        snapshot: what was just read.
        target: the tree that is assessed.

    Returns:
        A snapshot in which nothing is waited for, or the last one after five seconds.
    """
    end = time.monotonic() + SETTLING_S
    while snapshot.look_again_at is not None and time.monotonic() < end:
        time.sleep(min(max(snapshot.look_again_at - time.time(), 0.05), 0.5))
        snapshot = workspace.read(target=target)
    return snapshot


def observe_young(workspace: Workspace, snapshot: Snapshot, *, via: Via, say: Callable[[str], None]) -> int:
    """Record what was written a moment ago together with the tree of this moment.

    Older files say nothing about the tree that they were written on, so they stay unobserved.

    Args:
        workspace: the repository.
        snapshot: what was just read.
        via: through which door the caller records.
        say: takes a sentence where something could not be recorded.

    Returns:
        Entries written.
    """
    fresh = [draft for task in snapshot.tasks for draft in _young(task, snapshot, via)]
    fresh.sort(key=lambda draft: "/" in draft.subject_id)  # results first: their tree is a matter of seconds
    refused: set[str] = set()
    written = 0
    for draft in fresh[:OBSERVED]:
        if draft.task_id in refused:
            continue
        try:
            workspace.record(draft)
            written += 1
        except AgsError as error:
            refused.add(draft.task_id)
            say(f"{draft.task_id}: not observed: {error}")
    return written


def _young(task: TaskSnapshot, snapshot: Snapshot, via: Via) -> list[Draft]:
    """Observations that are due for files of this moment; none in a log that is not intact for us."""
    young = {path for path, file in task.files.artifacts.items() if is_young(file, snapshot)}
    if not young or task.log.integrity is not Outcome.PASSED:
        return []
    drafts = due(task, snapshot, snapshot.taken_at, via=via)
    return [draft for draft in drafts if draft.kind == "observation" and draft.subject_id in young]
