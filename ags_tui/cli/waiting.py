"""Waits for a decision: looks at a few stats ten times a second, and reads only where something moved."""

import time
from collections.abc import Callable
from datetime import datetime

from ags_tui.core.contracts.tool_request import ToolRequest, ToolRequestV2
from ags_tui.core.snapshot import Artifact
from ags_tui.io.request_watch import LOOK_S, READ_S, RequestWatch, Seen
from ags_tui.io.workspace import Workspace


def watch_of(workspace: Workspace, task_id: str, item_id: str) -> RequestWatch:
    """Return what looks at a request.

    Args:
        workspace: the repository.
        task_id: task folder.
        item_id: id of the request.

    Raises:
        NoSuchTask: the task does not exist.
    """
    workspace.folder(task_id)
    return RequestWatch(
        workspace.root, workspace.top, task_id, item_id, keys=workspace.keys, places=workspace.places
    )


def wait_for(
    watch: RequestWatch,
    settled: Callable[[Seen], bool],
    *,
    timeout_s: float | None,
    now: Callable[[], datetime],
) -> Seen:
    """Wait until a request is settled or the time is over.

    Args:
        watch: looks at the request.
        settled: says whether to stop.
        timeout_s: seconds to wait at most; None for no limit.
        now: gives the wall clock.

    Returns:
        What was seen last.
    """
    started = time.monotonic()
    while True:
        stats, looked = watch.stats(), time.monotonic()
        seen = watch.read(now())
        if settled(seen):
            return seen
        over = seen.is_over(now())
        while watch.stats() == stats and time.monotonic() - looked < READ_S:
            if timeout_s is not None and time.monotonic() - started >= timeout_s:
                return seen
            if not over and seen.is_over(now()):
                break
            time.sleep(_pause(timeout_s, started))


def claim_of(artifact: Artifact) -> str | None:
    """Digest of the token that the asker keeps; None where the request carries none."""
    document = artifact.document
    return document.claim if isinstance(document, ToolRequestV2) else None


def needs_claim(artifact: Artifact) -> bool:
    """Whether only the holder of a token may take the approval."""
    return isinstance(artifact.document, ToolRequest)


def _pause(timeout_s: float | None, started: float) -> float:
    if timeout_s is None:
        return LOOK_S
    return max(min(LOOK_S, timeout_s - (time.monotonic() - started)), 0.001)
