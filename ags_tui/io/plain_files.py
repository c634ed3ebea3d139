"""Small regular files: read without hanging or following links; folders entered without links."""

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ags_tui.core.failures import AgsError
from ags_tui.io.create_once import create_once


class NotPlain(AgsError):
    """A file that is not read or written because of what it is; the message says why."""


def read_plain(path: "Path | str", *, limit: int, follow: bool = False) -> bytes:
    """Read a whole regular file.

    Args:
        path: the file.
        limit: most bytes; a larger file is refused.
        follow: whether a link as the last part of the path is followed.

    Raises:
        FileNotFoundError: there is no such file.
        NotPlain: it is a link, a folder, a pipe, a device or too large, or cannot be read.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        raise
    except OSError as error:
        reason = "it is a link" if error.errno == errno.ELOOP and not follow else _words(error)
        raise NotPlain(reason) from error
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise NotPlain("it is not a regular file")
        if facts.st_size > limit:
            raise NotPlain(f"it is larger than {limit} bytes")
        with os.fdopen(os.dup(descriptor), "rb") as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise NotPlain(_words(error)) from error
    finally:
        os.close(descriptor)
    if len(data) > limit:
        raise NotPlain(f"it is larger than {limit} bytes")
    return data


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
        raise NotPlain(f"{name}: cannot be written: {_words(error)}") from error
    return True


def _enter(parent: int, name: str, *, create: bool) -> int:
    if create:
        try:
            os.mkdir(name, dir_fd=parent)
        except FileExistsError:
            pass
        except OSError as error:
            raise NotPlain(f"{name!r} cannot be made ({_words(error)})") from error
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(name, flags, dir_fd=parent)
    except FileNotFoundError:
        raise
    except OSError as error:
        link = error.errno in (errno.ELOOP, errno.ENOTDIR)
        why = "is a link or not a folder" if link else f"cannot be opened ({_words(error)})"
        raise NotPlain(f"{name!r} {why}") from error


def _words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
