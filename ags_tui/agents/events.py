"""What a client's hook says and what it may be answered, the same for every client.

The adapters (``claude_code``, ``codex``, ``gemini``) read bytes into a ``HookEvent`` and turn an ``Answer``
into a ``Reply`` in their client's own form. Nothing here decides, reads a file or knows a policy.
"""

from ags_tui.core.light import Any, Literal, Mapping
from ags_tui.core.policy.calls import ToolCall
from ags_tui.core.records import Record

EventKind = Literal[
    "before-tool",
    "permission",
    "after-tool",
    "after-batch",
    "prompt",
    "session-start",
    "session-end",
    "stop",
    "subagent-stop",
    "config-change",
    "notification",
    "other",
]
"""What a hook was called for. ``permission``: the client is about to ask its own user."""

AnswerKind = Literal["allow", "deny", "defer", "silent", "block"]
"""What a hook answers."""

GATES: frozenset[str] = frozenset({"before-tool", "permission"})
"""Events that come before a call, which can still be held back."""


class UnreadableEvent(Exception):
    """The bytes are no event of this client; the text says why, as part of a sentence."""


class Outcome(Record):
    """What an after-event says about a call that is over."""

    digest: str = ""
    """Digest over the client's response as sorted JSON; empty where it gave none."""
    failed: bool = False
    """Whether the client says that the tool failed."""
    denied: bool = False
    """Whether the client says that the call was not let through. False also where it cannot be told."""
    interrupted: bool = False
    """Whether the user interrupted it."""


class HookEvent(Record):
    """One call of a hook by a client, read and checked."""

    agent: str
    """``claude-code``, ``codex`` or ``gemini``."""
    event: EventKind
    """What it is."""
    name: str
    """The client's own name of the event."""
    session_id: str
    """The client's session: letters, digits, ``.``, ``_``, ``-``; fit to be a file name."""
    cwd: str
    """Absolute folder of the session."""
    model: str = ""
    """Model, where the client says it."""
    permission_mode: str = ""
    """The client's own mode, where it says it."""
    transcript_path: str = ""
    """Absolute path of the client's transcript; empty where it keeps none."""
    turn_id: str = ""
    """Claude Code's ``prompt_id``, Codex's ``turn_id``."""
    subagent: str = ""
    """Id of the subagent in which it happened; empty in the main conversation."""
    detail: str = ""
    """``source``, ``reason``, ``trigger`` or ``notification_type`` of the event, where it has one."""
    calls: tuple[ToolCall, ...] = ()
    """The call it is about; several only in a batch that is over."""
    call_ids: tuple[str, ...] = ()
    """The client's ids of ``calls``, in their order; empty text where the client gives none."""
    inputs: tuple[Mapping[str, Any], ...] = ()
    """Raw tool inputs of ``calls``, in their order."""
    outcomes: tuple[Outcome, ...] = ()
    """What became of ``calls``, in their order; empty before a call."""
    stop_active: bool = False
    """Whether the agent goes on only because a stop was blocked before."""
    last_message: str = ""
    """The agent's last words at a stop."""
    prompt: str = ""
    """What the user asked."""
    config_path: str = ""
    """The settings file that changed."""

    @property
    def call(self) -> ToolCall | None:
        """The one call that it is about; None for events about none or several."""
        return self.calls[0] if len(self.calls) == 1 else None

    @property
    def call_id(self) -> str:
        """The client's id of that call; empty where there is none."""
        return self.call_ids[0] if len(self.call_ids) == 1 else ""

    @property
    def input(self) -> Mapping[str, Any]:
        """The raw input of that call; empty where there is none."""
        return self.inputs[0] if len(self.inputs) == 1 else {}


class Answer(Record):
    """What is to be answered, before it takes a client's form. Made by the functions below."""

    kind: AnswerKind
    """``allow``: go on without asking. ``deny``, ``block``: refuse the call, prompt, change or stop.
    ``defer``: ask the client's own user where it can. ``silent``: the client goes its own way."""
    reason: str = ""
    """For the model and the user. Raw text; made inert in the reply."""
    updated_input: Mapping[str, Any] | None = None
    """The whole tool input that shall run instead; None = as it was asked."""

    @property
    def refuses(self) -> bool:
        """Whether it holds something back."""
        return self.kind in ("deny", "block")


class Reply(Record):
    """How the hook's process ends."""

    exit_code: int
    """Exit code."""
    stdout: bytes = b""
    """One JSON document and a line feed, or nothing."""
    stderr: bytes = b""
    """One text and a line feed, or nothing."""


SILENT = Reply(0)
"""Ends without a word: the client goes its own way."""


def allow(reason: str = "", updated_input: Mapping[str, Any] | None = None) -> Answer:
    """Let a call through, as it was asked or with another input."""
    return Answer("allow", reason, updated_input)


def deny(reason: str) -> Answer:
    """Refuse a call, a prompt or a change of settings."""
    return Answer("deny", reason)


def block(reason: str) -> Answer:
    """Refuse that the agent stops; the reason is what it works on next."""
    return Answer("block", reason)


def defer(reason: str = "") -> Answer:
    """Hand the question to the client's own user, where the client can ask; else as ``silent``."""
    return Answer("defer", reason)


def silent() -> Answer:
    """Say nothing."""
    return Answer("silent")
