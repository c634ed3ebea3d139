"""No events at all: the watch only sleeps between its sweeps."""

import threading

from ags_tui.io.event_source import Trouble
from ags_tui.io.hints import Pending
from ags_tui.io.territory import Part


class NoEvents:
    """An ``EventSource`` that never has any."""

    def __init__(self, reason: str) -> None:
        """Say why there are no events."""
        self.trouble = Trouble(reason=reason)
        self.completed = 0
        self._woken = threading.Event()

    def start(self, parts: frozenset[Part]) -> None:
        """Leave these parts to the sweeps."""
        self.trouble.unwatched |= parts
        self.completed += 1

    def restart(self) -> None:
        """Let everything be looked at."""
        self.completed += 1

    def wait(self, timeout: float) -> None:
        """Sleep."""
        self._woken.wait(timeout)
        self._woken.clear()

    def collect(self, now: float, pending: Pending) -> list[str]:
        """Nothing happened."""
        del now, pending
        return []

    def wake(self) -> None:
        """End a ``wait`` from another thread."""
        self._woken.set()

    def close(self) -> None:
        """There is nothing to give back."""
