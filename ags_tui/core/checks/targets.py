"""Where a path that an agent names really leads: by whole components, and through links."""

import posixpath
from collections.abc import Mapping

from ags_tui.core.snapshot import Changes

_MOST_LINKS = 40


def inside_tree(named: str, top: str) -> str | None:
    """A path relative to the top of the work tree.

    Args:
        named: As an agent wrote it: relative to the work tree, or absolute.
        top: Absolute path of the work tree.

    Returns:
        ``""`` for the top itself; None where it leads elsewhere (a sibling such as ``/w/app2`` does).
    """
    if not named or "\0" in named or named.startswith("~"):
        return None
    path = posixpath.normpath(named)
    if path.startswith("/"):
        root = posixpath.normpath(top)
        # normpath keeps two leading slashes, which mean one here
        path, root = "/" + path.lstrip("/"), "/" + root.lstrip("/")
        if path == root:
            return ""
        inside = root.rstrip("/") + "/"
        return path.removeprefix(inside) if path.startswith(inside) else None
    if path == ".." or path.startswith("../"):
        return None
    return "" if path == "." else path


def links_in(changes: Changes | None) -> Mapping[str, str]:
    """Targets of the links among the changes, by path."""
    if changes is None:
        return {}
    return {
        change.path: change.link_target
        for change in changes.entries
        if change.link_target is not None and change.new is not None
    }


def through_links(path: str, links: Mapping[str, str], top: str) -> str | None:
    """Follow the links on the way to a path, the last component included.

    Args:
        path: Relative to the work tree.
        links: Targets as written, by path.
        top: Absolute path of the work tree.

    Returns:
        Where it leads, relative to the work tree; None where that is outside or never ends.
    """
    if not links:
        return path
    for _ in range(_MOST_LINKS):
        parts = path.split("/")
        prefixes = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
        link = next((prefix for prefix in prefixes if prefix in links), None)
        if link is None:
            return path
        target = posixpath.join(posixpath.dirname(link), links[link], path[len(link) + 1 :])
        led = inside_tree(target.rstrip("/") or target, top)
        if led is None:
            return None
        path = led
    return None
