"""The small judge of JSON Schema says what the big one says, or refuses the schema."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ags_tui.core.workflow.json_schema import (
    UnsupportedSchema,
    check_schema,
    fixed_texts,
    has_open_object,
    problems,
)

SCHEMAS = sorted((Path(__file__).parents[3] / "contracts/providers/schemas").iterdir())
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.sampled_from(["", "a", "ab"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
TYPES = st.sampled_from(["object", "array", "string", "boolean", "null", "integer", "number"])
LEAVES = st.fixed_dictionaries(
    {},
    optional={
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
        "enum": st.lists(VALUES, min_size=1, max_size=3),
        "const": VALUES,
        "minLength": st.integers(0, 2),
        "minimum": st.integers(-2, 2),
        "maximum": st.integers(-2, 2),
        "minItems": st.integers(0, 2),
        "maxItems": st.integers(0, 2),
        "uniqueItems": st.booleans(),
        "required": st.lists(st.sampled_from("abc"), max_size=2, unique=True),
    },
)
MADE = st.recursive(
    LEAVES,
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
            "additionalProperties": st.booleans() | inner,
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "oneOf": st.lists(inner, min_size=1, max_size=2),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
        },
    ),
    max_leaves=4,
)


@settings(max_examples=150, deadline=None)
@given(MADE, VALUES)
def test_it_agrees_with_the_big_one(schema: dict[str, Any], value: Any):
    check_schema(schema)
    assert (problems(schema, value) == []) == Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.stem)
def test_the_shipped_schemas_are_judged(path: Path):
    schema = json.loads(path.read_bytes())
    Draft202012Validator.check_schema(schema)
    check_schema(schema)


@pytest.mark.parametrize(
    "schema",
    [
        7, {"patternProperties": {}}, {"$ref": "https://elsewhere"}, {"$ref": "#/$defs/gone"},
        {"format": "uri"},
        {"pattern": "a+"}, {"pattern": "^(a+)+$"}, {"pattern": "^a*b*"}, {"pattern": "^a{1,9}b{1,9}"},
        {"pattern": "^["}, {"properties": {"a": {"items": {"contains": {}}}}},
    ],
)  # fmt: skip
def test_what_is_not_judged_is_refused(schema: object):
    with pytest.raises(UnsupportedSchema):
        check_schema(schema)


def test_a_schema_cannot_take_for_ever():
    twice = [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]
    for how in ("allOf", "anyOf", "oneOf"):
        schema: dict[str, Any] = {"$ref": "#/$defs/a", "$defs": {"a": {how: twice}}}
        check_schema(schema)
        assert problems(schema, 1)


def test_texts_and_open_objects():
    closed = {"type": "object", "additionalProperties": False, "properties": {"a": {"enum": ["x", 1]}}}
    assert (fixed_texts(closed), has_open_object(closed)) == ({"x"}, False)
    assert has_open_object({"type": "object"})
    assert has_open_object({**closed, "properties": {"b": {"type": "object"}}})
