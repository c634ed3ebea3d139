"""Reads key files without opening the private key: who may own them, and which public key they name.

Apart from ``io.key_files``, as a hook that verifies one signature cannot afford to read private keys.
"""

import base64
import binascii
import os

from ags_tui.core.failures import AgsError
from ags_tui.core.records import Record

KEY_MODE = 0o600
"""Mode of a key file."""

_MARK = b"public: "
_ENCRYPTED = b"BEGIN ENCRYPTED PRIVATE KEY"
_PUBLIC_BYTES = 32
_LARGEST = 16_384
_TYPE, _REGULAR = 0o170000, 0o100000


class KeyUnusable(AgsError):
    """A key file that is missing, damaged or open to others; the message says which and what to do."""


class KeyFile(Record):
    """A key file as it is on disk."""

    public: bytes
    """Raw public key, 32 bytes."""
    pem: bytes
    """The private key as PEM."""

    @property
    def encrypted(self) -> bool:
        """Whether a passphrase is needed."""
        return _ENCRYPTED in self.pem


def key_line(public: bytes) -> bytes:
    """Write the first line of a key file.

    Args:
        public: Raw public key.
    """
    return _MARK + base64.b64encode(public) + b"\n"


def read_unopened(path: str) -> KeyFile:
    """Read a key file after looking at the folder, the owner, the mode and that it is no link.

    Whether the private key fits the public one is not looked at.

    Args:
        path: Its name.

    Raises:
        FileNotFoundError: There is none.
        KeyUnusable: It must not be used.
    """
    parent = os.path.dirname(path)
    try:
        folder = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise KeyUnusable(f"{parent}: {_words(error)}") from error
    try:
        _check(os.fstat(folder), parent, 0o700)
        return _parse(_read(folder, path), path)
    finally:
        os.close(folder)


def _parse(data: bytes, path: str) -> KeyFile:
    first, _, pem = data.partition(b"\n")
    try:
        public = base64.b64decode(first.removeprefix(_MARK), validate=True)
    except (binascii.Error, ValueError) as error:
        raise KeyUnusable(f"{path}: not a key file; move it away and a new one is made") from error
    if len(public) != _PUBLIC_BYTES:
        raise KeyUnusable(f"{path}: not a key file; move it away and a new one is made")
    return KeyFile(public, pem)


def _read(folder: int, path: str) -> bytes:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(os.path.basename(path), flags, dir_fd=folder)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise KeyUnusable(f"{path}: {_words(error)}") from error
    with os.fdopen(descriptor, "rb") as stream:
        facts = os.fstat(stream.fileno())
        if facts.st_mode & _TYPE != _REGULAR:
            raise KeyUnusable(f"{path}: not a regular file")
        _check(facts, path, KEY_MODE)
        return stream.read(_LARGEST)


def _check(facts: os.stat_result, path: str, mode: int) -> None:
    if facts.st_uid != os.geteuid():
        raise KeyUnusable(f"{path}: belongs to user {facts.st_uid}, not to you; it is not used")
    found = facts.st_mode & 0o7777
    if found & 0o077:
        raise KeyUnusable(
            f"{path}: open to others (mode {found:04o}), so it is not used; if nobody else had access, "
            f"run: chmod {mode:o} {path}"
        )


def _words(error: OSError) -> str:
    import errno

    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return "it is a link or no folder; keys are only read from a real file in a real folder"
    return error.strerror or str(error)
