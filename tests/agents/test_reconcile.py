"""What transcripts show, held against what was said: calls past the gate are noted, and nothing else is."""

import hashlib
import json
import os
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ags_tui.agents import transcript_watch
from ags_tui.agents.aftermath import Aftermath
from ags_tui.agents.reconcile import Reconciler, settle
from ags_tui.agents.transcript_watch import LIVE_S, TranscriptWatch
from ags_tui.core.activity import VERDICT, ActivityLine
from ags_tui.core.drafts import dismiss
from ags_tui.core.sessions import SessionRecord
from ags_tui.core.transcripts import TranscriptCall
from ags_tui.io.activity import append
from ags_tui.io.sessions import make_session, sessions_of
from tests.agents.judging import SESSION, TASK, Desk
from tests.agents.test_offline import hook

LATER = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path.resolve())


def record(desk: Desk, agent: str = "claude-code", transcript: str = "") -> SessionRecord:
    made = SessionRecord(
        SESSION, TASK, str(desk.work), agent, cwd=str(desk.work), transcript=transcript,
        started_at="2026-12-01T00:00:00Z",
    )  # fmt: skip
    return make_session(desk.tree, made, desk.places)


def reconciler(desk: Desk) -> Reconciler:
    return Reconciler(desk.places, Aftermath(desk.places, lambda: LATER))


def said(desk: Desk, call_id: str, decision: str, **more: Any) -> None:
    line = ActivityLine(
        LATER, VERDICT, SESSION, "claude-code", TASK, call_id, decision=decision, reason="it says so", **more
    )
    append(desk.places, line)


def ran(call_id: str, effect: str = "applied", name: str = "Bash", **more: Any) -> TranscriptCall:
    given = more.pop("given", {"command": "touch made"})
    return TranscriptCall(call_id, name, effect, more.pop("at", LATER), given, **more)


def flags(desk: Desk) -> list[tuple[str, str]]:
    return [(line.call_id, line.decision) for line in desk.lines() if line.event == "ungated"]


@pytest.mark.parametrize(("verdicts", "effect", "noted"), [
    ((), "applied", ""),
    ((), "failed", ""),
    ((), "ended", None),
    (("allow",), "applied", None),
    (("defer",), "applied", None),
    (("ask", "allow"), "applied", None),
    (("ask",), "applied", "ask"),
    (("deny",), "applied", "deny"),
    (("deny",), "failed", None),
    (("allow", "deny"), "applied", "deny"),
])  # fmt: skip
def test_a_call_that_ran_needs_a_verdict_that_let_it(
    desk: Desk, verdicts: tuple[str, ...], effect: str, noted: str | None
):
    session, held = record(desk), reconciler(desk)
    for verdict in verdicts:
        said(desk, "c1", verdict)
    for _ in range(2):  # it is noted once, also by another process
        held.hold([ran("c1", effect), ran("c1", effect)], session)
        reconciler(desk).hold([ran("c1", effect)], session)
    assert flags(desk) == ([] if noted is None else [("c1", noted)])


def test_the_gate_of_the_task_holds_for_it(desk: Desk):
    assert hook(desk, desk.event("SessionStart", source="startup")).returncode == 0
    said(desk, "c2", "deny")
    (session,) = sessions_of(desk.tree)
    assert reconciler(desk).hold([ran("c1"), ran("c2")], session) == 2
    desk.open()
    task = next(one for one in desk.human.look().tasks if one.task_id == session.task)
    found = {(one.code, one.artifact) for one in task.findings}
    assert {("UNGATED_CALL", "c1"), ("DENIED_BUT_APPLIED", "c2")} <= found
    assert task.gate.conditions[4].outcome.value == "failed"
    line = next(one for one in desk.lines() if one.event == "ungated")
    assert (line.tool, line.command, line.cwd) == ("shell", "touch made", str(desk.work))
    for call in task.task.ungated:
        desk.human.workspace.record(dismiss(session.task, f"ungated-{call.call_id}", call.digest))
    task = next(one for one in desk.human.look().tasks if one.task_id == session.task)
    assert task.gate.conditions[4].outcome.value == "passed", "a human has looked"


def test_what_is_older_than_the_gate_is_not_held_against_anyone(desk: Desk):
    session = record(desk)
    before = datetime.fromisoformat(session.started_at) - timedelta(seconds=1)
    assert reconciler(desk).hold([ran("c1", at=before), ran("c2", name="EndConversation")], session) == 0


def test_a_verdict_far_back_counts(desk: Desk):
    session = record(desk)
    said(desk, "c1", "allow")
    for number in range(900):
        said(desk, f"other-{number}", "allow", command="x" * 400)
    assert reconciler(desk).hold([ran("c1")], session) == 0


def test_what_a_forked_session_copied_from_another_one_is_not_held_against_it(desk: Desk):
    session = record(desk)
    other = SessionRecord("other", TASK, str(desk.work), "claude-code", started_at="2026-11-30T00:00:00Z")
    make_session(desk.tree, other, desk.places)
    for call_id, decision in (("c1", "allow"), ("c2", "deny")):
        line = ActivityLine(LATER, VERDICT, "other", "claude-code", TASK, call_id, decision=decision)
        append(desk.places, line)
    assert reconciler(desk).hold([ran("c1"), ran("c2"), ran("c3")], session) == 2
    assert [call_id for call_id, _ in flags(desk)] == ["c2", "c3"]


def test_gemini_has_no_ids_so_each_verdict_counts_for_one_call(desk: Desk):
    session = record(desk, "gemini")
    before = {"session_id": SESSION, "cwd": str(desk.work), "hook_event_name": "BeforeTool",
              "tool_name": "run_shell_command", "tool_input": {"command": "git status"}}  # fmt: skip
    done = hook(desk, json.dumps(before).encode(), agent="gemini")
    assert b'"allow"' in done.stdout, done
    given = {"command": "git status", "description": "words do not count"}
    held = reconciler(desk)
    assert held.hold([ran("run_1", name="run_shell_command", given=given)], session) == 0
    assert held.hold([ran("run_2", name="run_shell_command", given=given)], session) == 1
    assert flags(desk) == [("run_2", "")]


def test_gemini_that_runs_what_was_denied_is_found_by_what_it_does(desk: Desk):
    session = record(desk, "gemini")
    given = {"command": "sudo rm -rf /"}
    before = {"session_id": SESSION, "cwd": str(desk.work), "hook_event_name": "BeforeTool",
              "tool_name": "run_shell_command", "tool_input": given}  # fmt: skip
    hook(desk, json.dumps(before).encode(), agent="gemini")
    (verdict,) = desk.lines()
    reconciler(desk).hold([ran("run_1", name="run_shell_command", given=given)], session)
    assert flags(desk) == [(verdict.call_id, "deny")]


def test_another_call_of_codex_is_not_let_by_what_was_said_of_the_same_line(desk: Desk):
    session = record(desk, "codex")
    said(desk, "exec-1", "allow", name="Bash", command="touch made")  # nested in a cell of code mode
    assert reconciler(desk).hold([ran("exec-1"), ran("exec-2")], session) == 1
    assert flags(desk) == [("exec-2", "")]


@pytest.mark.parametrize(
    "given", [{}, {"command": 7}, {"command": "\ud800"}, {"file_path": 10**30}, {"paths": [1]}]
)
def test_whatever_stands_there_as_input_is_noted(desk: Desk, given: dict[str, Any]):
    for agent in ("claude-code", "codex", "gemini"):
        session = SessionRecord(f"{SESSION}-{agent}", TASK, str(desk.work), agent, cwd=str(desk.work))
        names = ("", "Bash", "Edit", "replace", "apply_patch", "mcp__a__b")
        calls = [ran(f"c{at}", name=name, given=given) for at, name in enumerate(names)]
        assert reconciler(desk).hold(calls, session) == len(names)


# transcripts on disk


def row(kind: str, session: str = SESSION, cwd: str = "", at: datetime = LATER, **fields: Any) -> bytes:
    block = {"type": kind, **fields}
    made = {"sessionId": session, "cwd": cwd, "timestamp": at.isoformat(), "message": {"content": [block]}}
    return json.dumps(made).encode() + b"\n"


def call(call_id: str, **more: Any) -> bytes:
    asked = row("tool_use", id=call_id, name="Bash", input={"command": "touch made"}, **more)
    return asked + row("tool_result", tool_use_id=call_id, content="", **more)


def transcript(desk: Desk, name: str = SESSION) -> Path:
    slug = "".join(one if one.isalnum() else "-" for one in str(desk.work))
    path = desk.folder / "home/.claude/projects" / slug / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def watch(desk: Desk, alarms: list[str], now: float | None = None) -> TranscriptWatch:
    clock = time.time if now is None else lambda: now
    return TranscriptWatch(
        desk.tree, desk.places, alarms.append, homes=[str(desk.folder / "home")], clock=clock
    )


def test_hooks_that_were_switched_off_are_noticed_by_what_runs_on(desk: Desk):
    path, alarms = transcript(desk), list[str]()
    session = record(desk, transcript=str(path))
    said(desk, "c1", "allow")
    path.write_bytes(call("c1"))
    watched = watch(desk, alarms)
    assert watched.look([session]) == 0
    with path.open("ab") as stream:
        stream.write(call("c2"))
    below = path.with_suffix("") / "subagents/agent-1.jsonl"
    below.parent.mkdir(parents=True)
    below.write_bytes(call("c3"))
    assert watched.look([session]) == 2
    assert watched.look([session]) == 0
    assert {call_id for call_id, _ in flags(desk)} == {"c2", "c3"}
    assert alarms == [], "what is noted is an alarm by itself"


def test_a_client_without_hooks_is_an_alarm_with_the_way_out(desk: Desk):
    path, alarms = transcript(desk, "ab12cd34-0000"), list[str]()
    watched = watch(desk, alarms)
    mine: dict[str, Any] = {"session": "ab12cd34-0000", "cwd": str(desk.work)}
    path.write_bytes(row("tool_use", id="c0", name="Bash", input={}, **mine))
    watched.look([])
    assert alarms == [], "nothing ran yet"
    with path.open("ab") as stream:
        stream.write(call("c1", **mine) + call("c2", **mine))
    for _ in range(4):
        watched.look([])
    assert alarms == [
        "claude-code session ab12cd34 works here without hooks: 2 calls past the gate. "
        "Way out: ags-tui connect claude-code --check"
    ]
    with path.open("ab") as stream:
        stream.write(b"".join(call(f"d{number}", **mine) for number in range(18)))
    for _ in range(4):
        watched.look([])
    assert [text.split(": ")[1].split(" past")[0] for text in alarms] == ["2 calls", "20 calls"]
    assert desk.lines() == (), "no task of anyone is held for it"


def test_no_alarm_where_there_is_no_reason(desk: Desk):
    alarms: list[str] = []
    known = record(desk)
    cases = {
        "elsewhere": call("c", session="elsewhere", cwd="/"),
        "before": call("c", session="before", cwd=str(desk.work), at=datetime(2020, 1, 1, tzinfo=UTC)),
        "known": call("c", session=known.session, cwd=str(desk.work)),
        "nobody": call("c", session="", cwd=str(desk.work)),
    }
    other = desk.work / "vendor"
    (other / ".git").mkdir(parents=True)
    cases["inner"] = call("c", session="inner", cwd=str(other))
    said(desk, "c", "allow")
    for name, data in cases.items():
        transcript(desk, name).write_bytes(data)
    stale = transcript(desk, "stale")
    stale.write_bytes(call("c", session="stale", cwd=str(desk.work)))
    long_ago = time.time() - 2 * LIVE_S
    os.utime(stale, (long_ago, long_ago))
    watched = watch(desk, alarms)
    for _ in range(4):
        watched.look([known])
    assert alarms == []
    assert flags(desk) == []


def test_codex_and_gemini_without_hooks_are_noticed_too(desk: Desk):
    alarms: list[str] = []
    home = desk.folder / "home"
    rollout = home / ".codex/sessions/2026/12/01/rollout-a.jsonl"
    chat = home / ".gemini/tmp/repo/chats/session-a.jsonl"
    for path in (rollout, chat):
        path.parent.mkdir(parents=True)
    item = {"type": "CommandExecution", "id": "c", "command": ["sh", "-c", "ls"], "status": "completed"}
    meta = {"type": "session_meta", "payload": {"id": "codex-01", "cwd": str(desk.work)}}
    done = {"type": "event_msg", "timestamp": LATER.isoformat(),
            "payload": {"type": "item_completed", "item": item}}  # fmt: skip
    rollout.write_text(f"{json.dumps(meta)}\n{json.dumps(done)}\n")
    project = hashlib.sha256(str(desk.work).encode()).hexdigest()
    shown = {"id": "m", "toolCalls": [{"id": "g", "name": "replace", "args": {}, "status": "success"}]}
    chat.write_text(f"{json.dumps({'sessionId': 'gemini-1', 'projectHash': project})}\n{json.dumps(shown)}\n")
    watch(desk, alarms).look([])
    assert [text.split(" works")[0] for text in alarms] == [
        "codex session codex-01",
        "gemini session gemini-1",
    ]


def test_a_look_that_finds_nothing_new_reads_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    path = transcript(desk)
    session = record(desk, transcript=str(path))
    said(desk, "c1", "allow")
    path.write_bytes(call("c1"))
    watched = watch(desk, [])
    watched.look([session])
    opened: list[str] = []
    monkeypatch.setattr(os, "open", lambda name, *_: opened.append(str(name)))
    for _ in range(4):
        watched.look([session])
    assert opened == []


def test_a_transcript_that_is_none_is_not_read_and_that_is_said_once(desk: Desk):
    path, alarms = transcript(desk), list[str]()
    path.symlink_to("/dev/zero")
    session = record(desk, transcript=str(path))
    watched = watch(desk, alarms)
    for _ in range(2):
        assert watched.look([session, SessionRecord("s", TASK, "/", "codex", transcript="/etc/passwd")]) == 0
    assert [text.partition(" (")[0] for text in alarms] == [
        f"the transcript of claude-code session {SESSION[:8]} cannot be read"
    ]


def test_a_transcript_that_was_hidden_for_a_moment_is_watched_on(desk: Desk):
    path, alarms = transcript(desk), list[str]()
    session = record(desk, transcript=str(path))
    path.write_bytes(call("c1"))
    watched = watch(desk, alarms)
    assert watched.look([session]) == 1
    aside, folder = path.with_suffix(".aside"), path.parent.with_name("folder")
    path.rename(aside)
    path.symlink_to(aside)
    assert watched.look([session]) == 0
    path.unlink()
    aside.rename(path)
    path.write_bytes(call("c1") + call("c2"))
    assert watched.look([session]) == 1
    path.parent.rename(folder)
    path.parent.symlink_to(desk.folder)
    (desk.folder / path.name).write_bytes(call("c3"))
    watched.look([session])
    path.parent.unlink()
    folder.rename(path.parent)
    path.write_bytes(call("c1") + call("c2") + call("c4"))
    assert watched.look([session]) >= 1
    assert "c4" in {call_id for call_id, _ in flags(desk)}
    assert len(alarms) == 1
    assert "what runs past the gate there is not seen" in alarms[0]


def test_the_watch_goes_on_after_whatever_went_wrong(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    alarms, stop = list[str](), threading.Event()

    def records() -> list[SessionRecord]:
        if len(alarms) == 1:
            stop.set()
        raise TypeError("no such thing")

    monkeypatch.setattr(transcript_watch, "LOOK_S", 0.01)
    watch(desk, alarms).run(stop, lambda: True, records)
    assert alarms == ["transcripts are not watched for now: no such thing"] * 2


# where a turn ends


@pytest.mark.parametrize("event", ["Stop", "SessionEnd"])
def test_a_hook_looks_into_the_transcript_where_a_turn_or_a_session_ends(desk: Desk, event: str):
    assert hook(desk, desk.event("SessionStart", source="startup")).returncode == 0
    path = transcript(desk)
    path.write_bytes(call("c1"))
    payload = desk.event(event, transcript_path=str(path), stop_hook_active=False, reason="other")
    hook(desk, payload, home=desk.folder / "home")
    assert flags(desk) == [("c1", "")]


async def test_the_same_with_a_tui(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(desk.folder / "home"))
    desk.open()
    await desk.ask(desk.event("SessionStart", source="startup"))
    path = transcript(desk)
    path.write_bytes(call("c1"))
    await desk.ask(desk.event("Stop", transcript_path=str(path), stop_hook_active=False))
    with path.open("ab") as stream:
        stream.write(call("c2"))
    await desk.ask(desk.event("SessionEnd", transcript_path=str(path), reason="other"))
    assert flags(desk) == [("c1", ""), ("c2", "")]


def test_a_transcript_elsewhere_is_not_looked_into(desk: Desk):
    session = record(desk)
    path = desk.folder / "t.jsonl"
    path.write_bytes(call("c1"))
    aftermath = Aftermath(desk.places, lambda: LATER)
    for place in (str(path), "", "\0", "/etc/passwd", "/dev/zero"):
        settle(desk.places, aftermath, session, place, homes=[str(desk.folder / "home")])
    assert flags(desk) == []


async def test_what_a_human_made_of_a_call_is_known_by_its_own_digest(desk: Desk):
    desk.open()
    common = {"session_id": SESSION, "cwd": str(desk.work), "tool_name": "run_shell_command"}
    asked = {**common, "hook_event_name": "BeforeTool", "tool_input": {"command": "touch asked"}}
    waiting = desk.start(json.dumps(asked).encode(), agent="gemini")
    await desk.human.approve(effective={"command": "touch edited"})
    assert b"touch edited" in (await waiting).stdout
    over = {**common, "hook_event_name": "AfterTool", "tool_input": {"command": "touch edited"},
            "tool_response": {"llmContent": "done"}}  # fmt: skip
    await desk.ask(json.dumps(over).encode(), agent="gemini")
    (session,) = sessions_of(desk.tree)
    edited = ran("run_1", name="run_shell_command", given={"command": "touch edited"})
    assert reconciler(desk).hold([edited], session) == 0
    assert flags(desk) == []
    as_asked = ran("run_2", name="run_shell_command", given={"command": "touch asked"})
    assert reconciler(desk).hold([as_asked], session) == 1, "that one nobody approved"
