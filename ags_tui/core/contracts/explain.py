"""Validation errors in words: which fields of a document are wrong, and how."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ags_tui.core.contracts import validators
from ags_tui.core.contracts.base import TIME_PATTERN, Contract
from ags_tui.core.contracts.locate import Path, lines_of
from ags_tui.core.contracts.strict_json import MAX_LOCATED, field_text

MAX_FIELDS = 100
"""How many failing fields a problem lists."""

_WORDS: Mapping[str, str] = {
    "missing": "is required but missing",
    "extra_forbidden": "is not a field of this contract",
    "string_too_short": "must not be empty",
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
}
_SAYS_WHAT_IS_THERE = frozenset(_WORDS) - {"missing", "extra_forbidden", "string_too_short"}
_KINDS: Mapping[type, str] = {
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


@dataclass(frozen=True, slots=True)
class WrongField:
    """One field that is not as its contract wants it."""

    path: Path
    """Where it is, or would be."""
    message: str
    """What is wrong, to be read after the field's name."""


def wrong_fields(error: ValidationError, value: object) -> list[WrongField]:
    """Return what a validation error says about a document, in its order, each field once.

    Args:
        error: Of ``validators.validate`` or ``validate_bounded``.
        value: The document that was validated, as plain data.
    """
    found: dict[Path, WrongField] = {}
    details = error.errors(include_url=False, include_input=False)
    deeper = {path[:length] for path in (detail["loc"] for detail in details) for length in range(len(path))}
    for detail in details:
        if detail["type"] == "too_short" and detail["loc"] in deeper:
            continue  # wrong entries are not counted, so that the list itself looks too short
        path = _within(detail, value)
        found.setdefault(path, WrongField(path, _words(detail, at(value, path))))
    return list(found.values())


def misnamed_fields(model: type[Contract], value: object) -> list[WrongField]:
    """Return missing and unknown fields of a document, at most ``MAX_FIELDS``."""
    found = islice(validators.misnamed(model, value), MAX_FIELDS)
    return [WrongField(path, _WORDS[how]) for path, how in found]


def at(value: object, path: Path) -> object:
    """Return the data at a path, or None where there is none."""
    for part in path:
        if isinstance(value, dict) and isinstance(part, str):
            value = cast("dict[str, object]", value).get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(cast("list[object]", value)):
            value = cast("list[object]", value)[part]
        else:
            return None
    return value


def line_of(text: str, path: Path) -> int | None:
    """Return the line of a field, or of what is around it where it is missing; None in very long text."""
    if len(text) > MAX_LOCATED:
        return None
    around = [path[:length] for length in range(len(path), -1, -1)]
    lines = lines_of(text, around)
    return next((lines[part] for part in around if part in lines), None)


def listing(fields: Iterable[WrongField]) -> tuple[tuple[str, str], ...]:
    """Return fields as ``(field, message)``, at most ``MAX_FIELDS``."""
    return tuple((field_text(field.path), field.message) for field in list(fields)[:MAX_FIELDS])


def _within(detail: ErrorDetails, value: object) -> Path:
    """Cut off what pydantic adds to a location beyond the document, such as the branch of a union."""
    loc = detail["loc"]
    if detail["type"] in ("missing", "extra_forbidden"):
        return loc
    length = 0
    while length < len(loc) and _has(value, loc[length]):
        value = at(value, (loc[length],))
        length += 1
    return loc[:length]


def _has(value: object, part: str | int) -> bool:
    if isinstance(value, dict):
        return part in value
    return isinstance(value, list) and isinstance(part, int) and part < len(cast("list[object]", value))


def _words(detail: ErrorDetails, value: object) -> str:
    sort = detail["type"]
    context: dict[str, Any] = detail.get("ctx", {})
    if sort == "literal_error":
        return f"must be {context['expected']}, not {shown(value)}"
    if sort == "too_short":
        return f"needs at least {context['min_length']} entry"
    if sort == "string_pattern_mismatch":
        return _pattern_words(context["pattern"])
    words = _WORDS.get(sort)
    if words is None:
        message = detail["msg"]
        return message[:1].lower() + message[1:]
    return f"{words}, not {kind(value)}" if sort in _SAYS_WHAT_IS_THERE else words


def _pattern_words(pattern: str) -> str:
    if pattern == TIME_PATTERN:
        return "must be a time such as 2026-07-20T10:00:00Z, with T and an offset"
    if pattern.startswith("^(sha256:)?"):
        return "must be 64 hex digits, with or without sha256: before them"
    if "sha256" in pattern:
        return "must be sha256: and 64 hex digits"
    if pattern.startswith("^/"):
        return "must be a JSON pointer, which begins with /"
    if "AEIMQUY" in pattern:
        return "must be a token of 43 characters as the planner made it"
    return "must be letters, digits, dots, dashes and underscores, starting with a letter or digit"


def shown(value: object) -> str:
    """Return a short text in quotes, or what else a value is."""
    return f"'{value[:40]}'" if isinstance(value, str) else kind(value)


def kind(value: object) -> str:
    """Return what a piece of JSON data is, in words."""
    return _KINDS[type(value)]
