"""Sessions are tasks; what happened is held against what was said; no root, no file in the repository."""

import asyncio
import json
import os
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ags_tui.agents import claude_code
from ags_tui.agents.judge import Question
from ags_tui.agents.live import LiveJudge
from ags_tui.agents.queue import Queue
from ags_tui.core.activity import ActivityLine
from ags_tui.core.policy.calls import RememberedRule
from ags_tui.core.policy.model import Rule
from ags_tui.core.tree_rules import remember, revoke, trust_policy
from ags_tui.io.activity import append, last_lines, lines_of, session_name, since, sweep, tale
from ags_tui.io.keys import Keys
from ags_tui.io.log import read_log
from ags_tui.io.session_tasks import Newcomer, SessionTasks
from ags_tui.io.sessions import change_session, read_session, sessions_of, tree_for
from ags_tui.io.tree_log import TreeLog
from ags_tui.io.trees import tree_at
from tests.agents.judging import SESSION, TASK, Desk, reason, said
from tests.agents.test_offline import hook

NOW = datetime(2026, 7, 21, 9, 0, tzinfo=UTC)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path.resolve())
    made.open()
    return made


def plan(desk: Desk, **changes: object) -> Path:
    """An open planned task in ``.ai``."""
    folder = desk.work / ".ai" / "tasks" / "greet"
    folder.mkdir(parents=True)
    task = {
        "id": "greet", "title": "Greet", "request": "greet", "background": "none", "expectedBehavior": ["x"],
        "allowedChanges": ["src"], "forbiddenChanges": [], "requiredEvidence": [], "riskLevel": "low",
    }  # fmt: skip
    steps = [{"id": "s", "action": "a", "inputFiles": [], "expectedOutput": "o", "validation": "v"}]
    document = {
        "taskId": "greet", "summary": "greet", "riskLevel": "low", "filesToRead": [],
        "filesToEdit": ["src/**"],
        "filesNotToEdit": ["src/locked.py"], "steps": steps, "testsToRun": [], "requiresHumanApproval": True,
        "stopConditions": [], **changes,
    }  # fmt: skip
    (folder / "task.json").write_text(json.dumps(task))
    (folder / "plan.json").write_text(json.dumps(document))
    return folder


# -- sessions --------------------------------------------------------------------------------------------


async def test_a_session_without_a_root_writes_nothing_into_the_repository(desk: Desk):
    before = sorted(path for path in desk.work.rglob("*") if ".git" not in path.parts)
    await desk.ask(desk.event("SessionStart", source="startup"))
    asking = desk.start(desk.bash("b1", "touch made"))
    await desk.human.deny("no")
    await asking
    assert sorted(path for path in desk.work.rglob("*") if ".git" not in path.parts) == before
    record = read_session(desk.tree, SESSION)
    assert record is not None
    assert record.task == TASK
    assert read_log(desk.root / "tasks" / TASK, Keys.open(desk.places), desk.places).baseline is not None


def test_a_work_tree_that_never_opted_in_hears_nothing(desk: Desk):
    other = desk.folder / "other"
    (other / ".git").mkdir(parents=True)
    assert tree_for(str(other), "elsewhere", desk.places) is None
    payload = json.loads(desk.bash("b1", "rm -rf /"))
    payload.update(cwd=str(other), session_id="elsewhere")
    done = hook(desk, json.dumps(payload).encode(), cwd=other)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not (desk.places.state / "activity").exists()


async def test_a_hook_that_stands_here_is_heard_whatever_folder_its_first_call_names(desk: Desk):
    payload = json.loads(desk.bash("b1", "tmux send-keys a"))
    payload.update(cwd=str(desk.folder), session_id="elsewhere")
    assert said(await desk.ask(json.dumps(payload).encode())) == "deny"


async def test_a_session_keeps_its_gate_wherever_it_goes(desk: Desk):
    await desk.ask(desk.event("SessionStart", source="startup"))
    found = tree_for("/", SESSION, desk.places)
    assert found is not None
    assert found.key == desk.tree.key


async def test_a_session_joins_the_only_planned_task(desk: Desk):
    plan(desk)
    desk.open()
    await desk.ask(desk.event("SessionStart", source="startup"))
    record = read_session(desk.tree, SESSION)
    assert record is not None
    assert record.task == "greet"
    assert desk.root == desk.work / ".ai"


async def test_a_session_joins_the_named_task_if_it_is_open(desk: Desk):
    plan(desk)
    (desk.work / ".ai" / "tasks" / "named").mkdir()
    desk.open()
    await desk.ask(desk.event("SessionStart", source="startup"), task="named")
    record = read_session(desk.tree, SESSION)
    assert record is not None
    assert record.task == "named"


def test_hooks_of_one_session_begin_it_once(desk: Desk):
    found: list[str] = []
    barrier = threading.Barrier(6)

    def begin() -> None:
        tasks = SessionTasks(desk.tree, desk.places, Keys.open(desk.places))
        barrier.wait()
        found.append(tasks.begin(Newcomer(SESSION, "codex"), datetime.now(UTC)).task)

    threads = [threading.Thread(target=begin) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [TASK] * 6
    log = read_log(desk.root / "tasks" / TASK, Keys.open(desk.places), desk.places)
    assert [row.entry.kind for row in log.entries] == ["baseline"]
    assert len(sessions_of(desk.tree)) == 1


def test_counts_of_two_processes_are_all_kept(desk: Desk):
    SessionTasks(desk.tree, desk.places).begin(Newcomer(SESSION, "codex"), NOW)
    from dataclasses import replace

    def count() -> None:
        for _ in range(20):
            change_session(desk.tree, SESSION, desk.places, lambda old: replace(old, blocks=old.blocks + 1))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    record = read_session(desk.tree, SESSION)
    assert record is not None
    assert record.blocks == 80


# -- the plan --------------------------------------------------------------------------------------------


async def test_edits_inside_an_approved_plan_need_nobody(desk: Desk):
    plan(desk)
    desk.open()
    await desk.ask(desk.event("SessionStart", source="startup"))
    waiting = desk.start(desk.edit("e0", "hello", "bye"))
    (item,) = [one for one in await desk.human.pending(2) if one.item_id == "call-e0"]
    await desk.human.approve(
        next(one.item_id for one in desk.human.look().pending if one is not item and one.item_id != "call-e0")
    )
    assert (
        said(await waiting) == "allow"
    )  # the plan was approved meanwhile, so the edit needs nobody any more
    assert desk.verdicts("e0")[-1] == ("allow", "plan")
    assert said(await desk.ask(desk.edit("e1", "hello", "bye"))) == "allow"
    locked = desk.event(
        "PreToolUse", tool_name="Write", tool_use_id="e2",
        tool_input={"file_path": str(desk.work / "src" / "locked.py"), "content": "x"},
    )  # fmt: skip
    assert said(await desk.ask(locked)) == "deny"


async def test_a_plan_that_nobody_approved_lets_nothing_through(desk: Desk):
    plan(desk)
    desk.open()
    asking = desk.start(desk.edit("e1", "hello", "bye"))
    await desk.human.deny("not yet", "call-e1")
    assert said(await asking) == "deny"


# -- what happened ---------------------------------------------------------------------------------------


async def test_a_call_past_the_gate_fails_it(desk: Desk):
    await desk.ask(desk.event("SessionStart", source="startup"))
    await desk.ask(desk.bash("t9", "touch made", "PostToolUse", tool_response={}))
    await desk.ask(
        desk.bash("t9", "touch made", "PostToolUse", tool_response={})
    )  # doubled events are harmless
    assert [line.event for line in desk.lines()] == ["applied", "ungated", "applied"]
    task = next(one for one in desk.human.look().tasks if one.task_id == TASK)
    assert [one.code for one in task.findings if one.code == "UNGATED_CALL"] == ["UNGATED_CALL"]
    assert task.gate.conditions[4].outcome.value == "failed"


async def test_a_denied_call_that_happens_is_found(desk: Desk):
    asking = desk.start(desk.bash("t1", "touch made"))
    await desk.human.deny("no")
    await asking
    await desk.ask(desk.bash("t1", "touch made", "PostToolUse", tool_response={}))
    codes = {one.code for task in desk.human.look().tasks for one in task.findings}
    assert "DENIED_BUT_APPLIED" in codes


async def test_an_allowed_call_that_happens_is_no_news(desk: Desk):
    given = {"file_path": str(desk.work / "src/app.py")}
    await desk.ask(desk.event("PreToolUse", tool_name="Read", tool_input=given, tool_use_id="r"))
    await desk.ask(
        desk.event("PostToolUse", tool_name="Read", tool_input=given, tool_use_id="r", tool_response={})
    )
    assert [line.event for line in desk.lines()] == ["verdict", "applied"]


async def test_gemini_calls_are_known_by_what_they_do(desk: Desk):
    given = {"file_path": str(desk.work / "src/app.py")}
    common = {"session_id": SESSION, "cwd": str(desk.work), "tool_name": "read_file", "tool_input": given}
    before = json.dumps({**common, "hook_event_name": "BeforeTool"}).encode()
    after = json.dumps(
        {**common, "hook_event_name": "AfterTool", "tool_response": {"llmContent": "x"}}
    ).encode()
    for _ in range(2):
        await desk.ask(before, "gemini")
    for _ in range(2):
        await desk.ask(after, "gemini")
    lines = desk.lines()
    assert [line.event for line in lines] == ["verdict", "verdict", "applied", "applied"]
    assert {line.call_id for line in lines[:2]} == {line.call_id for line in lines[2:]}


async def test_a_change_of_the_hooks_is_refused_and_noted(desk: Desk):
    path = str(desk.work / ".claude" / "settings.json")
    reply = await desk.ask(desk.event("ConfigChange", source="project_settings", file_path=path))
    assert reply.exit_code == 2
    assert reply.stderr
    assert [(line.event, line.paths) for line in desk.lines()] == [("alarm", (path,))]


async def test_an_unreadable_event_is_denied(desk: Desk):
    for payload in (b"", b"{", b"[]", b"\xff", b'{"session_id": 1}', b'{"a": NaN}'):
        reply = await desk.ask(payload)
        assert reply.exit_code == 2
        assert reply.stderr


async def test_a_state_directory_that_cannot_be_written_denies(desk: Desk):
    await desk.ask(desk.event("SessionStart", source="startup"))
    activity = desk.places.state / "activity"
    if activity.is_dir():
        activity.rmdir()
    activity.write_text("a file in its place")
    given = {"file_path": str(desk.work / "src/app.py")}
    reply = await desk.ask(desk.event("PreToolUse", tool_name="Read", tool_input=given, tool_use_id="r"))
    assert said(reply) == "deny"
    assert "written down" in reason(reply)


# -- the activity log ------------------------------------------------------------------------------------


def line(session: str, call_id: str, at: datetime = NOW) -> ActivityLine:
    return ActivityLine(
        at, "verdict", session, call_id=call_id, decision="allow", command="echo 안녕\n\x1b[31m"
    )


def test_a_torn_line_loses_itself_alone(desk: Desk):
    append(desk.places, line("s", "a"))
    path = desk.places.state / "activity" / "s.jsonl"
    assert path.stat().st_mode & 0o777 == 0o600
    with path.open("ab") as stream:
        stream.write(b'{"at":"2026-07-21T09:00:00Z","event":"verd')
    append(desk.places, line("s", "b"))
    assert [one.call_id for one in lines_of(desk.places, "s")] == ["a", "b"]
    assert lines_of(desk.places, "s")[0] == line("s", "a")
    assert [one.call_id for one in last_lines(desk.places, "s", 1)] == ["b"]
    assert tale(desk.places, "s", "b").verdict is not None
    assert tale(desk.places, "s", "c").verdict is None


def test_session_ids_never_share_a_file():
    names = ["a", "A", "../a", "a/b", "a_b", "", "\0", "é", "x" * 300, "x" * 301]
    made = [session_name(name) for name in names]
    assert len({one.lower() for one in made}) == len(names)
    assert all("/" not in one and one not in ("", ".", "..") and len(one) < 100 for one in made)


def test_old_activity_is_swept(desk: Desk):
    append(desk.places, line("old", "a", NOW - timedelta(days=40)))
    append(desk.places, line("new", "b"))
    past = (NOW - timedelta(days=40)).timestamp()
    os.utime(desk.places.state / "activity" / "old.jsonl", (past, past))
    assert [one.session for one in since(desk.places, NOW - timedelta(days=1))] == ["new"]
    assert sweep(desk.places, NOW) == 1
    assert lines_of(desk.places, "old") == ()
    assert len(lines_of(desk.places, "new")) == 1


# -- remembered rules ------------------------------------------------------------------------------------


def remembered(hours: float = 8.0) -> RememberedRule:
    now = datetime.now(UTC)
    return RememberedRule(
        Rule("r1", "allow", "shell", command="touch made"), now, now + timedelta(hours=hours)
    )


async def test_a_remembered_rule_holds_until_it_is_revoked(desk: Desk):
    keys, log = Keys.open(desk.places), TreeLog(desk.tree, desk.places)
    rule = remembered()
    log.record(
        remember(desk.tree.key, rule, preview=3, call={"command": "touch made"}), keys, datetime.now(UTC)
    )
    assert said(await desk.ask(desk.bash("t1", "touch made"))) == "allow"
    assert desk.verdicts("t1") == [("allow", "remembered")]
    # another process reads what was kept, and verifies the signature of the entry again
    other = TreeLog(desk.tree, desk.places)
    assert [one.rule for one in other.rules("", datetime.now(UTC)).remembered] == [rule.rule]
    assert other.rules("", datetime.now(UTC) + timedelta(days=1)).remembered == ()
    log.record(revoke(desk.tree.key, rule, "enough"), keys, datetime.now(UTC))
    assert TreeLog(desk.tree, desk.places).rules("", datetime.now(UTC)).remembered == ()
    asking = desk.start(desk.bash("t2", "touch made"))
    await desk.human.deny("no")
    assert said(await asking) == "deny"


async def test_what_is_kept_of_a_rule_is_no_rule(desk: Desk):
    keys = Keys.open(desk.places)
    TreeLog(desk.tree, desk.places).record(
        remember(desk.tree.key, remembered(), preview=0, call={}), keys, datetime.now(UTC)
    )
    TreeLog(desk.tree, desk.places).rules("", datetime.now(UTC))
    entry = desk.tree.folder / "log" / "000000.json"
    forged = entry.read_bytes().replace(b"touch made", b"touch evil")
    entry.write_bytes(forged)
    assert TreeLog(desk.tree, desk.places).rules("", datetime.now(UTC)).remembered == ()


def test_trust_is_in_exact_bytes(desk: Desk):
    digest, other = "sha256:" + "1" * 64, "sha256:" + "2" * 64
    log = TreeLog(desk.tree, desk.places)
    log.record(trust_policy(desk.tree.key, digest, ".ai/policy.toml"), Keys.open(desk.places), NOW)
    for _ in range(2):  # in full, then from what was kept
        assert TreeLog(desk.tree, desk.places).rules(digest, NOW).trusted == digest
        assert TreeLog(desk.tree, desk.places).rules(other, NOW).trusted == ""


# -- two at once -----------------------------------------------------------------------------------------


async def test_two_judges_on_one_tree_take_one_approval_once(desk: Desk):
    other = LiveJudge(desk.tree, desk.places)
    await desk.ask(desk.event("SessionStart", source="startup"))
    event = claude_code.read(desk.bash("d1", "touch made"))
    question = desk.judge.judge.judge(event)
    assert isinstance(question, Question)
    queue = Queue(desk.judge.judge)
    filed = await asyncio.to_thread(queue.file, question, 0)
    await desk.human.approve("call-d1")
    takers = [queue, Queue(other.judge)]
    said_why = await asyncio.gather(*(asyncio.to_thread(one.take, filed) for one in takers))
    assert sorted(map(bool, said_why)) == [False, True]
    assert [row for row in desk.entries() if row[1] == "consumed"] == [("request", "consumed", "call-d1")]


def test_a_tree_is_known_by_its_own_folder(desk: Desk):
    nested = desk.work / "src"
    assert tree_at(str(nested), desk.places) == desk.tree
    assert tree_at(str(desk.work / "gone" / "deeper"), desk.places) == desk.tree
    assert tree_at("/", desk.places) is None


# -- the end of a session, and what waits ----------------------------------------------------------------


async def test_a_session_ends_and_may_go_on(desk: Desk):
    await desk.ask(desk.event("SessionEnd", reason="other"))
    assert read_session(desk.tree, SESSION) is None  # one that nobody saw is not made for its end
    await desk.ask(desk.event("SessionStart", source="startup"))
    before = read_session(desk.tree, SESSION)
    assert before is not None
    assert before.ended_at == ""
    await desk.ask(desk.event("SessionEnd", reason="other"))
    over = read_session(desk.tree, SESSION)
    assert over is not None
    assert datetime.fromisoformat(over.ended_at) >= datetime.fromisoformat(over.started_at)
    await desk.ask(desk.event("SessionStart", source="resume"))
    assert read_session(desk.tree, SESSION) == before


async def test_each_call_that_waits_counts_once(desk: Desk):
    first, second = desk.start(desk.bash("w1", "touch one")), desk.start(desk.bash("w2", "touch two"))
    await desk.human.pending(2)
    assert desk.judge.waiting == 2
    for _ in range(2):
        await desk.human.deny("no", "")
        await asyncio.wait([first, second], return_when=asyncio.FIRST_COMPLETED)
    await asyncio.gather(first, second)
    assert desk.judge.waiting == 0


async def test_a_request_says_in_one_sentence_why_it_is_asked(desk: Desk):
    asking = desk.start(desk.bash("s1", "touch made"))
    (item,) = await desk.human.pending()
    first, _, rest = item.reason.partition("\n")
    assert first.startswith("Claude Code calls Bash: ")
    assert first.endswith(".")
    assert "touch made" not in first
    assert not rest
    await desk.human.deny("no")
    await asking
