"""Opens, locks and reads a task's ``log/`` without following links or waiting on pipes."""

import errno
import fcntl
import os
import re
import stat
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from ags_tui.core.log_entries import LARGEST_ENTRY, LogFile
from ags_tui.io.create_once import TEMPORARY

LOG = "log"
"""Name of the folder."""

LARGEST_LOG = 256 << 20
"""Most bytes that are read of one log."""

LOCK_PATIENCE_S = 5.0
"""How long a writer waits for another one."""

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NOT_A_FOLDER = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EMLINK})
_NUMBERED = re.compile(r"[0-9]{6}\.json")
_LISTINGS = 3
_BUSY = frozenset({errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES})


class LogFolderFault(Exception):
    """The folder is not what it should be.

    ``unreadable`` tells a folder that merely cannot be read from one that was replaced by a link or a file.
    """

    def __init__(self, reason: str, *, unreadable: bool) -> None:
        """Keep the reason, in words, and which of the two it is."""
        super().__init__(reason)
        self.unreadable = unreadable


class LogBusy(Exception):
    """Another process holds the log for too long."""


@contextmanager
def open_log(task_folder: Path, *, create: bool = False) -> Generator[int | None]:
    """Open the log folder of a task.

    Args:
        task_folder: The task folder.
        create: Whether a missing log folder is made.

    Yields:
        A descriptor; None where there is no log.

    Raises:
        LogFolderFault: It is a link or a file, or cannot be read.
        OSError: It cannot be made.
    """
    task = _open(task_folder, None)
    if task is None:
        if create:
            raise FileNotFoundError(errno.ENOENT, "there is no such task folder", str(task_folder))
        yield None
        return
    try:
        log = _open(LOG, task)
        if log is None and create:
            with suppress(FileExistsError):  # another process was faster
                os.mkdir(LOG, dir_fd=task)
            log = _open(LOG, task)
            if log is None:
                raise FileNotFoundError(errno.ENOENT, "the log folder vanished", str(task_folder / LOG))
        try:
            yield log
        finally:
            if log is not None:
                os.close(log)
    finally:
        os.close(task)


def read_files(folder: int) -> list[LogFile]:
    """Read the bytes of all files of an open log folder but our temporary ones, in the order of their names.

    Args:
        folder: Descriptor of the log folder.

    Raises:
        LogFolderFault: The folder cannot be listed.
    """
    names = _names(folder)
    for _ in range(_LISTINGS):
        if not _has_gap(names):
            break
        names = _names(folder)
    files: list[LogFile] = []
    total = 0
    for name in names:
        file = _read_file(folder, name, LARGEST_LOG - total)
        total += len(file.raw)
        files.append(file)
    return files


@contextmanager
def locked(folder: int) -> Generator[bool]:
    """Hold the log against other writers on this machine.

    Yields:
        Whether it is held; False where the file system has no locks.

    Raises:
        LogBusy: Another process does not let go of it.
    """
    held = _lock(folder)
    try:
        yield held
    finally:
        if held:
            fcntl.flock(folder, fcntl.LOCK_UN)


def _names(folder: int) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if TEMPORARY.fullmatch(name) is None)
    except OSError as error:
        raise LogFolderFault(_words(error), unreadable=True) from error


def _has_gap(names: list[str]) -> bool:
    """Whether numbers are missing: a listing may miss a file made meanwhile and show the next one."""
    numbers = [name for name in names if _NUMBERED.fullmatch(name)]
    return bool(numbers) and numbers[-1] != f"{len(numbers) - 1:06d}.json"


def _lock(folder: int) -> bool:
    deadline = time.monotonic() + LOCK_PATIENCE_S
    while True:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _BUSY:
                return False
            if time.monotonic() > deadline:
                raise LogBusy(
                    f"another process holds the log for more than {LOCK_PATIENCE_S:.0f} s"
                ) from error
            time.sleep(0.002)
        else:
            return True


def _open(path: Path | str, parent: int | None) -> int | None:
    try:
        return os.open(path, _FOLDER_FLAGS, dir_fd=parent)
    except FileNotFoundError:
        return None
    except OSError as error:
        replaced = error.errno in _NOT_A_FOLDER
        reason = f"{path} is a link or a file, not a folder" if replaced else f"{path}: {_words(error)}"
        raise LogFolderFault(reason, unreadable=not replaced) from error


def _read_file(folder: int, name: str, room: int) -> LogFile:
    try:
        descriptor = os.open(name, _FILE_FLAGS, dir_fd=folder)
    except OSError as error:
        if error.errno in _NOT_A_FOLDER:
            return LogFile(name, fault="it is a link")
        return LogFile(name, fault=_words(error), unreadable=True)
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            return LogFile(name, fault="it is not a regular file")
        if facts.st_size > LARGEST_ENTRY:
            return LogFile(name, fault=f"it is larger than {LARGEST_ENTRY} bytes")
        if facts.st_size > room:
            return LogFile(name, fault=f"the log is larger than {LARGEST_LOG} bytes", unreadable=True)
        return LogFile(name, _bytes(descriptor, facts.st_size))
    except OSError as error:
        return LogFile(name, fault=_words(error), unreadable=True)
    finally:
        os.close(descriptor)


def _bytes(descriptor: int, size: int) -> bytes:
    """All bytes of an open file that had this size a moment ago, up to the largest entry."""
    raw = os.read(descriptor, size + 1)
    while len(raw) != size and len(raw) < LARGEST_ENTRY:  # it grew, shrank, or came in parts
        more = os.read(descriptor, LARGEST_ENTRY - len(raw))
        if not more:
            break
        raw += more
    return raw[:LARGEST_ENTRY]


def _words(error: OSError) -> str:
    return error.strerror or str(error)
