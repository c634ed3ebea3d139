"""Where the decision server of a work tree listens, and that nobody else does.

``/run/user/UID/ags-tui/DEV-INO.sock``, or ``/tmp/ags-tui-UID/`` where the system has no such folder; never
what the environment says. The folder is ours alone (0700), so is the socket (0600). Who holds the lock beside
the socket serves; the lock file is never removed, for two processes could then hold one lock each.
"""

import fcntl
import os
import socket
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

MAX_PATH = 104
"""Most bytes of a socket's path with the zero behind it: macOS has four fewer than Linux."""

FOLDER_MODE = 0o700
SOCKET_MODE = 0o600

_OTHERS = 0o077
_BACKLOG = 128
_NEW = ".new"


class SocketUnusable(Exception):
    """No server can listen here; the message says why and what to do."""


def folders(user: int) -> tuple[Path, Path]:
    """Where sockets of a user may lie; a hook looks at both, in this order."""
    return Path(f"/run/user/{user}/ags-tui"), Path(f"/tmp/ags-tui-{user}")


def server_folder(user: int) -> Path:
    """Where a server listens: the first place that the system has made for this user."""
    first, second = folders(user)
    try:
        facts = os.lstat(first.parent)
    except OSError:
        return second
    return first if stat.S_ISDIR(facts.st_mode) and facts.st_uid == user else second


def tree_name(top: Path) -> str:
    """Name a work tree by device and inode of its top.

    Raises:
        OSError: It is not there.
    """
    facts = os.stat(top)
    return f"{facts.st_dev}-{facts.st_ino}"


def make_folder(folder: Path, user: int) -> str:
    """Make the folder of the sockets, or see that it is ours alone.

    Returns:
        What had to be put right, as a sentence; empty where nothing had.

    Raises:
        SocketUnusable: It is not ours, or cannot be made.
    """
    try:
        with suppress(FileExistsError):
            os.mkdir(folder, FOLDER_MODE)
        facts = os.lstat(folder)
        if not stat.S_ISDIR(facts.st_mode):
            raise SocketUnusable(f"{folder} is no folder; remove it so that hooks can reach ags-tui")
        if facts.st_uid != user:
            raise SocketUnusable(f"{folder} belongs to user {facts.st_uid}; hooks cannot reach ags-tui")
        if stat.S_IMODE(facts.st_mode) != FOLDER_MODE:
            os.chmod(folder, FOLDER_MODE)
            if facts.st_mode & _OTHERS:
                return (
                    f"{folder} was open to other users (mode {stat.S_IMODE(facts.st_mode):o}) and is not now"
                )
    except OSError as error:
        raise SocketUnusable(f"{folder} cannot be made: {error.strerror}") from error
    return ""


@contextmanager
def unserved(name: str) -> Generator[bool]:
    """Keep the seat of a work tree for a moment, and say whether it was free.

    Args:
        name: Of the work tree.
    """
    user = os.geteuid()
    folder = server_folder(user)
    seat = Seat(folder, name, user)
    try:
        make_folder(folder, user)
        free = seat.take()
    except SocketUnusable:
        free = False  # nobody knows
    try:
        yield free
    finally:
        seat.drop()


class Seat:
    """The place of one work tree's server: at most one process has it."""

    def __init__(self, folder: Path, name: str, user: int) -> None:
        """Prepare; nothing is made yet.

        Args:
            folder: Of the sockets.
            name: Of the work tree.
            user: Whose processes may talk here.
        """
        self.name = name
        self.path = folder / f"{name}.sock"
        self._folder = folder
        self._lock_path = folder / f"{name}.lock"
        self._user = user
        self._lock: int | None = None
        self._bound: tuple[int, int] | None = None

    def take(self) -> bool:
        """Take the lock, unless another process has it.

        Raises:
            SocketUnusable: There is no lock to be had here.
        """
        if self._lock is not None:
            return True
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        try:
            lock = os.open(self._lock_path, flags, SOCKET_MODE)
        except OSError as error:
            raise SocketUnusable(f"{self._lock_path} cannot be opened: {error.strerror}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return False
        except OSError as error:
            os.close(lock)
            raise SocketUnusable(f"{self._lock_path} cannot be locked: {error.strerror}") from error
        self._lock = lock
        return True

    def bind(self) -> socket.socket:
        """Listen, in the place of whatever lies there; only under the lock.

        The socket gets its mode under another name, so no hook ever sees it open to others.

        Raises:
            SocketUnusable: It cannot be made.
        """
        new = self.path.with_name(self.path.name + _NEW)
        if len(os.fsencode(new)) >= MAX_PATH:
            raise SocketUnusable(f"{new} is longer than the path of a socket may be")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with suppress(FileNotFoundError):
                os.unlink(new)
            listener.bind(str(new))
            os.chmod(new, SOCKET_MODE)
            listener.listen(_BACKLOG)
            facts = os.lstat(new)
            os.rename(new, self.path)
        except OSError as error:
            listener.close()
            raise SocketUnusable(f"{self.path} cannot be made: {error.strerror}") from error
        self._bound = (facts.st_dev, facts.st_ino)
        return listener

    def wrong(self) -> str:
        """What is wrong with folder, lock and socket as they lie there now; empty where nothing is."""
        try:
            folder, own = os.lstat(self._folder), os.lstat(self.path)
        except OSError:
            return f"{self.path} was removed"
        if not stat.S_ISDIR(folder.st_mode) or folder.st_uid != self._user:
            return f"{self._folder} was replaced"
        if (own.st_dev, own.st_ino) != self._bound:
            return f"{self.path} was replaced by another socket or file"
        if own.st_mode & _OTHERS or own.st_uid != self._user or folder.st_mode & _OTHERS:
            return f"{self.path} was opened to other users"
        if not self._has_lock():
            return f"{self._lock_path} was removed or replaced"
        return ""

    def drop(self) -> None:
        """Give up the lock, so that the next ``take`` takes the one that lies there now."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def leave(self) -> None:
        """Remove our socket, where it still is ours, and give up the lock."""
        if self._bound is not None:
            with suppress(OSError):
                own = os.lstat(self.path)
                if (own.st_dev, own.st_ino) == self._bound:
                    os.unlink(self.path)
            self._bound = None
        self.drop()

    def _has_lock(self) -> bool:
        if self._lock is None:
            return False
        try:
            held, there = os.fstat(self._lock), os.lstat(self._lock_path)
        except OSError:
            return False
        return (held.st_dev, held.st_ino) == (there.st_dev, there.st_ino)
