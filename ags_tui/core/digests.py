"""Digests: one function for each thing that is hashed, used by hook, TUI and command line alike.

A digest is ``sha256:`` and hex over **raw bytes**; equal content in other bytes is another digest. RFC 8785
canonical JSON (``canonical``) serves signatures only. No pydantic here: the hook's road leads through this.
"""

import sys

from ags_tui.core.light import TYPE_CHECKING, Any, Iterable, Literal, cast, suppress
from ags_tui.core.light_json import dumps

if TYPE_CHECKING:
    from hashlib import sha256 as _built_in
elif sys.version_info >= (3, 12):
    from _sha2 import sha256 as _built_in
else:
    from _sha256 import sha256 as _built_in

PREFIX = "sha256:"
"""How a digest begins."""

ABSENT = "absent"
"""Stands for the digest of a file that does not exist."""

DELETED_MODE = "000000"
"""Mode of a deleted path in a tree digest."""

LARGEST_INTEGER = 2**53 - 1
"""Largest integer that every reader of JSON reads exactly."""

Algorithm = Literal["sha1", "sha256"]
"""Object format of a repository."""

_HEX = frozenset("0123456789abcdef")
_SMALL = 1 << 16
_BYTES_MARK = "bytes:"


def digest(data: bytes) -> str:
    """Return ``sha256:`` and 64 hex digits over raw bytes."""
    if len(data) <= _SMALL:
        return PREFIX + str(_built_in(data).hexdigest())
    import hashlib  # quicker at much data, and its import costs a hook two milliseconds

    return PREFIX + hashlib.sha256(data).hexdigest()


def text_digest(text: str) -> str:
    """Return the digest of a text's UTF-8 bytes.

    A lone surrogate is hashed as the three bytes it would be in WTF-8, so that foreign text never raises.
    """
    return digest(text.encode("utf-8", "surrogatepass"))


def is_digest(text: str) -> bool:
    """Whether a text has the form of a digest."""
    return len(text) == 71 and text.startswith(PREFIX) and _HEX.issuperset(text[7:])


def canonical(value: object) -> bytes:
    """Return RFC 8785 canonical JSON, the form that signatures are made over.

    Args:
        value: JSON data of dict, list, tuple, str, int, float, bool and None.

    Returns:
        UTF-8 bytes without a trailing newline.

    Raises:
        ValueError: NaN, infinities, integers beyond 2^53-1, lone surrogates, other types.
    """
    if _is_plain(value):
        # The same bytes at a twentieth of the time: a thousand logs are checked while the human waits.
        with suppress(UnicodeEncodeError):
            text = dumps(value, ascii_only=False, sort_keys=True)
            return text.encode("utf-8")
    import rfc8785  # here: only signing needs it, and the start of a hook counts

    return rfc8785.dumps(cast("Any", value))


def _is_plain(value: object) -> bool:
    """Whether plain JSON with sorted keys is canonical already: no float, no large integer, ASCII keys."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is dict:
        for key, inner in cast("dict[object, object]", value).items():
            if not (type(key) is str and key.isascii() and _is_plain(inner)):
                return False
        return True
    if kind is list or kind is tuple:
        return all(map(_is_plain, cast("list[object]", value)))
    return kind is int and abs(cast("int", value)) <= LARGEST_INTEGER


def tree_digest(commit: str, entries: Iterable[tuple[bytes, str, str]]) -> str:
    """Return the digest of a tree as its difference from a commit.

    Committing, amending or staging the same bytes does not change it: only the baseline commit and the end
    result count.

    Args:
        commit: Hex id of the baseline commit.
        entries: ``(path, mode, blob)`` of each path that differs from it: raw path bytes, git mode, blob id
            in hex; a deleted path has mode ``000000`` and an empty blob. Any order.

    Returns:
        Digest over ``commit LF`` and, sorted by path, ``mode SP blob SP path NUL``.
    """
    import hashlib

    state = hashlib.sha256(commit.encode("ascii") + b"\n")
    for path, mode, blob in sorted(entries):
        state.update(f"{mode} {blob} ".encode("ascii") + path + b"\0")
    return PREFIX + state.hexdigest()


def blob_id(data: bytes, algorithm: Algorithm = "sha1") -> str:
    """Return the id that git gives to a blob of these bytes.

    Args:
        data: The bytes as git stores them (after any clean filter).
        algorithm: Object format of the repository.
    """
    import hashlib

    state = hashlib.new(algorithm, b"blob %d\0" % len(data), usedforsecurity=False)
    state.update(data)
    return state.hexdigest()


def path_text(path: bytes) -> str:
    """Return a path as text that JSON can hold; ``path_bytes`` turns it back.

    UTF-8 stays as it is. Other bytes become ``bytes:`` and percent-encoding, and so does a path that begins
    with that mark, which keeps the two apart.
    """
    try:
        text = path.decode("utf-8")
    except UnicodeDecodeError:
        text = _BYTES_MARK
    if not text.startswith(_BYTES_MARK):
        return text
    from urllib.parse import quote_from_bytes  # rare, and not cheap to import

    return _BYTES_MARK + quote_from_bytes(path, safe="/")


def path_bytes(text: str) -> bytes:
    """Return the path bytes behind a text made by ``path_text``.

    Raises:
        UnicodeEncodeError: The text holds surrogates, which ``path_text`` never writes.
    """
    if not text.startswith(_BYTES_MARK):
        return text.encode("utf-8")
    from urllib.parse import unquote_to_bytes

    return unquote_to_bytes(text.removeprefix(_BYTES_MARK))
