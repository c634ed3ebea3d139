"""Reading one file of a folder that somebody else may be changing at this moment.

Everything is relative to an open folder, so that a folder swapped for a link redirects nothing; nothing is
opened that could block, and what was read while it changed is marked.
"""

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from ags_tui.core.contracts.strict_json import MAX_BYTES

OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""Flags to open a folder, never through a link."""
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
ATTEMPTS = 3
"""So often is a file read that changes while it is read."""


class Stamp(NamedTuple):
    """What tells one state of a file from the next. The change time cannot be set back by its owner."""

    inode: int
    """File number."""
    modified_ns: int
    """Modification time, nanoseconds."""
    changed_ns: int
    """Change time of the inode, nanoseconds."""
    size: int
    """Bytes."""

    @property
    def modified_at(self) -> float:
        """Modification time, seconds."""
        return self.modified_ns / 1e9


def stamp_of(facts: os.stat_result) -> Stamp:
    """The stamp of what ``stat`` said."""
    return Stamp(facts.st_ino, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size)


class OpenFolders:
    """Folders below an open one, opened part by part when they are needed, never through a link."""

    def __init__(self, top: int) -> None:
        """Begin at an open folder, which stays open after ``close``."""
        self._open: dict[str, int] = {"": top}

    def folder_of(self, path: str) -> int:
        """Descriptor of the folder that holds a path.

        Raises:
            OSError: A part has vanished or is no folder any more.
        """
        above = path.rpartition("/")[0]
        if above not in self._open:
            name = above.rpartition("/")[2]
            self._open[above] = os.open(name, OPEN_FOLDER, dir_fd=self.folder_of(above))
        return self._open[above]

    def close(self) -> None:
        """Close what was opened."""
        for path, descriptor in self._open.items():
            if path:
                os.close(descriptor)


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a file at one instant."""

    data: bytes
    """All of them."""
    stamp: Stamp
    """The state that they belong to."""
    torn: bool = False
    """The file kept changing while it was read: these bytes are not to be believed."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a file is not read."""

    message: str
    """What it is, for ``PATH MESSAGE``."""
    next_step: str
    """What to do about it."""


def refusal_of(facts: os.stat_result) -> Refused | None:
    """Why something is not read, by its kind and size; None for a regular file."""
    if stat.S_ISLNK(facts.st_mode):
        return Refused("is a link, and links are not followed", "put the file itself in its place")
    if not stat.S_ISREG(facts.st_mode):
        return Refused(f"is {_kind(facts.st_mode)}, not a regular file", "remove it")
    if facts.st_size > MAX_BYTES:
        size = f"{facts.st_size:,}"
        return Refused(f"is {size} bytes long; at most 16 MiB are read", "move bulk into artifacts/")
    return None


def read_at(folder: int, name: str, expected: Stamp) -> Content | Refused | None:
    """Read a regular file of an open folder.

    Args:
        folder: Descriptor of the folder.
        name: Name in it.
        expected: Its stamp when it was listed.

    Returns:
        Its content, why it is not read, or None where it has vanished.
    """
    content: Content | None = None
    for _ in range(ATTEMPTS):
        try:
            descriptor = os.open(name, _OPEN_FILE, dir_fd=folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            return _refused_open(folder, name, error)
        try:
            found = _read(descriptor, expected)
        except OSError as error:
            return Refused(f"cannot be read ({_words(error)})", "look at the disk")
        finally:
            os.close(descriptor)
        if isinstance(found, Refused) or not found.torn:
            return found
        content, expected = found, found.stamp
    return content


def _read(descriptor: int, expected: Stamp) -> Content | Refused:
    """Read an open file; torn where it is not, or no longer, in the expected state."""
    data = b""
    if expected.size <= MAX_BYTES:
        with suppress(BlockingIOError):  # a pipe that took the place of a file
            data = os.read(descriptor, expected.size + 1)
            while len(data) < expected.size and (more := os.read(descriptor, expected.size + 1 - len(data))):
                data += more
    facts = os.fstat(descriptor)
    refused = refusal_of(facts)
    if refused is not None:
        return refused
    stamp = stamp_of(facts)
    return Content(data, stamp, torn=stamp != expected or len(data) != stamp.size)


def _refused_open(folder: int, name: str, error: OSError) -> Refused | None:
    """Why a name could not be opened: by what it is, else by what the system said."""
    try:
        by_kind = refusal_of(os.lstat(name, dir_fd=folder))
    except FileNotFoundError:
        return None
    except OSError:
        by_kind = None
    return by_kind or Refused(f"cannot be opened ({_words(error)})", "let its owner make it readable")


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def _words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
