"""What the shell needs from the outside: one narrow seam, filled by ``io.workspace`` and by test doubles."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path
    from threading import Event

    from ags_tui.core.contracts.task import AgentTask
    from ags_tui.core.decisions import Draft
    from ags_tui.core.hints import Hint, WatchState
    from ags_tui.core.log_state import LoggedEntry
    from ags_tui.core.policy.calls import RememberedRule, Verdict
    from ags_tui.core.promotion import Promotion
    from ags_tui.core.rule_making import Base, Preview
    from ags_tui.core.rules_read import RulesRead
    from ags_tui.core.session_calls import SessionSeen
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

    def observe(self, snapshot: "Snapshot", now: "datetime", more: "Sequence[Draft]" = ()) -> int:
        """Record what the system must record and what else was noticed; gives the entries written."""
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

    def promote(self, promotion: "Promotion") -> "Path":
        """Make a session a planned task; raises ``AgsError`` where that is not possible."""
        ...

    def run_checks(self, task_id: str, *, on_line: Callable[[str], None], cancel: "Event") -> TestsRun:
        """Run the planned test commands that a human approved, and record what was observed."""
        ...


class Ears(Protocol):
    """Whom the decision server tells something, from a thread of its own."""

    def asked(self, agent: str, at: "datetime") -> None:
        """A client's hook has asked."""
        ...

    def answered(self) -> None:
        """A hook has its answer, so that the activity log has grown."""
        ...

    def alarm(self, text: str) -> None:
        """The human should know this."""
        ...


class Beside(Protocol):
    """The agents' clients beside the app: their hooks are answered, their sessions read, their rules kept.

    All calls but the properties block and run in worker threads.
    """

    def start(self, ears: Ears) -> None:
        """Begin to answer the hooks of the work tree; what goes wrong is an alarm."""
        ...

    def stop(self) -> None:
        """End: calls that wait get no verdict, so their hooks answer as ``when_absent`` says."""
        ...

    @property
    def key(self) -> str:
        """Name of the work tree's own log."""
        ...

    @property
    def serving(self) -> bool:
        """Whether hooks are answered here, and not by another TUI."""
        ...

    @property
    def waiting(self) -> int:
        """How many calls wait here for an answer."""
        ...

    @property
    def when_absent(self) -> str:
        """What hooks answer while nobody is there: ``deny`` or ``defer``."""
        ...

    def sessions(self) -> "tuple[SessionSeen, ...]":
        """Give the sessions of the work tree, the one that did something last first."""
        ...

    def rules(self) -> "RulesRead":
        """Read all rules; raises ``AgsError`` where they cannot be read."""
        ...

    def try_line(self, line: str) -> "Verdict":
        """Say what a shell line would get at the top of the work tree."""
        ...

    def base(self, task_id: str, request: str) -> "Base | None":
        """Give the call behind a request that a hook filed; None where it is not known here."""
        ...

    def obeys(self, agent: str, *, shell: bool) -> bool:
        """Tell whether a client runs another input than the one that it asked for, if told so."""
        ...

    def preview(self, base: "Base", rule: "RememberedRule") -> "Preview":
        """Say what a rule does, and what it would have done in the past 30 days."""
        ...

    def record(self, draft: "Draft") -> "LoggedEntry":
        """Record a decision about rules or trust; raises ``AgsError`` where the log does not take it."""
        ...
