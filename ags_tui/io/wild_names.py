"""Finds what a pattern of the shell would name, as far as links lead: ``cat src/*`` reads them, too."""

import os

MOST_LOOKED_AT = 5_000
"""Most names of folders that are compared."""
MOST_FOUND = 500
"""Most paths that are given back."""

_WILD = frozenset("*?[")


def wild_names(pattern: str) -> tuple[str, ...] | None:
    """Return the paths that a pattern names and that may lead elsewhere than they say; rather too many.

    A plain file or folder that the last part of a pattern names leads nowhere: its folder stands for it.

    Args:
        pattern: Absolute path with ``*``, ``?`` or ``[``.

    Returns:
        Paths, links not resolved; None where there are too many to tell, or folders at any depth are meant.
    """
    if "**" in pattern:
        return None
    found, looked_at = [""], 0
    *folders, last = [one for one in pattern.split("/") if one]
    for part in (*folders, last):
        if _WILD.isdisjoint(part):
            found = [f"{one}/{part}" for one in found]
            continue
        here: list[str] = []
        for folder in found:
            names = _names(folder or "/", links_only=part is last)
            looked_at += len(names)
            if looked_at > MOST_LOOKED_AT:
                return None
            here += [f"{folder}/{name}" for name in names if _fits(name, part)]
        found = here if part is not last else [*(one or "/" for one in found), *here]
        if len(found) > MOST_FOUND:
            return None
    return tuple(found)


def _names(folder: str, *, links_only: bool) -> list[str]:
    try:
        with os.scandir(folder) as rows:
            return [row.name for row in rows if row.is_symlink() or not (links_only or row.is_file())]
    except OSError:
        return []


def _fits(name: str, pattern: str) -> bool:
    """Whether a pattern could name this, in any shell and whatever it makes of case."""
    if any(mark in pattern for mark in ("[:", "[.", "[=")):
        return True
    from fnmatch import fnmatchcase  # only where there is something to compare

    pattern = pattern.replace("[^", "[!")
    return fnmatchcase(name, pattern) or fnmatchcase(name.casefold(), pattern.casefold())
