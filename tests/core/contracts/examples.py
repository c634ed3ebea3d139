"""The fixtures on disk, and strategies that make documents from schemas and spoil them."""

import copy
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from ags_tui.core.contracts import registry, schemas
from ags_tui.core.contracts.fixtures import EXPECTED_SUFFIX, fixture_name
from ags_tui.core.contracts.parse import JsonDocument, read_json

TOP = Path(__file__).parents[3]
FIXTURES = TOP / "contracts" / "fixtures"
VALID = sorted((FIXTURES / "valid").iterdir())
INVALID = sorted(path for path in (FIXTURES / "invalid").iterdir() if fixture_name(path.name))
VERSIONS = [(name, version) for name in registry.names() for version in registry.versions(name)]

formats = FormatChecker(formats=())


@formats.checks("date-time", raises=ValueError)
def _is_time(value: object) -> bool:
    # six digits are all that Python before 3.11 and the contracts keep; the pattern has looked at the rest
    return not isinstance(value, str) or bool(datetime.fromisoformat(value))


def contract_of(path: Path) -> str:
    name = fixture_name(path.name)
    assert name is not None
    return name.contract


def expected_of(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(".json") + EXPECTED_SUFFIX)


def opened(path: Path) -> tuple[str, str, Any] | None:
    """Contract, version and payload of a fixture; None where it is no JSON or its envelope is not right."""
    document = read_json(path.read_bytes(), path.name)
    if not isinstance(document, JsonDocument):
        return None
    value: Any = document.value
    name, version = contract_of(path), "1.0.0"
    if isinstance(value, dict) and "schema" in value:
        if value.keys() != {"schema", "version", "payload"} or value["schema"] != name:
            return None
        version, value = value["version"], value["payload"]
    return None if registry.model_for(name, version) is None else (name, version, value)


@cache
def schema_validator(name: str, version: str) -> Draft202012Validator:
    return Draft202012Validator(schemas.schema(name, version), format_checker=formats)


def fits_schema(name: str, version: str, value: Any) -> bool:
    return schema_validator(name, version).is_valid(value)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    # JSON Schema takes 1.0 for an integer, Python does not: no whole floats
    | st.floats(-1e9, 1e9).filter(lambda number: not number.is_integer())
    | st.text(max_size=8)
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
TIMES = st.datetimes(datetime(1970, 1, 2), datetime(2900, 1, 1)).map(lambda time: time.isoformat() + "+09:00")


def values(part: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Documents that fit a schema, as far as our schemas use the language."""
    if "$ref" in part:
        return values(root["$defs"][part["$ref"].removeprefix("#/$defs/")], root)
    if "const" in part or "enum" in part:
        return st.sampled_from([part["const"]] if "const" in part else part["enum"])
    if "anyOf" in part:
        return st.one_of([values(branch, root) for branch in part["anyOf"]])
    if part.get("format") == "date-time":
        return TIMES
    if "pattern" in part:
        return st.from_regex(part["pattern"].replace("$", r"\Z"))
    return _of_type(part, root)


def _of_type(part: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[Any]:
    least, most = part.get("minimum", -1000), part.get("maximum", 2**53 - 1)
    match part["type"]:
        case "string":
            shortest = part.get("minLength", 0)
            return st.text(min_size=shortest, max_size=shortest + 12)
        case "integer":
            return st.integers(least, most)
        case "number":
            return st.integers(least, most) | st.floats(least, 1e12)
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case "array":
            items = values(part["items"], root)
            unique = part.get("uniqueItems", False)
            return st.lists(items, min_size=part.get("minItems", 0), max_size=3, unique=unique)
        case _:
            return _objects(part, root)


def _objects(part: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[Any]:
    if isinstance(part.get("additionalProperties"), dict):
        return st.dictionaries(st.text(max_size=4), values(part["additionalProperties"], root), max_size=2)
    if "properties" not in part:
        return st.dictionaries(st.text(max_size=4), ANYTHING, max_size=3)
    fields = {name: values(inner, root) for name, inner in part["properties"].items()}
    required = {name: fields[name] for name in part["required"]}
    return st.fixed_dictionaries(
        required, optional={name: made for name, made in fields.items() if name not in required}
    )


@cache
def payloads(name: str, version: str) -> st.SearchStrategy[Any]:
    schema = schemas.schema(name, version)
    return values(schema, schema)


LARGE = frozenset({"WorkflowPlan", "WorkflowReceipt"})
"""Too large to be made up by chance in a test's time; ``tests/core/workflow`` makes them by planning."""


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, str, Any]:
    """Valid documents of any contract: name, version, payload."""
    name, version = draw(st.sampled_from([one for one in VERSIONS if one[0] not in LARGE]))
    value = draw(payloads(name, version))
    if name == "AgentHandoff":
        value["payloadType"], value["contractVersion"] = draw(
            st.sampled_from([found for found in VERSIONS if found[0] in registry.PAYLOADS])
        )
        value["payload"] = draw(payloads(value["payloadType"], value["contractVersion"]))
    return name, version, value


def places(value: object) -> list[tuple[Any, Any]]:
    """All ``(container, key)`` inside a document."""
    found: list[tuple[Any, Any]] = []
    waiting: list[Any] = [value]
    while waiting:
        part = waiting.pop()
        keys = list(part) if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
        found += [(part, key) for key in keys]
        waiting += [part[key] for key in keys]
    return found


@st.composite
def spoilt(draw: st.DrawFn) -> tuple[str, str, Any]:
    """Documents with one thing changed: a field gone, renamed, doubled, replaced or added."""
    name, version, value = draw(documents())
    value = copy.deepcopy(value)
    container, key = draw(st.sampled_from(places(value)))
    how = draw(st.sampled_from(["gone", "other", "new", "doubled"]))
    if how == "other":
        container[key] = draw(ANYTHING)
    elif how == "gone":
        del container[key]
    elif isinstance(container, list):
        container.append(container[0] if how == "doubled" else draw(ANYTHING))
    else:
        container[draw(st.sampled_from([str(key).upper(), "extra", "task_id"]))] = draw(ANYTHING)
    return name, version, value
