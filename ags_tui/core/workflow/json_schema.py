"""A small judge of JSON Schema (draft 2020-12), for the outputs of providers.

It knows the part of the language that our schemas use and refuses a schema that uses more, so that no
keyword is silently left out.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from ags_tui.core.contracts.base import TIME_PATTERN

Schema = Mapping[str, Any]
"""A schema or a part of one."""

MAX_STEPS = 100_000
"""Most steps of one check beyond those for the size of its value: a schema can ask for more than any machine
can do."""

STEPS_A_PART = 16
"""Steps that each part of a value may take."""

MAX_DEPTH = 120
"""Most schemas inside each other that one check enters."""

MAX_PROBLEMS = 20
"""Most problems that one check names."""

_SAYS_NOTHING = frozenset(
    {"$schema", "$id", "$defs", "title", "description", "$comment", "default", "examples"}
)
_KNOWN = frozenset({
    "$ref", "type", "enum", "const", "required", "properties", "additionalProperties", "items", "minItems",
    "maxItems", "uniqueItems", "minLength", "maxLength", "pattern", "minimum", "maximum", "anyOf", "oneOf",
    "allOf", "if", "then", "else", "not", "format",
}) | _SAYS_NOTHING  # fmt: skip
_INNER = ("additionalProperties", "items", "if", "then", "else", "not")
_INNER_LISTS = ("anyOf", "oneOf", "allOf")
_FORMATS = frozenset({"date-time"})
_TIME = re.compile(TIME_PATTERN)


class UnsupportedSchema(ValueError):
    """A schema uses something that is not judged here."""


def check_schema(schema: object) -> None:
    """Make sure that a schema can be judged.

    Raises:
        UnsupportedSchema: It is no object, or uses an unknown keyword, format or reference.
    """
    if not isinstance(schema, dict):
        raise UnsupportedSchema("a schema must be an object")
    root = cast("dict[str, Any]", schema)
    for part in _parts(root, 0):
        unknown = sorted(part.keys() - _KNOWN)
        if unknown:
            raise UnsupportedSchema(f"uses {unknown[0]}, which is not judged here")
        if "$ref" in part:
            _target(part["$ref"], root)
        if part.get("format", "date-time") not in _FORMATS:
            raise UnsupportedSchema(f"uses the format {part['format']}, which is not judged here")
        if "pattern" in part:
            _check_pattern(part["pattern"])


def _check_pattern(pattern: object) -> None:
    """Take only patterns that cannot take long: anchored, without groups, one open quantifier at most."""
    if not isinstance(pattern, str) or not pattern.startswith("^") or set("(|\\") & set(pattern):
        raise UnsupportedSchema("uses a pattern that is not anchored with ^ or has groups")
    if len(re.findall(r"[*+?]|\{[0-9]*,", pattern)) > 1:
        raise UnsupportedSchema("uses a pattern with several open quantifiers")
    try:
        re.compile(pattern)
    except re.error as error:
        raise UnsupportedSchema(f"its pattern cannot be read: {error}") from error


def problems(schema: Schema, value: object) -> list[tuple[str, str]]:
    """Return what is wrong with a value, as ``(JSON pointer, words)``; empty where it fits.

    Args:
        schema: A schema that ``check_schema`` has taken.
        value: JSON data.
    """
    found: list[tuple[str, str]] = []
    for problem in _judge(schema, value, "", _Run(schema, MAX_STEPS + STEPS_A_PART * _size(value)), 0):
        found.append(problem)
        if len(found) == MAX_PROBLEMS:
            break
    return found


def _size(value: object) -> int:
    """How many parts a value has."""
    count = 0
    waiting: list[object] = [value]
    while waiting:
        part = waiting.pop()
        count += 1
        if isinstance(part, dict):
            waiting.extend(cast("dict[str, object]", part).values())
        elif isinstance(part, list):
            waiting.extend(cast("list[object]", part))
    return count


def fixed_texts(schema: Schema) -> frozenset[str]:
    """Return all texts that a schema names as constants or in enumerations."""
    found: set[str] = set()
    for part in _parts(schema, 0):
        values = [part.get("const"), *part.get("enum", ())]
        found.update(value for value in values if isinstance(value, str))
    return frozenset(found)


def has_open_object(schema: Schema) -> bool:
    """Whether some object of a schema may hold fields that the schema does not name."""
    return any(
        ("properties" in part or part.get("type") == "object")
        and part.get("additionalProperties") is not False
        for part in _parts(schema, 0)
        if not _is_condition(part)
    )


def _is_condition(part: Schema) -> bool:
    """Whether a part only adds conditions to an object that another part describes."""
    return "type" not in part and "additionalProperties" not in part


def _parts(schema: Any, depth: int) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    if not isinstance(schema, dict):
        return
    if depth > 60:
        raise UnsupportedSchema("nests too deep")
    part = cast("dict[str, Any]", schema)
    yield part
    for name in ("properties", "$defs"):
        inner = part.get(name, {})
        for value in cast("dict[str, Any]", inner).values() if isinstance(inner, dict) else ():
            yield from _parts(value, depth + 1)
    for name in _INNER:
        yield from _parts(part.get(name), depth + 1)
    for name in _INNER_LISTS:
        for value in cast("list[Any]", part.get(name, [])):
            yield from _parts(value, depth + 1)


def _target(reference: object, root: Schema) -> Schema:
    if not isinstance(reference, str) or not reference.startswith("#/"):
        raise UnsupportedSchema(f"refers to {reference}, which is not in the same file")
    found: Any = root
    for step in reference[2:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict) or name not in found:
            raise UnsupportedSchema(f"refers to {reference}, which does not exist")
        found = cast("dict[str, Any]", found)[name]
    return cast("Schema", found)


Found = Iterator[tuple[str, str]]


@dataclass(slots=True)
class _Run:
    """One check."""

    root: Schema
    left: int


def _judge(schema: Schema, value: object, at: str, run: _Run, depth: int) -> Found:
    run.left -= 1
    if depth > MAX_DEPTH or run.left < 0:
        yield at, "takes too long to judge"
        return
    if "$ref" in schema:
        yield from _judge(_target(schema["$ref"], run.root), value, at, run, depth + 1)
    wanted = schema.get("type")
    if wanted is not None and not any(_is(name, value) for name in _names(wanted)):
        yield at, f"must be {' or '.join(_names(wanted))}"
        return
    if "const" in schema and not _equal(value, schema["const"]):
        yield at, f"must be {schema['const']!r}"
    if "enum" in schema and not any(_equal(value, one) for one in schema["enum"]):
        yield at, "must be one of " + ", ".join(str(one) for one in schema["enum"])
    if isinstance(value, dict):
        yield from _object(schema, cast("dict[str, Any]", value), at, run, depth)
    elif isinstance(value, list):
        yield from _array(schema, cast("list[Any]", value), at, run, depth)
    elif isinstance(value, str):
        yield from _text(schema, value, at)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _number(schema, value, at)
    yield from _combined(schema, cast("object", value), at, run, depth)


def _names(wanted: object) -> list[str]:
    return cast("list[str]", wanted) if isinstance(wanted, list) else [str(wanted)]


def _is(name: str, value: object) -> bool:
    match name:
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "integer":
            whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
            return whole and not isinstance(value, bool)
        case _:
            return name == "number" and isinstance(value, int | float) and not isinstance(value, bool)


def _equal(one: object, other: object) -> bool:
    """Equality of JSON: true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        first, second = cast("dict[str, object]", one), cast("dict[str, object]", other)
        return first.keys() == second.keys() and all(_equal(first[name], second[name]) for name in first)
    if isinstance(one, list) and isinstance(other, list):
        left, right = cast("list[object]", one), cast("list[object]", other)
        return len(left) == len(right) and all(map(_equal, left, right))
    return one == other


def _object(schema: Schema, value: dict[str, Any], at: str, run: _Run, depth: int) -> Found:
    known: Mapping[str, Schema] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{at}/{_step(name)}", "is required but missing"
    others = schema.get("additionalProperties", True)
    for name, inner in value.items():
        place = f"{at}/{_step(name)}"
        if name in known:
            yield from _judge(known[name], inner, place, run, depth + 1)
        elif others is False:
            yield place, "is not a field of this schema"
        elif isinstance(others, dict):
            yield from _judge(cast("Schema", others), inner, place, run, depth + 1)


def _step(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _array(schema: Schema, value: list[Any], at: str, run: _Run, depth: int) -> Found:
    if len(value) < schema.get("minItems", 0):
        yield at, f"needs at least {schema['minItems']} entries"
    if len(value) > schema.get("maxItems", len(value)):
        yield at, f"may have at most {schema['maxItems']} entries"
    if schema.get("uniqueItems") and _has_twice(value):
        yield at, "names an entry twice"
    if "items" in schema:
        for number, inner in enumerate(value):
            yield from _judge(schema["items"], inner, f"{at}/{number}", run, depth + 1)


def _has_twice(value: list[Any]) -> bool:
    if all(isinstance(one, str) for one in value):
        return len(set(value)) < len(value)
    return any(_equal(one, other) for number, one in enumerate(value) for other in value[:number])


def _text(schema: Schema, value: str, at: str) -> Found:
    if len(value) < schema.get("minLength", 0):
        yield (
            at,
            "must not be empty" if schema["minLength"] == 1 else f"must have {schema['minLength']} letters",
        )
    if len(value) > schema.get("maxLength", len(value)):
        yield at, f"may have at most {schema['maxLength']} letters"
    if "pattern" in schema and re.search(schema["pattern"], value) is None:
        yield at, f"must match {schema['pattern']}"
    if schema.get("format") == "date-time" and _TIME.fullmatch(value) is None:
        yield at, "must be a time as in RFC 3339"


def _number(schema: Schema, value: float, at: str) -> Found:
    if value < schema.get("minimum", value):
        yield at, f"must be at least {schema['minimum']}"
    if value > schema.get("maximum", value):
        yield at, f"must be at most {schema['maximum']}"


def _combined(schema: Schema, value: object, at: str, run: _Run, depth: int) -> Found:
    def fits(part: Schema) -> bool:
        return next(_judge(part, value, at, run, depth + 1), None) is None

    for part in schema.get("allOf", ()):
        yield from _judge(part, value, at, run, depth + 1)
    if "anyOf" in schema and not any(map(fits, schema["anyOf"])):
        yield at, "fits none of its forms"
    if "oneOf" in schema and sum(map(fits, schema["oneOf"])) != 1:
        yield at, "must fit exactly one of its forms"
    if "not" in schema and fits(schema["not"]):
        yield at, "must not have this form"
    if "if" in schema:
        branch = schema.get("then" if fits(schema["if"]) else "else")
        if branch is not None:
            yield from _judge(branch, value, at, run, depth + 1)
