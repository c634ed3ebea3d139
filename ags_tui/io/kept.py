"""What was worked out of files and is kept for exactly those files: JSON beside the state of a work tree.

A kept value is a shortcut, never a source: it holds only while every file it was made of is the same one by
inode, times and size, and whoever reads it verifies again what must be signed.
"""

import os

from ags_tui.core.light import TYPE_CHECKING, cast, suppress
from ags_tui.core.light_json import dumps, loads
from ags_tui.io.places import Places, PlaceUnusable

if TYPE_CHECKING:
    from ags_tui.io.stamps import Stamp

VERSION = 1
"""Of the shape of kept values; another version is made anew."""

_LARGEST = 8 << 20
_OTHERS_WRITE = 0o022


def read_kept(path: str, stamp: "Stamp") -> object:
    """Return what was kept for exactly these files; None where nothing was.

    Args:
        path: File of the kept value.
        stamp: The files as they are now.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            facts = os.fstat(descriptor)
            if facts.st_uid != os.geteuid() or facts.st_mode & _OTHERS_WRITE:
                return None
            document: object = loads(stream.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    row = cast("dict[str, object]", document)
    return row.get("value") if row.get("version") == VERSION and row.get("stamp") == stamp else None


def keep(places: Places, names: tuple[str, ...], stamp: "Stamp", value: object) -> None:
    """Keep a value; where the state directory does not take it, it is worked out again next time.

    Args:
        places: The user's folders.
        names: Names from the state folder down; the last one is the file.
        stamp: The files that it was made of, taken before they were read.
        value: JSON data.
    """
    data = dumps({"version": VERSION, "stamp": stamp, "value": value}).encode("ascii")
    with suppress(OSError, PlaceUnusable):
        folder = places.made(*names[:-1])
        temporary = f"{folder}/.tmp-{os.getpid()}-{os.urandom(4).hex()}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        os.replace(temporary, f"{folder}/{names[-1]}")
