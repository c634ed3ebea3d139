"""What the store of AGS runs keeps outside the repository: the secret that signs plans, and the counter."""

import fcntl
import os
import secrets
from contextlib import suppress

from ags_tui.io.create_once import create_once, sync_folder
from ags_tui.io.places import Places, PlaceUnusable

FOLDER = "workflow"
"""Folder of the state directory."""
SECRET = "secret"
"""File with the secret that signs plans, 32 bytes."""
COUNTER = "counter"
"""File with the number of the last run."""
_BYTES = 32
_LOCK = "counter.lock"


def known_secret(places: Places) -> bytes | None:
    """Return the secret that signs plans; None where this machine has none yet or it cannot be read."""
    try:
        data = (places.state / FOLDER / SECRET).read_bytes()
    except OSError:
        return None
    return data if len(data) == _BYTES else None


def secret_of(places: Places) -> bytes:
    """Return the secret that signs plans, made at the first call.

    Raises:
        PlaceUnusable: It cannot be made or is damaged.
    """
    known = known_secret(places)
    if known is not None:
        return known
    folder = places.state_folder(FOLDER)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(FileExistsError):
            create_once(descriptor, SECRET, secrets.token_bytes(_BYTES), mode=0o600)
    except OSError as error:
        raise PlaceUnusable(f"{folder / SECRET}: cannot be written: {error.strerror}") from error
    finally:
        os.close(descriptor)
    known = known_secret(places)
    if known is None:
        raise PlaceUnusable(f"{folder / SECRET}: is damaged; remove it, then plans made before are void")
    return known


def next_number(places: Places) -> int:
    """Take the next run number; a number is never given twice, and one that is not used leaves a gap.

    Raises:
        PlaceUnusable: The counter cannot be written.
        OSError: The disk failed.
    """
    folder = places.state_folder(FOLDER)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        lock = os.open(_LOCK, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600, dir_fd=descriptor)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            number = _last(folder / COUNTER) + 1
            _write(descriptor, number)
            return number
        finally:
            os.close(lock)
    finally:
        os.close(descriptor)


def _last(path: os.PathLike[str]) -> int:
    try:
        with open(path, "rb") as file:
            data = file.read(32)
    except FileNotFoundError:
        return 0
    try:
        return int(data)
    except ValueError as error:
        raise PlaceUnusable(f"{path}: holds no number; remove it, then runs are counted anew") from error


def _write(folder: int, number: int) -> None:
    """Put a new counter in the place of the old one, at once."""
    temporary = f".tmp-{os.getpid()}-counter"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, 0o600, dir_fd=folder)
    try:
        os.write(descriptor, f"{number}\n".encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(temporary, COUNTER, src_dir_fd=folder, dst_dir_fd=folder)
    sync_folder(folder)
