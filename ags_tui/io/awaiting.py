"""Waits for a decision and takes it: a few stats ten times a second, a reading only where something moved.

The steps of a wait are a generator that says how long to pause, so that a command may sleep and a server may
do other work meanwhile.
"""

import time
from collections.abc import Callable, Generator
from datetime import datetime
from typing import Any

from ags_tui.core.assessment import RequestState
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.contracts.tool_request import ToolRequest, ToolRequestV2
from ags_tui.core.digests import text_digest
from ags_tui.core.heard import LOG_NOT_INTACT, Heard
from ags_tui.core.layout import COLLECTIONS, place_of
from ags_tui.core.log_state import LoggedEntry
from ags_tui.core.snapshot import Artifact
from ags_tui.io.log import read_log
from ags_tui.io.request_files import take_approval
from ags_tui.io.request_watch import LOOK_S, READ_S, RequestWatch, Seen
from ags_tui.io.workspace import Workspace

WAITED_FOR = ("ToolRequest", "ApprovalRequest", "Escalation")
"""Contracts that somebody can wait for."""
DECIDED = (RequestState.APPROVED.value, RequestState.ANSWERED.value)
"""States in which there is something to take."""


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


def requests_in(workspace: Workspace, task_id: str, *, seen: bool) -> set[str]:
    """Return the ids of what a task waits for, by names alone: nothing else has to be readable.

    Args:
        workspace: the repository.
        task_id: task folder.
        seen: whether those count that only its log has seen; they may be withdrawn.
    """
    found: set[str] = set()
    for name in (name for name, contract in COLLECTIONS.items() if contract in WAITED_FOR):
        folder = workspace.folder(task_id) / name
        found |= {path.stem for path in folder.glob("*.json") if not path.name.startswith(".")}
    if seen:
        log = read_log(workspace.folder(task_id), workspace.keys, workspace.places)
        places = (place_of(one.path) for one in log.observations)
        found |= {place.id for place in places if place and place.id and place.contract in WAITED_FOR}
    return found


def looks(
    watch: RequestWatch,
    settled: Callable[[Seen], bool],
    *,
    timeout_s: float | None,
    now: Callable[[], datetime],
) -> Generator[float, None, Seen]:
    """Look at a request until it is settled or the time is over.

    Args:
        watch: looks at the request.
        settled: says whether to stop.
        timeout_s: seconds to wait at most; None for no limit.
        now: gives the wall clock.

    Yields:
        Seconds to pause before the next step.

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
            yield _pause(timeout_s, started)


def wait_for(
    watch: RequestWatch,
    settled: Callable[[Seen], bool],
    *,
    timeout_s: float | None,
    now: Callable[[], datetime],
) -> Seen:
    """Do all steps of ``looks`` and sleep in between; the same arguments, what was seen last."""
    steps = looks(watch, settled, timeout_s=timeout_s, now=now)
    while True:
        try:
            time.sleep(next(steps))
        except StopIteration as end:
            return end.value


def claim_of(artifact: Artifact) -> str | None:
    """Digest of the token that the asker keeps; None where the request carries none."""
    document = artifact.document
    return document.claim if isinstance(document, ToolRequestV2) else None


def needs_claim(artifact: Artifact) -> bool:
    """Whether only the holder of a token may take the approval."""
    return isinstance(artifact.document, ToolRequest)


def is_readable(seen: Seen) -> bool:
    """Whether a first look can say more than that a file is being written."""
    return seen.artifact is not None or seen.gone or seen.integrity is not Outcome.PASSED


def until_settled(digest: str) -> Callable[[Seen], bool]:
    """Return what ends a wait: anything but that the request is pending.

    Args:
        digest: digest of the request that the waiter saw first; empty where it saw none.
    """

    def settled(seen: Seen) -> bool:
        return heard(seen, digest).state != RequestState.PENDING.value

    return settled


def heard(seen: Seen, digest: str) -> Heard:
    """Return where a request stands for a waiter; nothing is taken.

    Args:
        seen: what was seen last.
        digest: digest of the request that the waiter saw first; empty where it saw none.
    """
    said = digest or None
    if seen.integrity is not Outcome.PASSED:
        return Heard(LOG_NOT_INTACT, seen.trouble or "the log is not intact", digest=said)
    if seen.gone:
        return Heard(RequestState.WITHDRAWN.value, "its file is gone", digest=said)
    if seen.artifact is None or seen.status is None:
        return Heard(RequestState.PENDING.value, "its file is being written", digest=said)
    if digest and seen.artifact.digest != digest:
        reason = "the request was rewritten while it waited"
        return Heard(RequestState.CHANGED.value, reason, digest=said)
    return Heard(seen.status.state.value, seen.status.reason, digest=said)


def taken(watch: RequestWatch, seen: Seen, *, digest: str, claim: str, now: Callable[[], datetime]) -> Heard:
    """Return where a request stands, and take it where it was decided: the first taker wins.

    Args:
        watch: what looked at the request.
        seen: what it saw last.
        digest: digest of the request that the waiter saw first; empty where it saw none.
        claim: token of the waiter.
        now: gives the wall clock.

    Raises:
        CannotFile: the claim cannot be written; nothing was taken.
    """
    found = heard(seen, digest)
    if found.state not in DECIDED:
        return found
    if not take_approval(watch.folder, watch.item_id, digest, text_digest(claim), now()):
        reason = "another waiter was first"
        return Heard(RequestState.CONSUMED.value, reason, digest=found.digest)
    row = seen.status.entry if seen.status is not None else None
    effective = _effective(seen.artifact, row) if seen.artifact is not None and row else None
    return Heard(found.state, found.reason, effective, _effective_digest(digest, row))


def _effective(artifact: Artifact, row: LoggedEntry) -> Any:  # noqa: ANN401  JSON data
    """What the waiter may do now: the approved call, or the answer."""
    entry = row.entry
    if entry.verdict == "answered":
        return {name: entry.data[name] for name in ("option", "text") if name in entry.data}
    if entry.verdict == "amended" and "effective" in entry.data:
        return entry.data["effective"]
    document: dict[str, Any] = artifact.document.model_dump(mode="json", by_alias=True)
    names = ("tool", "targetPath", "command", "input", "proposedChange", "cwd", "subject")
    return {name: document[name] for name in names if name in document}


def _effective_digest(digest: str, row: LoggedEntry | None) -> str:
    amended = row is not None and row.entry.verdict == "amended"
    return str(row.entry.data.get("effectiveDigest", digest)) if amended and row is not None else digest


def _pause(timeout_s: float | None, started: float) -> float:
    if timeout_s is None:
        return LOOK_S
    return max(min(LOOK_S, timeout_s - (time.monotonic() - started)), 0.001)
