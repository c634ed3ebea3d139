"""Hints of the watcher, widened until a look at those paths alone sees what a full look would."""

import os
import stat
from collections.abc import Iterable

from ags_tui.io.git.index import RULE_FILES
from ags_tui.io.git.root import Root
from ags_tui.io.git.spots import View

MOST = 200
"""Hints that are looked at one by one; more make a full look."""

_EVERYWHERE = frozenset({*RULE_FILES, b".gitmodules"})


def widen(
    hints: Iterable[str], *, top: str, last: View, root: Root, ignore_case: bool
) -> tuple[bytes, ...] | None:
    """Return the paths to look at; None where only a full look will do.

    A path inside what is (or was) a file, a link, a repository or nothing becomes that ancestor. Known names
    of the root and git's own files are dropped: the first are no changes, the second are compared by their
    stamps.

    Args:
        hints: paths relative to the work tree that were touched.
        top: the work tree.
        last: the view that is brought up to date.
        root: the root folder.
        ignore_case: whether names are compared without case.
    """
    wanted: set[bytes] = set()
    folders: set[bytes] = set()
    place = os.fsencode(top)
    for hint in hints:
        path = hint.encode("utf-8", "surrogateescape").removeprefix(b"./").rstrip(b"/")
        parts = path.split(b"/")
        if path.startswith(b"/") or not path or any(part in (b"", b".", b"..") for part in parts):
            return None
        if parts[-1] in _EVERYWHERE:
            return None
        if parts[0] == b".git" or root.knows(path):
            continue
        if _spelled_otherwise(path, last, ignore_case):
            return None
        wanted.add(_widened(parts, place, last, folders))
        if len(wanted) > MOST:
            return None
    return tuple(sorted(path for path in wanted if not _covered(path, wanted)))


def under(path: bytes, folders: Iterable[bytes]) -> bool:
    """Whether a path is one of the folders or lies in one."""
    return any(path == folder or path.startswith(folder + b"/") for folder in folders)


def _spelled_otherwise(path: bytes, last: View, ignore_case: bool) -> bool:
    """Whether git may know a path by another spelling, which a look at this one would miss."""
    if not path.isascii() and (ignore_case or last.settings.flag("core.precomposeunicode", default=False)):
        return True
    return ignore_case and path not in last.index.paths and path.lower() in last.index.folded


def _widened(parts: list[bytes], top: bytes, last: View, folders: set[bytes]) -> bytes:
    """Return the path or ancestor that must be looked at; ``folders`` collects what was tested."""
    if b".git" in parts:
        parts = parts[: parts.index(b".git")]
    for count in range(1, len(parts)):
        ancestor = b"/".join(parts[:count])
        if ancestor in folders:
            continue
        place = os.path.join(top, ancestor)
        if not _is_folder(place) or os.path.lexists(os.path.join(place, b".git")):
            return ancestor
        if ancestor in last.spots or last.index.tracks(ancestor):
            return ancestor
        folders.add(ancestor)
    return b"/".join(parts)


def _is_folder(place: bytes) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(place).st_mode)
    except OSError:
        return False


def _covered(path: bytes, wanted: set[bytes]) -> bool:
    parts = path.split(b"/")
    return any(b"/".join(parts[:count]) in wanted for count in range(1, len(parts)))
