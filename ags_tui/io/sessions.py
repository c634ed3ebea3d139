"""What is remembered of each session: ``STATE/trees/DEV-INO/sessions/SESSION.json``, made by exactly one.

Hooks of one session run at the same time. The record is made create-once; changes replace it whole, under a
lock, so that no reader sees half of one and no count is lost.
"""

import os
from _thread import get_ident

from ags_tui.core.failures import AgsError
from ags_tui.core.light import Callable, suppress
from ags_tui.core.sessions import SessionRecord, parse_record, record_bytes
from ags_tui.io.places import Places, PlaceUnusable
from ags_tui.io.trees import FOLDER, Tree, gate_at, tree_of

SESSIONS = "sessions"
"""Folder below the one of the work tree."""

_LARGEST = 1 << 16
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class SessionUnwritable(AgsError):
    """A session cannot be remembered; the message says why."""


def read_session(tree: Tree, session: str) -> SessionRecord | None:
    """Return what is remembered of a session in a work tree.

    Args:
        tree: The work tree.
        session: The client's id, fit to be a file name.
    """
    return _read(f"{tree.place}/{SESSIONS}/{session}.json")


def sessions_of(tree: Tree) -> tuple[SessionRecord, ...]:
    """Return all sessions of a work tree, the latest last.

    Args:
        tree: The work tree.
    """
    try:
        names = os.listdir(f"{tree.place}/{SESSIONS}")
    except OSError:
        return ()
    found = (_read(f"{tree.place}/{SESSIONS}/{name}") for name in names if name.endswith(".json"))
    return tuple(sorted((one for one in found if one is not None), key=lambda one: one.started_at))


def tree_of_session(session: str, places: Places) -> Tree | None:
    """Find the work tree of a session that began before, wherever its client stands now.

    Args:
        session: The client's id, fit to be a file name.
        places: The user's folders.
    """
    trees = f"{places.state_dir}/{FOLDER}"
    try:
        names = os.listdir(trees)
    except OSError:
        return None
    for name in names:
        record = _read(f"{trees}/{name}/{SESSIONS}/{session}.json")
        tree = tree_of(record.top, places) if record is not None else None
        if tree is not None and tree.key == name:
            return tree
    return None


def tree_for(cwd: str, session: str, places: Places) -> Tree | None:
    """Find the work tree that has a say about a session's event; None where none has.

    It is the opted-in work tree in which the session stands, else the one in which it began: an agent does
    not leave its gate by changing the folder.

    Args:
        cwd: Absolute folder in which the session stands.
        session: The client's id, fit to be a file name.
        places: The user's folders.
    """
    return gate_at(cwd, places) or tree_of_session(session, places)


def tree_for_hook(cwd: str, session: str, places: Places) -> Tree | None:
    """Find the work tree that has a say, for the hook's own process: else the one in which that stands.

    A client starts its hooks where it was started itself; a session that nobody has seen may say another
    folder at its first call, for Codex lets the model choose it.

    Args:
        cwd: Absolute folder of the event.
        session: The client's id.
        places: The user's folders.
    """
    found = tree_for(cwd, session, places)
    if found is not None:
        return found
    try:
        return gate_at(os.getcwd(), places)
    except OSError:
        return None  # that folder is gone


def make_session(tree: Tree, record: SessionRecord, places: Places) -> SessionRecord:
    """Remember a session that begins, unless another hook of it was faster: then that record holds.

    Args:
        tree: The work tree.
        record: What to remember.
        places: The user's folders.

    Returns:
        The record that holds.

    Raises:
        SessionUnwritable: The state directory does not take it.
    """
    with _Folder(tree, places) as folder:
        name = f"{record.session}.json"
        temporary = _temporary()
        try:
            _write(folder, temporary, record)
            with suppress(FileExistsError):
                os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError as error:
            raise SessionUnwritable(f"{tree.place}/{SESSIONS}/{name}: {error.strerror}") from error
        finally:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
    found = read_session(tree, record.session)
    if found is None:
        raise SessionUnwritable(f"{tree.place}/{SESSIONS}/{name}: cannot be read; remove it")
    return found


def change_session(
    tree: Tree, session: str, places: Places, change: Callable[[SessionRecord], SessionRecord]
) -> SessionRecord | None:
    """Change what is remembered of a session, one process after the other.

    Args:
        tree: The work tree.
        session: The client's id.
        places: The user's folders.
        change: Makes the new record of the old one.

    Returns:
        The new record; None where nothing is remembered of it.

    Raises:
        SessionUnwritable: The state directory does not take it.
    """
    import fcntl  # only who writes needs it

    with _Folder(tree, places) as folder:
        name = f"{session}.json"
        try:
            lock = os.open(f".{session}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600, dir_fd=folder)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                old = read_session(tree, session)
                if old is None:
                    return None
                new = change(old)
                if new != old:
                    temporary = _temporary()
                    _write(folder, temporary, new)
                    os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
                return new
            finally:
                os.close(lock)
        except OSError as error:
            raise SessionUnwritable(f"{tree.place}/{SESSIONS}/{name}: {error.strerror}") from error


class _Folder:
    """The folder of the sessions of a work tree, made and open."""

    def __init__(self, tree: Tree, places: Places) -> None:
        try:
            path = places.made(FOLDER, tree.key, SESSIONS)
            self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except (PlaceUnusable, OSError) as error:
            raise SessionUnwritable(str(error)) from error

    def __enter__(self) -> int:
        return self._descriptor

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def _temporary() -> str:
    """A name that no other thread of any process uses now."""
    return f".tmp-{os.getpid()}-{get_ident()}"


def _write(folder: int, name: str, record: SessionRecord) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)  # left behind by a process of this number that was killed
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(record_bytes(record))


def _read(path: str) -> SessionRecord | None:
    try:
        descriptor = os.open(path, _READ)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as stream:
        return parse_record(stream.read(_LARGEST))
