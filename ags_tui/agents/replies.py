"""The bytes of a reply: inert reasons, one JSON document, ASCII only on stdout whatever the locale."""

from ags_tui.agents.events import Reply
from ags_tui.core.light import Any, Mapping
from ags_tui.core.light_json import dumps

LONGEST_REASON = 9_000
"""Most characters of a reason; Claude Code keeps 10,000 of a text."""

NO_REASON = "refused by ags-tui, which gave no reason"
"""Stands for an empty reason: Codex lets a call through whose denial has none."""

_CUT = " … (cut)"


def inert(reason: str) -> str:
    r"""Make a reason safe to show and never empty.

    Everything that is no visible character (control, format, bidi, private, unassigned, odd spaces, half
    characters) becomes an escape such as ``\x1b`` or ``\u202e``; only line feeds stay.
    """
    text = reason.strip()
    if not (text.isascii() and text.isprintable()):
        text = "".join(
            one if one == "\n" or one.isprintable() else _escape(one) for one in text[:LONGEST_REASON]
        )
    if len(text) > LONGEST_REASON:
        text = text[: LONGEST_REASON - len(_CUT)] + _CUT
    return text or NO_REASON


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def document(value: Mapping[str, Any]) -> bytes:
    """One JSON document in ASCII, with a line feed."""
    return dumps(value, allow_nan=False).encode("ascii") + b"\n"


def saying(value: Mapping[str, Any]) -> Reply:
    """Exit 0 with a JSON document: for answers that a client reads only then."""
    return Reply(0, document(value))


def refusing(reason: str, value: Mapping[str, Any] | None = None) -> Reply:
    """Exit 2 with the reason on stderr, and a JSON document that says the same where there is one.

    Args:
        reason: Inert, not empty.
        value: The document.
    """
    return Reply(2, b"" if value is None else document(value), reason.encode("utf-8") + b"\n")


def tool_denial(reason: str) -> Mapping[str, Any]:
    """Deny a call before it happens, in the document that Claude Code and Codex read.

    Args:
        reason: Inert, not empty.
    """
    output = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }
    return {"hookSpecificOutput": output}


def permission(decided: Mapping[str, Any]) -> Mapping[str, Any]:
    """Answer in the place of the client's own prompt, in the document that Claude Code and Codex read.

    Args:
        decided: The behaviour, with what belongs to it.
    """
    return {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decided}}
