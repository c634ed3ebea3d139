"""The seam between the watch and what the operating system offers."""

from dataclasses import dataclass, field
from typing import Protocol

from ags_tui.io.hints import Pending
from ags_tui.io.territory import Part


@dataclass(slots=True)
class Trouble:
    """What a source could not do; the watch turns it into polling and a message."""

    unwatched: set[Part] = field(default_factory=set[Part])
    """Parts for which no events come."""
    reason: str = ""
    """Why, in words; empty while there is no trouble."""
    overflowed: bool = False
    """Events were lost; everything is being walked again. The watch clears it."""
    blind: int = 0
    """Folders that cannot be watched (permission)."""


class EventSource(Protocol):
    """Where events come from; all but ``wake`` is called from the thread of the watch."""

    trouble: Trouble
    """Read by the watch after each ``collect``."""
    completed: int
    """Walks over all folders that are done; after each, everything has to be looked at."""

    def start(self, parts: frozenset[Part]) -> None:
        """Begin to watch these parts; walking may go on during ``collect``."""
        ...

    def restart(self) -> None:
        """Look at all folders again: rules changed, a top was re-created, events were lost."""
        ...

    def wait(self, timeout: float) -> None:
        """Block until something happens, ``wake`` is called, or ``timeout`` seconds are over."""
        ...

    def collect(self, now: float, pending: Pending) -> list[str]:
        """Take what happened into ``pending``; never blocks for long.

        Returns:
            The changed paths (absolute), for the sweep, which need not find them again.
        """
        ...

    def wake(self) -> None:
        """End a ``wait`` from another thread."""
        ...

    def close(self) -> None:
        """Give back watches and descriptors."""
        ...
