"""The peer of B4: a hook that judges in its own process, with pydantic models of all contracts."""

import sys
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ags_tui.core.contracts import registry


class Event(BaseModel):
    """What a client says before a tool call."""

    model_config = ConfigDict(strict=True)
    session_id: str
    cwd: str
    hook_event_name: Literal["PreToolUse"]
    tool_name: str
    tool_input: dict[str, object]
    tool_use_id: str


class Said(BaseModel):
    """The decision."""

    hookEventName: str
    permissionDecision: str
    permissionDecisionReason: str


class Answer(BaseModel):
    """What is written."""

    hookSpecificOutput: Said


event = Event.model_validate_json(sys.stdin.buffer.read())
models = [
    registry.model_for(name, version) for name in registry.names() for version in registry.versions(name)
]
said = Said(
    hookEventName=event.hook_event_name,
    permissionDecision="allow",
    permissionDecisionReason=f"read-only, {len(models)} contracts known",
)
sys.stdout.write(Answer(hookSpecificOutput=said).model_dump_json())
