"""What a tree held when something was observed, as far as it differed from the baseline commit."""

from collections.abc import Mapping
from typing import cast

from ags_tui.core.digests import DELETED_MODE, path_text
from ags_tui.core.log_state import Observation
from ags_tui.core.snapshot import Changes

MAX_ENTRIES = 2000
"""Longest list of paths that an observation keeps; longer ones are left out and the delta is unknown."""

Tree = Mapping[str, tuple[str, str]]
"""Mode and blob of each path that differed from the baseline commit."""


def entries_of(changes: Changes) -> list[list[str]] | None:
    """What an observation of an implementation, review or fix result keeps as ``data["entries"]``.

    Returns:
        ``[path, mode, blob]`` of all that differs from the baseline commit (mode ``000000`` and an empty blob
        where a path is gone), paths as ``digests.path_text`` writes them; None where there is too much or
        where git could not answer.
    """
    if changes.unknown or len(changes.entries) > MAX_ENTRIES:
        return None
    rows: list[list[str]] = []
    for change in changes.entries:
        path = path_text(change.path.encode("utf-8", "surrogateescape"))
        rows.append([path, change.new.mode, change.new.blob] if change.new else [path, DELETED_MODE, ""])
    return rows


def tree_in(observation: Observation) -> Tree | None:
    """Read back what :func:`entries_of` wrote; None where it is not there or damaged."""
    rows = observation.data.get("entries")
    if not isinstance(rows, list | tuple):
        return None
    tree: dict[str, tuple[str, str]] = {}
    for row in cast("list[object]", rows):
        match row:
            case [str() as path, str() as mode, str() as blob]:
                tree[path] = (mode, blob)
            case _:
                return None
    return tree


def paths_between(before: Observation, after: Observation) -> tuple[str, ...] | None:
    """Paths that changed between two observations, sorted; None where that is not known.

    Equal tree digests mean that nothing changed, whatever else is known.
    """
    if before.tree_digest and before.tree_digest == after.tree_digest:
        return ()
    old, new = tree_in(before), tree_in(after)
    if old is None or new is None:
        return None
    return tuple(sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path)))
