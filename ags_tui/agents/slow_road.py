"""What the hook does where no decision server answers: it looks where the client works, and judges by itself.

Runs in the hook's process, once the installed packages can be imported.
"""

import json

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


def folder_of(payload: bytes) -> bytes:
    """The session's folder as the client says it; empty where the payload is wrong, which is judged later."""
    try:
        folder = json.loads(payload)["cwd"].encode("utf-8", "surrogateescape")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return b""
    return folder if folder.startswith(b"/") else b""
