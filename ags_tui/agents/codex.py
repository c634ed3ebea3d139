"""Codex CLI: hook events in, replies out, in the form measured with 0.171.0 and 0.169.0.

Silence is consent: ``allow`` alone, ``ask`` and any field that Codex does not know make the answer
invalid, and an invalid answer lets the call run. So an approval is exit 0 without a word, and a denial
has a reason, always.
"""

from ags_tui.agents.events import SILENT, Answer, EventKind, HookEvent, Outcome, Reply
from ags_tui.agents.payload import MAX_BYTES, Fields, about_call, frame, parse, response_digest, with_call
from ags_tui.agents.replies import inert, permission, refusing, saying, tool_denial
from ags_tui.agents.tools import INTERACTIVE, interactive_shell, unknown_call
from ags_tui.core.edits_patch import REMOVING, patch_paths
from ags_tui.core.light import Any, cast
from ags_tui.core.policy.calls import ToolCall
from ags_tui.core.records import replace

AGENT = "codex"
"""Name of the client."""

_KINDS: dict[str, EventKind] = {
    "PreToolUse": "before-tool",
    "PermissionRequest": "permission",
    "PostToolUse": "after-tool",
    "UserPromptSubmit": "prompt",
    "SessionStart": "session-start",
    "SessionEnd": "session-end",
    "Stop": "stop",
    "SubagentStop": "subagent-stop",
}
_DETAILS = ("source", "reason", "trigger")
_QUIET = frozenset({"update_plan", "get_goal", "create_goal", "update_goal", "request_user_input", "wait"})
"""Tools that keep notes, ask the user or look at what is running: no file, no command."""
_TYPING = frozenset({"write_stdin", "send_input"})


def read(payload: bytes, *, limit: int = MAX_BYTES) -> HookEvent:
    """Read what the client wrote to the hook's stdin.

    Args:
        payload: All of it.
        limit: Most bytes that are read.

    Raises:
        UnreadableEvent: It is no event that could be understood.
    """
    fields = parse(payload, limit)
    event = replace(
        frame(fields, AGENT, _KINDS, _DETAILS),
        model=fields.name("model", required=False),
        permission_mode=fields.name("permission_mode", required=False),
        turn_id=fields.name("turn_id", required=False),
        subagent=fields.name("agent_id", required=False),
        last_message=fields.loose("last_assistant_message"),
    )
    if not about_call(event):
        return event
    given, response = fields.input("tool_input"), fields.values.get("tool_response")
    call = tool_call(fields.name("tool_name"), given, event.cwd)
    call_id = fields.name("tool_use_id", required=event.event != "permission")
    return with_call(event, call, call_id, given, Outcome(response_digest(response), _failed(response)))


def _failed(response: object) -> bool:
    """Whether a response says so: MCP has a flag, ``apply_patch`` begins with an exit code."""
    if isinstance(response, dict):
        return cast("dict[str, Any]", response).get("isError") is True
    if isinstance(response, str) and response.startswith("Exit code: "):
        return response.partition("\n")[0] != "Exit code: 0"
    return False


def tool_call(name: str, given: Fields, cwd: str) -> ToolCall:
    """Map a tool of Codex to its contract name.

    Args:
        name: The client's name of the tool.
        given: Its input.
        cwd: Absolute folder of the session.

    Raises:
        UnreadableEvent: A field that says what would happen is missing or of another type.
    """
    if name == "Bash":
        command = given.text("command")
        refuse = interactive_shell(command)
        # a line that calls apply_patch is taken for that tool by Codex, so its files count here, too
        paths = patch_paths(command) if "*** Begin Patch" in command else ()
        return ToolCall("shell", name, command=command, paths=paths, cwd=cwd, agent=AGENT, refuse=refuse)
    if name in _TYPING:
        refuse = f"{name} types into a program that runs already, which passes no gate. {INTERACTIVE}"
        return ToolCall(
            "shell", name, command=given.loose("chars") or name, cwd=cwd, agent=AGENT, refuse=refuse
        )
    if name == "apply_patch":
        patch = given.text("command")
        removes = any(mark in patch for mark in REMOVING)
        return ToolCall("edit_file", name, paths=patch_paths(patch), cwd=cwd, agent=AGENT, removes=removes)
    if name == "view_image":
        return ToolCall("read_file", name, paths=(given.path("path"),), cwd=cwd, agent=AGENT)
    if name in _QUIET:
        return ToolCall("read_file", name, cwd=cwd, agent=AGENT)
    if name.startswith("mcp__") or name == "web_search":
        return ToolCall("external_api", name, cwd=cwd, agent=AGENT)
    return unknown_call(name, cwd, AGENT)


def obeys_updated_input(event: HookEvent) -> bool:
    """Whether the client runs another input than the one that was asked for: shell lines before they run."""
    return event.event == "before-tool" and event.call is not None and event.call.name == "Bash"


def reply(event: HookEvent, answer: Answer) -> Reply:
    """Put an answer into this client's form.

    Args:
        event: What is answered.
        answer: The answer. Another input where Codex does not take one becomes a refusal.
    """
    changed = answer.updated_input
    if changed is not None and not (answer.kind == "allow" and obeys_updated_input(event)):
        return _refusal(event, "Codex does not take another input here; ask again with it")
    if answer.refuses:
        return _refusal(event, inert(answer.reason))
    if changed is not None:
        command = changed.get("command")
        if not isinstance(command, str) or not command.strip():
            return _refusal(event, "the changed input holds no command")
        output: dict[str, Any] = {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "updatedInput": {"command": command},
        }
        return saying({"hookSpecificOutput": output})
    if event.event == "permission" and answer.kind == "allow":
        return saying(permission({"behavior": "allow"}))
    return SILENT


def _refusal(event: HookEvent, reason: str) -> Reply:
    return SILENT if event.event in ("session-start", "session-end") else _refusal_of(event.name, reason)


def _refusal_of(name: str, reason: str) -> Reply:
    if name == "PreToolUse":
        return refusing(reason, tool_denial(reason))
    if name == "PermissionRequest":
        return refusing(reason, permission({"behavior": "deny", "message": reason}))
    if name in ("Stop", "SubagentStop"):
        return refusing(reason, {"decision": "block", "reason": reason})
    if name in ("UserPromptSubmit", "PostToolUse"):
        # seen to work with exit 0; exit 2 was not tried there
        return saying({"decision": "block", "reason": reason})
    return refusing(reason)


def deny_without_reading(reason: str, event_name: str = "") -> Reply:
    """Refuse what could not be read.

    Args:
        reason: Why. Raw text.
        event_name: The client's name of the event, where the hook was installed with it. Without it
            the reply is exit 2 with a reason on stderr alone, which PreToolUse, PermissionRequest and
            Stop take for a refusal.
    """
    return _refusal_of(event_name, inert(reason)) if event_name else refusing(inert(reason))
