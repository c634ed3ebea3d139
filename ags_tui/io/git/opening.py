"""Before a repository is opened: which git, whose home folder, and how a work tree is made from them."""

import os
import pwd
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ags_tui.io.git.contents import HASH_LIMIT
from ags_tui.io.git.located import locate
from ags_tui.io.git.run import Runner, find_git, version_of
from ags_tui.io.git.stamps import Clock
from ags_tui.io.git.work_tree import UNTRACKED_LIMIT, WorkTree


@dataclass(frozen=True, slots=True)
class Limits:
    """How far git and files are followed."""

    timeout_s: float = 60.0
    """Seconds that one git child may take."""
    hash_bytes: int = HASH_LIMIT
    """Largest file whose content is compared."""
    untracked: int = UNTRACKED_LIMIT
    """Most untracked files that are looked at."""


def opener(
    path: str,
    *,
    root_name: str,
    scratch: Path | None,
    home: Path | None,
    search_path: str | None,
    limits: Limits,
    clock: Clock,
    own_hooks: Mapping[str, frozenset[str]],
) -> Callable[[], WorkTree]:
    """Return what opens a work tree, now and again later (the top of the first time, since folders may be
    gone).

    Args:
        path: a folder or file in the work tree.
        root_name: the root folder, relative to the top.
        scratch: where the isolated git folder is made; None for the system's temporary folder.
        home: whose git settings hold; None for the home folder of the password database.
        search_path: where git is looked for; None for this process's ``PATH``.
        limits: how far git and files are followed.
        clock: the clock that stamps files.
        own_hooks: digests by name of the hooks that this program writes.

    Raises:
        GitFailed: git is missing or too old.
    """
    given = os.path.abspath(path)
    variable = os.environ.get("PATH", "") if search_path is None else search_path
    executable, usable_path = find_git(variable, _likely_top(given))
    version_of(executable)
    own_home = str(home) if home is not None else _home()
    runner = Runner(executable=executable, path=usable_path, home=own_home, timeout_s=limits.timeout_s)
    places = [given]

    def make() -> WorkTree:
        located = locate(places[0], runner)
        places[0] = located.top
        return WorkTree(
            located,
            runner,
            root=root_name,
            scratch=scratch,
            hash_limit=limits.hash_bytes,
            untracked_limit=limits.untracked,
            clock=clock,
            own_hooks=own_hooks,
        )

    return make


def _likely_top(path: str) -> str:
    """Return the nearest folder with a ``.git``, before git is asked: programs in it are not run."""
    while not os.path.lexists(os.path.join(path, ".git")):
        parent = os.path.dirname(path)
        if parent == path:
            return ""
        path = parent
    return path


def _home() -> str:
    """Return the user's home folder: not ``HOME``, which whoever starts us chooses."""
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/"
