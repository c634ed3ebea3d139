"""What hook and decision server say to each other over the socket.

The hook sends one line ``AGS1 AGENT EVENT LENGTH [NAME=VALUE …]`` and as many bytes: what the client wrote.
It leaves its sending side open; that it ends means that the hook is gone. The server sends one line
``AGS1 EXIT OUTLEN ERRLEN`` and both texts, and closes. A connection that ends before a whole reply is no
verdict.
"""

from dataclasses import dataclass

from ags_tui.agents.events import Reply

WIRE = b"AGS1"
"""First word of each message. Another one is another language: hook and server come from one installation."""
MAX_PAYLOAD = 64 * 1024 * 1024
"""Most bytes that a client may write."""
MAX_REPLY = 16 * 1024 * 1024
"""Most bytes of stdout and stderr together."""
MAX_HEAD = 1024
"""Most bytes of the line that begins a message."""
AGENTS = ("claude-code", "codex", "gemini")
"""Agents whose clients have hooks."""

_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


class NotOurLanguage(Exception):
    """Bytes that are no message."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: what the hook says besides the payload. All of it comes from a process of the same user."""

    agent: str
    """``claude-code``, ``codex`` or ``gemini``."""
    event: str = ""
    """The client's name of the event by the hook's arguments; empty where they do not say. Only a hint."""
    deadline_s: int = 0
    """Seconds after which the hook denies by itself; 0 where it did not say. Answer a little earlier."""
    task: str = ""
    """``AGS_TASK`` of the client's environment: letters, digits, ``.``, ``_``, ``-``. It may name nothing."""
    pid: int = 0
    """The hook's process; 0 where the system does not say."""


def read_head(line: bytes, pid: int = 0) -> tuple[Caller, int]:
    """Read the line that begins a call.

    Args:
        line: Without its line feed.
        pid: The process at the other end.

    Returns:
        Who asks, and the length of the payload.

    Raises:
        NotOurLanguage: It is no such line.
    """
    words = line.decode("ascii", "replace").split(" ")
    if len(words) < 4 or words[0].encode() != WIRE or words[1] not in AGENTS or not _number(words[3]):
        raise NotOurLanguage("not the head of a call")
    said = {name: value for name, found, value in (word.partition("=") for word in words[4:]) if found}
    deadline, task = said.get("deadline", ""), said.get("task", "")
    caller = Caller(
        agent=words[1],
        event=words[2] if words[2].isalnum() else "",
        deadline_s=int(deadline) if _number(deadline) else 0,
        task=task if _NAME.issuperset(task) else "",
        pid=pid,
    )
    return caller, int(words[3])


def head_of(caller: Caller, length: int) -> bytes:
    """Write the line that begins a call, with its line feed.

    Args:
        caller: Who asks; ``pid`` is not said, the server sees it.
        length: Of the payload.
    """
    words = [WIRE.decode(), caller.agent, caller.event or "-", str(length), f"deadline={caller.deadline_s}"]
    if caller.task:
        words.append(f"task={caller.task}")
    return " ".join(words).encode("ascii") + b"\n"


def reply_bytes(reply: Reply) -> bytes:
    """Write a whole reply.

    Raises:
        ValueError: No process can end like this, or it is too long.
    """
    if not 0 <= reply.exit_code <= 255 or len(reply.stdout) + len(reply.stderr) > MAX_REPLY:
        raise ValueError("not a reply")
    sizes = f" {reply.exit_code} {len(reply.stdout)} {len(reply.stderr)}\n"
    return WIRE + sizes.encode("ascii") + reply.stdout + reply.stderr


def _number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= 9
