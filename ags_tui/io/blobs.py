"""Keeps contents by digest in the state directory, so that what was decided on can be looked at later."""

import os
from contextlib import suppress
from pathlib import Path

from ags_tui.core.digests import PREFIX, digest, is_digest
from ags_tui.io.create_once import create_once
from ags_tui.io.places import Places

FOLDER = "blobs"
"""Folder of the state directory."""

_MODE = 0o600
_SHARD = 2


def put(places: Places, data: bytes) -> str:
    """Keep bytes; what is there already stays.

    Args:
        places: The user's folders.
        data: The bytes.

    Returns:
        Their digest.

    Raises:
        OSError: They cannot be written.
        PlaceUnusable: The state directory cannot be made.
    """
    name = digest(data)
    if get(places, name) is not None:
        return name
    folder = places.state_folder(FOLDER, _hex(name)[:_SHARD])
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(FileNotFoundError):
            os.unlink(_hex(name), dir_fd=descriptor)  # damaged, else get() had found it
        with suppress(FileExistsError):
            create_once(descriptor, _hex(name), data, mode=_MODE)
    finally:
        os.close(descriptor)
    return name


def get(places: Places, name: str) -> bytes | None:
    """Return the bytes behind a digest; None where they are not kept, cannot be read or were damaged.

    Args:
        places: The user's folders.
        name: The digest.
    """
    if not is_digest(name):
        return None
    try:
        data = _path(places, name).read_bytes()
    except OSError:
        return None
    return data if digest(data) == name else None


def _path(places: Places, name: str) -> Path:
    return places.state / FOLDER / _hex(name)[:_SHARD] / _hex(name)


def _hex(name: str) -> str:
    return name.removeprefix(PREFIX)
