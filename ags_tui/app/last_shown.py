"""What the list of tasks showed last: for the first frame of the next start, never for a decision.

Read before anything else is, so that a second start shows more than names; written in the reader's thread
after an assessment, at most every few seconds, and at the end.
"""

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ags_tui.view.glyphs import UNICODE
from ags_tui.view.remembered import LastShown, from_row, place_of, to_row

if TYPE_CHECKING:
    from datetime import datetime

    from ags_tui.app.ports import Memory
    from ags_tui.core.assessment import Assessment, TaskAssessment

FIRST = 64
"""Task folders that are looked into before the first frame: more rows than a terminal has."""

EVERY = 10.0
"""Seconds between two writings, at least."""


class LastRows:
    """Recalls what was shown, and keeps what is shown."""

    def __init__(self, memory: "Memory | None", clock: "Callable[[], datetime]") -> None:
        """Take what keeps it.

        Args:
            memory: The file; None where nothing is to be kept.
            clock: Gives now, in UTC.
        """
        self.memory = memory
        self.clock = clock
        self._lock = threading.Lock()
        self._more = False
        self._as_found: frozenset[str] = frozenset()
        self._made: dict[str, tuple[TaskAssessment, dict[str, Any], float]] = {}
        self._told: dict[str, tuple[dict[str, Any], float]] | None = None
        self._complete = False
        self._told_at = 0.0

    def first(self) -> Mapping[str, LastShown]:
        """Give what was shown last, for the first frame; blocks no longer than a screenful takes."""
        found = self._shown(FIRST)
        self._more = len(found) > FIRST
        return found

    def rest(self) -> Mapping[str, LastShown] | None:
        """Give all that was shown last, once; None where ``first`` gave all."""
        more, self._more = self._more, False
        return self._shown(None) if more else None

    def _shown(self, most: int | None) -> Mapping[str, LastShown]:
        """Recall rows, and which folders are as they were."""
        if self.memory is None:
            return {}
        found = self.memory.shown(most)
        self._as_found = frozenset(task_id for task_id, (_, same) in found.items() if same)
        return {task_id: from_row(row, same=same) for task_id, (row, same) in found.items()}

    def note(self, assessment: "Assessment", read_at: float) -> None:
        """Take what is shown now; written now and then only.

        Args:
            assessment: What the list shows.
            read_at: When reading began for it, seconds since the epoch.
        """
        if self.memory is None:
            return
        with self._lock:
            self._made = {task.task_id: self._row(task, read_at) for task in assessment.tasks}
            now = self.clock().timestamp()
            if self._told is None or abs(now - self._told_at) >= EVERY:
                self._tell(now)

    def close(self) -> None:
        """Write what was not written yet."""
        with self._lock:
            if self._made:
                self._tell(self.clock().timestamp())

    def _row(self, task: "TaskAssessment", read_at: float) -> tuple["TaskAssessment", dict[str, Any], float]:
        """Make the row of a task, or take the one that was made: the time stays while its files do."""
        before = self._made.get(task.task_id)
        if before is None:
            since = 0.0 if self._told is None and task.task_id in self._as_found else read_at
        elif before[0] is task:
            return before
        else:
            since = before[2] if before[0].task is task.task else read_at
        return task, to_row(task, UNICODE), since

    def _tell(self, now: float) -> None:
        """Hand the rows on where they differ from those of the last time, or not all of those were kept."""
        rows = {task_id: (row, since) for task_id, (_, row, since) in self._made.items()}
        self._told_at = now
        if self.memory is not None and (rows != self._told or not self._complete):
            self._told = rows
            order = sorted(rows, key=lambda task_id: place_of(rows[task_id][0], task_id))
            self._complete = self.memory.keep({task_id: rows[task_id] for task_id in order}, now)
