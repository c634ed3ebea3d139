"""Work trees as the hooks know them: found without git, known by device and inode, opted in or left alone.

What belongs to a work tree but must not be written into it lives in ``STATE/trees/DEV-INO/``: its own log,
its sessions, and ``ai/`` in place of a root where it has none.
"""

import os

from ags_tui.core.failures import AgsError
from ags_tui.core.light import TYPE_CHECKING, suppress
from ags_tui.core.records import Record
from ags_tui.io.places import Places, PlaceUnusable

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "trees"
"""Folder of the state directory."""
MARKER = "opted-in"
"""File in the folder of a work tree that opts it in."""
OWN_ROOT = "ai"
"""Folder that stands in for a root where the work tree has none."""
USUAL_ROOT = ".ai"
"""Root where the user's settings name no other."""

_GIT = ".git"
_TYPE, _REGULAR = 0o170000, 0o100000


class NotOptedIn(AgsError):
    """A work tree cannot be opted in; the message says why."""


class Tree(Record):
    """A work tree."""

    top: str
    """Absolute, links resolved."""
    key: str
    """``DEV-INO`` of its top."""
    place: str
    """Its folder in the state directory, absolute; need not exist."""
    root: str
    """Absolute folder that holds ``tasks/``; need not exist."""
    opted_in: bool
    """Whether its hooks have a say."""

    @property
    def folder(self) -> "Path":
        """Its folder in the state directory."""
        import pathlib

        return pathlib.Path(self.place)

    @property
    def inside(self) -> bool:
        """Whether the root lies in the work tree."""
        return not self.root.startswith(self.place)


def tree_at(cwd: str, places: Places) -> Tree | None:
    """Find the work tree that holds a folder; None where none does.

    Neither git nor the environment is asked: the nearest folder upwards with a ``.git`` is the top.

    Args:
        cwd: Absolute folder; need not exist any more.
        places: The user's folders.
    """
    folder = os.path.realpath(cwd)
    while not os.path.lexists(f"{folder}/{_GIT}"):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return tree_of(folder, places)


def gate_at(cwd: str, places: Places) -> Tree | None:
    """Find the opted-in work tree that has a say in a folder; None where the nearest work tree is not.

    A root alone does not make a work tree inside another opted-in one a gate of its own: whoever may write a
    file called ``.git`` and one below ``.ai/`` would choose his gate, and git would obey the configuration
    that lies there. Inside another one only the marker counts, which lies outside of both.

    Args:
        cwd: Absolute folder; need not exist any more.
        places: The user's folders.
    """
    here = tree_at(cwd, places)
    if here is None or not here.opted_in:
        return None
    around: Tree | None = here
    while around is not None and not (around.opted_in and _marked(around.place)):
        around = tree_at(os.path.dirname(around.top), places) if around.top != "/" else None
        here = around if around is not None and around.opted_in else here
    return here


def tree_of(top: str, places: Places) -> Tree | None:
    """Describe a work tree by its top; None where it is no folder.

    Args:
        top: Absolute path, links resolved.
        places: The user's folders.
    """
    try:
        facts = os.stat(f"{top}/")
    except OSError:
        return None
    key = f"{facts.st_dev}-{facts.st_ino}"
    place = f"{places.state_dir}/{FOLDER}/{key}"
    root = _root(top, places)
    there = os.path.isdir(root)
    return Tree(top, key, place, root if there else f"{place}/{OWN_ROOT}", there or _marked(place))


def opt_in(top: str, places: Places) -> Tree:
    """Give the hooks a say in a work tree, without writing into it.

    Args:
        top: Absolute top of the work tree, links resolved.
        places: The user's folders.

    Raises:
        NotOptedIn: The state directory cannot be written.
    """
    tree = tree_of(top, places)
    if tree is None:
        raise NotOptedIn(f"{top}: is no folder")
    try:
        folder = places.made(FOLDER, tree.key)
        with suppress(FileExistsError):
            os.close(
                os.open(f"{folder}/{MARKER}", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            )
    except (PlaceUnusable, OSError) as error:
        raise NotOptedIn(f"{top}: cannot be opted in: {error}") from error
    return Tree(tree.top, tree.key, tree.place, tree.root, True)


def _marked(folder: str) -> bool:
    try:
        return os.lstat(f"{folder}/{MARKER}").st_mode & _TYPE == _REGULAR
    except OSError:
        return False


def _root(top: str, places: Places) -> str:
    """The root by the user's settings; they are read only where there are any, for a hook pays for it."""
    if not os.path.lexists(f"{places.config_dir}/config.toml"):
        return f"{top}/{USUAL_ROOT}"
    from pathlib import Path

    from ags_tui.io.settings import read_settings

    chosen = read_settings(places, {}).settings.root_for(Path(top))
    return os.path.join(top, chosen)
