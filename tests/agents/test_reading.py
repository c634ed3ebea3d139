"""What the clients really wrote to their hooks, read; and anything else, refused with a reason."""

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ags_tui.agents import claude_code, codex, gemini
from ags_tui.agents.events import HookEvent, UnreadableEvent
from ags_tui.agents.payload import MOST_OPENED, MOST_VALUES, parse
from ags_tui.core.policy.calls import ToolCall

SAMPLES = Path(__file__).parent / "samples"
CLIENTS: dict[str, ModuleType] = {"claude-code": claude_code, "codex": codex, "gemini": gemini}
WORK, REPO = "/home/dev/work", "/home/dev/repo"
PATCH = (
    "*** Begin Patch\n*** Update File: README.md\n@@\n-hello\n+hello patched\n"
    "*** Add File: new.txt\n+new file\n*** End Patch"
)
MARKER = "echo ran > marker.txt; cat marker.txt"


def claude(tool: str, name: str, *paths: str, command: str | None = None) -> ToolCall:
    return ToolCall(tool, name, command=command, paths=paths, cwd=WORK, agent="claude-code")


def sample(client: str, name: str) -> HookEvent:
    return CLIENTS[client].read((SAMPLES / client / f"{name}.json").read_bytes())


BASH = claude("shell", "Bash", command="echo hi > out.txt")
SUB = claude("shell", "Bash", command="echo sub > sub.txt")
EDIT, WRITE = claude("edit_file", "Edit", f"{WORK}/base.txt"), claude("edit_file", "Write", f"{WORK}/new.txt")
NOTEBOOK = claude("edit_file", "NotebookEdit", f"{WORK}/n.ipynb")
READ, PING = claude("read_file", "Read", f"{WORK}/base.txt"), claude("external_api", "mcp__sup__ping")
FETCH, AGENT = claude("external_api", "WebFetch"), claude("unknown", "Agent")
CODEX_SHELL = ToolCall("shell", "Bash", command=MARKER, cwd=REPO, agent="codex")
CODEX_PATCH = ToolCall("edit_file", "apply_patch", paths=("README.md", "new.txt"), cwd=REPO, agent="codex")
CODEX_MCP = ToolCall("external_api", "mcp__ags__escalate", cwd=REPO, agent="codex")
S1, BT = "/home/dev/s1-all-events/repo", "/home/dev/bt-replace/repo"


def gem(tool: str, name: str, cwd: str, *paths: str, command: str | None = None) -> ToolCall:
    return ToolCall(tool, name, command=command, paths=paths, cwd=cwd, agent="gemini")


TABLE: list[tuple[str, str, dict[str, Any]]] = [
    (
        "claude-code",
        "ConfigChange",
        {
            "event": "config-change",
            "detail": "project_settings",
            "calls": (),
            "config_path": f"{WORK}/.claude/settings.json",
        },
    ),
    ("claude-code", "MessageDisplay", {"event": "other", "name": "MessageDisplay", "calls": ()}),
    ("claude-code", "Notification", {"event": "notification", "detail": "permission_prompt"}),
    (
        "claude-code",
        "PermissionDenied-Bash",
        {"event": "after-tool", "calls": (BASH,), "permission_mode": "plan"},
    ),
    (
        "claude-code",
        "PermissionRequest-Bash",
        {
            "event": "permission",
            "calls": (BASH,),
            "call_id": "",
            "outcomes": (),
            "permission_mode": "default",
        },
    ),
    ("claude-code", "PermissionRequest-Bash-insubagent", {"calls": (SUB,), "subagent": "a416c353399165d88"}),
    ("claude-code", "PermissionRequest-Edit", {"event": "permission", "calls": (EDIT,)}),
    ("claude-code", "PermissionRequest-Write", {"event": "permission", "calls": (WRITE,)}),
    ("claude-code", "PermissionRequest-mcp_sup_ping", {"event": "permission", "calls": (PING,)}),
    ("claude-code", "PostCompact", {"event": "other", "detail": "manual"}),
    (
        "claude-code",
        "PostToolBatch",
        {"event": "after-batch", "calls": (BASH,), "call_ids": ("toolu_c9afbfad568140308e346020",)},
    ),
    ("claude-code", "PostToolBatch-insubagent", {"event": "after-batch", "subagent": "ae9f9c1138e975a55"}),
    ("claude-code", "PostToolUse-Agent", {"event": "after-tool", "calls": (AGENT,)}),
    (
        "claude-code",
        "PostToolUse-Bash-insubagent",
        {"calls": (SUB,), "call_id": "toolu_e6a7e2f8ebd7438692c482db"},
    ),
    ("claude-code", "PostToolUse-Edit", {"event": "after-tool", "calls": (EDIT,)}),
    ("claude-code", "PostToolUse-NotebookEdit", {"event": "after-tool", "calls": (NOTEBOOK,)}),
    ("claude-code", "PostToolUse-Read", {"event": "after-tool", "calls": (READ,)}),
    ("claude-code", "PostToolUse-mcp_sup_ping", {"event": "after-tool", "calls": (PING,)}),
    ("claude-code", "PostToolUseFailure-WebFetch", {"event": "after-tool", "calls": (FETCH,)}),
    ("claude-code", "PreCompact", {"event": "other", "detail": "manual"}),
    ("claude-code", "PreToolUse-Agent", {"event": "before-tool", "calls": (AGENT,)}),
    (
        "claude-code",
        "PreToolUse-Bash",
        {
            "event": "before-tool",
            "name": "PreToolUse",
            "calls": (BASH,),
            "cwd": WORK,
            "call_id": "toolu_c9afbfad568140308e346020",
            "session_id": "ead7e777-8113-4b6f-a1c6-b950814191d8",
            "turn_id": "43820d8e-91a7-4a6c-b12c-49c87cdf7f81",
            "outcomes": (),
            "input": {"command": "echo hi > out.txt", "description": "write hi"},
        },
    ),
    ("claude-code", "PreToolUse-Bash-insubagent", {"calls": (SUB,), "subagent": "ae9f9c1138e975a55"}),
    ("claude-code", "PreToolUse-Edit", {"event": "before-tool", "calls": (EDIT,)}),
    ("claude-code", "PreToolUse-NotebookEdit", {"event": "before-tool", "calls": (NOTEBOOK,)}),
    ("claude-code", "PreToolUse-Read", {"event": "before-tool", "calls": (READ,)}),
    ("claude-code", "PreToolUse-WebFetch", {"event": "before-tool", "calls": (FETCH,)}),
    ("claude-code", "PreToolUse-Write", {"event": "before-tool", "calls": (WRITE,)}),
    ("claude-code", "PreToolUse-mcp_sup_ping", {"event": "before-tool", "calls": (PING,)}),
    ("claude-code", "SessionEnd-clear-interactive", {"event": "session-end", "detail": "clear"}),
    ("claude-code", "SessionEnd-other-print", {"event": "session-end", "detail": "other"}),
    (
        "claude-code",
        "SessionStart-compact-interactive",
        {"event": "session-start", "detail": "compact", "model": "claude-opus-5-5"},
    ),
    (
        "claude-code",
        "SessionStart-startup-print",
        {"event": "session-start", "detail": "startup", "model": ""},
    ),
    ("claude-code", "Stop", {"event": "stop", "stop_active": False, "last_message": "all finished"}),
    ("claude-code", "Stop-active", {"event": "stop", "stop_active": True}),
    ("claude-code", "Stop-bgtasks", {"event": "stop"}),
    ("claude-code", "SubagentStart", {"event": "other", "subagent": "ae9f9c1138e975a55"}),
    ("claude-code", "SubagentStop", {"event": "subagent-stop", "last_message": "sub done"}),
    ("claude-code", "UserPromptSubmit", {"event": "prompt", "calls": ()}),
    ("codex", "PermissionRequest-Bash", {"event": "permission", "call_id": "", "model": "gpt-5.5"}),
    (
        "codex",
        "PermissionRequest-apply_patch",
        {"event": "permission", "calls": (CODEX_PATCH,), "input": {"command": PATCH}},
    ),
    ("codex", "PermissionRequest-mcp", {"event": "permission", "calls": (CODEX_MCP,)}),
    ("codex", "PostToolUse", {"event": "after-tool", "calls": (CODEX_SHELL,), "call_id": "call_0_0"}),
    ("codex", "PostToolUse-apply_patch", {"event": "after-tool", "calls": (CODEX_PATCH,)}),
    ("codex", "PostToolUse-mcp", {"event": "after-tool", "calls": (CODEX_MCP,)}),
    (
        "codex",
        "PreToolUse",
        {
            "event": "before-tool",
            "calls": (CODEX_SHELL,),
            "cwd": REPO,
            "permission_mode": "bypassPermissions",
            "turn_id": "01a22d73-b914-7903-81b2-63f1b330cdf6",
        },
    ),
    ("codex", "PreToolUse-apply_patch", {"event": "before-tool", "calls": (CODEX_PATCH,)}),
    (
        "codex",
        "PreToolUse-codemode",
        {
            "calls": (CODEX_SHELL,),
            "model": "gpt-6-sol",
            "call_id": "exec-0f3c90b9-9b39-4a0d-a618-165c55cc0258",
        },
    ),
    ("codex", "PreToolUse-mcp", {"event": "before-tool", "calls": (CODEX_MCP,)}),
    ("codex", "SessionEnd", {"event": "session-end", "detail": "other", "model": ""}),
    ("codex", "SessionStart", {"event": "session-start", "detail": "startup"}),
    ("codex", "Stop", {"event": "stop", "last_message": "All done."}),
    ("codex", "UserPromptSubmit", {"event": "prompt", "prompt": "do it"}),
    ("gemini", "AfterAgent", {"event": "stop", "last_message": "All done.", "prompt": "do it"}),
    ("gemini", "AfterModel", {"event": "other"}),
    ("gemini", "AfterTool", {"calls": (gem("shell", "run_shell_command", S1, command=MARKER),)}),
    (
        "gemini",
        "AfterTool-replace",
        {"event": "after-tool", "calls": (gem("edit_file", "replace", BT, "README.md"),)},
    ),
    ("gemini", "AfterTool-write_file", {"calls": (gem("edit_file", "write_file", BT, "new.txt"),)}),
    ("gemini", "BeforeAgent", {"event": "prompt", "prompt": "do it"}),
    (
        "gemini",
        "BeforeTool",
        {
            "event": "before-tool",
            "call_ids": ("",),
            "calls": (gem("shell", "run_shell_command", S1, command=MARKER),),
        },
    ),
    (
        "gemini",
        "BeforeTool-mcp",
        {"calls": (gem("external_api", "mcp_ags_escalate", "/home/dev/mcp-escalate/repo"),)},
    ),
    ("gemini", "BeforeTool-replace", {"calls": (gem("edit_file", "replace", BT, "README.md"),)}),
    ("gemini", "BeforeTool-write_file", {"calls": (gem("edit_file", "write_file", BT, "new.txt"),)}),
    ("gemini", "Notification", {"event": "notification", "detail": "ToolPermission"}),
    ("gemini", "PreCompress", {"event": "other", "detail": "auto"}),
    ("gemini", "SessionEnd", {"event": "session-end", "detail": "exit"}),
    ("gemini", "SessionStart", {"event": "session-start", "detail": "startup"}),
]


@pytest.mark.parametrize(("client", "name", "expected"), TABLE, ids=[f"{c}-{n}" for c, n, _ in TABLE])
def test_captured_event(client: str, name: str, expected: dict[str, Any]):
    event = sample(client, name)
    assert event.agent == client
    assert {key: getattr(event, key) for key in expected} == expected


@pytest.mark.parametrize("path", sorted(SAMPLES.rglob("*.json")), ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_every_sample_is_read(path: Path):
    raw = json.loads(path.read_bytes())
    event = CLIENTS[path.parent.name].read(path.read_bytes())
    assert (event.name, event.session_id, event.cwd) == (
        raw["hook_event_name"],
        raw["session_id"],
        raw["cwd"],
    )
    assert event.transcript_path == raw["transcript_path"]


def test_what_became_of_a_call():
    failed = sample("claude-code", "PostToolUseFailure-Bash").outcomes[0]
    assert failed.failed
    assert not failed.denied
    assert sample("claude-code", "PermissionDenied-Bash").outcomes[0].denied
    done = sample("claude-code", "PostToolUse-Bash").outcomes[0]
    assert (done.failed, done.denied, done.digest[:7]) == (False, False, "sha256:")
    assert done.digest != sample("claude-code", "PostToolUse-Write").outcomes[0].digest
    assert not sample("codex", "PostToolUse-apply_patch").outcomes[0].failed
    assert not sample("codex", "PostToolUse-mcp").outcomes[0].failed


def test_denied_and_odd_calls_of_a_batch_are_told():
    raw = json.loads((SAMPLES / "claude-code/PostToolBatch.json").read_bytes())
    raw["tool_calls"] = [
        {
            "tool_name": "Bash",
            "tool_input": {"command": "x"},
            "tool_use_id": "t1",
            "tool_response": "PreToolUse:Bash hook error: no",
        },
        {"tool_name": "Edit", "tool_input": {"file_path": 7}, "tool_use_id": "t2", "tool_response": "bad"},
        {"tool_name": "Nope", "tool_input": [1], "tool_use_id": "t3"},
    ]
    event = claude_code.read(json.dumps(raw).encode())
    assert event.call_ids == ("t1", "t2", "t3")
    assert [call.tool for call in event.calls] == ["shell", "unknown", "unknown"]
    assert [one.denied for one in event.outcomes] == [True, False, False]
    assert event.outcomes[2].digest == ""
    assert event.call is None


CALLS: list[tuple[str, str, dict[str, Any], tuple[str, str | None, tuple[str, ...]]]] = [
    ("claude-code", "Monitor", {"command": "tail -f x", "description": "d"}, ("shell", "tail -f x", ())),
    ("claude-code", "Monitor", {"ws": "wss://x"}, ("external_api", None, ())),
    ("claude-code", "Workflow", {"script": "agent('x')"}, ("unknown", None, ())),
    ("claude-code", "PowerShell", {"command": "ls"}, ("unknown", "ls", ())),
    ("claude-code", "CronCreate", {"cron": "* * * * *", "prompt": "p"}, ("unknown", None, ())),
    ("claude-code", "Skill", {"skill": "s"}, ("unknown", None, ())),
    ("claude-code", "SendMessage", {"to": "a", "message": "m"}, ("unknown", None, ())),
    ("claude-code", "TodoWrite", {"todos": []}, ("read_file", None, ())),
    ("claude-code", "NewTool", {"path": "x"}, ("unknown", None, ())),
    ("claude-code", "MultiEdit", {"file_path": "/a", "edits": []}, ("edit_file", None, ("/a",))),
    ("claude-code", "Glob", {"pattern": "**/*.py"}, ("read_file", None, (".",))),
    ("claude-code", "Glob", {"pattern": "/etc/*.d/x"}, ("read_file", None, ("/etc",))),
    ("claude-code", "Glob", {"pattern": "../up/*", "path": "src"}, ("read_file", None, ("src", "src/../up"))),
    ("claude-code", "Glob", {"pattern": "*/../../x"}, ("read_file", None, (".", "/"))),
    ("claude-code", "Glob", {"pattern": "{a,../b}/c"}, ("read_file", None, (".", "/"))),
    ("claude-code", "Grep", {"pattern": "x", "path": "/etc"}, ("read_file", None, ("/etc",))),
    ("codex", "view_image", {"path": "a.png"}, ("read_file", None, ("a.png",))),
    ("codex", "update_plan", {"plan": []}, ("read_file", None, ())),
    ("codex", "spawn_agent", {"message": "x"}, ("unknown", None, ())),
    ("gemini", "read_file", {"absolute_path": "/a/b"}, ("read_file", None, ("/a/b",))),
    ("gemini", "read_file", {"file_path": "b"}, ("read_file", None, ("b",))),
    ("gemini", "list_directory", {"dir_path": "/etc"}, ("read_file", None, ("/etc",))),
    ("gemini", "glob", {"pattern": "*.py", "dir_path": "src"}, ("read_file", None, ("src",))),
    ("gemini", "web_fetch", {"prompt": "x"}, ("external_api", None, ())),
    ("gemini", "save_memory", {"fact": "x"}, ("unknown", None, ())),
]
BEFORE = {"claude-code": "PreToolUse", "codex": "PreToolUse", "gemini": "BeforeTool"}


def payload(client: str, tool: str, given: object, **more: object) -> bytes:
    base = {"session_id": "s1", "cwd": "/w", "hook_event_name": BEFORE[client], "tool_use_id": "t1"}
    return json.dumps(base | {"tool_name": tool, "tool_input": given} | more).encode()


@pytest.mark.parametrize(("client", "tool", "given", "expected"), CALLS)
def test_tool_mapping(client: str, tool: str, given: dict[str, Any], expected: object):
    call = CLIENTS[client].read(payload(client, tool, given)).call
    assert (call.tool, call.command, call.paths) == expected
    assert (call.name, call.cwd, call.agent, call.refuse) == (tool, "/w", client, "")


def test_gemini_runs_a_line_in_the_folder_it_names():
    event = gemini.read(payload("gemini", "run_shell_command", {"command": "ls", "dir_path": "sub"}))
    assert event.calls[0].cwd == "/w/sub"


def test_a_shell_without_its_sandbox_is_a_high_risk():
    given = {"command": "ls", "dangerouslyDisableSandbox": True}
    assert claude_code.read(payload("claude-code", "Bash", given)).calls[0].risk == "high"


@pytest.mark.parametrize(
    "line",
    [
        "bash",
        "/bin/sh",
        "bash -l",
        "python3",
        "python3 -i script.py",
        "FOO=1 exec bash",
        "cd /tmp && bash -i",
        "ls\nzsh",
        "sudo -E sh",
        "(bash)",
        "env python3.12",
        "node",
        "bash -i <x -i",
        "bash 2>&1",
    ],
)
def test_codex_is_refused_an_interactive_program(line: str):
    call = codex.read(payload("codex", "Bash", {"command": line})).call
    assert call is not None
    assert bool(call.refuse) is ("<" not in line)


@pytest.mark.parametrize(
    "line",
    [
        "bash run.sh",
        "bash -c 'ls'",
        "bash -lc ls",
        "python3 -c 'print(1)'",
        "python3 x.py",
        "python3 - <<'E'\n1\nE",
        "ls bash",
        "echo python",
        "npm test",
        "grep -i bash x",
        "node x.js",
    ],
)
def test_codex_may_run_a_script(line: str):
    call = codex.read(payload("codex", "Bash", {"command": line})).call
    assert call is not None
    assert call.refuse == ""


def test_typing_into_a_running_program_is_refused():
    call = codex.read(payload("codex", "write_stdin", {"session_id": 1, "chars": "rm -rf x\n"})).call
    assert call is not None
    assert call.tool == "shell"
    assert "passes no gate" in call.refuse


def test_a_patch_in_a_shell_line_names_its_files():
    line = "apply_patch <<'E'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nE"
    call = codex.read(payload("codex", "Bash", {"command": line})).call
    assert call is not None
    assert call.paths == ("a",)


BAD: list[bytes] = [
    b"",
    b"{}",
    b"[]",
    b"null",
    b"{",
    b"hello",
    b"\xff\xfe",
    b'{"a": NaN}',
    b'{"a": 1e999}',
    b"1" * 5000,
    b'{"hook_event_name": "Stop", "hook_event_name": "Stop", "session_id": "s", "cwd": "/w"}',
    b'{"hook_event_name": "Stop", "session_id": "s", "cwd": "/w", "x": ' + b"[" * 90 + b"]" * 90 + b"}",
    b'{"a":' * 200_000,
    b"[" * 200_000,
    b'{"hook_event_name": "Stop", "session_id": "../s", "cwd": "/w"}',
    b'{"hook_event_name": "Stop", "session_id": "s", "cwd": "w"}',
    b'{"hook_event_name": "Stop", "session_id": "s"}',
    b'{"hook_event_name": "", "session_id": "s", "cwd": "/w"}',
    b'{"hook_event_name": "Stop", "session_id": 7, "cwd": "/w"}',
    b'{"hook_event_name": "Stop", "session_id": "s", "cwd": "/w\\u0000"}',
]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("bad", BAD, ids=range(len(BAD)))
def test_no_event(client: str, bad: bytes):
    with pytest.raises(UnreadableEvent, match=r"\w"):
        CLIENTS[client].read(bad)


@pytest.mark.parametrize(
    ("client", "tool", "given", "more"),
    [
        ("claude-code", "Bash", {}, {}),
        ("claude-code", "Bash", {"command": ["ls"]}, {}),
        ("claude-code", "Bash", {"command": "ls \ud800"}, {}),
        ("claude-code", "Bash", {"command": "ls", "n": 2**60}, {}),
        ("claude-code", "Bash", "ls", {}),
        ("claude-code", "Bash", {"command": "ls"}, {"tool_use_id": None}),
        ("claude-code", "Edit", {"file_path": ""}, {}),
        ("claude-code", "Edit", {"file_path": "a\0b"}, {}),
        ("claude-code", "", {}, {}),
        ("claude-code", "a\nb", {}, {}),
        ("claude-code", "Bash", {"command": "ls"}, {"stop_hook_active": "yes"}),
        ("codex", "Bash", {"cmd": "ls"}, {}),
        ("codex", "apply_patch", {"input": "x"}, {}),
        ("gemini", "replace", {"old_string": "x"}, {}),
        ("gemini", "run_shell_command", {"command": None}, {}),
    ],
)
def test_a_call_that_is_not_understood(client: str, tool: str, given: object, more: dict[str, Any]):
    with pytest.raises(UnreadableEvent):
        CLIENTS[client].read(payload(client, tool, given, **more))


def test_size_is_bounded_and_half_characters_in_words_do_not_matter():
    data = payload("codex", "Bash", {"command": "ls"}, new_field={"x": [1]}, last_assistant_message="a\ud800")
    assert codex.read(data, limit=len(data)).last_message == "a\ufffd"
    with pytest.raises(UnreadableEvent, match="longer"):
        codex.read(data, limit=len(data) - 1)


def test_big_input_is_read_whole():
    text = "é\u202e\x07" * 700_000
    event = claude_code.read(payload("claude-code", "Write", {"file_path": "/a", "content": text}))
    assert event.input["content"] == text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
EVENTS = st.fixed_dictionaries(
    {},
    optional={
        "hook_event_name": st.sampled_from(
            ["PreToolUse", "PostToolUse", "PostToolBatch", "BeforeTool", "Stop", "ConfigChange"]
        )
        | JSON,
        "session_id": st.just("s") | JSON,
        "cwd": st.just("/w") | JSON,
        "tool_name": st.sampled_from(["Bash", "Edit", "Glob", "apply_patch", "replace", "mcp__a"]) | JSON,
        "tool_input": st.dictionaries(st.sampled_from(["command", "file_path", "pattern", "path"]), JSON)
        | JSON,
        "tool_use_id": st.just("t") | JSON,
        "tool_calls": st.lists(st.fixed_dictionaries({"tool_name": st.just("Bash"), "tool_input": JSON}))
        | JSON,
        "tool_response": JSON,
        "model": JSON,
        "last_assistant_message": JSON,
    },
)


def read_or_refuse(client: str, data: bytes) -> None:
    try:
        event = CLIENTS[client].read(data)
    except UnreadableEvent:
        return
    assert event.session_id
    assert len(event.calls) == len(event.call_ids) == len(event.inputs)


@pytest.mark.parametrize("client", CLIENTS)
@settings(max_examples=150, deadline=None)
@given(data=st.binary(max_size=200) | EVENTS.map(lambda one: json.dumps(one).encode()))
def test_any_bytes_are_an_event_or_refused(client: str, data: bytes):
    read_or_refuse(client, data)


@pytest.mark.parametrize(
    "path", sorted(SAMPLES.rglob("PreToolUse*.json")), ids=lambda p: f"{p.parent.name}-{p.stem}"
)
@settings(max_examples=40, deadline=None)
@given(at=st.integers(0, 10_000), new=st.binary(max_size=3))
def test_a_damaged_event_is_an_event_or_refused(path: Path, at: int, new: bytes):
    data = path.read_bytes()
    at %= len(data)
    read_or_refuse(path.parent.name, data[:at] + new + data[at + 1 :])


def test_adapters_load_no_pydantic():
    names = ["claude_code", "codex", "gemini", "clients", "proposals"]
    program = (
        f"import sys; [__import__('ags_tui.agents.' + name) for name in {names}];"
        "print([m for m in ('pydantic', 'wcmatch', 'textual', 'tree_sitter', 'hashlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("values", "why"),
    [("0," * MOST_VALUES + "0", "200,000 values"), ("[]," * MOST_OPENED + "0", "1,000,000 opening brackets")],
)
def test_an_event_of_too_many_values_is_refused(values: str, why: str):
    with pytest.raises(UnreadableEvent, match=why):
        parse(f'{{"tool_input": [{values}]}}'.encode())
    assert parse(b'{"tool_input": [%s0]}' % (b"0," * 1000)).values
