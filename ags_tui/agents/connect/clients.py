"""What each client needs to call our hook: its events, its form of an entry, where its settings are. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ags_tui.agents.connect.command import HookCommand
from ags_tui.agents.connect.entries import Wanted

HOLD_S = 86_400
"""Seconds for which a client lets a hook wait for a human: a day."""
MARGIN_S = 60
"""Seconds by which our own deadline comes before that of the client, which would let the call through."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a client, and how long its hook may take."""

    name: str
    """The client's name."""
    seconds: int = 60
    """Time limit that the client is given."""
    tool: bool = False
    """Whether it is about a tool, so that the entry has a matcher."""
    gate: bool = False
    """Whether Claude Code is to block where the hook fails."""

    @property
    def deadline_s(self) -> int:
        """Our own limit."""
        return self.seconds - MARGIN_S if self.seconds > 2 * MARGIN_S else max(self.seconds - 2, 1)


@dataclass(frozen=True, slots=True)
class Client:
    """A client that can be connected."""

    agent: str
    """Name of its adapter."""
    title: str
    """Its own name."""
    program: str
    """Name of its program."""
    settings: str
    """Settings of its user, below the home folder."""
    events: tuple[Event, ...]
    """What its hook is called for."""
    tested: tuple[str, ...]
    """Versions with which all of this was seen to work, oldest first."""


CLAUDE_CODE = Client(
    agent="claude-code",
    title="Claude Code",
    program="claude",
    settings=".claude/settings.json",
    events=(
        Event("PreToolUse", HOLD_S, tool=True, gate=True),
        Event("PermissionRequest", HOLD_S, tool=True, gate=True),
        Event("PostToolUse", tool=True),
        Event("PostToolUseFailure", tool=True),
        Event("PostToolBatch"),
        Event("UserPromptSubmit", 30),
        Event("SessionStart"),
        Event("SessionEnd", 10),
        Event("Stop", HOLD_S),
        Event("SubagentStop", HOLD_S),
        Event("ConfigChange", gate=True),
    ),
    tested=("2.1.332",),
)
CODEX = Client(
    agent="codex",
    title="Codex",
    program="codex",
    settings=".codex/hooks.json",
    events=(
        Event("PreToolUse", HOLD_S, tool=True),
        Event("PermissionRequest", HOLD_S, tool=True),
        Event("PostToolUse", tool=True),
        Event("UserPromptSubmit", 30),
        Event("SessionStart"),
        Event("SessionEnd", 3),
        Event("Stop", HOLD_S),
        Event("SubagentStop", HOLD_S),
    ),
    tested=("0.169.0", "0.171.0"),
)
GEMINI = Client(
    agent="gemini",
    title="Gemini CLI",
    program="gemini",
    settings=".gemini/settings.json",
    events=(
        Event("BeforeTool", HOLD_S, tool=True),
        Event("AfterTool", tool=True),
        Event("BeforeAgent"),
        Event("AfterAgent", HOLD_S),
        Event("SessionStart"),
        Event("SessionEnd", 10),
    ),
    tested=("0.61.0",),
)
CLIENTS: Mapping[str, Client] = MappingProxyType({one.agent: one for one in (CLAUDE_CODE, CODEX, GEMINI)})
"""All of them, by agent."""

GEMINI_NAME = "ags-tui"
"""Name of our hooks in Gemini's settings, which Gemini shows."""


def wanted(client: Client, command: HookCommand) -> Wanted:
    """What is to stand in the settings of a client.

    Args:
        client: Which.
        command: Our hook.
    """
    groups = {event.name: _group(client, event, command) for event in client.events}
    switches: dict[tuple[str, ...], object] = {}
    if client is CLAUDE_CODE:
        switches[("disableAllHooks",)] = False
    if client is GEMINI:
        switches["hooksConfig", "enabled"] = True
    return Wanted(groups, switches)


def _group(client: Client, event: Event, command: HookCommand) -> dict[str, Any]:
    handler: dict[str, Any] = {"type": "command"}
    if client is CLAUDE_CODE:
        # exec form: no shell reads it
        program, *arguments = command.words(event.name, event.deadline_s)
        handler |= {"command": program, "args": arguments, "timeout": event.seconds}
        if event.gate:
            handler["onFailure"] = "block"
    else:
        handler["command"] = command.line(event.name, event.deadline_s)
        handler["timeout"] = event.seconds * 1000 if client is GEMINI else event.seconds
        if client is GEMINI:
            handler = {"name": GEMINI_NAME, **handler}
    matcher = {"matcher": "*" if client is CLAUDE_CODE else ".*"} if event.tool else {}
    return {**matcher, "hooks": [handler]}
