"""What the transcripts of agents' clients say about calls of tools: lines in, calls that are over out. Pure.

A transcript is the client's own record of a session. Its format is the client's and changes between releases,
and an agent may be able to write it: a line that says nothing understood is passed over, nothing in it is
believed in anyone's favour, and its text is foreign. What it is good for is the opposite: it shows calls that
ran although no hook was asked.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, cast

from ags_tui.core.activity import APPLIED, ENDED, FAILED
from ags_tui.core.light_json import read_object
from ags_tui.core.records import Record

MOST_OPEN = 512
"""Most calls of one transcript whose results are waited for; older ones are forgotten."""
LONGEST_ID = 256
"""Most characters of an id or of a tool's name."""
HEAD = 16 * 1024
"""Bytes of the beginning of an overlong line that are looked at."""


class TranscriptCall(Record):
    """A call of a tool that is over, as a transcript shows it. All texts are foreign."""

    call_id: str
    """The client's id of the call."""
    name: str
    """Tool as the client's hooks call it; empty where the transcript no longer shows the call itself."""
    effect: str
    """``applied``, ``failed`` (it may have happened in part) or ``ended`` (it did not happen, or it cannot
    be told)."""
    at: datetime | None = None
    """When its result was written; None where that is not said."""
    given: Mapping[str, Any] = {}
    """Its input, as far as the transcript shows it."""
    cwd: str = ""
    """Folder of the session; empty where that is not said."""


class Head(Record):
    """Whose transcript it is, as its first lines say."""

    session: str = ""
    """The client's id of the session."""
    cwd: str = ""
    """Folder in which it works."""
    project: str = ""
    """Gemini's digest of that folder, in place of it."""


class Transcript:
    """Reads the lines of one transcript, one after the other; the base of the three formats."""

    def __init__(self) -> None:
        """Begin."""
        self.head = Head()
        self._open: dict[str, tuple[str, Mapping[str, Any]]] = {}

    def feed(self, line: bytes) -> tuple[TranscriptCall, ...]:
        """Read a line.

        Args:
            line: Its bytes, whole or the beginning of a longer one.

        Returns:
            The calls that it shows to be over.
        """
        row = read_object(line)
        if row is None:
            return tuple(self._torn(line[:HEAD]))
        return tuple(self._row(row))

    def _row(self, row: Mapping[str, Any]) -> Iterator[TranscriptCall]:
        raise NotImplementedError

    def _torn(self, head: bytes) -> Iterator[TranscriptCall]:
        """What the beginning of a line says that is no JSON, or too long to be read."""
        return iter(())

    def _asked(self, call_id: str, name: str, given: Mapping[str, Any]) -> None:
        if not call_id or not name:
            return
        self._open.pop(call_id, None)
        self._open[call_id] = (name, given)
        while len(self._open) > MOST_OPEN:
            del self._open[next(iter(self._open))]

    def _over(self, call_id: str, effect: str, at: datetime | None) -> TranscriptCall:
        name, given = self._open.pop(call_id, ("", cast("Mapping[str, Any]", {})))
        return TranscriptCall(call_id, name, effect, at, given, self.head.cwd)


class ClaudeTranscript(Transcript):
    """Claude Code: ``~/.claude/projects/FOLDER/SESSION.jsonl`` and its subagents' files."""

    def _row(self, row: Mapping[str, Any]) -> Iterator[TranscriptCall]:
        self.head = Head(_name(row, "sessionId") or self.head.session, _text(row, "cwd") or self.head.cwd)
        for block in _objects(_object(row, "message").get("content")):
            if block.get("type") == "tool_use":
                self._asked(_name(block, "id"), _name(block, "name"), _object(block, "input"))
            elif block.get("type") == "tool_result" and _name(block, "tool_use_id"):
                effect = _claude_effect(row, block)
                yield self._over(_name(block, "tool_use_id"), effect, _moment(row.get("timestamp")))

    def _torn(self, head: bytes) -> Iterator[TranscriptCall]:
        """Take a call with megabytes of input by its beginning; quotes inside of texts are escaped there."""
        for found in _CLAUDE_CALL.finditer(head):
            self._asked(found[1].decode("ascii"), found[2].decode("ascii"), {})
        return iter(())


_CLAUDE_CALL = re.compile(
    rb'\{"type":"tool_use","id":"([A-Za-z0-9_-]{1,128})","name":"([A-Za-z0-9_.-]{1,128})"'
)


def _claude_effect(row: Mapping[str, Any], block: Mapping[str, Any]) -> str:
    """What became of a call: denied and refused ones have results, too."""
    said = _object(row, "permissionDecision").get("decision")
    if said == "reject" or "toolDenialKind" in row:
        return ENDED
    if block.get("is_error") is not True:
        return APPLIED
    content = block.get("content")
    # releases before permissionDecision say only by its text that a command ran and failed
    ran = said == "accept" or (isinstance(content, str) and content.startswith("Exit code "))
    return FAILED if ran else ENDED


class CodexTranscript(Transcript):
    """Codex: ``~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl``, paginated and legacy.

    What ran leaves an item of its own beside the model's history, and what was refused leaves none. Text that
    is typed into a running program leaves only its call.
    """

    def _row(self, row: Mapping[str, Any]) -> Iterator[TranscriptCall]:
        payload, at = _object(row, "payload"), _moment(row.get("timestamp"))
        kind = payload.get("type")
        if row.get("type") == "session_meta":
            session = _name(payload, "session_id") or _name(payload, "id")
            self.head = Head(session, _text(payload, "cwd"))
        elif row.get("type") == "event_msg":
            item = _object(payload, "item") if kind == "item_completed" else _legacy(payload)
            call = self._ran(item, at)
            if call is not None:
                yield call
        elif kind == "function_call" and payload.get("name") == "write_stdin":
            given = read_object(_text(payload, "arguments").encode("utf-8", "replace")) or {}
            if _text(given, "chars").isprintable() is False or _text(given, "chars").strip():
                self._asked(_name(payload, "call_id"), "write_stdin", given)
        elif kind == "function_call_output" and _name(payload, "call_id") in self._open:
            done = not _refused_typing(payload.get("output"))
            yield self._over(_name(payload, "call_id"), APPLIED if done else ENDED, at)

    def _ran(self, item: Mapping[str, Any], at: datetime | None) -> TranscriptCall | None:
        kind, call_id = item.get("type"), _name(item, "id")
        done = {"completed": APPLIED, "failed": FAILED}.get(_text(item, "status"), ENDED)
        if not call_id or item.get("source") in _NOT_ITS_OWN:
            return None
        if kind == "CommandExecution":
            self._asked(call_id, "Bash", {"command": _shell_line(item.get("command"))})
        elif kind == "FileChange":
            self._asked(call_id, "apply_patch", {"paths": [*_object(item, "changes")][:64]})
        elif kind == "McpToolCall":
            name = f"mcp__{_name(item, 'server')}__{_name(item, 'tool')}"
            self._asked(call_id, name[:LONGEST_ID], _object(item, "arguments"))
        else:
            return None
        return self._over(call_id, done, at)


_NOT_ITS_OWN = ("user_shell", "userShell", "unified_exec_interaction", "unifiedExecInteraction")
"""Commands that the user typed himself, and input to a program that has an item of its own."""
_LEGACY = {
    "exec_command_end": "CommandExecution",
    "patch_apply_end": "FileChange",
    "mcp_tool_call_end": "McpToolCall",
}


def _legacy(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """What older rollouts say of a call, in the words of newer ones."""
    kind = _LEGACY.get(_text(payload, "type"))
    if kind is None:
        return {}
    failed = payload.get("success") is False or payload.get("exit_code", 0) != 0
    asked = _object(payload, "invocation")
    status = _text(payload, "status") or ("failed" if failed else "completed")
    return {**payload, **asked, "type": kind, "id": payload.get("call_id"), "status": status}


def _shell_line(words: object) -> str:
    if isinstance(words, str):
        return words
    parts = [one for one in cast("list[object]", words) if isinstance(one, str)] if _is_list(words) else []
    return parts[2] if len(parts) == 3 and parts[1] in ("-lc", "-c") else " ".join(parts)


def _refused_typing(output: object) -> bool:
    text = output if isinstance(output, str) else ""
    return text.startswith("write_stdin failed") or "blocked by PreToolUse hook" in text


class GeminiTranscript(Transcript):
    """Gemini CLI: ``~/.gemini/tmp/PROJECT/chats/session-….jsonl``; messages come again when done.

    Calls get no id in hooks, and refused ones are errors like others: only what succeeded is taken.
    """

    def __init__(self) -> None:
        """Begin."""
        super().__init__()
        self._told: dict[str, None] = {}

    def _row(self, row: Mapping[str, Any]) -> Iterator[TranscriptCall]:
        session = _name(row, "sessionId")
        if session:
            self.head = Head(session, "", _name(row, "projectHash"))
        replaced = _object(row, "$set").get("messages")
        for message in (row, *_objects(replaced)):
            for call in _objects(message.get("toolCalls")):
                call_id, status = _name(call, "id"), _text(call, "status")
                if not call_id or call_id in self._told or status not in _GEMINI:
                    continue
                self._told[call_id] = None
                while len(self._told) > MOST_OPEN:
                    del self._told[next(iter(self._told))]
                self._asked(call_id, _name(call, "name"), _object(call, "args"))
                yield self._over(
                    call_id, _GEMINI[status], _moment(call.get("timestamp") or message.get("timestamp"))
                )


_GEMINI = {"success": APPLIED, "error": ENDED, "cancelled": ENDED}

FORMATS: Mapping[str, type[Transcript]] = {
    "claude-code": ClaudeTranscript,
    "codex": CodexTranscript,
    "gemini": GeminiTranscript,
}
"""The reader of each client's transcripts."""


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _object(row: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = row.get(key)
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _objects(value: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, list):
        for one in cast("list[object]", value):
            if isinstance(one, dict):
                yield cast("Mapping[str, Any]", one)


def _text(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


def _name(row: Mapping[str, Any], key: str) -> str:
    """An id or a tool's name; empty for what is none, for hooks do not take it either."""
    value = _text(row, key)
    return value if len(value) <= LONGEST_ID and value.isprintable() else ""


def _moment(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
        return found.astimezone(UTC) if found.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None
