"""Compatibility of schemas: what could break a reader or a writer needs a new major version (article §18).

Compatible are new optional fields, further values of an enumeration and other descriptions. All else that
differs is breaking, also what this module does not know: a comparison that cannot decide must not say
"compatible".
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

Schema = dict[str, Any]
"""A JSON Schema or a part of one."""

_SAYS_NOTHING = frozenset(
    {"$schema", "$id", "$comment", "$defs", "title", "description", "examples", "deprecated"}
)
_COMPARED_APART = frozenset({"enum", "const", "type", "properties", "required", "items", "anyOf", "$ref"})


@dataclass(frozen=True, slots=True)
class Break:
    """One breaking change."""

    field: str
    """Field path, with ``[]`` for the entries of a list; empty for the whole document."""
    what: str
    """What changed."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """The same part of two schemas, with the documents that their references point into."""

    old: Schema
    new: Schema
    old_root: Schema
    new_root: Schema
    field: str = ""

    def inner(self, old: Schema, new: Schema, step: str) -> "_Pair":
        return _Pair(old, new, self.old_root, self.new_root, self.below(step))

    def below(self, step: str) -> str:
        return f"{self.field}.{step}" if self.field else step


def breaking_changes(old: Schema, new: Schema) -> tuple[Break, ...]:
    """Return what in a newer schema breaks readers or writers of the older one.

    Args:
        old: Schema of the predecessor; references point into its own ``$defs``, without circles.
        new: Schema of the successor.
    """
    return tuple(_compare(_Pair(old, new, old, new)))


def unannounced_breaks(schemas: Mapping[str, Schema]) -> tuple[str, ...]:
    """Return breaking changes between neighbouring versions that share their major number.

    Args:
        schemas: Schemas of one contract by version ``X.Y.Z``. Under 1.0.0 the minor number counts as major.
    """
    ordered = sorted(schemas, key=_numbers)
    return tuple(
        f"{old} → {new}: {found.field or 'document'}: {found.what}"
        for old, new in pairwise(ordered)
        if _promise(old) == _promise(new)
        for found in breaking_changes(schemas[old], schemas[new])
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _promise(version: str) -> tuple[int, ...]:
    major, minor, _patch = _numbers(version)
    return (major,) if major else (major, minor)


def _compare(pair: _Pair) -> list[Break]:
    old, new = _resolved(pair.old, pair.old_root), _resolved(pair.new, pair.new_root)
    resolved = _Pair(old, new, pair.old_root, pair.new_root, pair.field)
    return [found for part in _PARTS for found in part(resolved)]


def _resolved(part: Schema, root: Schema) -> Schema:
    while "$ref" in part:
        target: Any = root
        for name in cast("str", part["$ref"]).removeprefix("#/").split("/"):
            target = target[name.replace("~1", "/").replace("~0", "~")]
        part = {**cast("Schema", target), **{key: value for key, value in part.items() if key != "$ref"}}
    return part


def _values(pair: _Pair) -> list[Break]:
    """Compare enumerations and constants: a value may come, none may go."""
    old, new = _listed(pair.old), _listed(pair.new)
    if old is None and new is None:
        return []
    if old is None or new is None:
        return [
            Break(pair.field, "any value → listed values" if old is None else "listed values → any value")
        ]
    return [Break(pair.field, f"value removed: {value}") for value in old if value not in new]


def _listed(part: Schema) -> list[str] | None:
    values = [part["const"]] if "const" in part else part.get("enum")
    return None if values is None else [json.dumps(value, ensure_ascii=False) for value in values]


def _type(pair: _Pair) -> list[Break]:
    old, new = pair.old.get("type"), pair.new.get("type")
    return [] if old == new else [Break(pair.field, f"type {old} → {new}")]


def _fields(pair: _Pair) -> list[Break]:
    """Compare fields: an optional one may come, none may go or change whether it is required."""
    old, new = pair.old.get("properties", {}), pair.new.get("properties", {})
    must, must_now = set(pair.old.get("required", ())), set(pair.new.get("required", ()))
    found: list[Break] = []
    for name in old:
        step = pair.below(name)
        if name not in new:
            found.append(Break(step, "field removed or renamed"))
            continue
        if (name in must) != (name in must_now):
            found.append(Break(step, "required → optional" if name in must else "optional → required"))
        found += _compare(pair.inner(old[name], new[name], name))
    for name in new:
        if name not in old and name in must_now:
            found.append(Break(pair.below(name), "new required field"))
    return found


def _entries(pair: _Pair) -> list[Break]:
    old, new = pair.old.get("items"), pair.new.get("items")
    if isinstance(old, dict) and isinstance(new, dict):
        return _compare(pair.inner(cast("Schema", old), cast("Schema", new), "[]"))
    return [] if old == new else [Break(pair.field, "entries of the list changed")]


def _branches(pair: _Pair) -> list[Break]:
    old, new = pair.old.get("anyOf", []), pair.new.get("anyOf", [])
    if len(old) != len(new):
        return [Break(pair.field, f"one of {len(old)} forms → one of {len(new)} forms")]
    return [
        found
        for before, after in zip(old, new, strict=True)
        for found in _compare(_Pair(before, after, pair.old_root, pair.new_root, pair.field))
    ]


def _rest(pair: _Pair) -> list[Break]:
    """Compare all other keywords, such as lengths and patterns: they must be equal."""
    names = sorted((pair.old.keys() | pair.new.keys()) - _SAYS_NOTHING - _COMPARED_APART)
    return [
        Break(pair.field, f"{name}: {_short(pair.old.get(name))} → {_short(pair.new.get(name))}")
        for name in names
        if pair.old.get(name) != pair.new.get(name)
    ]


def _short(value: object) -> str:
    text = "none" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"


_PARTS: tuple[Callable[[_Pair], list[Break]], ...] = (_values, _type, _fields, _entries, _branches, _rest)
