"""Reads trust files and the configured SSH key; what is not safely the user's is left out, with a reason."""

import os

from ags_tui.core.light import TYPE_CHECKING
from ags_tui.core.records import Record
from ags_tui.io.key_reads import KeyUnusable
from ags_tui.io.places import Places
from ags_tui.io.trust import Trust, TrustedKey, parse_trust, read_ssh_public

if TYPE_CHECKING:
    from pathlib import Path

TRUST_FILE = "trusted-keys"
"""Name of the trust file in the configuration folder."""

SSH_KEY_FILE = "human-key.pub"
"""Name of the public key, in the configuration folder, that ``ssh-keygen`` signs human entries with."""

_LARGEST = 1 << 20
_TYPE, _REGULAR = 0o170000, 0o100000


class SshKey(Record):
    """The configured SSH key, which stands in for the human key of this machine."""

    path: "Path"
    """The ``.pub`` file."""
    key: TrustedKey | None
    """The key; None where the file cannot be used (then nothing else is used in its stead)."""
    problem: str = ""
    """Why it cannot be used."""


def read_given_trust(path: "Path") -> Trust:
    """Read the file of ``--trust``: whoever gives it vouches for it, so owner and mode do not matter.

    Raises:
        KeyUnusable: It cannot be read.
    """
    try:
        return parse_trust(_read(path, guarded=False), str(path))
    except FileNotFoundError as error:
        raise KeyUnusable(f"{path}: there is no such file") from error


def read_configured_trust(places: Places) -> Trust:
    """Read ``trusted-keys`` of the configuration; missing is empty, unsafe is a problem."""
    path = f"{places.config_dir}/{TRUST_FILE}"
    try:
        return parse_trust(_read(path, guarded=True), path)
    except FileNotFoundError:
        return Trust({})
    except KeyUnusable as error:
        return Trust({}, (str(error),))


def read_ssh_key(places: Places) -> SshKey | None:
    """Read ``human-key.pub`` of the configuration; None where there is none."""
    path = places.config / SSH_KEY_FILE
    try:
        return SshKey(path, read_ssh_public(_read(path, guarded=True), "human"))
    except FileNotFoundError:
        return None
    except KeyUnusable as error:
        return SshKey(path, None, str(error))
    except ValueError as error:
        return SshKey(path, None, f"{path}: {error}")


def _read(path: "Path | str", *, guarded: bool) -> str:
    """Read a small text file; a guarded one must not be writable by others."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            facts = os.fstat(stream.fileno())
            data = stream.read(_LARGEST + 1) if facts.st_mode & _TYPE == _REGULAR else None
    except FileNotFoundError:
        raise
    except OSError as error:
        raise KeyUnusable(f"{path}: {error.strerror}") from error
    if data is None or len(data) > _LARGEST:
        raise KeyUnusable(f"{path}: not a regular file of at most 1 MiB")
    if guarded and (facts.st_uid not in (0, os.geteuid()) or facts.st_mode & 0o022):
        raise KeyUnusable(f"{path}: not yours, or others may write it: left out; run: chmod 600 {path}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise KeyUnusable(f"{path}: not UTF-8 text") from error
