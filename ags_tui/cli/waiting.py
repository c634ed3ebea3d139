"""Waits for a decision: looks at a few stats ten times a second, and reads only where something moved."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ags_tui.core.approvals import ApprovalStatus
from ags_tui.core.assessment import RequestState
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.contracts.tool_request import ToolRequest, ToolRequestV2
from ags_tui.core.observations import request_id, request_status, requests_of
from ags_tui.core.snapshot import Artifact, Repo, Snapshot, TaskSnapshot
from ags_tui.core.subjects import named_files
from ags_tui.io.log import read_log
from ags_tui.io.policy_files import read_policy
from ags_tui.io.rehash import file_digest
from ags_tui.io.tasks import TaskReader
from ags_tui.io.workspace import Workspace

LOOK_S = 0.1
"""Seconds between two looks at the stats."""

READ_S = 2.0
"""Seconds after which everything is read again, whatever the stats say."""

Stats = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """Where a request stands."""

    artifact: Artifact | None
    """Its file; None where it is gone, unreadable or being written."""
    status: ApprovalStatus | None
    """Where it stands; None without a file."""
    integrity: Outcome
    """Whether the log may be believed."""
    trouble: str = ""
    """What is wrong with the log, or why the file cannot be read."""
    gone: bool = False
    """The file is not there."""


class RequestWatch:
    """Looks at one request of one task, without git and without a TUI."""

    def __init__(self, workspace: Workspace, task_id: str, item_id: str) -> None:
        """Prepare; nothing is read yet.

        Args:
            workspace: the repository.
            task_id: task folder.
            item_id: id of the request.
        """
        self._workspace = workspace
        self._task_id = task_id
        self._item_id = item_id
        self._folder = workspace.folder(task_id)
        self._reader = TaskReader(workspace.root, workspace.top)

    @property
    def folder(self) -> Path:
        """The task folder."""
        return self._folder

    def stats(self) -> Stats:
        """What tells cheaply that something may have moved."""
        names = ("log", "tool-requests", "approval-requests", "escalations", "consumptions", "plan.json")
        own = [f"{name}/{self._item_id}.json" for name in names[1:5]]
        return tuple(_stat(self._folder / name) for name in (*names, *own))

    def read(self, now: datetime) -> Seen:
        """Read the request, the log and everything that a decision may be bound to.

        Args:
            now: the wall clock.
        """
        workspace = self._workspace
        read = self._reader.read(frozenset({self._task_id}), now=now.timestamp())
        files = next((task for task in read.tasks if task.task_id == self._task_id), None)
        log = read_log(self._folder, workspace.keys, workspace.places)
        trouble = "; ".join(finding.message for finding in log.findings)
        if files is None:
            return Seen(None, None, log.integrity, trouble, gone=not self._folder.is_dir())
        digests = {name: file_digest(workspace.top / name) for name in named_files(files, str(workspace.top))}
        task = TaskSnapshot(files=files, log=log, file_digests=digests)
        artifact = next((one for one in requests_of(task) if request_id(one) == self._item_id), None)
        if artifact is None:
            return Seen(None, None, log.integrity, trouble, gone=not self._is_there())
        around = Snapshot(
            taken_at=now,
            root=str(workspace.root),
            repo=Repo(top=str(workspace.top)),
            policy=read_policy(workspace.root, workspace.places),
        )
        return Seen(artifact, request_status(task, around, artifact, now), log.integrity, trouble)

    def _is_there(self) -> bool:
        names = ("tool-requests", "approval-requests", "escalations")
        return any(os.path.lexists(self._folder / name / f"{self._item_id}.json") for name in names)


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
        over = _is_over(seen, now())
        while watch.stats() == stats and time.monotonic() - looked < READ_S:
            if timeout_s is not None and time.monotonic() - started >= timeout_s:
                return seen
            if not over and _is_over(seen, now()):
                break
            time.sleep(_pause(timeout_s, started))


def claim_of(artifact: Artifact) -> str | None:
    """Digest of the token that the asker keeps; None where the request carries none."""
    document = artifact.document
    return document.claim if isinstance(document, ToolRequestV2) else None


def needs_claim(artifact: Artifact) -> bool:
    """Whether only the holder of a token may take the approval."""
    return isinstance(artifact.document, ToolRequest)


def _is_over(seen: Seen, now: datetime) -> bool:
    """Whether a request that was pending has reached its end by the clock alone."""
    status = seen.status
    if status is None or status.expires_at is None or status.state is RequestState.EXPIRED:
        return False
    return now >= status.expires_at


def _pause(timeout_s: float | None, started: float) -> float:
    if timeout_s is None:
        return LOOK_S
    return max(min(LOOK_S, timeout_s - (time.monotonic() - started)), 0.001)


def _stat(path: Path) -> tuple[int, int, int]:
    try:
        facts = path.lstat()
    except OSError:
        return (0, 0, 0)
    return (facts.st_ino, facts.st_mtime_ns, facts.st_size)
