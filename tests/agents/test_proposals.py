"""What a human is asked about a call: all of what would run, as ToolRequests that the contract takes."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ags_tui.agents import claude_code, codex, gemini
from ags_tui.agents.events import HookEvent
from ags_tui.agents.proposals import MOST_CHARACTERS, Asked, asked
from ags_tui.core.contracts.parse import Parsed, parse_contract
from ags_tui.core.contracts.tool_request import ToolRequestV2
from ags_tui.core.digests import ABSENT, digest

SAMPLES = Path(__file__).parent / "samples"
CLIENTS = {"claude-code": claude_code, "codex": codex, "gemini": gemini}
NOW = datetime(2026, 11, 30, tzinfo=UTC)
FILES = {
    "/home/dev/work/base.txt": b"base\n",
    "/home/dev/repo/README.md": b"hello\n",
    "/home/dev/bt-replace/repo/README.md": b"hello\n",
}


def sample(client: str, name: str) -> HookEvent:
    return CLIENTS[client].read((SAMPLES / client / f"{name}.json").read_bytes())


def call(client: str, tool: str, given: dict[str, Any], cwd: str = "/w/sub") -> HookEvent:
    name = "BeforeTool" if client == "gemini" else "PreToolUse"
    event = {"session_id": "s", "cwd": cwd, "hook_event_name": name, "tool_use_id": "t"}
    return CLIENTS[client].read(json.dumps(event | {"tool_name": tool, "tool_input": given}).encode())


def request(one: Asked, event: HookEvent) -> ToolRequestV2:
    """The request as the contract reads it."""
    document = one.fields() | {
        "requestId": "r1",
        "riskLevel": "medium",
        "requiresApproval": True,
        "taskId": "T-1",
        "agent": event.agent,
        "sessionId": event.session_id,
        "cwd": event.cwd,
        "createdAt": NOW.isoformat(),
        "expiresAt": (NOW + timedelta(hours=1)).isoformat(),
        "claim": None,
    }
    if document["targetPath"] is None:
        del document["targetPath"]
    if document["command"] is None:
        del document["command"]
    envelope = {"schema": "ToolRequest", "version": "2.0.0", "payload": document}
    parsed = parse_contract(json.dumps(envelope).encode(), contract="ToolRequest", artifact="r1.json")
    assert isinstance(parsed, Parsed), parsed
    assert isinstance(parsed.document, ToolRequestV2)
    return parsed.document


def test_an_edit_is_asked_with_the_file_before_and_after():
    event = sample("claude-code", "PreToolUse-Edit")
    (one,) = asked(event, FILES.get, top="/home/dev/work")
    got = request(one, event)
    assert (got.tool, got.target_path, got.command) == ("edit_file", "base.txt", None)
    assert got.proposed_change is not None
    assert (got.proposed_change.path, got.proposed_change.after) == ("base.txt", "edited\n")
    assert got.proposed_change.before == digest(b"base\n")
    assert got.input == event.input
    assert one.refuse == ""


def test_a_new_file_has_no_bytes_before():
    event = sample("claude-code", "PreToolUse-Write")
    (one,) = asked(event, FILES.get)
    change = request(one, event).proposed_change
    assert change is not None
    assert (change.path, change.before, change.after) == ("/home/dev/work/new.txt", ABSENT, "a\nb\n")


@pytest.mark.parametrize(
    ("client", "tool", "given", "after"),
    [
        ("claude-code", "MultiEdit", {"edits": [{"old_string": "a", "new_string": "b"}]}, "b\n"),
        ("gemini", "replace", {"old_string": "a", "new_string": "b"}, "b\n"),
        ("gemini", "replace", {"old_string": "a", "new_string": "b", "allow_multiple": True}, "b\n"),
        ("gemini", "write_file", {"content": "z"}, "z"),
    ],
)
def test_every_editing_tool(client: str, tool: str, given: dict[str, Any], after: str):
    event = call(client, tool, {"file_path": "f.txt", **given})
    (one,) = asked(event, {"/w/sub/f.txt": b"a\n"}.get, top="/w")
    got = request(one, event)
    assert got.target_path == "sub/f.txt"
    assert got.proposed_change is not None
    assert got.proposed_change.after == after


def test_a_patch_asks_for_each_of_its_files():
    """What runs is what was shown: no file of the patch goes with the approval of another."""
    event = sample("codex", "PreToolUse-apply_patch")
    requests = [request(one, event) for one in asked(event, FILES.get, top="/home/dev/repo")]
    changes = [one.proposed_change for one in requests]
    assert [(one.path, one.after) for one in changes if one] == [
        ("README.md", "hello patched\n"),
        ("new.txt", "new file\n"),
    ]
    assert [one.target_path for one in requests] == ["README.md", "new.txt"]
    assert all(one.input == event.input for one in requests)
    assert "File 1 of 2 of one call" in requests[0].reason


def test_a_move_is_asked_as_both_its_ends():
    text = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch"
    event = call("codex", "apply_patch", {"command": text})
    got = [request(one, event).proposed_change for one in asked(event, {"/w/sub/a": b"x\n"}.get)]
    assert [(one.path, one.after) for one in got if one] == [("/w/sub/a", None), ("/w/sub/b", "y\n")]


def test_what_cannot_be_computed_is_asked_by_path_and_says_so():
    event = sample("codex", "PreToolUse-apply_patch")
    got = [request(one, event) for one in asked(event, {}.get, top="/home/dev/repo")]
    assert [(one.target_path, one.proposed_change) for one in got] == [("README.md", None), ("new.txt", None)]
    assert all("The client will refuse it: there is no file README.md" in one.reason for one in got)
    event = call("claude-code", "Edit", {"file_path": "/f", "old_string": "q", "new_string": "r"})
    (one,) = asked(event, {"/f": b"x"}.get)
    assert one.change is None
    assert "What the file will hold is not known" in one.reason


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Edit", {"old_string": 1, "new_string": "r"}),
        ("Edit", {"old_string": "a", "new_string": "r", "replace_all": "yes"}),
        ("Write", {}),
        ("MultiEdit", {"edits": {}}),
        ("MultiEdit", {"edits": ["x"]}),
    ],
)
def test_an_input_of_another_form_is_said(tool: str, given: dict[str, Any]):
    event = call("claude-code", tool, {"file_path": "/f", **given})
    (one,) = asked(event, {"/f": b"a"}.get)
    assert one.change is None
    assert "form that is not known" in one.reason


def test_an_edit_that_changes_nothing_says_so():
    event = call("claude-code", "Write", {"file_path": "/f", "content": "a"})
    (one,) = asked(event, {"/f": b"a"}.get)
    assert one.change is None
    assert "would change nothing" in one.reason


def test_a_patch_without_files_is_not_asked():
    (one,) = asked(call("codex", "apply_patch", {"command": "x"}), {}.get)
    assert one.refuse


@pytest.mark.parametrize(
    ("client", "tool", "given", "expected"),
    [
        ("claude-code", "Bash", {"command": "ls", "description": "look"}, [("shell", None, "ls", "look")]),
        (
            "claude-code",
            "PowerShell",
            {"command": "ls"},
            [("shell", None, "ls", "Claude Code calls PowerShell")],
        ),
        ("claude-code", "Agent", {"prompt": "p"}, [("external_api", None, None, "Claude Code calls Agent")]),
        ("claude-code", "mcp__a__b", {}, [("external_api", None, None, "Claude Code calls mcp__a__b")]),
        (
            "claude-code",
            "Read",
            {"file_path": "/etc/x"},
            [("read_file", "/etc/x", None, "Claude Code calls Read")],
        ),
        ("claude-code", "Glob", {"pattern": "*"}, [("read_file", "sub/.", None, "Claude Code calls Glob")]),
        (
            "claude-code",
            "Grep",
            {"pattern": "x", "path": "/w"},
            [("external_api", None, None, "Claude Code calls Grep")],
        ),
    ],
)
def test_other_calls(client: str, tool: str, given: dict[str, Any], expected: list[tuple[str, ...]]):
    event = call(client, tool, given)
    got = asked(event, {}.get, top="/w")
    assert [(one.tool, one.target_path, one.command, one.reason) for one in got] == expected
    for one in got:
        request(one, event)


def test_what_is_too_long_to_be_asked_is_refused():
    event = call("claude-code", "Write", {"file_path": "/f", "content": "x" * MOST_CHARACTERS})
    (one,) = asked(event, {}.get)
    assert "too long" in one.refuse


def test_only_one_call_can_be_asked_about():
    with pytest.raises(ValueError, match="one call"):
        asked(sample("claude-code", "Stop"), {}.get)
