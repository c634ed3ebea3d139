"""The common shape of all contracts: strict, frozen, camelCase on disk."""

from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetPydanticSchema,
    StringConstraints,
    WithJsonSchema,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError, core_schema

T = TypeVar("T")

TIME_PATTERN = (
    r"^(?:19[7-9][0-9]|[2-8][0-9]{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?"
    r"(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$"
)
"""RFC 3339 with ``T`` and an offset, in years that every offset can be added to (1970-8999)."""

Risk = Literal["low", "medium", "high"]
"""Risk in the article's contracts."""

FullRisk = Literal["low", "medium", "high", "critical"]
"""Risk in requests, escalations, policy and AGS documents."""

Text = Annotated[str, StringConstraints(min_length=1)]
"""Text that must say something."""

Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,159}$")]
"""Id of a document of ours, fit to be a file name."""

Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
"""``sha256:`` and 64 hex digits."""

FileDigest = Annotated[str, StringConstraints(pattern=r"^(sha256:[0-9a-f]{64}|absent)$")]
"""Digest of a file, or ``absent``."""


def _in_utc(value: datetime) -> str:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _time_schema(_source: object, _handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
    # pydantic alone takes unix times in strings, a blank for the T and times without seconds
    aware = core_schema.datetime_schema(tz_constraint="aware", strict=False)
    return core_schema.json_or_python_schema(
        json_schema=core_schema.chain_schema([core_schema.str_schema(pattern=TIME_PATTERN), aware]),
        python_schema=core_schema.datetime_schema(tz_constraint="aware"),
        serialization=core_schema.plain_serializer_function_ser_schema(_in_utc, when_used="json"),
    )


Timestamp = Annotated[
    AwareDatetime,
    GetPydanticSchema(_time_schema),
    WithJsonSchema({"type": "string", "format": "date-time", "pattern": TIME_PATTERN}),
]
"""A point in time: read with any offset, written in UTC with ``Z``."""


def _absent_schema(source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:  # noqa: ANN401
    inner = handler(source)
    if inner["type"] == "nullable":
        return core_schema.json_or_python_schema(json_schema=inner["schema"], python_schema=inner)
    return inner


def _is_none(value: object) -> bool:
    return value is None


Absent = Annotated[T | None, GetPydanticSchema(_absent_schema), Field(exclude_if=_is_none)]
"""A field that a file may leave out; a ``null`` there is refused. None in Python means that it is absent."""


def _all_different(values: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(values)) == len(values):
        return values
    seen: set[str] = set()
    twice = next(value for value in values if value in seen or seen.add(value))
    raise PydanticCustomError("not_unique", "names an entry twice: {twice}", {"twice": twice[:80]})


UniqueTexts = Annotated[
    tuple[str, ...], AfterValidator(_all_different), Field(json_schema_extra={"uniqueItems": True})
]
"""Texts that are all different."""

UniqueNames = Annotated[
    tuple[Text, ...], AfterValidator(_all_different), Field(json_schema_extra={"uniqueItems": True})
]
"""Texts that are all different, none of them empty."""

SomeNames = Annotated[
    tuple[Text, ...],
    Field(min_length=1),
    AfterValidator(_all_different),
    Field(json_schema_extra={"uniqueItems": True}),
]
"""The same, at least one."""


class Contract(BaseModel):
    """A typed document with a schema and a version.

    Files carry camelCase names only; the Python names work for construction in code, never for reading
    (``core.contracts.parse`` validates with ``by_name=False``). Lists are tuples, so that a document stays
    frozen.
    """

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=True,
        serialize_by_alias=True,
        allow_inf_nan=False,
        ser_json_inf_nan="constants",  # a dump must not turn NaN into null behind the writer's back
    )

    contract_name: ClassVar[str] = ""
    """Name in the registry; empty for parts of other contracts."""
    contract_version: ClassVar[str] = "1.0.0"
    """Version in the registry, ``X.Y.Z``."""
