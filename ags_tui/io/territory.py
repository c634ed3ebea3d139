"""Which part of the disk means what to the watch, and which folders it leaves alone.

Three parts: ``state`` (the root with its task folders), ``git`` (HEAD, index, refs, hooks and configuration)
and ``tree`` (the rest of the work tree). Only folders that git ignores are left out of the tree, and inside
git's own folders only what no answer of git about the work tree depends on (objects, reflogs, lock files).
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from ags_tui.core.failures import AgsError
from ags_tui.core.layout import TASKS, is_known_folder, known_in_root, valid_task_id
from ags_tui.io.hints import Pending

Part = Literal["state", "git", "tree"]
"""A part of the disk that is watched for one purpose."""

PARTS: tuple[Part, ...] = ("state", "git", "tree")
"""In the order in which they are watched: when watches run short, the tree goes without."""

_GIT_FOLDERS = frozenset({"refs", "info", "hooks", "reftable", "modules"})
"""Folders at the top of a git folder that are watched."""
_GIT_NEVER = frozenset({"objects", "logs", "lfs", "annex", "worktrees", "lost-found", "rr-cache"})
"""Folders inside git folders that are never watched: large, and no answer of git depends on them."""
_GIT_NOISE = frozenset({
    "COMMIT_EDITMSG", "FETCH_HEAD", "gc.pid", "gc.log", "description", "fsmonitor--daemon.ipc",
}) | _GIT_NEVER  # fmt: skip
"""Names whose change says nothing about the work tree."""
_RULES = frozenset({".gitignore", "exclude", "config", "config.worktree"})
"""Names of files that may change what git ignores."""


def no_folder(_relative: str) -> bool:
    """Ignore nothing: what the watch assumes where nobody can ask git."""
    return False


def _nothing_to_forget() -> None:
    return None


@dataclass(frozen=True, slots=True)
class Territory:
    """The folders that are watched; all paths absolute, with links resolved, without a final ``/``."""

    root: str
    """Folder that holds ``tasks/``; need not exist."""
    work_tree: str
    """Top of the work tree."""
    git_dirs: tuple[str, ...]
    """Git folder of this work tree and the common one; empty where there is no repository."""
    ignored: Callable[[str], bool] = no_folder
    """Whether git ignores a folder (relative to the work tree); called from the thread of the watch."""
    forget: Callable[[], None] = _nothing_to_forget
    """Called from that thread when the rules may have changed, before ``ignored`` is asked again."""

    @classmethod
    def of(
        cls,
        root: Path,
        work_tree: Path,
        git_dirs: Iterable[Path],
        ignored: Callable[[str], bool] | None = None,
        forget: Callable[[], None] | None = None,
    ) -> Self:
        """Resolve the paths that the watch is asked for."""
        return cls(
            root=os.path.realpath(root),
            work_tree=os.path.realpath(work_tree),
            git_dirs=tuple(dict.fromkeys(os.path.realpath(folder) for folder in git_dirs)),
            ignored=ignored or no_folder,
            forget=forget or _nothing_to_forget,
        )

    def tops(self, part: Part) -> tuple[str, ...]:
        """The folders at which watching a part begins."""
        if part == "state":
            return (self.root,)
        return self.git_dirs if part == "git" else (self.work_tree,)

    @property
    def outer_tops(self) -> tuple[str, ...]:
        """All tops without those that lie in another one: nobody above them tells when they are replaced."""
        tops = sorted({top for part in PARTS for top in self.tops(part)})
        return tuple(top for top in tops if not any(_inside(top, other) for other in tops if other != top))

    def part_of(self, path: str) -> Part | None:
        """The part that a path belongs to; None outside of all."""
        if _inside(path, self.root):
            return "state"
        if any(_inside(path, folder) for folder in self.git_dirs):
            return "git"
        if not _inside(path, self.work_tree):
            return None
        return "git" if "/.git/" in path[len(self.work_tree) :] + "/" else "tree"

    def descends(self, path: str) -> bool:
        """Whether a folder is watched (the tops always are)."""
        part = self.part_of(path)
        if part == "state" or part is None:
            return part is not None
        if part == "git":
            return self._descends_git(path)
        relative = path[len(self.work_tree) + 1 :]
        if not relative or _inside(self.root, path):
            return True
        try:
            return not self.ignored(relative)
        except AgsError:
            return True  # git cannot say: too much is watched rather than too little

    def note(self, path: str, pending: Pending) -> bool:
        """Say what a changed path asks to look at again.

        Args:
            path: absolute path below one of the tops.
            pending: takes it.

        Returns:
            Whether the rules of what is ignored may have changed with it.
        """
        part = self.part_of(path)
        if part == "state":
            self._note_state(path, pending)
        elif part == "git":
            if not _git_noise(path):
                pending.add_git()
                return path.rpartition("/")[2] in _RULES
        elif part == "tree":
            relative = path[len(self.work_tree) + 1 :]
            if not relative:
                pending.add_all_paths()
                return True
            pending.add_path(relative)
            return path.rpartition("/")[2] == ".gitignore"
        else:
            pending.add_all_tasks()
            pending.add_all_paths()
            pending.add_git()
        return False

    def _note_state(self, path: str, pending: Pending) -> None:
        relative = path[len(self.root) + 1 :]
        head, _, rest = relative.partition("/")
        if head == TASKS and rest:
            pending.add_task(rest.partition("/")[0])
        elif head in {"", TASKS}:
            pending.add_all_tasks()
        else:
            pending.add_root()
        if relative and _inside(self.root, self.work_tree) and not _known(relative, path):
            pending.add_path(path[len(self.work_tree) + 1 :])

    def _descends_git(self, path: str) -> bool:
        top = next((folder for folder in self.git_dirs if _inside(path, folder)), None)
        if top is None:
            cut = (path + "/").index("/.git/", len(self.work_tree))
            top = path[: cut + len("/.git")]
        parts = path[len(top) + 1 :].split("/") if len(path) > len(top) else []
        if not parts:
            return True
        return parts[0] in _GIT_FOLDERS and not _GIT_NEVER.intersection(parts)


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder if folder.endswith("/") else folder + "/")


def _known(relative: str, path: str) -> bool:
    """Whether git need not be asked: a known name, or a folder that holds known names."""
    if known_in_root(relative):
        return True
    match relative.split("/", 2):
        case ["tasks" | "contracts"] | ["tasks" | "contracts", _]:
            return os.path.isdir(path)
        case ["tasks", task_id, rest]:
            return valid_task_id(task_id) and is_known_folder(rest) and os.path.isdir(path)
        case _:
            return False


def _git_noise(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name in _GIT_NOISE or name.endswith(".lock") or name.startswith("tmp_")
