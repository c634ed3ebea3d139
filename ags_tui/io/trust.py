"""Trusted public keys: one line each, ``role key-id base64 comment``.

The same lines stand in ``trusted-keys`` of the user's configuration and in the file given with ``--trust``.
An Ed25519 key is its 32 raw bytes, with the id ``ed25519-…``; a key that signs through ``ssh-keygen`` is
its SSH blob (the second word of a ``.pub`` file), with the id ``ssh-…``.
"""

import base64
import binascii
from types import MappingProxyType

from ags_tui.core.digests import PREFIX, digest
from ags_tui.core.light import Iterable, Literal, Mapping, cast
from ags_tui.core.records import Record

Role = Literal["human", "system"]
"""What a key stands for: a human at the keyboard, or this program."""

ED25519_PREFIX = "ed25519-"
"""How the id of a plain Ed25519 key begins."""

SSH_PREFIX = "ssh-"
"""How the id of a key of ``ssh-keygen`` begins."""

ED25519_BYTES = 32
"""Length of a raw public key."""

_ID_DIGITS = 32
_LONGEST_BLOB = 8192


class TrustedKey(Record):
    """A public key and what it stands for."""

    role: Role
    """What a signature by it is worth."""
    key_id: str
    """Derived from the key: prefix and 32 hex digits of its sha256."""
    public: bytes
    """Raw Ed25519 bytes, or the SSH blob."""
    comment: str = ""
    """Whose it is, in words."""

    @property
    def line(self) -> str:
        """The line of a trust file."""
        return " ".join(
            filter(None, (self.role, self.key_id, base64.b64encode(self.public).decode(), self.comment))
        )


class Trust(Record):
    """What a trust file says."""

    keys: Mapping[str, TrustedKey]
    """By key id."""
    problems: tuple[str, ...] = ()
    """Lines that were left out, and why."""


def ed25519_id(public: bytes) -> str:
    """Return the id of a raw Ed25519 public key."""
    return ED25519_PREFIX + digest(public).removeprefix(PREFIX)[:_ID_DIGITS]


def ssh_id(blob: bytes) -> str:
    """Return the id of an SSH public key blob."""
    return SSH_PREFIX + digest(blob).removeprefix(PREFIX)[:_ID_DIGITS]


def ssh_type(blob: bytes) -> str:
    """Return the algorithm name inside an SSH public key blob, such as ``ssh-ed25519``.

    Raises:
        ValueError: It is not such a blob.
    """
    size = int.from_bytes(blob[:4], "big")
    name = blob[4 : 4 + size]
    if len(blob) > _LONGEST_BLOB or len(name) != size or not name.isascii() or not name:
        raise ValueError("not an SSH public key")
    text = name.decode("ascii")
    if not all(char.isalnum() or char in "-.@" for char in text):
        raise ValueError("not an SSH public key")
    return text


def read_ssh_public(text: str, role: Role) -> TrustedKey:
    """Read the line of a ``.pub`` file: ``type base64 comment``.

    Raises:
        ValueError: It is not such a line.
    """
    words = text.split(maxsplit=2)
    if len(words) < 2:
        raise ValueError("not the line of a .pub file")
    blob = _decode(words[1])
    if ssh_type(blob) != words[0]:
        raise ValueError("the type and the key differ")
    return TrustedKey(role, ssh_id(blob), blob, words[2].strip() if len(words) > 2 else "")


def parse_trust(text: str, source: str) -> Trust:
    """Read the lines of a trust file; empty lines and lines that begin with ``#`` are left out.

    Args:
        text: The file.
        source: Its name, for the problems.

    Returns:
        The keys. A line that is wrong is a problem, never a key. A key with both roles counts as system only.
    """
    keys: dict[str, TrustedKey] = {}
    problems: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            key = _parse_line(line)
        except ValueError as error:
            problems.append(f"{source}:{number}: left out: {error}")
            continue
        known = keys.get(key.key_id)
        if known is not None and known.role != key.role:
            problems.append(f"{source}:{number}: {key.key_id} has both roles; it counts as system only")
            key = TrustedKey("system", key.key_id, key.public, key.comment)
        keys[key.key_id] = key
    return Trust(MappingProxyType(keys), tuple(problems))


def format_trust(keys: Iterable[TrustedKey]) -> str:
    """Return the text of a trust file that holds these keys."""
    return "".join(f"{key.line}\n" for key in keys)


def _parse_line(line: str) -> TrustedKey:
    words = line.split(maxsplit=3)
    if len(words) < 3:
        raise ValueError("a line is: role key-id base64 comment")
    role, key_id, encoded = words[:3]
    if role not in {"human", "system"}:
        raise ValueError("the role is human or system")
    public = _decode(encoded)
    if key_id.startswith(ED25519_PREFIX):
        expected = ed25519_id(public) if len(public) == ED25519_BYTES else ""
    else:
        ssh_type(public)
        expected = ssh_id(public)
    if key_id != expected:
        raise ValueError("the key id is not the id of this key")
    return TrustedKey(cast("Role", role), key_id, public, words[3].strip() if len(words) > 3 else "")


def _decode(encoded: str) -> bytes:
    try:
        return base64.b64decode(encoded, validate=True)
    except binascii.Error as error:
        raise ValueError("the key is not base64") from error
