"""Transcripts of real clients, line by line; and whatever else somebody may write into them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ags_tui.core.transcripts import FORMATS, MOST_OPEN, Head, Transcript, TranscriptCall

SAMPLES = Path(__file__).parent / "transcripts"
CALLS = {
    "subagent": ("claude-code", [("Bash", "applied")]),
    "i-manual": ("claude-code", [("Bash", "applied")]),
    "pr-prdeny": ("claude-code", [("Bash", "ended")]),
    "timeout3-sleep10-deny": ("claude-code", [("Bash", "applied")]),  # its gate failed open
    "tools": ("claude-code", [
        ("Write", "applied"), ("Read", "applied"), ("NotebookEdit", "applied"), ("Grep", "ended"),
        ("Glob", "ended"), ("WebFetch", "failed"), ("Bash", "applied"), ("TaskCreate", "ended"),
        ("AskUserQuestion", "ended"), ("Edit", "applied"), ("Read", "applied"), ("Edit", "ended"),
    ]),
    "exec-shell": ("codex", [("Bash", "applied")]),
    "applied-patch": ("codex", [("apply_patch", "applied")]),
    "mcp-call": ("codex", [("mcp__ags__escalate", "applied")]),
    "hook-denied-patch": ("codex", []),
    "codemode-late-deny": ("codex", []),
    "user-cancelled-turn": ("codex", []),
    "user-declined": ("codex", []),
    "stop-blocked": ("codex", []),
    "gemini-session": ("gemini", [("replace", "applied"), ("write_file", "applied")]),
}  # fmt: skip


def read(agent: str, data: bytes) -> tuple[Transcript, list[TranscriptCall]]:
    made = FORMATS[agent]()
    return made, [call for line in data.split(b"\n") for call in made.feed(line)]


@pytest.mark.parametrize("name", CALLS)
def test_what_real_clients_wrote(name: str):
    agent, wanted = CALLS[name]
    made, calls = read(agent, (SAMPLES / f"{name}.jsonl").read_bytes())
    assert [(call.name, call.effect) for call in calls] == wanted
    assert all(call.call_id and call.at is not None for call in calls)
    assert made.head.session
    assert made.head.project if agent == "gemini" else made.head.cwd.startswith("/home/dev/")


def test_every_sample_is_looked_at():
    assert {path.stem for path in SAMPLES.glob("*.jsonl")} == set(CALLS)


def test_what_a_call_would_do_is_kept():
    (shell,) = read("codex", (SAMPLES / "exec-shell.jsonl").read_bytes())[1]
    assert shell.given == {"command": "echo ran > marker.txt; cat marker.txt"}
    (patch,) = read("codex", (SAMPLES / "applied-patch.jsonl").read_bytes())[1]
    assert sorted(patch.given["paths"]) == ["/home/dev/repo/README.md", "/home/dev/repo/new.txt"]
    first = read("claude-code", (SAMPLES / "tools.jsonl").read_bytes())[1][0]
    assert (first.given["file_path"], first.cwd) == ("n.ipynb", "/home/dev/work")


def rows(*rows: dict[str, Any]) -> bytes:
    return b"\n".join(json.dumps(row).encode() for row in rows)


def asked(call_id: str, **given: Any) -> dict[str, Any]:
    block = {"type": "tool_use", "id": call_id, "name": "Bash", "input": given}
    return {"type": "assistant", "message": {"content": [block]}}


def result(call_id: str, content: str = "", **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}
    return {"type": "user", "message": {"content": [block]}}


def test_older_claude_code_says_only_by_its_text_that_a_command_failed():
    calls = read("claude-code", rows(
        asked("a"), result("a", "Exit code 3\noops", is_error=True),
        asked("b"), result("b", "the user does not want this", is_error=True),
    ))[1]  # fmt: skip
    assert [call.effect for call in calls] == ["failed", "ended"]


def test_a_result_whose_call_is_no_longer_there_counts_all_the_same():
    (call,) = read("claude-code", rows(result("a")))[1]
    assert (call.call_id, call.name, call.effect) == ("a", "", "applied")


def test_the_beginning_of_an_overlong_line_names_its_call():
    long = json.dumps(asked("toolu_1", content="x" * 50_000), separators=(",", ":")).encode()[:40_000]
    fake = json.dumps({"type": "user", "text": '{"type":"tool_use","id":"no","name":"no"'}).encode()[:-1]
    made = FORMATS["claude-code"]()
    assert made.feed(long) == made.feed(fake) == ()
    calls = [call for name in ("toolu_1", "no") for call in made.feed(rows(result(name)))]
    assert [call.name for call in calls] == ["Bash", ""]


def typed(chars: str, output: str = "Chunk ID: 1") -> bytes:
    call = {"type": "function_call", "name": "write_stdin", "call_id": "c",
            "arguments": json.dumps({"session_id": 1, "chars": chars})}  # fmt: skip
    over = {"type": "function_call_output", "call_id": "c", "output": output}
    return rows({"type": "response_item", "payload": call}, {"type": "response_item", "payload": over})


def test_typing_into_a_running_program_is_a_call_of_codex_and_looking_at_it_is_none():
    assert [(one.name, one.effect) for one in read("codex", typed("rm x\n"))[1]] == [
        ("write_stdin", "applied")
    ]
    assert read("codex", typed(""))[1] == []
    (refused,) = read("codex", typed("x", "write_stdin failed: no such session"))[1]
    assert refused.effect == "ended"


def test_older_rollouts_are_read_too():
    lines = rows(
        {"type": "event_msg", "payload": {"type": "exec_command_end", "call_id": "a", "exit_code": 1,
                                          "command": ["bash", "-lc", "ls"]}},
        {"type": "event_msg", "payload": {"type": "patch_apply_end", "call_id": "b", "success": True,
                                          "changes": {"/r/a": {}}}},
        {"type": "event_msg", "payload": {"type": "exec_command_end", "call_id": "c", "exit_code": 0,
                                          "source": "user_shell", "command": ["bash", "-lc", "ls"]}},
    )  # fmt: skip
    assert [(one.call_id, one.name, one.effect) for one in read("codex", lines)[1]] == [
        ("a", "Bash", "failed"), ("b", "apply_patch", "applied"),
    ]  # fmt: skip


def test_gemini_writes_a_message_again_and_its_call_counts_once():
    message = {"id": "m", "type": "gemini", "toolCalls": [
        {"id": "a", "name": "replace", "args": {}, "status": "success"},
        {"id": "b", "name": "replace", "args": {}, "status": "error"},
        {"id": "c", "name": "replace", "args": {}, "status": "executing"},
    ]}  # fmt: skip
    calls = read("gemini", rows(message, message, {"$set": {"messages": [message]}}))[1]
    assert [(one.call_id, one.effect) for one in calls] == [("a", "applied"), ("b", "ended")]


def test_calls_that_never_end_are_forgotten():
    made, _ = read("claude-code", rows(*(asked(f"c{number}") for number in range(2 * MOST_OPEN))))
    names = [call.name for at in (0, 2 * MOST_OPEN - 1) for call in made.feed(rows(result(f"c{at}")))]
    assert names == ["", "Bash"]


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
words = st.sampled_from([
    "type", "payload", "item", "id", "call_id", "name", "status", "message", "content", "toolCalls", "$set",
    "messages", "args", "command", "timestamp", "source", "arguments", "changes", "invocation", "server",
    "tool_use_id", "permissionDecision", "sessionId", "cwd", "input", "is_error", "decision", "output",
])  # fmt: skip
kinds = st.sampled_from([
    "tool_use", "tool_result", "session_meta", "event_msg", "response_item", "item_completed",
    "function_call", "function_call_output", "CommandExecution", "FileChange", "McpToolCall", "write_stdin",
    "exec_command_end", "patch_apply_end", "mcp_tool_call_end", "completed", "success",
    "9999-12-31T23:59:59-12:00", "\ud800", "\0",
])  # fmt: skip
values = st.recursive(
    scalars | kinds, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=5)
)


@pytest.mark.parametrize("agent", FORMATS)
@given(lines=st.lists(st.dictionaries(words, values, max_size=6), max_size=4), junk=st.binary(max_size=40))
def test_whatever_stands_there_is_read_or_passed_over(agent: str, lines: list[dict[str, Any]], junk: bytes):
    made, calls = read(agent, junk + b"\n" + rows(*lines) + junk)
    assert isinstance(made.head, Head)
    assert all(call.effect in ("applied", "failed", "ended") for call in calls)
    assert all(len(call.call_id) <= 256 and call.call_id.isprintable() for call in calls)


def test_nesting_without_end_is_passed_over():
    for agent in FORMATS:
        assert read(agent, b'{"message":' * 100_000)[1] == []


@pytest.mark.parametrize("status", [["success"], {"a": 1}, None, 7, "\ud800"])
def test_a_status_of_another_shape_shows_no_call(status: object):
    line = json.dumps({"sessionId": "s", "toolCalls": [{"id": "a", "name": "x", "status": status}]}).encode()
    assert FORMATS["gemini"]().feed(line) == ()
