"""Where things stand in JSON text: field paths and offsets, for messages about a refused file.

Reading never needs this; it runs only where a refusal wants a line, on text whose syntax is known to be
right. The walk keeps its own stack, so that nesting costs no recursion.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

Path = tuple[str | int, ...]
"""Keys and indexes from the top of a document."""

_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


class Mark(NamedTuple):
    """One key or scalar value, or the opening of an object or list."""

    path: Path
    """Where it belongs."""
    offset: int
    """Where it begins in the text, characters."""
    raw: str
    """The token as written."""
    key: bool
    """Whether it is the key of a field, else a value."""


def marks(text: str) -> Iterator[Mark]:
    """Yield all keys and values of JSON text in order.

    Args:
        text: Text that the standard library's decoder reads (``NaN`` and the like included).
    """
    stack: list[str | int | None] = []
    wants_key = False
    for token in _TOKEN.finditer(text):
        raw = token[0]
        if raw in ("}", "]"):
            stack.pop()
            wants_key = False
        elif raw == ",":
            last = stack[-1]
            wants_key = not isinstance(last, int)
            stack[-1] = None if wants_key or last is None else int(last) + 1
        elif raw == ":":
            wants_key = False
        elif wants_key:
            stack[-1] = _unescaped(raw)
            yield Mark(_path(stack), token.start(), raw, key=True)
        else:
            yield Mark(_path(stack), token.start(), raw, key=False)
            if raw in ("{", "["):
                stack.append(0 if raw == "[" else None)
                wants_key = raw == "{"


def _path(stack: list[str | int | None]) -> Path:
    return tuple(part for part in stack if part is not None)


def _unescaped(raw: str) -> str:
    return json.loads(raw) if "\\" in raw else raw[1:-1]


def line_at(text: str, offset: int) -> int:
    """Return the line of an offset, counted from 1."""
    return text.count("\n", 0, offset) + 1


def lines_of(text: str, wanted: Collection[Path]) -> Mapping[Path, int]:
    """Return the lines of fields; a path that does not exist is missing from the answer."""
    found: dict[Path, int] = {}
    for mark in marks(text):
        if mark.path in wanted and mark.path not in found:
            found[mark.path] = line_at(text, mark.offset)
            if len(found) == len(wanted):
                break
    return found


def first_duplicate(text: str) -> Mark | None:
    """Return the first key that its object already has."""
    seen: set[Path] = set()
    for mark in marks(text):
        if mark.key:
            # no path can come again before a key of its own or of an object around it does
            if mark.path in seen:
                return mark
            seen.add(mark.path)
    return None
