"""inotify itself: a typed, thin cover over ``inotify_simple``."""

import os
import struct
from typing import Any, NamedTuple

import inotify_simple

_flags = inotify_simple.flags
_HEAD = struct.Struct("iIII")

SOFT = int(_flags.CREATE | _flags.MODIFY | _flags.ATTRIB)
"""Events after which more of the same file follow."""
APPEARS = int(_flags.CREATE | _flags.MOVED_TO)
"""A name came into a folder."""
VANISHES = int(_flags.DELETE | _flags.MOVED_FROM)
"""A name went out of a folder."""
IS_FOLDER = int(_flags.ISDIR)
"""The name is that of a folder."""
WATCH_ENDS = int(_flags.DELETE_SELF | _flags.MOVE_SELF | _flags.UNMOUNT | _flags.IGNORED)
"""The watched folder itself is gone or elsewhere."""
OVERFLOW = int(_flags.Q_OVERFLOW)
"""The kernel dropped events."""

_MASK = int(
    SOFT | APPEARS | VANISHES
    | _flags.CLOSE_WRITE | _flags.DELETE_SELF | _flags.MOVE_SELF
    | _flags.ONLYDIR | _flags.DONT_FOLLOW | _flags.EXCL_UNLINK
)  # fmt: skip

READ_SIZE = 64 * 1024
"""Bytes taken from the kernel at once: some thousand events."""


class Event(NamedTuple):
    """One event."""

    watch: int
    """Number of the watch, -1 for an overflow."""
    mask: int
    """What happened."""
    name: str
    """Name inside the watched folder (surrogate escapes); empty for the folder itself."""


class Queue:
    """One inotify instance."""

    def __init__(self) -> None:
        """Open it.

        Raises:
            OSError: EMFILE, there are no instances left.
        """
        self._inotify: Any = inotify_simple.INotify(nonblocking=True)

    def fileno(self) -> int:
        """The descriptor, readable when there are events."""
        return self._inotify.fileno()

    def add(self, folder: str) -> int:
        """Watch a folder (never through a link); the same folder gives the same number again.

        Raises:
            OSError: ENOSPC where the limit of watches is reached, or why the folder cannot be watched.
        """
        return self._inotify.add_watch(folder, _MASK)

    def remove(self, watch: int) -> None:
        """Stop watching.

        Raises:
            OSError: EINVAL where the kernel has stopped already.
        """
        self._inotify.rm_watch(watch)

    def read(self) -> list[Event]:
        """Take waiting events, at most ``READ_SIZE`` bytes of them; empty where none wait."""
        try:
            data = os.read(self._inotify.fileno(), READ_SIZE)
        except BlockingIOError:
            return []
        events: list[Event] = []
        at = 0
        while at < len(data):
            watch, mask, _cookie, size = _HEAD.unpack_from(data, at)
            at += _HEAD.size
            events.append(Event(watch, mask, os.fsdecode(data[at : at + size].rstrip(b"\0"))))
            at += size
        return events

    def close(self) -> None:
        """Give back all watches with the descriptor."""
        self._inotify.close()
