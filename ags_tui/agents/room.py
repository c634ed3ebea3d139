"""Room for the bytes of calls: how much all connections together may hold, and who waits for it.

Twenty calls of 64 MiB would otherwise take gigabytes. Small calls have room of their own, so none of them
waits for large ones. Used in one thread, the server's.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

SMALL = 256 * 1024
"""Longest call that counts as small, bytes."""
SMALL_ROOM = 64 * 1024 * 1024
"""Bytes that all small calls together may hold."""
LARGE_ROOM = 64 * 1024 * 1024
"""Bytes that all other calls together may hold; as much as the longest call has. Judging one takes several
times its bytes."""
MOST_WAITING = 64
"""Most calls of a kind that wait for room; further ones are refused at once."""


@dataclass(slots=True)
class _Lane:
    free: int
    queue: dict[Hashable, tuple[int, Callable[[], None]]] = field(
        default_factory=dict[Hashable, tuple[int, Callable[[], None]]]
    )
    held: dict[Hashable, int] = field(default_factory=dict[Hashable, int])


class Room:
    """Room for calls of two kinds; within a kind, who comes first goes first."""

    def __init__(self, *, small: int = SMALL_ROOM, large: int = LARGE_ROOM) -> None:
        """Begin empty.

        Args:
            small: Bytes for small calls together.
            large: Bytes for the others together.
        """
        self._small, self._large = _Lane(small), _Lane(large)

    def enter(self, key: Hashable, size: int, go: Callable[[], None]) -> bool:
        """Ask for room.

        Args:
            key: Who asks; asks once.
            size: Bytes; never more than there is for calls of this size.
            go: Called when there is room, perhaps before this returns.

        Returns:
            Whether there is room, or will be; False where too many wait already.
        """
        lane = self._small if size <= SMALL else self._large
        if len(lane.queue) >= MOST_WAITING:
            return False
        lane.queue[key] = (size, go)
        _admit(lane)
        return True

    def leave(self, key: Hashable) -> None:
        """Give room back, or wait for it no longer; nothing where neither was.

        Args:
            key: Who asked.
        """
        for lane in (self._small, self._large):
            lane.queue.pop(key, None)
            lane.free += lane.held.pop(key, 0)
            _admit(lane)


def _admit(lane: _Lane) -> None:
    """Let go who waits, in turn."""
    while lane.queue:
        key, (size, go) = next(iter(lane.queue.items()))
        if size > lane.free:
            return
        del lane.queue[key]
        lane.free -= size
        lane.held[key] = size
        go()
