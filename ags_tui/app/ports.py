"""What the shell needs from the outside: one narrow seam, filled by ``io.workspace`` and by test doubles."""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path
    from threading import Event

    from ags_tui.core.contracts.task import AgentTask
    from ags_tui.core.decisions import Draft
    from ags_tui.core.hints import Hint, WatchState
    from ags_tui.core.log_state import LoggedEntry
    from ags_tui.core.snapshot import Snapshot


class TestsRun(Protocol):
    """How a run of the planned tests ended."""

    @property
    def passed(self) -> bool:
        """Every command ended with 0."""
        ...

    @property
    def summary(self) -> str:
        """One line."""
        ...


class Memory(Protocol):
    """What the list of tasks showed last, kept from one start to the next. Both calls block."""

    def shown(self, most: int | None = None) -> Mapping[str, tuple[Mapping[str, Any], bool]]:
        """Give by task id the row that was kept, and whether its folder is as it was then.

        Args:
            most: Look only into so many folders; the others count as changed.
        """
        ...

    def keep(self, rows: Mapping[str, tuple[Mapping[str, Any], float]], now: float) -> bool:
        """Keep rows, each with the time at which its folder was read; 0 where it is as it was found.

        Args:
            rows: By task id.
            now: Seconds since the epoch, as those of the rows.

        Returns:
            False where some may be kept later only: their folders have just changed.
        """
        ...


class Door(Protocol):
    """The workspace as the shell sees it. All calls but ``watch`` block and run in worker threads."""

    def task_names(self) -> tuple[str, ...]:
        """Name the task folders, cheaply: one look into the folder, nothing is read."""
        ...

    def read(self, hint: "Hint") -> "Snapshot":
        """Read everything, looking again only where the hint says so."""
        ...

    def watch(self) -> "AsyncIterator[Hint]":
        """Yield hints for ever."""
        ...

    @property
    def watch_state(self) -> "WatchState":
        """How changes are noticed at the moment."""
        ...

    def observe(self, snapshot: "Snapshot", now: "datetime") -> int:
        """Record what the system must record; gives the number of entries written."""
        ...

    @property
    def observed(self) -> frozenset[str] | None:
        """Tasks whose logs have grown in the last ``observe``; None where any may have."""
        ...

    def record(self, draft: "Draft") -> "LoggedEntry":
        """Record a decision; raises ``AgsError`` where the log does not take it."""
        ...

    def diff(self, task_id: str | None, path: str) -> bytes:
        """Give the unified diff of a path since the task's baseline, or since HEAD."""
        ...

    def evidence(self, task_id: str, ref: str) -> str:
        """Give the text of a file that an escalation names; raises ``AgsError`` where it cannot be shown."""
        ...

    def blob(self, oid: str) -> bytes:
        """Give the bytes of an object of the repository; raises ``AgsError`` where they cannot be read."""
        ...

    def work_file(self, path: str) -> bytes | None:
        """Give a file of the work tree as it is now, None where there is none; raises ``AgsError``."""
        ...

    def new_task(self, task: "AgentTask") -> "Path":
        """Write a new task with its baseline; raises ``AgsError`` where that is not possible."""
        ...

    def run_checks(self, task_id: str, *, on_line: Callable[[str], None], cancel: "Event") -> TestsRun:
        """Run the planned test commands that a human approved, and record what was observed."""
        ...
