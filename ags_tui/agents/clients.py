"""The clients that have an adapter, each loaded when it is asked for: a hook needs one of them."""

from ags_tui.agents.events import Answer, HookEvent, Reply
from ags_tui.agents.replies import inert, refusing
from ags_tui.core.light import Protocol, cast

MODULES = {"claude-code": "claude_code", "codex": "codex", "gemini": "gemini"}
"""Module of each client."""


class Adapter(Protocol):
    """What the module of a client has."""

    AGENT: str
    """Name of the client."""

    def read(self, payload: bytes, *, limit: int = ...) -> HookEvent:
        """Read what the client wrote; raises ``UnreadableEvent``."""
        ...

    def reply(self, event: HookEvent, answer: Answer) -> Reply:
        """Put an answer into the client's form."""
        ...

    def deny_without_reading(self, reason: str, event_name: str = "") -> Reply:
        """Refuse what could not be read."""
        ...

    def obeys_updated_input(self, event: HookEvent) -> bool:
        """Whether the client runs another input than the one that was asked for, if told so."""
        ...


def adapter(agent: str) -> Adapter:
    """Return the adapter of a client.

    Args:
        agent: ``claude-code``, ``codex`` or ``gemini``.

    Raises:
        KeyError: There is none.
    """
    return cast("Adapter", __import__(f"ags_tui.agents.{MODULES[agent]}", fromlist=("",)))


def deny_without_reading(agent: str, reason: str, event_name: str = "") -> Reply:
    """Refuse what could not be read, in the form of a client; exit 2 with stderr for one without an adapter.

    Args:
        agent: Name of the client, as the hook was installed for it.
        reason: Why. Raw text.
        event_name: The client's name of the event, where the hook was installed with it; else empty.
    """
    if agent not in MODULES:
        return refusing(inert(reason))
    return adapter(agent).deny_without_reading(reason, event_name)
