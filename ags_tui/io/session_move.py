"""Moves tasks of sessions into the repository, once it has a root: until then nothing is written into it."""

import errno
import fcntl
import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from ags_tui.core.failures import AgsError
from ags_tui.core.layout import TASKS, valid_task_id
from ags_tui.io.git.root import GITIGNORE
from ags_tui.io.places import Places, PlaceUnusable
from ags_tui.io.trees import FOLDER, OWN_ROOT, Tree

_IGNORES = ".gitignore"
_LOCK = ".move.lock"


class NotMoved(AgsError):
    """A task cannot be moved; the message says which and why."""


def move_sessions(own: Path, root: Path) -> tuple[str, ...]:
    """Move all tasks from one root to another; one that is there already stays where it is.

    Args:
        own: Root outside of the repository.
        root: Root in it; made where it is missing, with what keeps sessions out of commits.

    Returns:
        Names of the tasks that were moved.

    Raises:
        NotMoved: A folder cannot be made or moved.
    """
    try:
        names = sorted(name for name in os.listdir(own / TASKS) if valid_task_id(name))
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise NotMoved(f"{own / TASKS}: {error.strerror}") from error
    if not names:
        return ()
    moved: list[str] = []
    try:
        (root / TASKS).mkdir(parents=True, exist_ok=True)
        ignores = root / _IGNORES
        if not os.path.lexists(ignores):
            ignores.write_text(GITIGNORE, encoding="utf-8")
        for name in names:
            target = root / TASKS / name
            if not os.path.lexists(target):
                _move(own / TASKS / name, target)
                moved.append(name)
    except (OSError, shutil.Error) as error:
        raise NotMoved(f"tasks of sessions cannot be moved to {root}: {error}") from error
    return tuple(moved)


def carry_over(
    tree: Tree, task: str, places: Places, unserved: Callable[[], AbstractContextManager[bool]]
) -> bool:
    """Bring the task of a session along, where the work tree has got a root since the session began.

    One hook does it and the others wait for it, so that none of them makes the task anew meanwhile.

    Args:
        tree: The work tree.
        task: The task, which is not in its root.
        places: The user's folders.
        unserved: Says whether no decision server runs, and lets none begin until it is left: requests of
            calls that wait for a human lie where the server knows them.

    Returns:
        Whether the task is in the root now.

    Raises:
        NotMoved: It cannot be moved.
    """
    own = tree.folder / OWN_ROOT
    if not tree.inside or not valid_task_id(task):
        return False
    if not (own / TASKS / task).is_dir():
        return (Path(tree.root) / TASKS / task).is_dir()  # another hook was faster
    try:
        lock = os.open(
            f"{places.made(FOLDER, tree.key)}/{_LOCK}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
    except (OSError, PlaceUnusable) as error:
        raise NotMoved(f"{tree.place}/{_LOCK}: {error}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with unserved() as nobody_waits:
            if nobody_waits:
                move_sessions(own, Path(tree.root))
    except OSError as error:
        raise NotMoved(f"{tree.place}/{_LOCK}: {error.strerror}") from error
    finally:
        os.close(lock)
    return (Path(tree.root) / TASKS / task).is_dir()


def _move(source: Path, target: Path) -> None:
    """Move a folder so that its new place never holds half of it."""
    try:
        os.rename(source, target)
        return
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
    copy = target.with_name(f".tmp-{os.getpid()}-0")
    shutil.rmtree(copy, ignore_errors=True)  # left behind by a process of this number that was killed
    try:
        shutil.copytree(source, copy, symlinks=True)
        os.rename(copy, target)
    finally:
        shutil.rmtree(copy, ignore_errors=True)
    shutil.rmtree(source)
