"""Models as validators of JSON bytes: bare or in an envelope, and bounded for large documents."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, cast, get_args, get_origin

from pydantic import Field, create_model
from pydantic_core import CoreConfig, SchemaValidator

from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.locate import Path

BOUNDED_FROM = 64 * 1024
"""Bytes from which a document is large: an error costs far more memory than the bytes that it is about."""


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

Misnamed = Literal["missing", "extra_forbidden"]
"""How a name can be wrong, in pydantic's words."""


def validate(model: type[M], body: bytes) -> M:
    """Validate JSON bytes strictly, by the names that files use.

    Raises:
        pydantic.ValidationError: They are no such document.
    """
    return model.model_validate_json(body, by_alias=True, by_name=False)


def validate_bounded(model: type[M], body: bytes) -> M:
    """Validate JSON bytes of a large document: the first wrong entry of a list ends it.

    Call this only where ``misnamed`` has found nothing: an error about a missing or unknown field keeps a
    copy of the object around it, and there could be many.

    Raises:
        pydantic.ValidationError: With a number of errors that the document cannot drive up.
    """
    _gate(model).validate_json(body, by_alias=True, by_name=False)
    return model.model_validate_json(body, by_alias=True, by_name=False)


@cache
def _gate(model: type[Contract]) -> SchemaValidator:
    fields = _failing_fast(model.__pydantic_core_schema__)
    return SchemaValidator(fields, CoreConfig(title=model.__name__, strict=True, allow_inf_nan=False))


def _failing_fast(schema: Any) -> Any:  # noqa: ANN401
    """Return a core schema whose lists end at their first wrong entry, and that makes no models.

    A schema of a model would be answered by the validator that the model already has.
    """
    if isinstance(schema, list):
        return [_failing_fast(value) for value in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    part = cast("dict[str, Any]", schema)
    if part.get("type") == "model":
        fields = _failing_fast(part["schema"])
        return {**fields, "ref": part["ref"]} if "ref" in part else fields
    copy = {key: _failing_fast(value) for key, value in part.items()}
    return {**copy, "fail_fast": True} if copy.get("type") == "tuple" else copy


@cache
def shape(model: type[Contract]) -> dict[str, type[Contract] | None]:
    """Return the JSON names of a contract's fields, each with the contract inside it, if one is.

    A field that maps names of the writer's own to contracts counts as none: those names are no field names.
    """
    return {
        info.alias or name: None if _is_mapping(info.annotation) else contract_in(info.annotation)
        for name, info in model.model_fields.items()
    }


@cache
def required(model: type[Contract]) -> tuple[str, ...]:
    """Return the JSON names of the fields that a contract must have."""
    return tuple(info.alias or name for name, info in model.model_fields.items() if info.is_required())


def has_shape(model: type[Contract], document: Mapping[str, object]) -> bool:
    """Whether a document has a contract's names at its top: all required ones and no others."""
    return set(required(model)) <= document.keys() <= shape(model).keys()


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


def _is_mapping(annotation: object) -> bool:
    """Whether an annotation is a ``dict[…]``, or one that may be left out or null."""
    return get_origin(annotation) is dict or any(map(_is_mapping, get_args(annotation)))


def _has_any(annotation: object) -> bool:
    return annotation is Any or any(map(_has_any, get_args(annotation)))


def misnamed(model: type[Contract], value: object, path: Path = ()) -> Iterator[tuple[Path, Misnamed]]:
    """Yield fields that are missing in a document, and fields that its contract does not know.

    What is no object where one should be is passed over. Recursion goes no deeper than models do.
    """
    if isinstance(value, list):
        for index, item in enumerate(cast("list[object]", value)):
            yield from misnamed(model, item, (*path, index))
    elif isinstance(value, dict):
        document = cast("dict[str, object]", value)
        fields = shape(model)
        for name in required(model):
            if name not in document:
                yield (*path, name), "missing"
        for name in document:
            if name not in fields:
                yield (*path, name), "extra_forbidden"
        for name, inside in fields.items():
            if inside is not None and name in document:
                yield from misnamed(inside, document[name], (*path, name))
