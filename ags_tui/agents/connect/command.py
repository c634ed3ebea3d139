"""The command by which a client calls our hook: absolute paths, nothing from environment or work tree."""

import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ags_tui.io.places import Places

SCRIPT = "/ags_tui/agents/hook.py"
"""How the path of the hook's script ends, wherever it is installed."""


@dataclass(frozen=True, slots=True)
class HookCommand:
    """The hook of one agent, without event and deadline."""

    python: str
    """Absolute path of the interpreter; links stay as they are, for a virtual environment is one."""
    script: str
    """Absolute path of ``agents/hook.py``."""
    agent: str
    """``claude-code``, ``codex`` or ``gemini``."""
    state: str
    """Absolute path of the state directory."""
    config: str
    """Absolute path of the configuration directory."""

    def words(self, event: str, deadline_s: int) -> tuple[str, ...]:
        """All words of the call.

        Args:
            event: The client's name of the event.
            deadline_s: Seconds after which the hook answers by itself.
        """
        return (
            self.python, "-I", "-S", self.script, self.agent, "--event", event, "--state", self.state,
            "--config", self.config, "--deadline", str(deadline_s),
        )  # fmt: skip

    def line(self, event: str, deadline_s: int) -> str:
        """The same as one line for a POSIX shell, which becomes the hook's process.

        Args:
            event: The client's name of the event.
            deadline_s: Seconds after which the hook answers by itself.
        """
        return "exec " + shlex.join(self.words(event, deadline_s))


def installed_command(agent: str, places: Places) -> HookCommand:
    """The hook of this installation.

    Args:
        agent: ``claude-code``, ``codex`` or ``gemini``.
        places: The user's folders.
    """
    script = Path(os.path.abspath(__file__)).parents[1] / "hook.py"
    return HookCommand(
        python=os.path.abspath(sys.executable),
        script=str(script),
        agent=agent,
        state=os.path.abspath(places.state),
        config=os.path.abspath(places.config),
    )


def words_of(handler: object) -> tuple[str, ...]:
    """The words that a handler of a client's settings would run; empty where they cannot be told.

    Args:
        handler: One entry of ``hooks``, as read from JSON.
    """
    if not isinstance(handler, Mapping):
        return ()
    entry = cast("Mapping[str, Any]", handler)
    command, arguments = entry.get("command"), entry.get("args")
    if not isinstance(command, str):
        return ()
    if isinstance(arguments, list):
        return (command, *(str(one) for one in cast("list[object]", arguments)))
    try:
        words = shlex.split(command)
    except ValueError:
        return ()
    return tuple(words[1:] if words[:1] == ["exec"] else words)


def is_ours(handler: object) -> bool:
    """Whether a handler calls a hook of ags-tui, of this installation or of another.

    Args:
        handler: One entry of ``hooks``, as read from JSON.
    """
    return any(word.endswith(SCRIPT) for word in words_of(handler))
