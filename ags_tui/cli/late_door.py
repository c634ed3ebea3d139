"""The workspace behind the TUI, opened by its first reading: the first frame waits for no git and no model.

Opening it imports pydantic, GitPython and cryptography and asks git four times, which takes as long as
Textual needs for its first frame. Names of tasks are known without it.
"""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ags_tui.core.failures import AgsError
from ags_tui.core.hints import EVERYTHING
from ags_tui.core.layout import TASKS, valid_task_id

if TYPE_CHECKING:
    from ags_tui.core.contracts.task import AgentTask
    from ags_tui.core.decisions import Draft
    from ags_tui.core.hints import Hint, WatchState
    from ags_tui.core.log_state import LoggedEntry
    from ags_tui.core.promotion import Promotion
    from ags_tui.core.snapshot import Snapshot
    from ags_tui.io.task_checks import ChecksRun
    from ags_tui.io.workspace import Workspace


def work_tree_above(folder: Path) -> Path | None:
    """The nearest folder with a ``.git``, links resolved; None where there is none.

    Git itself decides later, when the workspace is opened; this is for what the first frame shows.
    """
    place = folder.resolve()
    return next((top for top in (place, *place.parents) if os.path.lexists(top / ".git")), None)


class LateDoor:
    """Opens a workspace when it is first needed, in the thread that needs it, and hands everything on."""

    def __init__(
        self,
        open_it: "Callable[[], Workspace]",
        root: Path,
        settle: "Callable[[], Workspace] | None" = None,
        usual: Path | None = None,
    ) -> None:
        """Remember how to open it.

        Args:
            open_it: Opens the workspace; called once, never in the thread of the screen.
            root: Folder that holds ``tasks/``.
            settle: Where the root stands outside of the repository, for sessions alone: moves into one of
                the repository, which the first task that a human writes needs, and opens that.
            usual: The root in the repository; somebody else may make it.
        """
        self.refused: AgsError | None = None
        self.on_refused: Callable[[], None] = lambda: None
        self.root = root
        self._open_it = open_it
        self._settle = settle
        self._usual = usual
        self._lock = threading.Lock()
        self._workspace: Workspace | None = None

    @property
    def workspace(self) -> "Workspace":
        """The workspace, opened.

        Raises:
            AgsError: It cannot be opened; ``refused`` keeps why, and ``on_refused`` was called.
        """
        with self._lock:
            if self.refused is not None:
                raise self.refused
            if self._workspace is None:
                try:
                    self._workspace = self._open_it()
                except AgsError as error:
                    self.refused = error
                    self.on_refused()
                    raise
            return self._workspace

    def task_names(self) -> tuple[str, ...]:
        """Names of the task folders, sorted, from one look into the root."""
        if self._workspace is not None:
            return self._workspace.task_names()
        try:
            with os.scandir(self.root / TASKS) as entries:
                names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        except OSError:
            return ()
        return tuple(sorted(name for name in names if valid_task_id(name)))

    def read(self, hint: "Hint") -> "Snapshot":
        """Read everything, looking again only where the hint says so."""
        if self._settle is not None and self._usual is not None and self._usual.is_dir():
            with suppress(AgsError):  # calls wait for the human: at the next reading
                self._move()
        return self.workspace.read(hint)

    def _move(self) -> None:
        """Go on with the root of the repository, where that has not happened yet."""
        with self._lock:
            if self._settle is not None:
                self._workspace, self._settle = self._settle(), None
                self.root = self._workspace.root

    async def watch(self) -> "AsyncIterator[Hint]":
        """Yield hints for ever."""
        while True:
            workspace = await asyncio.to_thread(lambda: self.workspace)
            async with aclosing(workspace.watch()) as hints:
                async for hint in hints:
                    yield hint
                    if workspace is not self._workspace:
                        break  # it has moved; what its watcher sees is another folder
            yield EVERYTHING

    @property
    def watch_state(self) -> "WatchState":
        """How changes are noticed at the moment."""
        if self._workspace is not None:
            return self._workspace.watch_state
        from ags_tui.core.hints import WatchState

        return WatchState()

    def observe(self, snapshot: "Snapshot", now: datetime, more: "Sequence[Draft]" = ()) -> int:
        """Record what the system must record; gives the number of entries written."""
        return self.workspace.observe(snapshot, now, more)

    @property
    def observed(self) -> frozenset[str] | None:
        """Tasks whose logs have grown in the last ``observe``."""
        return self.workspace.observed

    def record(self, draft: "Draft") -> "LoggedEntry":
        """Record a decision."""
        return self.workspace.record(draft)

    def diff(self, task_id: str | None, path: str) -> bytes:
        """Give the unified diff of a path since the task's baseline, or since HEAD."""
        return self.workspace.diff(task_id, path)

    def evidence(self, task_id: str, ref: str) -> str:
        """Give the text of a file that an escalation names."""
        return self.workspace.evidence(task_id, ref)

    def blob(self, oid: str) -> bytes:
        """Give the bytes of an object of the repository."""
        return self.workspace.blob(oid)

    def work_file(self, path: str) -> bytes | None:
        """Give a file of the work tree as it is now."""
        return self.workspace.work_file(path)

    def new_task(self, task: "AgentTask") -> Path:
        """Write a new task with its baseline; the first one makes a root in the repository."""
        self._move()
        return self.workspace.new_task(task)

    def promote(self, promotion: "Promotion") -> Path:
        """Make a session a planned task; that needs a root in the repository, as the first task does."""
        self._move()
        return self.workspace.promote(promotion)

    def run_checks(
        self, task_id: str, *, on_line: Callable[[str], None], cancel: threading.Event
    ) -> "ChecksRun":
        """Run the planned test commands that a human approved, and record what was observed."""
        return self.workspace.run_checks(task_id, on_line=on_line, cancel=cancel)
