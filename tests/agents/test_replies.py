"""Every answer, byte by byte, as each client was seen to take it."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ags_tui.agents import claude_code, codex, gemini
from ags_tui.agents.clients import MODULES, adapter, deny_without_reading
from ags_tui.agents.events import SILENT, Answer, HookEvent, Reply, allow, block, defer, deny, silent
from ags_tui.agents.replies import LONGEST_REASON, inert

SAMPLES = Path(__file__).parent / "samples"
CLIENTS: dict[str, ModuleType] = {"claude-code": claude_code, "codex": codex, "gemini": gemini}


def sample(client: str, name: str) -> HookEvent:
    return CLIENTS[client].read((SAMPLES / client / f"{name}.json").read_bytes())


PRE = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":'
ASKED = '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":'
DENY = PRE + '"deny","permissionDecisionReason":"no"}}\n'
BLOCK = '{"decision":"block","reason":"no"}\n'
NEW = {"command": "echo x", "description": "d"}


def out(text: str) -> Reply:
    return Reply(0, text.encode())


def two(text: str = "") -> Reply:
    return Reply(2, text.encode(), b"no\n")


TABLE: list[tuple[str, str, Answer, Reply]] = [
    ("claude-code", "PreToolUse-Bash", deny("no"), two(DENY)),
    ("claude-code", "PreToolUse-Bash", block("no"), two(DENY)),
    ("claude-code", "PreToolUse-Bash", allow(), out(PRE + '"allow"}}\n')),
    ("claude-code", "PreToolUse-Bash", allow("ok"), out(PRE + '"allow","permissionDecisionReason":"ok"}}\n')),
    (
        "claude-code",
        "PreToolUse-Bash",
        allow(updated_input=NEW),
        out(PRE + '"allow","updatedInput":{"command":"echo x","description":"d"}}}\n'),
    ),
    ("claude-code", "PreToolUse-Bash", defer("why"), out(PRE + '"ask","permissionDecisionReason":"why"}}\n')),
    ("claude-code", "PreToolUse-Bash", silent(), SILENT),
    (
        "claude-code",
        "PermissionRequest-Bash",
        deny("no"),
        out(ASKED + '{"behavior":"deny","message":"no"}}}\n'),
    ),
    ("claude-code", "PermissionRequest-Bash", allow("x"), out(ASKED + '{"behavior":"allow"}}}\n')),
    (
        "claude-code",
        "PermissionRequest-Bash",
        allow(updated_input={"command": "l"}),
        out(ASKED + '{"behavior":"allow","updatedInput":{"command":"l"}}}}\n'),
    ),
    ("claude-code", "PermissionRequest-Bash", defer("x"), SILENT),
    ("claude-code", "Stop", block("no"), two(BLOCK)),
    ("claude-code", "Stop", allow(), SILENT),
    ("claude-code", "SubagentStop", block("no"), two(BLOCK)),
    ("claude-code", "UserPromptSubmit", deny("no"), two(BLOCK)),
    ("claude-code", "PostToolUse-Bash", deny("no"), two(BLOCK)),
    ("claude-code", "PostToolBatch", deny("no"), two()),
    ("claude-code", "ConfigChange", deny("no"), two()),
    ("claude-code", "ConfigChange", allow(), SILENT),
    ("claude-code", "SessionEnd-other-print", deny("no"), SILENT),
    ("codex", "PreToolUse", deny("no"), two(DENY)),
    ("codex", "PreToolUse", allow("any"), SILENT),
    ("codex", "PreToolUse", defer("any"), SILENT),
    (
        "codex",
        "PreToolUse",
        allow(updated_input=NEW),
        out(PRE + '"allow","updatedInput":{"command":"echo x"}}}\n'),
    ),
    ("codex", "PreToolUse-apply_patch", allow(), SILENT),
    ("codex", "PreToolUse-mcp", deny("no"), two(DENY)),
    ("codex", "PermissionRequest-Bash", deny("no"), two(ASKED + '{"behavior":"deny","message":"no"}}}\n')),
    ("codex", "PermissionRequest-Bash", allow("x"), out(ASKED + '{"behavior":"allow"}}}\n')),
    ("codex", "PermissionRequest-Bash", defer(), SILENT),
    ("codex", "Stop", block("no"), two(BLOCK)),
    ("codex", "Stop", silent(), SILENT),
    ("codex", "UserPromptSubmit", deny("no"), out(BLOCK)),
    ("codex", "PostToolUse", deny("no"), out(BLOCK)),
    ("codex", "SessionStart", deny("no"), SILENT),
    ("gemini", "BeforeTool", deny("no"), two('{"decision":"deny","reason":"no"}\n')),
    ("gemini", "BeforeTool", allow("x"), out('{"decision":"allow"}\n')),
    ("gemini", "BeforeTool", defer("x"), SILENT),
    (
        "gemini",
        "BeforeTool",
        allow(updated_input={"command": "l"}),
        out(
            '{"decision":"allow","hookSpecificOutput":'
            '{"hookEventName":"BeforeTool","tool_input":{"command":"l"}}}\n'
        ),
    ),
    ("gemini", "AfterAgent", block("no"), two(BLOCK)),
    ("gemini", "AfterAgent", allow(), SILENT),
    ("gemini", "BeforeAgent", deny("no"), two('{"decision":"deny","reason":"no"}\n')),
    ("gemini", "SessionEnd", deny("no"), SILENT),
    ("gemini", "Notification", deny("no"), SILENT),
]


@pytest.mark.parametrize(("client", "name", "answer", "expected"), TABLE)
def test_reply(client: str, name: str, answer: Answer, expected: Reply):
    assert CLIENTS[client].reply(sample(client, name), answer) == expected


@pytest.mark.parametrize(
    ("client", "name", "given"),
    [
        ("codex", "PreToolUse-apply_patch", {"command": "x"}),
        ("codex", "PreToolUse-mcp", {"question": "x"}),
        ("codex", "PreToolUse", {"command": ""}),
        ("codex", "PreToolUse", {"cmd": "x"}),
        ("codex", "PermissionRequest-Bash", {"command": "x"}),
        ("gemini", "AfterAgent", {"command": "x"}),
        ("claude-code", "Stop", {"command": "x"}),
    ],
)
def test_another_input_that_the_client_would_not_run_is_refused(
    client: str, name: str, given: dict[str, Any]
):
    """The call as it was asked must not run in place of what a human made of it."""
    event = sample(client, name)
    got = CLIENTS[client].reply(event, allow(updated_input=given))
    assert got == CLIENTS[client].reply(event, deny(got.stderr.decode()))
    assert got.exit_code == 2
    assert got.stderr.strip()


@pytest.mark.parametrize("client", CLIENTS)
def test_who_runs_another_input(client: str):
    names = {"claude-code": "PreToolUse-Bash", "codex": "PreToolUse", "gemini": "BeforeTool"}
    assert CLIENTS[client].obeys_updated_input(sample(client, names[client])) is True
    stops = {"claude-code": "Stop", "codex": "Stop", "gemini": "AfterAgent"}
    assert CLIENTS[client].obeys_updated_input(sample(client, stops[client])) is False


DENIALS = [
    ("claude-code", "", Reply(2, BLOCK.encode(), b"no\n")),
    ("claude-code", "PreToolUse", two(DENY)),
    ("claude-code", "PermissionRequest", out(ASKED + '{"behavior":"deny","message":"no"}}}\n')),
    ("claude-code", "Stop", two(BLOCK)),
    ("claude-code", "ConfigChange", two()),
    ("codex", "", two()),
    ("codex", "PreToolUse", two(DENY)),
    ("codex", "PermissionRequest", two(ASKED + '{"behavior":"deny","message":"no"}}}\n')),
    ("codex", "Stop", two(BLOCK)),
    ("gemini", "", two('{"decision":"deny","reason":"no"}\n')),
    ("gemini", "AfterAgent", two(BLOCK)),
    ("other", "", two()),
]


@pytest.mark.parametrize(("client", "name", "expected"), DENIALS)
def test_denial_of_what_could_not_be_read(client: str, name: str, expected: Reply):
    assert deny_without_reading(client, "no", name) == expected


def test_a_reason_is_never_empty():
    for client in MODULES:
        assert deny_without_reading(client, " \n ").stderr.strip()
        assert client == adapter(client).AGENT
    reply = codex.reply(sample("codex", "PreToolUse"), deny(""))
    assert json.loads(reply.stdout)["hookSpecificOutput"]["permissionDecisionReason"]


def test_a_reason_is_inert():
    assert (
        inert("a\x1b[31m\u202eb\u200b\x7f\x9b\ud800\n c\t")
        == r"a\x1b[31m\u202eb\u200b\x7f\x9b\ud800" + "\n c"
    )
    assert inert("Grüße 한국어 🙂") == "Grüße 한국어 🙂"
    assert inert("\U000e0041") == r"\U000e0041"
    long = inert("x" * 20_000)
    assert len(long) == LONGEST_REASON
    assert long.endswith("(cut)")
    assert len(inert("\x00" * 20_000)) == LONGEST_REASON


@settings(max_examples=200, deadline=None)
@given(reason=st.text(alphabet=st.characters(codec=None), max_size=60))
def test_any_reason_makes_one_ascii_document(reason: str):
    for client, name in (("claude-code", "PreToolUse-Bash"), ("codex", "Stop"), ("gemini", "BeforeTool")):
        reply = CLIENTS[client].reply(sample(client, name), deny(reason))
        assert reply.exit_code == 2
        assert isinstance(json.loads(reply.stdout), dict)
        assert reply.stdout.isascii()
        assert reply.stdout.count(b"\n") == 1
        said = reply.stderr.decode("utf-8")
        assert said.strip()
        assert all(one == "\n" or one.isprintable() for one in said)
        assert len(said) <= LONGEST_REASON + 1


@pytest.mark.parametrize("path", sorted(SAMPLES.rglob("*.json")), ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_no_refusal_is_taken_for_consent(path: Path):
    """Before a call, exit 2 comes with words on stderr, and exit 0 with a document that denies."""
    event = CLIENTS[path.parent.name].read(path.read_bytes())
    reply = CLIENTS[path.parent.name].reply(event, deny("because"))
    if event.event in ("before-tool", "permission", "stop", "subagent-stop", "prompt", "config-change"):
        assert reply.exit_code == 2 or json.loads(reply.stdout)
        assert "because" in (reply.stderr or reply.stdout).decode()
    assert b"continue" not in reply.stdout
