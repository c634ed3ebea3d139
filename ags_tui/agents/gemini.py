"""Gemini CLI: hook events in, replies out, in the form measured with 0.61.0.

A deny is ``{"decision": "deny", "reason": …}`` **and** exit 2 with stderr: exit 2 without stderr runs
the tool. The forms of Claude Code and Codex are ignored by Gemini, so the tool would run. ``ask`` hangs
where nobody sits, so it is never said. ``allow`` leaves Gemini's own dialog in place.
"""

from ags_tui.agents.events import SILENT, Answer, EventKind, HookEvent, Outcome, Reply
from ags_tui.agents.payload import MAX_BYTES, Fields, about_call, frame, parse, response_digest, with_call
from ags_tui.agents.replies import inert, refusing, saying
from ags_tui.agents.tools import searched_paths, unknown_call
from ags_tui.core.light import Any, cast
from ags_tui.core.policy.calls import ToolCall
from ags_tui.core.records import replace

AGENT = "gemini"
"""Name of the client."""

_KINDS: dict[str, EventKind] = {
    "BeforeTool": "before-tool",
    "AfterTool": "after-tool",
    "BeforeAgent": "prompt",
    "AfterAgent": "stop",
    "SessionStart": "session-start",
    "SessionEnd": "session-end",
    "Notification": "notification",
}
_DETAILS = ("source", "reason", "trigger", "notification_type")
_QUIET = frozenset(["write_todos", "ask_user", "enter_plan_mode", "exit_plan_mode", "get_internal_docs"])
"""Tools that keep notes or talk to the user: no file, no command."""


def read(payload: bytes, *, limit: int = MAX_BYTES) -> HookEvent:
    """Read what the client wrote to the hook's stdin.

    Args:
        payload: All of it.
        limit: Most bytes that are read.

    Raises:
        UnreadableEvent: It is no event that could be understood.
    """
    fields = parse(payload, limit)
    event = replace(frame(fields, AGENT, _KINDS, _DETAILS), last_message=fields.loose("prompt_response"))
    if not about_call(event):
        return event
    given, response = fields.input("tool_input"), fields.values.get("tool_response")
    call = tool_call(fields.name("tool_name"), given, event.cwd, mcp="mcp_context" in fields.values)
    return with_call(event, call, "", given, Outcome(response_digest(response), _failed(response)))


def _failed(response: object) -> bool:
    return isinstance(response, dict) and bool(cast("dict[str, Any]", response).get("error"))


def tool_call(name: str, given: Fields, cwd: str, *, mcp: bool = False) -> ToolCall:
    """Map a tool of Gemini CLI to its contract name.

    Args:
        name: The client's name of the tool.
        given: Its input.
        cwd: Absolute folder of the session.
        mcp: Whether the event says which MCP server has the tool.

    Raises:
        UnreadableEvent: A field that says what would happen is missing or of another type.
    """

    def call(tool: str, *paths: str) -> ToolCall:
        return ToolCall(tool, name, paths=paths, cwd=cwd, agent=AGENT)

    if mcp or name.startswith("mcp_"):
        return call("external_api")
    match name:
        case "run_shell_command":
            return _shell(given, cwd)
        case "write_file" | "replace":
            return call("edit_file", given.path("file_path"))
        case "read_file":
            return call("read_file", given.maybe("file_path") or given.path("absolute_path"))
        case "list_directory":
            return call("read_file", given.maybe("dir_path") or given.maybe("path") or ".")
        case "glob" | "search_file_content" | "grep_search":
            pattern = given.maybe("pattern") if name == "glob" else given.maybe("include")
            return call("read_file", *searched_paths(given.maybe("dir_path") or given.maybe("path"), pattern))
        case _ if name in _QUIET:
            return call("read_file")
        case "web_fetch" | "google_web_search":
            return call("external_api")
        case _:
            return unknown_call(name, cwd, AGENT)


def _shell(given: Fields, cwd: str) -> ToolCall:
    """Gemini runs a line in ``dir_path`` (``directory`` before), counted from the session's folder."""
    folder = given.maybe("dir_path") or given.maybe("directory")
    place = folder if folder.startswith("/") else f"{cwd.rstrip('/')}/{folder}" if folder else cwd
    return ToolCall("shell", "run_shell_command", command=given.text("command"), cwd=place, agent=AGENT)


def obeys_updated_input(event: HookEvent) -> bool:
    """Whether the client runs another input than the one that was asked for: before a tool, as a whole."""
    return event.event == "before-tool"


def reply(event: HookEvent, answer: Answer) -> Reply:
    """Put an answer into this client's form.

    Args:
        event: What is answered.
        answer: The answer. Another input where Gemini does not take one becomes a refusal.
    """
    changed = answer.updated_input
    if changed is not None and not (answer.kind == "allow" and obeys_updated_input(event)):
        return _refusal(event, "Gemini CLI does not take another input here; ask again with it")
    if answer.refuses:
        return _refusal(event, inert(answer.reason))
    if event.event == "before-tool" and answer.kind == "allow":
        document: dict[str, Any] = {"decision": "allow"}
        if changed is not None:
            # the whole input, for it takes the place of the old one
            document["hookSpecificOutput"] = {"hookEventName": "BeforeTool", "tool_input": dict(changed)}
        return saying(document)
    return SILENT


def _refusal(event: HookEvent, reason: str) -> Reply:
    if event.event in ("session-start", "session-end", "notification"):
        return SILENT
    return _refusal_of(event.name, reason)


def _refusal_of(name: str, reason: str) -> Reply:
    document: dict[str, Any] = {"decision": "block" if name == "AfterAgent" else "deny", "reason": reason}
    return refusing(reason, document)


def deny_without_reading(reason: str, event_name: str = "") -> Reply:
    """Refuse what could not be read; Gemini takes ``deny`` and ``block`` for the same on every event.

    Args:
        reason: Why. Raw text.
        event_name: The client's name of the event, where the hook was installed with it.
    """
    return _refusal_of(event_name, inert(reason))
