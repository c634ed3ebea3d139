"""Looks at one request of one task: a few stats to see whether anything moved, and all of it where it did.

The waiters share it: ``ags-tui wait`` looks ten times a second, the decision server between its other work.
Neither needs git or a TUI.
"""

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ags_tui.core.approvals import ApprovalStatus
from ags_tui.core.assessment import RequestState
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.log_state import LogState
from ags_tui.core.observations import request_id, request_status, requests_of
from ags_tui.core.snapshot import Artifact, Repo, Snapshot, TaskSnapshot
from ags_tui.core.subjects import named_files
from ags_tui.io.keys import Keys
from ags_tui.io.log import read_log
from ags_tui.io.places import Places
from ags_tui.io.policy_files import read_policy
from ags_tui.io.rehash import file_digest
from ags_tui.io.tasks import TaskReader

LOOK_S = 0.1
"""Seconds between two looks at the stats."""

READ_S = 2.0
"""Seconds after which everything is read again, whatever the stats say."""

Stats = tuple[tuple[int, int, int], ...]
"""What tells cheaply that something may have moved."""


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
    log: LogState | None = None
    """The log, as it was read for this."""

    def is_over(self, now: datetime) -> bool:
        """Whether a request that was pending has reached its end by the clock alone."""
        status = self.status
        if status is None or status.expires_at is None or status.state is RequestState.EXPIRED:
            return False
        return now >= status.expires_at


class RequestWatch:
    """Looks at one request of one task, without git and without a TUI."""

    def __init__(
        self, root: Path, top: Path, task_id: str, item_id: str, *, keys: Keys, places: Places
    ) -> None:
        """Prepare; nothing is read yet.

        Args:
            root: Absolute folder that holds ``tasks/``.
            top: Top of the work tree.
            task_id: Task folder; exists.
            item_id: Id of the request.
            keys: Whose signatures count.
            places: The user's folders.
        """
        self._root = root
        self._top = top
        self._task_id = task_id
        self._item_id = item_id
        self._keys = keys
        self._places = places
        self._reader = TaskReader(root, top)

    @property
    def folder(self) -> Path:
        """The task folder."""
        return self._root / "tasks" / self._task_id

    @property
    def item_id(self) -> str:
        """Id of the request."""
        return self._item_id

    def stats(self) -> Stats:
        """What tells cheaply that something may have moved."""
        names = ("log", "tool-requests", "approval-requests", "escalations", "consumptions", "plan.json")
        own = [f"{name}/{self._item_id}.json" for name in names[1:5]]
        return tuple(_stat(self.folder / name) for name in (*names, *own))

    def read(self, now: datetime) -> Seen:
        """Read the request, the log and everything that a decision may be bound to.

        Args:
            now: the wall clock.
        """
        read = self._reader.read(frozenset({self._task_id}), now=now.timestamp())
        files = next((task for task in read.tasks if task.task_id == self._task_id), None)
        log = read_log(self.folder, self._keys, self._places)
        trouble = "; ".join(finding.message for finding in log.findings)
        if files is None:
            return Seen(None, None, log.integrity, trouble, gone=not self.folder.is_dir(), log=log)
        digests = {name: file_digest(self._top / name) for name in named_files(files, str(self._top))}
        task = TaskSnapshot(files=files, log=log, file_digests=digests)
        artifact = next((one for one in requests_of(task) if request_id(one) == self._item_id), None)
        if artifact is None:
            return Seen(None, None, log.integrity, trouble, gone=not self._is_there(), log=log)
        around = Snapshot(
            taken_at=now,
            root=str(self._root),
            repo=Repo(top=str(self._top)),
            policy=read_policy(self._root, self._places),
        )
        status = request_status(task, around, artifact, now)
        return Seen(artifact, status, log.integrity, trouble, log=log)

    def _is_there(self) -> bool:
        names = ("tool-requests", "approval-requests", "escalations")
        return any(os.path.lexists(self.folder / name / f"{self._item_id}.json") for name in names)


def _stat(path: Path) -> tuple[int, int, int]:
    try:
        facts = path.lstat()
    except OSError:
        return (0, 0, 0)
    return (facts.st_ino, facts.st_mtime_ns, facts.st_size)
