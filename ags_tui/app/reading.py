"""Reads and assesses in one thread at a time: newer hints while reading cause exactly one trailing run."""

import gc
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from textual.message import Message

from ags_tui.app.messages import AssessmentReady, ReadFailed, RowsRecalled, SnapshotTaken
from ags_tui.core.failures import AgsError

if TYPE_CHECKING:
    from ags_tui.app.last_shown import LastRows
    from ags_tui.app.ports import Door
    from ags_tui.core.assessment import Assessment
    from ags_tui.core.hints import Hint
    from ags_tui.core.outside import OutsideWatch
    from ags_tui.core.snapshot import Snapshot

    Assess = Callable[[Snapshot, datetime], Assessment]


def merged(first: "Hint", second: "Hint") -> "Hint":
    """Give a hint that looks wherever one of two looks; None stands for everything."""
    tasks = None if first.tasks is None or second.tasks is None else first.tasks | second.tasks
    paths = None if first.paths is None or second.paths is None else first.paths | second.paths
    return replace(
        second, tasks=tasks, paths=paths, git=first.git or second.git,
        state_changed=first.state_changed or second.state_changed,
    )  # fmt: skip


class Reader:
    """Takes hints, says whether a run is needed, and runs: read, assess, observe."""

    def __init__(
        self,
        door: "Door",
        post: Callable[[Message], object],
        clock: Callable[[], datetime],
        assess: "Assess | None" = None,
        last_rows: "LastRows | None" = None,
    ) -> None:
        """Take what reads and what takes the messages.

        Args:
            door: The workspace.
            post: Takes messages from any thread.
            clock: Gives now, in UTC.
            assess: Runs the checks; those of ``core.checks`` where not given, imported at the first run.
            last_rows: Keeps what is shown for the next start.
        """
        self.door = door
        self.post = post
        self.clock = clock
        self.assess = assess
        self.last_rows = last_rows
        self._outside: OutsideWatch | None = None
        self._lock = threading.Lock()
        self._waiting: Hint | None = None
        self._running = False

    def ask(self, hint: "Hint") -> bool:
        """Note a hint; True where the caller has to start a run, False where one goes on and will follow."""
        with self._lock:
            self._waiting = hint if self._waiting is None else merged(self._waiting, hint)
            if self._running:
                return False
            self._running = True
            return True

    def run(self) -> None:
        """Read and assess until no hint waits; every failure becomes a message."""
        while True:
            with self._lock:
                hint, self._waiting = self._waiting, None
                if hint is None:
                    self._running = False
                    return
            try:
                self._once(hint)
            except AgsError as error:
                self.post(ReadFailed(str(error)))
            except OSError as error:
                self.post(ReadFailed(f"{error.strerror or error}: {error.filename or ''}"))
            except Exception as error:  # noqa: BLE001 (a fault of ours must be seen)
                self.post(ReadFailed(f"own failure: {type(error).__name__}: {error}"))

    def _once(self, hint: "Hint") -> None:
        """Read, assess, show; then record what the system must record, and show that, too."""
        recalled = None if self.last_rows is None else self.last_rows.rest()
        if recalled is not None:
            self.post(RowsRecalled(recalled))
        self._read_and_assess(hint)
        snapshot, now = self._snapshot, self.clock()
        noticed = () if self._outside is None else self._outside.take(now)
        if self.door.observe(snapshot, now, noticed):
            # Of the task folders nothing but these logs is another: what else changed brings its own hint.
            self._read_and_assess(replace(hint, tasks=self.door.observed, why="observed"))

    def _read_and_assess(self, hint: "Hint") -> None:
        """Read and assess once, with the garbage collector off: thousands of models come at once."""
        enabled = gc.isenabled()
        gc.disable()
        try:
            self._snapshot = self.door.read(hint)
            self.post(SnapshotTaken(self._snapshot))
            assessment = self._assess()
            self.post(AssessmentReady(self._snapshot, assessment, self._look_outside(assessment)))
            if self.last_rows is not None:
                self.last_rows.note(assessment, self._snapshot.taken_at.timestamp())
        finally:
            if enabled:
                gc.enable()

    def _assess(self) -> "Assessment":
        """Run the checks over the last snapshot."""
        if self.assess is None:
            from ags_tui.core.checks.assess import Assessor

            self.assess = Assessor().assess  # computes again only what can have become different
        return self.assess(self._snapshot, self.clock())

    def _look_outside(self, assessment: "Assessment") -> float | None:
        """Note what is outside of plans; gives the seconds until it has stood long enough to be recorded."""
        if self._outside is None:
            from ags_tui.core.outside import OutsideWatch

            self._outside = OutsideWatch()  # imported with the checks, after the first frame
        now = self.clock()
        self._outside.look(assessment.tasks, now)
        return self._outside.wait(now)
