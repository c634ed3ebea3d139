"""Models as validators of JSON bytes: bare or in an envelope, and bounded for large documents."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, cast, get_args

from pydantic import Field, create_model
from pydantic_core import SchemaValidator

from ags_tui.core.contracts.base import Contract

BOUNDED_FROM = 64 * 1024
"""Bytes from which a list stops at its first wrong entry: an error costs far more memory than its bytes."""


class Envelope(Contract):
    """What may stand around a document to name its contract and version (article §17)."""

    schema_name: Annotated[str, Field(alias="schema")]
    """Name of the contract."""
    version: str
    """Its version."""
    payload: Any
    """The document."""


@cache
def enveloped(model: type[Contract]) -> type[Envelope]:
    """Return the model of an envelope that holds one contract in one version."""
    fields: dict[str, Any] = {
        "schema_name": Annotated[Literal[model.contract_name], Field(alias="schema")],
        "version": Literal[model.contract_version],
        "payload": model,
    }
    return create_model(f"{model.__name__}Envelope", __base__=Envelope, **fields)


M = TypeVar("M", bound=Contract)


def validate(model: type[M], body: bytes) -> M:
    """Validate JSON bytes strictly, by the names that files use.

    Raises:
        pydantic.ValidationError: They are no such document.
    """
    return model.model_validate_json(body, by_alias=True, by_name=False)


def validate_bounded(model: type[Contract], body: bytes) -> Contract:
    """Validate JSON bytes of a large document: the first wrong entry of a list ends it.

    Unknown fields are passed over: whoever calls this looks for them with ``unknown_fields``.

    Raises:
        pydantic.ValidationError: With a number of errors that the document cannot drive up.
    """
    return _bounded(model).validate_json(body, by_alias=True, by_name=False, extra="ignore")


@cache
def _bounded(model: type[Contract]) -> SchemaValidator:
    return SchemaValidator(_failing_fast(model.__pydantic_core_schema__))


def _failing_fast(schema: Any) -> Any:  # noqa: ANN401
    if isinstance(schema, dict):
        copy = {key: _failing_fast(value) for key, value in cast("dict[str, Any]", schema).items()}
        return {**copy, "fail_fast": True} if copy.get("type") == "tuple" else copy
    if isinstance(schema, list):
        return [_failing_fast(value) for value in cast("list[Any]", schema)]
    return schema


@cache
def shape(model: type[Contract]) -> dict[str, type[Contract] | None]:
    """Return the JSON names of a contract's fields, each with the contract inside it, if one is."""
    return {info.alias or name: contract_in(info.annotation) for name, info in model.model_fields.items()}


def has_shape(model: type[Contract], document: Mapping[str, object]) -> bool:
    """Whether a document has a contract's names at its top: all required ones and no others."""
    required = {info.alias for info in model.model_fields.values() if info.is_required()}
    return required <= document.keys() <= shape(model).keys()


@cache
def is_closed(model: type[Contract]) -> bool:
    """Whether every part of a contract is modelled, so that it cannot nest deeper than its models."""
    return not any(
        _has_any(info.annotation) or not is_closed(contract_in(info.annotation) or Contract)
        for info in model.model_fields.values()
    )


def contract_in(annotation: object) -> type[Contract] | None:
    """Return the contract inside an annotation such as ``tuple[PlanStep, ...]``, if there is one."""
    if isinstance(annotation, type) and issubclass(annotation, Contract):
        return annotation
    return next(filter(None, map(contract_in, get_args(annotation))), None)


def _has_any(annotation: object) -> bool:
    return annotation is Any or any(map(_has_any, get_args(annotation)))


def unknown_fields(model: type[Contract], value: object, limit: int) -> list[tuple[str | int, ...]]:
    """Return paths of fields that a contract does not know, at most ``limit``."""
    found: list[tuple[str | int, ...]] = []
    waiting: list[tuple[type[Contract], object, tuple[str | int, ...]]] = [(model, value, ())]
    while waiting:
        expected, part, path = waiting.pop()
        if isinstance(part, list):
            items = cast("list[object]", part)
            waiting.extend((expected, item, (*path, index)) for index, item in enumerate(items) if item)
        elif isinstance(part, dict):
            fields = shape(expected)
            for key, inner in cast("dict[str, object]", part).items():
                if key not in fields:
                    found.append((*path, key))
                    if len(found) >= limit:
                        return found
                elif (inside := fields[key]) is not None:
                    waiting.append((inside, inner, (*path, key)))
    return found
