"""AgentHandoff 1.0.0: what one agent gives to the next (article §16)."""

from typing import Annotated, Any, ClassVar

from pydantic import Field

from ags_tui.core.contracts.base import Contract, Text, Timestamp


class AgentHandoff(Contract):
    """A handoff; reading validates its payload by ``payloadType`` and ``contractVersion``."""

    contract_name: ClassVar[str] = "AgentHandoff"

    handoff_id: Text
    """Id, also the name of its file."""
    from_agent: str
    """Who gives."""
    to_agent: str
    """Who takes."""
    task_id: Text
    """Task it belongs to."""
    payload_version: Annotated[Text, Field(alias="contractVersion")]
    """Version of the payload's contract; ``contract_version`` is the handoff's own."""
    payload_type: Text
    """Name of the payload's contract."""
    payload: dict[str, Any]
    """A document of that contract, bare."""
    artifacts: tuple[str, ...]
    """Files that come with it."""
    created_at: Timestamp
    """When."""
