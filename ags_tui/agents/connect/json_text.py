"""Edits of a JSON text that leave all other bytes as they are: foreign settings keep their form."""

import json
from dataclasses import dataclass, field
from typing import Any, cast

Path = tuple[str | int, ...]
"""Names and numbers from the top of the document to a value."""

_SPACE = " \t\n\r"
_USUAL_INDENT = "  "


class NotJson(Exception):
    """A text is no JSON object; the text says where."""


@dataclass(slots=True)
class _Node:
    """A value and where it stands."""

    start: int
    end: int
    members: dict[str, "_Member"] = field(default_factory=dict[str, "_Member"])
    items: list["_Node"] = field(default_factory=list["_Node"])


@dataclass(slots=True)
class _Member:
    start: int
    value: _Node


def parsed(text: str) -> dict[str, Any]:
    """Read a document that must be an object.

    Args:
        text: The document.

    Raises:
        NotJson: It is none.
    """
    try:
        value: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise NotJson(f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise NotJson("it is nested too deeply") from error
    if not isinstance(value, dict):
        raise NotJson("it is no JSON object")
    return cast("dict[str, Any]", value)


def put(text: str, path: Path, value: object) -> str:
    """Set a member of an object, in place where it is there, else behind the last one.

    Args:
        text: A valid document.
        path: From the top to the member; all but its last name exist.
        value: The new value.
    """
    holder, name = _at(text, path[:-1]), str(path[-1])
    if name in holder.members:
        old = holder.members[name].value
        return text[: old.start] + _dumped(text, value, len(path)) + text[old.end :]
    body = f"{json.dumps(name, ensure_ascii=False)}: {_dumped(text, value, len(path))}"
    last = max((one.value.end for one in holder.members.values()), default=None)
    return _inserted(text, holder, last, body, len(path))


def append(text: str, path: Path, value: object) -> str:
    """Add an item at the end of an array.

    Args:
        text: A valid document.
        path: From the top to the array.
        value: The new item.
    """
    holder = _at(text, path)
    last = holder.items[-1].end if holder.items else None
    return _inserted(text, holder, last, _dumped(text, value, len(path) + 1), len(path) + 1)


def drop(text: str, path: Path) -> str:
    """Remove a member or an item, with its comma and its line.

    Args:
        text: A valid document.
        path: From the top to what goes.
    """
    holder, last = _at(text, path[:-1]), path[-1]
    if isinstance(last, int):
        spans = [(one.start, one.end) for one in holder.items]
        number = last
    else:
        spans = sorted((one.start, one.value.end) for one in holder.members.values())
        number = spans.index((holder.members[last].start, holder.members[last].value.end))
    if len(spans) == 1:
        return text[: holder.start + 1] + text[holder.end - 1 :]
    if number == 0:
        return text[: spans[0][0]] + text[spans[1][0] :]
    return text[: spans[number - 1][1]] + text[spans[number][1] :]


def _inserted(text: str, holder: _Node, last: int | None, body: str, depth: int) -> str:
    """Put a new element behind the last one, on a line of its own where the document has lines."""
    inner = _line_break(text, depth)
    if last is not None:
        return f"{text[:last]},{inner or ' '}{body}{text[last:]}"
    outer = _line_break(text, depth - 1)
    return f"{text[: holder.start + 1]}{inner}{body}{outer}{text[holder.end - 1 :]}"


def _line_break(text: str, depth: int) -> str:
    return "\n" + _indent(text) * depth if "\n" in text.strip() or text.strip() == "{}" else ""


def _indent(text: str) -> str:
    first = text.find("\n", text.find("{"))
    rest = text[first + 1 :] if first >= 0 else ""
    found = rest[: len(rest) - len(rest.lstrip(" \t"))]
    return found or _USUAL_INDENT


def _dumped(text: str, value: object, depth: int) -> str:
    if not _line_break(text, depth):
        return json.dumps(value, ensure_ascii=False)
    unit = _indent(text)
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return ("\n" + unit * depth).join(lines)


def _at(text: str, path: Path) -> _Node:
    node, _ = _value(text, _skip(text, 0))
    for step in path:
        node = node.items[step] if isinstance(step, int) else node.members[step].value
    return node


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _value(text: str, at: int) -> tuple[_Node, int]:
    """Where a value and all in it stand; ``at`` is its first character, the document is known to be valid."""
    if text[at] not in "{[":
        _, end = json.JSONDecoder().raw_decode(text, at)
        return _Node(at, end), end
    node, closing = _Node(at, at), "}" if text[at] == "{" else "]"
    at = _skip(text, at + 1)
    while text[at] != closing:
        start, name = at, ""
        if closing == "}":
            name, at = json.JSONDecoder().raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        inner, at = _value(text, at)
        if closing == "}":
            node.members[name] = _Member(start, inner)
        else:
            node.items.append(inner)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    node.end = at + 1
    return node, node.end
