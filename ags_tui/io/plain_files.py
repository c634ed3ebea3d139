"""Small regular files: read without hanging or following links; folders entered without links."""

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ags_tui.io.create_once import create_once
from ags_tui.io.plain_reads import NotPlain, read_plain, words_of

__all__ = ["NotPlain", "open_folder", "read_plain", "write_new"]


@contextmanager
def open_folder(top: Path, *parts: str, create: bool = False) -> Generator[int]:
    """Open a folder below ``top`` part by part, never through a link, as a descriptor for ``dir_fd``.

    Args:
        top: an existing folder (links in its own path are followed).
        parts: names below it.
        create: make missing parts.

    Raises:
        NotPlain: a part is a link or not a folder, or cannot be made.
        FileNotFoundError: a part is missing and ``create`` is False.
    """
    descriptor = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts:
            following = _enter(descriptor, part, create=create)
            os.close(descriptor)
            descriptor = following
        yield descriptor
    finally:
        os.close(descriptor)


def write_new(folder: int, name: str, data: bytes) -> bool:
    """Create a file with its whole content, or leave the one that is there alone.

    Args:
        folder: descriptor of the folder.
        name: name in it.
        data: the content.

    Returns:
        Whether the file is ours; False where the name existed.

    Raises:
        NotPlain: the folder cannot be written.
    """
    try:
        create_once(folder, name, data)
    except FileExistsError:
        return False
    except OSError as error:
        raise NotPlain(f"{name}: cannot be written: {words_of(error)}") from error
    return True


def _enter(parent: int, name: str, *, create: bool) -> int:
    if create:
        try:
            os.mkdir(name, dir_fd=parent)
        except FileExistsError:
            pass
        except OSError as error:
            raise NotPlain(f"{name!r} cannot be made ({words_of(error)})") from error
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(name, flags, dir_fd=parent)
    except FileNotFoundError:
        raise
    except OSError as error:
        link = error.errno in (errno.ELOOP, errno.ENOTDIR)
        why = "is a link or not a folder" if link else f"cannot be opened ({words_of(error)})"
        raise NotPlain(f"{name!r} {why}") from error
