"""Which events speak of the same call: by the client's id, else by what was to be done."""

import os

from ags_tui.agents.events import HookEvent
from ags_tui.core.digests import canonical, digest
from ags_tui.core.light import Any, Mapping

_NONE: Mapping[str, Any] = {}
_WORDS = frozenset({"description"})
"""Fields in which the agent speaks to its user: they differ between events of one call."""


def input_digest(event: HookEvent, index: int = 0) -> str:
    """Digest of what a call would do, without the words that go with it.

    Args:
        event: The event.
        index: Which of its calls.
    """
    return digest_of(event.inputs[index] if index < len(event.inputs) else _NONE)


def digest_of(given: Mapping[str, Any]) -> str:
    """Digest of a raw tool input.

    Args:
        given: The input.
    """
    return digest(canonical({name: value for name, value in given.items() if name not in _WORDS}))


def made_id(event: HookEvent) -> str:
    """Make an id for a call to which the client gives none; no two calls share one.

    Args:
        event: The event.
    """
    return f"{input_digest(event).removeprefix('sha256:')[:12]}-{os.urandom(6).hex()}"
