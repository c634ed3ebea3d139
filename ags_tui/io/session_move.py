"""Moves tasks of sessions into the repository, once it has a root: until then nothing is written into it."""

import os
import shutil
from pathlib import Path

from ags_tui.core.failures import AgsError
from ags_tui.core.layout import TASKS, valid_task_id
from ags_tui.io.git.root import GITIGNORE

_IGNORES = ".gitignore"


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
                shutil.move(own / TASKS / name, target)
                moved.append(name)
    except (OSError, shutil.Error) as error:
        raise NotMoved(f"tasks of sessions cannot be moved to {root}: {error}") from error
    return tuple(moved)
