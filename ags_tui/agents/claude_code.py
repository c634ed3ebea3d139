"""Claude Code: hook events in, replies out, in the form measured with 2.1.332.

Deny on PreToolUse is deny JSON **and** exit 2 with stderr (either alone holds). PermissionRequest
ignores exit 2, so there the JSON stands alone with exit 0. ConfigChange listens to exit 2. Never
``continue: false``: it lets the tool run.
"""

from ags_tui.agents.events import (
    GATES,
    SILENT,
    Answer,
    EventKind,
    HookEvent,
    Outcome,
    Reply,
    UnreadableEvent,
)
from ags_tui.agents.payload import MAX_BYTES, Fields, about_call, frame, parse, response_digest, with_call
from ags_tui.agents.replies import inert, permission, refusing, saying, tool_denial
from ags_tui.agents.tools import searched_paths, unknown_call
from ags_tui.core.light import Any
from ags_tui.core.policy.calls import UNKNOWN_TOOL, ToolCall
from ags_tui.core.records import replace

AGENT = "claude-code"
"""Name of the client."""

_KINDS: dict[str, EventKind] = {
    "PreToolUse": "before-tool",
    "PermissionRequest": "permission",
    "PostToolUse": "after-tool",
    "PostToolUseFailure": "after-tool",
    "PermissionDenied": "after-tool",
    "PostToolBatch": "after-batch",
    "UserPromptSubmit": "prompt",
    "SessionStart": "session-start",
    "SessionEnd": "session-end",
    "Stop": "stop",
    "SubagentStop": "subagent-stop",
    "ConfigChange": "config-change",
    "Notification": "notification",
}
_DETAILS = ("source", "reason", "trigger", "notification_type")
_JSON_BLOCKS = frozenset({"UserPromptSubmit", "Stop", "SubagentStop", "PostToolUse"})
"""Events whose ``decision: block`` was seen to work; on them exit 2 works, too."""

_QUIET = frozenset(
    [
        "TodoWrite",
        "TodoRead",
        "TaskCreate",
        "TaskUpdate",
        "TaskList",
        "TaskGet",
        "TaskOutput",
        "BashOutput",
        "AgentOutputTool",
        "TaskStop",
        "KillShell",
        "KillBash",
        "ToolSearch",
        "AskUserQuestion",
        "EnterPlanMode",
        "ExitPlanMode",
        "ListMcpResourcesTool",
    ]
)
"""Tools that talk to the user, keep notes, or look at what is running: no file, no command."""
_ABROAD = frozenset(
    ["WebFetch", "WebSearch", "ReadMcpResourceTool", "RemoteTrigger", "SendUserFile", "PushNotification"]
)


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
        turn_id=fields.name("prompt_id", required=False),
        subagent=fields.name("agent_id", required=False),
        last_message=fields.loose("last_assistant_message"),
    )
    if about_call(event):
        return with_call(event, *_one_call(fields, event.name, event.cwd))
    if event.event == "after-batch":
        return _with_batch(event, [_batch_call(one, event.cwd) for one in fields.objects("tool_calls")])
    return replace(event, config_path=fields.maybe("file_path")) if event.event == "config-change" else event


def _with_batch(event: HookEvent, calls: list[tuple[ToolCall, str, Fields, Outcome]]) -> HookEvent:
    return replace(
        event,
        detail="" if calls else event.detail,
        calls=tuple(call for call, _, _, _ in calls),
        call_ids=tuple(call_id for _, call_id, _, _ in calls),
        inputs=tuple(raw.values for _, _, raw, _ in calls),
        outcomes=tuple(outcome for _, _, _, outcome in calls),
    )


def _one_call(fields: Fields, name: str, cwd: str) -> tuple[ToolCall, str, Fields, Outcome]:
    tool, given = fields.name("tool_name"), fields.input("tool_input")
    call_id = fields.name("tool_use_id", required=name != "PermissionRequest")
    failed, denied = name == "PostToolUseFailure", name == "PermissionDenied"
    told = fields.values.get("error" if failed else "reason" if denied else "tool_response")
    outcome = Outcome(response_digest(told), failed, denied, fields.flag("is_interrupt"))
    return tool_call(tool, given, cwd), call_id, given, outcome


def _batch_call(fields: Fields, cwd: str) -> tuple[ToolCall, str, Fields, Outcome]:
    """A call as the model wrote it, which need not be one that the client took: then it is unknown."""
    tool = fields.name("tool_name")
    try:
        given = fields.input("tool_input")
        call = tool_call(tool, given, cwd)
    except UnreadableEvent:
        given, call = Fields({}), unknown_call(tool, cwd, AGENT)
    told = fields.values.get("tool_response")
    denied = isinstance(told, str) and told.startswith("PreToolUse:") and " hook error: " in told
    return call, fields.name("tool_use_id"), given, Outcome(response_digest(told), denied=denied)


def tool_call(name: str, given: Fields, cwd: str) -> ToolCall:
    """Map a tool of Claude Code to its contract name.

    Args:
        name: The client's name of the tool.
        given: Its input.
        cwd: Absolute folder of the session.

    Raises:
        UnreadableEvent: A field that says what would happen is missing or of another type.
    """

    def call(tool: str, *paths: str, command: str | None = None) -> ToolCall:
        return ToolCall(tool, name, command=command, paths=paths, cwd=cwd, agent=AGENT)

    match name:
        case "Bash":
            return _bash(given, cwd)
        case "Monitor" if given.maybe("command"):
            return call("shell", command=given.text("command"))
        case "PowerShell":
            # no line of a POSIX shell: what is known of those does not hold for it
            return call(UNKNOWN_TOOL, command=given.text("command"))
        case "Read" | "Write" | "Edit" | "MultiEdit":
            return call("read_file" if name == "Read" else "edit_file", given.path("file_path"))
        case "NotebookEdit" | "NotebookRead":
            return call("edit_file" if name == "NotebookEdit" else "read_file", given.path("notebook_path"))
        case "Glob":
            return call("read_file", *searched_paths(given.maybe("path"), given.text("pattern")))
        case "Grep":
            return call("read_file", *searched_paths(given.maybe("path"), given.maybe("glob")))
        case "LS":
            return call("read_file", given.maybe("path") or ".")
        case _ if name in _QUIET:
            return call("read_file")
        case _ if name in _ABROAD or name == "Monitor" or name.startswith("mcp__"):
            return call("external_api")
        case _:
            # Agent, Task, Workflow, Skill, CronCreate, SendMessage …: they start what this call does not show
            return unknown_call(name, cwd, AGENT)


def _bash(given: Fields, cwd: str) -> ToolCall:
    risk = "high" if given.flag("dangerouslyDisableSandbox") else "medium"
    return ToolCall("shell", "Bash", command=given.text("command"), cwd=cwd, risk=risk, agent=AGENT)


def obeys_updated_input(event: HookEvent) -> bool:
    """Whether the client runs another input than the one that was asked for, if told so."""
    return event.event in GATES


def reply(event: HookEvent, answer: Answer) -> Reply:
    """Put an answer into this client's form.

    Args:
        event: What is answered.
        answer: The answer. Another input for an event that does not take one becomes a refusal.
    """
    reason = inert(answer.reason)
    if answer.updated_input is not None and not (answer.kind == "allow" and obeys_updated_input(event)):
        return _refusal(event, "Claude Code does not take another input here; ask again with it")
    if answer.refuses:
        return _refusal(event, reason)
    if event.event == "before-tool" and answer.kind in ("allow", "defer"):
        decision = "allow" if answer.kind == "allow" else "ask"
        output: dict[str, Any] = {"hookEventName": "PreToolUse", "permissionDecision": decision}
        if answer.reason:
            output["permissionDecisionReason"] = reason
        if answer.updated_input is not None:
            output["updatedInput"] = dict(answer.updated_input)
        return saying({"hookSpecificOutput": output})
    if event.event == "permission" and answer.kind == "allow":
        decided: dict[str, Any] = {"behavior": "allow"}
        if answer.updated_input is not None:
            decided["updatedInput"] = dict(answer.updated_input)
        return saying(permission(decided))
    return SILENT


def _refusal(event: HookEvent, reason: str) -> Reply:
    if event.event == "session-end":
        return SILENT
    return _refusal_of(event.name, reason)


def _refusal_of(name: str, reason: str) -> Reply:
    if name == "PreToolUse":
        return refusing(reason, tool_denial(reason))
    if name == "PermissionRequest":
        return saying(permission({"behavior": "deny", "message": reason}))
    return refusing(reason, {"decision": "block", "reason": reason} if name in _JSON_BLOCKS else None)


def deny_without_reading(reason: str, event_name: str = "") -> Reply:
    """Refuse what could not be read.

    Args:
        reason: Why. Raw text.
        event_name: The client's name of the event, where the hook was installed with it. Without it
            the reply is exit 2 with the old ``block`` document, which holds back every event that can be
            held back but PermissionRequest: there the client's own prompt stands, and PreToolUse came
            before it.
    """
    if event_name:
        return _refusal_of(event_name, inert(reason))
    return refusing(inert(reason), {"decision": "block", "reason": inert(reason)})
