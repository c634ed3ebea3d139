"""One entry file of a log: its bytes, what is signed, and what a torn write looks like.

The bytes of an entry are exactly the canonical JSON of its envelope and a newline. Everything that reads or
writes entries goes through here, so that no two readers can see different things in one file.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from ags_tui.core.contracts.log_entry import BoundDigests, BoundFile, LogEntry
from ags_tui.core.decisions import Bound
from ags_tui.core.digests import canonical, path_bytes, path_text
from ags_tui.core.log_state import Signer

LARGEST_ENTRY = 16 << 20
"""Most bytes of an entry file."""

_CACHED_BYTES = 1 << 16
_OPENING = b'{"payload":{"'
_BEFORE = b'{"payload":'
_SIGNATURE = b',"signature":'
_SUBJECT = b',"subject":'
_BEHIND = f',"schema":"{LogEntry.contract_name}","version":"{LogEntry.contract_version}"}}\n'.encode()


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file of a log folder, as read from disk."""

    name: str
    """File name."""
    raw: bytes = b""
    """The exact bytes; empty where there is a fault."""
    signer: Signer = "none"
    """Whose key signed the entry in it."""
    fault: str = ""
    """Why it is no plain file of bounded size; empty where it is."""
    unreadable: bool = False
    """The fault is only that it could not be read: nothing is known about the entry."""
    read: "EntryRead | None" = None
    """What the bytes say, by who has read them already; None: nobody yet."""
    digest: str = ""
    """Digest of the bytes, by who has hashed them already; empty: nobody yet."""


class EntryRead(NamedTuple):
    """What an entry file says."""

    entry: LogEntry | None
    """The contract; None where there is a problem."""
    signed: bytes
    """Canonical payload without its signature: what the signature is over. Empty where it is not needed."""
    problem: str = ""
    """What is wrong; empty where nothing is."""
    torn: bool = False
    """It looks like the beginning of a write that never ended."""
    newer: bool = False
    """Its version is unknown here: a newer program may have written it."""


def read_entry(raw: bytes) -> EntryRead:
    """Read the bytes of an entry file.

    Args:
        raw: The exact bytes.
    """
    return _read_cached(raw) if len(raw) <= _CACHED_BYTES else _read(raw)


def glance(raw: bytes) -> LogEntry | None:
    """Return the entry in bytes without asking whether they are canonical.

    For bytes that ``read_entry`` takes, this is the same entry. It takes others too: what it returns says
    nothing before somebody has vouched for the bytes.

    Args:
        raw: The exact bytes.
    """
    if not (raw.startswith(_BEFORE) and raw.endswith(_BEHIND)):
        return None
    try:
        return LogEntry.model_validate_json(raw[len(_BEFORE) : -len(_BEHIND)], by_alias=True, by_name=False)
    except ValidationError:
        return None


def encode_entry(entry: LogEntry) -> bytes:
    """Return the bytes of an entry file.

    Raises:
        ValueError: Something in it has no canonical form (integers beyond 2^53-1, lone surrogates …).
    """
    payload = entry.model_dump(mode="json", by_alias=True)
    return canonical(_envelope(payload)) + b"\n"


def signed_bytes(entry: LogEntry) -> bytes:
    """Return what an entry's signature is made over: its canonical payload without ``signature``.

    Raises:
        ValueError: Something in it has no canonical form.
    """
    return canonical(_unsigned(entry.model_dump(mode="json", by_alias=True)))


def bound_digests(bound: Bound) -> BoundDigests:
    """Return the form in which an entry keeps what it is bound to."""
    files = tuple(
        BoundFile(path=writable(path), digest=value)
        for path, value in sorted(bound.files.items(), key=lambda item: writable(item[0]))
    )
    return BoundDigests(request=bound.request, plan=bound.plan, policy=bound.policy, files=files)


def bound_of(entry: LogEntry) -> Bound:
    """Return what an entry is bound to; paths as everywhere in a snapshot (surrogate escapes)."""
    bound = entry.bound
    return Bound(
        request=bound.request,
        plan=bound.plan,
        policy=bound.policy,
        files={path_of(file.path): file.digest for file in bound.files},
    )


def writable(text: str) -> str:
    """Return a path or text in a form that JSON can hold, whatever bytes its surrogates stand for."""
    try:
        raw = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raw = text.encode("utf-8", "surrogatepass")
    return path_text(raw)


def path_of(text: str) -> str:
    """Turn a path of an entry back into the form of a snapshot."""
    return path_bytes(text).decode("utf-8", "surrogateescape")


@lru_cache(maxsize=4096)
def _read_cached(raw: bytes) -> EntryRead:
    return _read(raw)


def _read(raw: bytes) -> EntryRead:
    try:
        document: object = json.loads(raw.decode("utf-8"))
        exact = canonical(document) + b"\n"
    except (ValueError, RecursionError) as error:
        # UnicodeDecodeError, JSONDecodeError and the refusals of canonical() are all ValueErrors
        return EntryRead(None, b"", f"not readable as JSON: {error}", torn=_could_be_torn(raw))
    if exact != raw:
        torn = raw + b"\n" == exact
        return EntryRead(None, b"", "its bytes are not the canonical form", torn=torn)
    return _read_envelope(document, raw)


def _read_envelope(document: object, raw: bytes) -> EntryRead:
    envelope = cast("dict[str, Any]", document) if isinstance(document, dict) else {}
    payload = envelope.get("payload")
    if not isinstance(payload, dict) or envelope.get("schema") != LogEntry.contract_name:
        return EntryRead(None, b"", "no envelope of a LogEntry")
    if envelope.get("version") != LogEntry.contract_version:
        version = envelope.get("version")
        return EntryRead(None, b"", f"LogEntry {version!r} is not known here", newer=isinstance(version, str))
    if len(envelope) != len(_envelope({})):
        return EntryRead(None, b"", "the envelope has unknown fields")
    try:
        # raw is canonical and its envelope is known: the payload stands between what is always the same
        inner = raw[len(_BEFORE) : -len(_BEHIND)]
        entry = LogEntry.model_validate_json(inner, by_alias=True, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        return EntryRead(None, b"", f"{place or 'payload'}: {first['msg']}")
    return EntryRead(entry, _without_signature(inner))


def _without_signature(payload: bytes) -> bytes:
    """Cut the signature out of a canonical payload, which leaves it canonical.

    A quote inside a text is escaped, so that names are found as names only; and the last of this name is the
    payload's own, for behind it stand ``subject``, whose names are known, and plain texts.
    """
    start = payload.rindex(_SIGNATURE)
    return payload[:start] + payload[payload.index(_SUBJECT, start + len(_SIGNATURE)) :]


def _envelope(payload: dict[str, Any]) -> dict[str, Any]:
    return {"schema": LogEntry.contract_name, "version": LogEntry.contract_version, "payload": payload}


def _unsigned(payload: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in payload.items() if name != "signature"}


def _could_be_torn(raw: bytes) -> bool:
    """Whether bytes can be what a crash left of an entry: its beginning, or blocks that were never filled."""
    written = raw.rstrip(b"\0")
    return not written.endswith(b"\n") and (written.startswith(_OPENING) or _OPENING.startswith(written))
