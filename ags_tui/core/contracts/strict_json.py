"""Strict JSON: what ``formats.md`` lets a reader accept, before any model looks at it.

The standard decoder does the work at C speed: its hooks only collect what they are handed (``list.append``),
and the collections are judged afterwards. Where something is wrong, a slower look finds field and line.
"""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ags_tui.core.contracts.locate import Mark, Path, first_duplicate, line_at, marks
from ags_tui.core.digests import digest
from ags_tui.core.snapshot import LoadProblem

MAX_BYTES = 16 * 1024 * 1024
"""Largest file that is read."""

MAX_DEPTH = 100
"""Deepest nesting of objects and lists."""

MAX_INTEGER = 2**53 - 1
"""Largest integer that every reader of JSON holds exactly."""

MAX_LOCATED = 1024 * 1024
"""Longest text in which a refusal is given a field and a line."""

BOM = b"\xef\xbb\xbf"
"""UTF-8 byte order mark."""

BOM_NOTE = "begins with a byte order mark"
"""Note of a file that does."""

_WIDE_BOMS = ((b"\xff\xfe\x00\x00", "UTF-32"), (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))
_NESTING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|([\[{])|([\]}])', re.DOTALL)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """A strict JSON document."""

    value: Any
    """The data: dict, list, str, int, float, bool or None."""
    notes: tuple[str, ...] = ()
    """What reading noticed."""


@dataclass(slots=True, eq=False)
class Refusal(Exception):
    """Why bytes are no strict JSON; becomes a LoadProblem."""

    message: str
    """What is wrong."""
    next_step: str
    """What to do about it."""
    line: int | None = None
    """Line, counted from 1."""
    field: str = ""
    """Field path."""

    def problem(self, data: bytes, artifact: str) -> LoadProblem:
        """Return the LoadProblem of a file that was refused."""
        return LoadProblem(
            "INVALID_JSON", self.message, artifact, self.line, self.field, self.next_step, digest(data)
        )


@dataclass(frozen=True, slots=True)
class Scan:
    """What one pass of the decoder collected."""

    objects: list[list[tuple[str, Any]]]
    """Pairs of each object, inner ones first; objects and numbers in them are None."""
    integers: list[str]
    """All integers as written."""
    floats: list[str]
    """All other numbers as written."""
    constants: list[str]
    """``NaN``, ``Infinity`` and ``-Infinity``."""

    @property
    def has_duplicates(self) -> bool:
        """Whether an object has a key twice."""
        return sum(map(len, self.objects)) != sum(map(len, map(dict, self.objects)))

    @property
    def has_wild_numbers(self) -> bool:
        """Whether a number is none that JSON readers agree on."""
        if self.constants or any(map(too_large, self.integers)):
            return True
        return any(map(math.isinf, map(float, self.floats)))


def too_large(integer: str) -> bool:
    """Whether an integer, as written, lies beyond 2^53-1."""
    # the length first: int() of a million digits raises or takes long
    return len(integer) > 17 or abs(int(integer)) > MAX_INTEGER


def scan(text: str) -> Scan:
    """Decode JSON text, keeping only what must be judged.

    Args:
        text: The text, known to be nested no deeper than the decoder can follow.

    Raises:
        json.JSONDecodeError: It is no JSON.
    """
    objects: list[list[tuple[str, Any]]] = []
    integers: list[str] = []
    floats: list[str] = []
    constants: list[str] = []
    decoder = json.JSONDecoder(
        object_pairs_hook=objects.append,
        parse_int=_collector(integers),
        parse_float=_collector(floats),
        parse_constant=_collector(constants),
    )
    decoder.decode(text)
    return Scan(objects, integers, floats, constants)


def _collector(into: list[str]) -> Callable[[str], Any]:
    return into.append


def deeper_than_allowed(data: bytes) -> int | None:
    """Return the offset of the first bracket beyond the allowed depth, or None.

    Iterative and linear in the bytes, also for text that is no JSON.
    """
    if data.count(b"[") + data.count(b"{") <= MAX_DEPTH:
        return None
    depth = 0
    for token in _NESTING.finditer(data):
        if token.lastindex == 1:
            depth += 1
            if depth > MAX_DEPTH:
                return token.start()
        elif token.lastindex == 2:
            depth -= 1
    return None


def text_of(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Return a file's text and what was noticed, if size, encoding and nesting are as they must be.

    Raises:
        Refusal: They are not.
    """
    if len(data) > MAX_BYTES:
        raise Refusal(f"is {len(data):,} bytes long; at most 16 MiB are read", "move bulk into artifacts/")
    for mark, name in _WIDE_BOMS:
        if data.startswith(mark):
            raise Refusal(f"is {name}, not UTF-8", "save it as UTF-8")
    body = data.removeprefix(BOM)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        offset = error.start + len(data) - len(body)
        message = f"is not UTF-8: byte 0x{data[offset]:02X} at offset {offset}"
        raise Refusal(message, "save it as UTF-8", line) from error
    deep = deeper_than_allowed(body)
    if deep is not None:
        line = body.count(b"\n", 0, deep) + 1
        raise Refusal(f"is nested deeper than {MAX_DEPTH} levels", "flatten it", line)
    return text, (BOM_NOTE,) if len(body) < len(data) else ()


def checked_scan(text: str) -> Scan:
    """Scan a text whose nesting is known to be allowed, and refuse all that strict JSON does not have.

    Raises:
        Refusal: With line and field where they can be told.
    """
    if not text.strip(" \t\n\r"):
        raise Refusal("is empty", "write the document")
    try:
        found = scan(text)
    except json.JSONDecodeError as error:
        message = f"is not JSON: {error.msg[:1].lower()}{error.msg[1:]}, column {error.colno}"
        next_step = "write it as JSON, without comments or trailing commas"
        raise Refusal(message, next_step, error.lineno) from error
    if found.has_wild_numbers:
        raise _wild_number(text)
    if found.has_duplicates:
        raise _duplicate(text)
    if _SURROGATE.search(text) and not _encodable(json.loads(text)):
        raise _lone_surrogate(text)
    return found


def _encodable(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def read_json(data: bytes, artifact: str) -> JsonDocument | LoadProblem:
    """Read bytes as strict JSON.

    Args:
        data: The file's bytes.
        artifact: Its name, for the problem.
    """
    try:
        text, notes = text_of(data)
        checked_scan(text)
    except Refusal as refusal:
        return refusal.problem(data, artifact)
    return JsonDocument(json.loads(text), notes)


def field_text(path: Path) -> str:
    """Return a field path as it is shown: ``steps.0.action``, shortened where it would fill the screen."""
    # a key may be half a character; a problem must still be writable
    text = ".".join(map(str, path)).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 200 else text[:199] + "…"


def _first(text: str, is_it: Callable[[Mark], bool]) -> Mark | None:
    if len(text) > MAX_LOCATED:
        return None
    return next(filter(is_it, marks(text)), None)


def _refuse(text: str, mark: Mark | None, message: str, next_step: str) -> Refusal:
    if mark is None:
        return Refusal(message, next_step)
    return Refusal(message, next_step, line_at(text, mark.offset), field_text(mark.path))


def _is_wild(mark: Mark) -> bool:
    if mark.key or mark.raw[0] in '"{[tfn':
        return False
    if mark.raw in ("NaN", "Infinity", "-Infinity"):
        return True
    return too_large(mark.raw) if mark.raw.lstrip("-").isdigit() else math.isinf(float(mark.raw))


def _wild_number(text: str) -> Refusal:
    mark = _first(text, _is_wild)
    what = "a number" if mark is None else mark.raw[:40]
    message = f"holds {what}, which is no number of JSON or beyond what all readers hold exactly"
    return _refuse(text, mark, message, "write large numbers as text, and null where there is none")


def _duplicate(text: str) -> Refusal:
    mark = first_duplicate(text) if len(text) <= MAX_LOCATED else None
    what = "a field" if mark is None else f"the field {str(mark.path[-1])[:80]!r}"
    return _refuse(text, mark, f"has {what} twice", "keep one of them")


def _is_lone(mark: Mark) -> bool:
    return _SURROGATE.search(mark.raw) is not None and not _encodable(json.loads(mark.raw))


def _lone_surrogate(text: str) -> Refusal:
    mark = _first(text, _is_lone)
    if mark is not None and mark.key:
        mark = mark._replace(path=mark.path[:-1])
    message = "holds half a character (a lone surrogate escape), which no UTF-8 can carry"
    return _refuse(text, mark, message, "write the whole character")
