"""What the hook does where no decision server answers: it looks where the client works, and judges by itself.

Runs in the hook's process, once the installed packages can be imported.
"""

import os

from ags_tui.agents.clients import adapter
from ags_tui.agents.events import UnreadableEvent
from ags_tui.io.places import Places, default_places
from ags_tui.io.sessions import tree_for_hook

Answer = tuple[int, bytes, bytes]
"""Exit code, stdout, stderr."""


def judged(agent: str, payload: bytes, why: str, missing: str, words: list[str]) -> Answer:
    """Judge one call without a server.

    Args:
        agent: ``claude-code``, ``codex`` or ``gemini``.
        payload: What the client wrote.
        why: ``absent``: no TUI is open; ``stale``: one has crashed; ``unsound``: what lies in the socket's
            place is not ours; ``no-verdict``: the TUI went away while it judged.
        missing: The same as a sentence.
        words: The hook's arguments behind the agent.

    Raises:
        Exception: Anything; the hook denies.
    """
    from ags_tui.agents.offline import run

    code, out, err = run(agent, payload, why, words)
    if not 0 <= code <= 255:
        raise ValueError("no exit code")
    note = f"ags-tui: {missing}\n".encode("utf-8", "replace") if why == "unsound" else b""
    return code, b"" + out, note + err


def tree_of(agent: str, payload: bytes, state: str | None, config: str | None) -> str:
    """Name the work tree that has a say about an event, wherever the hook's process stands.

    Args:
        agent: ``claude-code``, ``codex`` or ``gemini``.
        payload: What the client wrote.
        state: The user's state folder, where the hook's arguments name it.
        config: The user's configuration folder, likewise.

    Returns:
        Device and inode, as in the name of its socket; empty where there is none, or the payload is wrong,
        which is judged later.
    """
    try:
        event = adapter(agent).read(payload)
    except UnreadableEvent:
        return ""
    usual = default_places()
    places = Places(
        state=os.path.abspath(state) if state else usual.state_dir,
        config=os.path.abspath(config) if config else usual.config_dir,
    )
    tree = tree_for_hook(event.cwd, event.session_id, places)
    return "" if tree is None else tree.key
