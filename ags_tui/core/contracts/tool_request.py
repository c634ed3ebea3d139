"""ToolRequest: one call of a tool that an agent asks for (article §7, §6)."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import GetCoreSchemaHandler, GetPydanticSchema
from pydantic_core import core_schema

from ags_tui.core.contracts.base import Absent, Contract, Digest, FileDigest, FullRisk, Risk, Text, Timestamp

Tool = Literal["read_file", "edit_file", "run_tests", "shell", "external_api"]
"""Tools by their contract names."""


def _three_levels(_source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
    return handler(Risk)


ArticleRisk = Annotated[FullRisk, GetPydanticSchema(_three_levels)]
"""``low``, ``medium`` or ``high`` in a file; typed wide, as version 2.0.0 knows ``critical`` too."""


class RequestedCommand(Contract):
    """An item of ``commandsRequested``: a ToolRequest 1.0.0 whose id and approval flag may be left out."""

    request_id: Absent[Text] = None
    """Id of the ToolRequest, where one was filed."""
    tool: Tool
    """Which tool."""
    target_path: Absent[str] = None
    """File it touches, relative to the work tree."""
    command: Absent[str] = None
    """Command line it runs."""
    reason: str
    """Why, in the agent's words."""
    risk_level: Risk
    """Risk as the agent claims it."""
    requires_approval: Absent[bool] = None
    """Whether the agent thinks that a human must approve."""


class ToolRequest(Contract):
    """ToolRequest 1.0.0, as in the article. An empty command is for the checks to call malformed."""

    contract_name: ClassVar[str] = "ToolRequest"

    request_id: Text
    """Id, also the name of its file."""
    tool: Tool
    """Which tool."""
    target_path: Absent[str] = None
    """File it touches, relative to the work tree."""
    command: Absent[str] = None
    """Command line it runs."""
    reason: str
    """Why, in the agent's words."""
    risk_level: ArticleRisk
    """Risk as the agent claims it."""
    requires_approval: bool
    """Whether the agent thinks that a human must approve; policy may ask for more."""


class ProposedChange(Contract):
    """An edit before it happens."""

    path: Text
    """File, relative to the work tree."""
    before: FileDigest
    """Digest of the file's bytes now, or ``absent``."""
    after: str | None
    """The whole text afterwards; null where the file is deleted."""


class ToolRequestV2(ToolRequest):
    """ToolRequest 2.0.0: 1.0.0 with who asks, the raw input, the proposed change and an end."""

    contract_version: ClassVar[str] = "2.0.0"

    risk_level: FullRisk
    """Risk as the agent claims it."""
    task_id: Text
    """Task it belongs to."""
    agent: str
    """Who asks."""
    session_id: str
    """Session of the agent's client; empty where it has none."""
    cwd: str
    """Folder in which the call would run."""
    input: dict[str, Any]
    """The raw input of the tool, all of it."""
    proposed_change: ProposedChange | None
    """The edit, where the call is one."""
    created_at: Timestamp
    """When it was asked, by the agent's clock."""
    expires_at: Timestamp
    """When the agent stops waiting; can only shorten the life that policy gives."""
    claim: Digest | None
    """Digest of the token with which the waiter takes the approval."""
