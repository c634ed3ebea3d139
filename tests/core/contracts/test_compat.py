"""Each kind of change to a schema, and whether it is breaking."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from ags_tui.core.contracts import registry, schemas
from ags_tui.core.contracts.compat import Break, breaking_changes, unannounced_breaks

Schema = dict[str, Any]

OLD: Schema = {
    "title": "Thing",
    "type": "object",
    "additionalProperties": False,
    "required": ["id", "kind", "parts"],
    "properties": {
        "id": {"type": "string", "minLength": 1},
        "kind": {"enum": ["a", "b"], "type": "string"},
        "note": {"type": "string"},
        "end": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
        "mode": {"const": "x", "type": "string"},
    },
    "$defs": {
        "Part": {
            "type": "object",
            "additionalProperties": False,
            "required": ["name"],
            "properties": {"name": {"type": "string"}, "size": {"type": "integer", "minimum": 0}},
        }
    },
}


def after(change: Callable[[Schema], object]) -> tuple[Break, ...]:
    new = copy.deepcopy(OLD)
    change(new)
    return breaking_changes(OLD, new)


def fields(schema: Schema) -> Schema:
    return schema["properties"]


def part(schema: Schema) -> Schema:
    return schema["$defs"]["Part"]["properties"]


def rename_definition(schema: Schema) -> None:
    schema["$defs"] = {"Piece": schema["$defs"]["Part"]}
    fields(schema)["parts"]["items"] = {"$ref": "#/$defs/Piece"}


def inline_definition(schema: Schema) -> None:
    fields(schema)["parts"]["items"] = schema.pop("$defs")["Part"]


COMPATIBLE: dict[str, Callable[[Schema], object]] = {
    "nothing": lambda s: None,
    "optional field": lambda s: fields(s).update(more={"type": "string"}),
    "optional field in a part": lambda s: part(s).update(more={"type": "string"}),
    "further value": lambda s: fields(s)["kind"]["enum"].append("c"),
    "constant to values": lambda s: fields(s).update(mode={"enum": ["x", "y"], "type": "string"}),
    "description": lambda s: fields(s)["id"].update(description="better"),
    "title and id": lambda s: s.update(title="Other", **{"$id": "https://x.example/y"}),
    "definition renamed": rename_definition,
    "definition inlined": inline_definition,
    "order": lambda s: s["required"].reverse(),
}

BREAKING: dict[str, tuple[Callable[[Schema], object], str, str]] = {
    "new required field": (
        lambda s: (fields(s).update(more={"type": "string"}), s["required"].append("more")),
        "more", "new required field",
    ),
    "optional becomes required": (lambda s: s["required"].append("note"), "note", "optional → required"),
    "required becomes optional": (lambda s: s["required"].remove("id"), "id", "required → optional"),
    "field removed": (lambda s: fields(s).pop("note"), "note", "field removed or renamed"),
    "field renamed": (
        lambda s: fields(s).update(remark=fields(s).pop("note")),
        "note", "field removed or renamed",
    ),
    "value removed": (lambda s: fields(s)["kind"]["enum"].remove("b"), "kind", 'value removed: "b"'),
    "values dropped": (lambda s: fields(s)["kind"].pop("enum"), "kind", "listed values → any value"),
    "values listed": (lambda s: fields(s)["note"].update(enum=["x"]), "note", "any value → listed values"),
    "type": (lambda s: fields(s)["note"].update(type="integer"), "note", "type string → integer"),
    "type widened": (
        lambda s: fields(s)["note"].update(type=["string", "null"]),
        "note", "type string → ['string', 'null']",
    ),
    "null added": (
        lambda s: fields(s).update(note={"anyOf": [{"type": "string"}, {"type": "null"}]}),
        "note", "one of 0 forms → one of 2 forms",
    ),
    "form changed": (
        lambda s: fields(s)["end"]["anyOf"][0].update(minLength=1),
        "end", "minLength: none → 1",
    ),
    "nesting": (
        lambda s: fields(s).update(note={"type": "object", "properties": {"text": {"type": "string"}}}),
        "note", "type string → object",
    ),
    "list becomes one": (
        lambda s: fields(s).update(parts={"$ref": "#/$defs/Part"}),
        "parts", "type array → object",
    ),
    "entries untyped": (lambda s: fields(s)["parts"].pop("items"), "parts", "entries of the list changed"),
    "type in a part": (
        lambda s: part(s)["name"].update(type="integer"),
        "parts.[].name", "type string → integer",
    ),
    "new required field in a part": (
        lambda s: (part(s).update(more={}), s["$defs"]["Part"]["required"].append("more")),
        "parts.[].more", "new required field",
    ),
    "limit": (lambda s: part(s)["size"].update(minimum=1), "parts.[].size", "minimum: 0 → 1"),
    "limit gone": (lambda s: fields(s)["id"].pop("minLength"), "id", "minLength: 1 → none"),
    "pattern": (lambda s: fields(s)["id"].update(pattern="^a"), "id", 'pattern: none → "^a"'),
    "unique": (lambda s: fields(s)["parts"].update(uniqueItems=True), "parts", "uniqueItems: none → true"),
    "open": (lambda s: s.update(additionalProperties=True), "", "additionalProperties: false → true"),
    "unknown keyword": (lambda s: s.update(minProperties=1), "", "minProperties: none → 1"),
    "condition": (
        lambda s: s.update(allOf=[{"required": ["note"]}]),
        "", 'allOf: none → [{"required": ["note"]}]',
    ),
}  # fmt: skip


@pytest.mark.parametrize("change", COMPATIBLE.values(), ids=list(COMPATIBLE))
def test_compatible(change: Callable[[Schema], object]):
    assert after(change) == ()


@pytest.mark.parametrize(("change", "field", "what"), BREAKING.values(), ids=list(BREAKING))
def test_breaking(change: Callable[[Schema], object], field: str, what: str):
    assert Break(field, what) in after(change)


@pytest.mark.parametrize(
    ("old", "new", "held"),
    [
        ("1.0.0", "2.0.0", True), ("1.0.0", "1.1.0", False), ("1.0.0", "1.0.1", False),
        ("0.1.0", "0.2.0", True), ("0.1.0", "0.1.1", False), ("0.9.0", "1.0.0", True),
        ("9.0.0", "10.0.0", True), ("1.9.0", "1.10.0", False),
    ],
)  # fmt: skip
def test_a_breaking_change_needs_a_new_major(old: str, new: str, held: bool):
    broken = copy.deepcopy(OLD)
    del broken["properties"]["note"]
    found = unannounced_breaks({new: broken, old: OLD})
    assert found == (() if held else (f"{old} → {new}: note: field removed or renamed",))


@pytest.mark.parametrize("name", registry.names())
def test_each_version_against_its_predecessor(name: str):
    assert (
        unannounced_breaks({version: schemas.schema(name, version) for version in registry.versions(name)})
        == ()
    )


@pytest.mark.parametrize(
    ("name", "old", "new"), [("AgentPlan", "1.0.0", "2.0.0"), ("ToolRequest", "1.0.0", "2.0.0")]
)
def test_our_new_majors_are_none_for_nothing(name: str, old: str, new: str):
    assert breaking_changes(schemas.schema(name, old), schemas.schema(name, new))
