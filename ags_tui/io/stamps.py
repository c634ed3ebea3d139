"""What tells whether files are as they were: identity, times and size. A hook can afford to import it."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Stamp = list[list[Any]]
    """A row a file: name, inode, modification time, change time, size; zeros for what is not there."""


def stamp_of(
    files: "Iterable[str | os.PathLike[str]]", folders: "Iterable[str | os.PathLike[str]]" = ()
) -> "Stamp":
    """Stamp files, and folders with all their files.

    Args:
        files: Files; one that is missing counts as missing.
        folders: Folders.
    """
    rows: Stamp = [[str(path), *_facts(str(path))] for path in files]
    for folder in map(str, folders):
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            names = []
        rows.append([folder, len(names)])
        rows += [[name, *_facts(f"{folder}/{name}")] for name in names]
    return rows


def _facts(path: str) -> list[int]:
    try:
        facts = os.lstat(path)
    except OSError:
        return [0, 0, 0, 0]
    return [facts.st_ino, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size]
