"""JSON Schemas (draft 2020-12) made from the models, one file a version; ``contracts/`` holds the result."""

import ast
import inspect
import json
import textwrap
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, cast

from ags_tui.core.contracts import registry
from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.handoff import AgentHandoff
from ags_tui.core.contracts.validators import contract_in

DIALECT = "https://json-schema.org/draft/2020-12/schema"
"""The dialect."""

BASE = "https://ags-tui.example/contracts/"
"""Where ids of schemas begin; a name, not a place to fetch from."""

Schema = dict[str, Any]
"""A JSON Schema or a part of one."""


def schema_files() -> Mapping[str, bytes]:
    """Return all schemas by their path under ``contracts/``, such as ``AgentPlan/1.0.0.schema.json``."""
    return {
        schema_path(name, version): (
            json.dumps(schema(name, version), indent=2, ensure_ascii=False) + "\n"
        ).encode()
        for name in registry.names()
        for version in registry.versions(name)
    }


def schema_path(name: str, version: str) -> str:
    """Return the path of a schema under ``contracts/``."""
    return f"{name}/{version}.schema.json"


def schema(name: str, version: str) -> Schema:
    """Return the schema of a contract in one version.

    Raises:
        KeyError: There is no such contract or version.
    """
    model = registry.model_for(name, version)
    if model is None:
        raise KeyError(f"{name} {version}")
    head = {"$schema": DIALECT, "$id": BASE + schema_path(name, version), "title": name}
    return {**head, **_body(model)}


def schema_of(model: type[Contract]) -> Schema:
    """Return the schema of a model that stands in no registry, such as the input of a tool."""
    return {"$schema": DIALECT, **_body(model)}


def _body(model: type[Contract]) -> Schema:
    """Return a model's schema without what names the document."""
    made = model.model_json_schema(by_alias=True, mode="validation")
    definitions = cast("Schema", made.pop("$defs", {}))
    parts = {part.__name__: part for part in _parts(model)}
    body = _dressed(made, model)
    defs = {name: _dressed(definition, parts[name]) for name, definition in sorted(definitions.items())}
    if model is AgentHandoff:
        payloads, conditions = _payloads()
        defs |= payloads
        body["properties"]["payloadType"] = {
            "enum": list(registry.PAYLOADS),
            "description": body["properties"]["payloadType"]["description"],
        }
        body["allOf"] = conditions
    return {**body, "$defs": defs} if defs else body


def _parts(model: type[Contract]) -> set[type[Contract]]:
    inner = {part for info in model.model_fields.values() if (part := contract_in(info.annotation))}
    return inner.union(*map(_parts, inner))


def _dressed(made: Schema, model: type[Contract]) -> Schema:
    """Return an object schema in a fixed order, with descriptions in place of pydantic's titles."""
    docs = _field_docs(model)
    properties = {
        info.alias or name: {**_plain(made["properties"][info.alias or name]), "description": docs[name]}
        for name, info in model.model_fields.items()
    }
    return {
        "description": _prose(model.__doc__ or ""),
        "type": "object",
        "additionalProperties": False,
        "required": made.get("required", []),
        "properties": properties,
    }


def _plain(made: Schema) -> Schema:
    return {key: value for key, value in made.items() if key not in ("title", "default")}


def _field_docs(model: type[Contract]) -> dict[str, str]:
    """Return the docstrings under the fields of a model, its bases included."""
    docs: dict[str, str] = {}
    for cls in reversed(model.__mro__):
        if issubclass(cls, Contract):
            docs |= _docs_in(cls)
    return docs


def _docs_in(cls: type[Contract]) -> dict[str, str]:
    body = cast("ast.ClassDef", ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]).body
    return {
        cast("ast.Name", field.target).id: _prose(text)
        for field, doc in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(doc, ast.Expr)
        if isinstance(doc.value, ast.Constant) and isinstance(text := doc.value.value, str)
    }


def _prose(docstring: str) -> str:
    return inspect.cleandoc(docstring).replace("``", "`")


def _payloads() -> tuple[Schema, list[Schema]]:
    """Return the schemas of all payloads, and the conditions that choose one by name and version."""
    definitions: Schema = {}
    conditions: list[Schema] = []
    for name in registry.PAYLOADS:
        versions = registry.versions(name)
        of_type = {"payloadType": {"const": name}}
        conditions.append(_when(of_type, {"contractVersion": {"enum": list(versions)}}))
        for version in versions:
            model = registry.model_for(name, version)
            if model is not None:
                key = f"{name}-{version}"
                definitions[key] = _moved(_body(model), f"#/$defs/{key}/$defs/")
                chosen = of_type | {"contractVersion": {"const": version}}
                conditions.append(_when(chosen, {"payload": {"$ref": f"#/$defs/{key}"}}))
    return definitions, conditions


def _when(fields: Schema, then: Schema) -> Schema:
    return {"if": {"properties": fields, "required": list(fields)}, "then": {"properties": then}}


def _moved(part: Any, place: str) -> Any:  # noqa: ANN401
    """Return a schema whose references are right after it moved into another one's definitions."""
    if isinstance(part, dict):
        return {
            key: value.replace("#/$defs/", place) if key == "$ref" else _moved(value, place)
            for key, value in cast("Schema", part).items()
        }
    return [_moved(value, place) for value in cast("list[Any]", part)] if isinstance(part, list) else part
