"""The common shape of all contracts: strict, frozen, camelCase on disk."""

from typing import Annotated, ClassVar, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, StringConstraints
from pydantic.alias_generators import to_camel

Risk = Literal["low", "medium", "high"]
"""Risk in the article's contracts."""

FullRisk = Literal["low", "medium", "high", "critical"]
"""Risk in requests, escalations, policy and AGS documents."""

Text = Annotated[str, StringConstraints(min_length=1)]
"""Text that must say something."""

Timestamp = AwareDatetime
"""A point in time with an offset (RFC 3339)."""


class Contract(BaseModel):
    """A typed document with a schema and a version.

    Files carry camelCase names only; the Python names work for construction in code, never for reading
    (``core.contracts.parse`` validates with ``by_name=False``).
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
    )

    contract_name: ClassVar[str] = ""
    """Name in the registry; empty for parts of other contracts."""
    contract_version: ClassVar[str] = "1.0.0"
    """Version in the registry, ``X.Y.Z``."""
