"""Where a path really leads: links resolved on disk, or in words for trees that are not on disk."""

import os
import posixpath


def escapes(top: bytes, path: bytes, target: bytes | None) -> bool:
    """Whether a path of the work tree leads out of it: its folder is a link outwards, or it is such a link.

    Links of the deepest existing parent are followed, on both sides.

    Args:
        top: the work tree.
        path: relative to it.
        target: where the path itself points to; None where it is no link.
    """
    folder = os.path.join(top, os.path.dirname(path))
    place = folder if target is None else os.path.join(folder, target)
    return not _inside(os.path.realpath(top), os.path.realpath(place))


def escapes_in_tree(path: bytes, target: bytes) -> bool:
    """Whether a link in a tree that is not on disk leads out of it, by its words alone.

    Args:
        path: of the link, relative to the top.
        target: where it points to.
    """
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return place == b".." or place.startswith((b"/", b"../"))


def real_path(top: str, path: str) -> str | None:
    """Return where a path of the work tree really lies, relative to the top; None where that is outside.

    Args:
        top: the work tree.
        path: relative to it; need not exist.
    """
    real_top, place = os.path.realpath(top), os.path.realpath(os.path.join(top, path))
    if not _inside(os.fsencode(real_top), os.fsencode(place)):
        return None
    return os.path.relpath(place, real_top)


def _inside(top: bytes, place: bytes) -> bool:
    return place == top or place.startswith(top.rstrip(b"/") + b"/")
