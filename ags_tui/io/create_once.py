"""Create-once files: a name is taken by exactly one writer, with all its bytes, or not at all.

A temporary file is written and synced, then given its name by ``link``, which refuses a name that exists.
Where the file system has no hard links, ``renameat2(RENAME_NOREPLACE)`` does the same; where that is
missing too, the name itself is opened exclusively, and only then a crash can leave a torn file. Everything
is relative to an open folder, so that a folder swapped for a link redirects nothing.
"""

import ctypes
import errno
import fcntl
import os
import re
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Literal

Method = Literal["link", "rename", "exclusive"]
"""Which call gives a file its name."""

TEMPORARY = re.compile(r"\.tmp-[0-9]+-[0-9]+")
"""Names of our temporary files, ``.tmp-PID-N``."""

SWEEP_AGE_S = 3600
"""Age from which a temporary file is swept: no writer of ours is still at work on it."""

_REFUSED = frozenset({
    errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV, errno.EINVAL,
})  # fmt: skip
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_RENAME_NOREPLACE = 1
_RENAME_EXCL = 4
_SYNC_UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})
_numbers = count()


def _sync(descriptor: int) -> None:
    """Make a file durable; on a Mac the plain call leaves the bytes in the drive's own memory."""
    if sys.platform == "darwin":
        with suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def _link(source: str, target: str, folder: int) -> None:
    os.link(source, target, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)


def _rename_new(source: str, target: str, folder: int) -> None:
    """Rename without replacing; ENOSYS where the platform has no such call."""
    mac = sys.platform == "darwin"
    name, flag = ("renameatx_np", _RENAME_EXCL) if mac else ("renameat2", _RENAME_NOREPLACE)
    call = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), target)
    done = call(folder, os.fsencode(source), folder, os.fsencode(target), ctypes.c_uint(flag))
    if done != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), target)


@dataclass(frozen=True, slots=True)
class Disk:
    """The calls that a file system may refuse; a test replaces one to see what then happens."""

    write: Callable[[int, bytes], int] = os.write
    """Writes bytes, returns how many."""
    sync: Callable[[int], None] = _sync
    """Makes a file or folder durable."""
    link: Callable[[str, str, int], None] = _link
    """Gives a second name: source, target, folder descriptor."""
    rename_new: Callable[[str, str, int], None] = _rename_new
    """Renames without replacing: source, target, folder descriptor."""


DISK = Disk()
"""The real calls."""


def create_once(folder: int, name: str, data: bytes, *, mode: int = 0o644, disk: Disk = DISK) -> Method:
    """Create a file that must not exist yet, durably.

    Args:
        folder: Descriptor of the open folder.
        name: Name in it.
        data: All its bytes.
        mode: Permissions, before the umask.
        disk: Calls of the file system.

    Returns:
        What gave the file its name; a crash can have left a torn file only with ``exclusive``.

    Raises:
        FileExistsError: Somebody else has the name; nothing was changed.
        OSError: It could not be written (full, read-only, not allowed …). Under ``name`` there is nothing,
            unless the folder itself could not be synced: then the file is there but may be lost with the
            power.
    """
    temporary = _write_temporary(folder, data, mode, disk)
    try:
        method = _give_name(folder, temporary, name, data=data, mode=mode, disk=disk)
    finally:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
    sync_folder(folder, disk)
    return method


def sync_folder(folder: int, disk: Disk = DISK) -> None:
    """Make the names in a folder durable; a file system that cannot sync folders is left to itself.

    Raises:
        OSError: The disk failed.
    """
    try:
        disk.sync(folder)
    except OSError as error:
        if error.errno not in _SYNC_UNSUPPORTED:
            raise


def probe_method(folder: int, disk: Disk = DISK) -> Method:
    """Find out which call gives names in a folder, with two short-lived temporary files.

    Raises:
        OSError: Nothing can be written there.
    """
    name = _temporary_name()
    try:
        return create_once(folder, name, b"probe\n", disk=disk)
    finally:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)


def sweep(folder: int, now: float) -> int:
    """Remove temporary files of ours that are older than an hour.

    Args:
        folder: Descriptor of the open folder.
        now: Seconds since the epoch.

    Returns:
        How many were removed. What cannot be removed stays; it disturbs nothing.
    """
    removed = 0
    for name in os.listdir(folder):
        if TEMPORARY.fullmatch(name) is None:
            continue
        with suppress(OSError):
            facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISREG(facts.st_mode) and facts.st_mtime < now - SWEEP_AGE_S:
                os.unlink(name, dir_fd=folder)
                removed += 1
    return removed


def _temporary_name() -> str:
    return f".tmp-{os.getpid()}-{next(_numbers)}"


def _write_temporary(folder: int, data: bytes, mode: int, disk: Disk) -> str:
    while True:
        name = _temporary_name()
        try:
            descriptor = os.open(name, _WRITE, mode, dir_fd=folder)
        except FileExistsError:
            continue  # left behind by an earlier process with our number
        break
    try:
        _fill(descriptor, data, disk)
    except BaseException:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise
    return name


def _fill(descriptor: int, data: bytes, disk: Disk) -> None:
    try:
        rest = data
        while rest:
            rest = rest[disk.write(descriptor, rest) :]
        disk.sync(descriptor)
    finally:
        os.close(descriptor)


def _give_name(folder: int, temporary: str, name: str, *, data: bytes, mode: int, disk: Disk) -> Method:
    own = os.stat(temporary, dir_fd=folder, follow_symlinks=False)
    attempts: tuple[tuple[Method, Callable[[str, str, int], None]], ...] = (
        ("link", disk.link),
        ("rename", disk.rename_new),
    )
    for method, call in attempts:
        try:
            call(temporary, name, folder)
        except FileExistsError:
            if _is_ours(folder, name, own):
                return method
            raise
        except OSError as error:
            if error.errno not in _REFUSED:
                raise
        else:
            return method
    _create_exclusively(folder, name, data, mode, disk)
    return "exclusive"


def _is_ours(folder: int, name: str, own: os.stat_result) -> bool:
    """Whether a name that "exists" is our own file: a network file system may answer a retry that way."""
    try:
        there = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)


def _create_exclusively(folder: int, name: str, data: bytes, mode: int, disk: Disk) -> None:
    descriptor = os.open(name, _WRITE, mode, dir_fd=folder)
    try:
        _fill(descriptor, data, disk)
    except BaseException:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise
