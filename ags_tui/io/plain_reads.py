"""Small regular files: read without hanging or following links. Hooks can afford it."""

import os

from ags_tui.core.failures import AgsError
from ags_tui.core.light import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_TYPE, _REGULAR = 0o170000, 0o100000


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
        import errno

        reason = "it is a link" if error.errno == errno.ELOOP and not follow else words_of(error)
        raise NotPlain(reason) from error
    try:
        facts = os.fstat(descriptor)
        if facts.st_mode & _TYPE != _REGULAR:
            raise NotPlain("it is not a regular file")
        if facts.st_size > limit:
            raise NotPlain(f"it is larger than {limit} bytes")
        with os.fdopen(os.dup(descriptor), "rb") as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise NotPlain(words_of(error)) from error
    finally:
        os.close(descriptor)
    if len(data) > limit:
        raise NotPlain(f"it is larger than {limit} bytes")
    return data


def words_of(error: OSError) -> str:
    """Say in words why the system refused.

    Args:
        error: Its refusal.
    """
    return (error.strerror or str(error)).lower()
