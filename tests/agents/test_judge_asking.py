"""A call that only a human can decide: filed, decided, taken once, withdrawn; each call for itself."""

import asyncio
import json
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ags_tui.core.drafts import approve
from ags_tui.core.policy.calls import RememberedRule
from ags_tui.core.policy.model import Rule
from ags_tui.core.tree_rules import remember
from ags_tui.io.keys import Keys
from ags_tui.io.tree_log import TreeLog
from tests.agents.judging import SEEN, SESSION, TASK, Desk, reason, said, until


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path.resolve())
    made.open()
    return made


async def test_what_policy_lets_through_needs_nobody(desk: Desk):
    payload = desk.event(
        "PreToolUse",
        tool_name="Read",
        tool_input={"file_path": str(desk.work / "src/app.py")},
        tool_use_id="r",
    )
    assert said(await desk.ask(payload)) == "allow"
    assert desk.verdicts("r") == [("allow", "built-in")]


async def test_approved_edit_runs_once_and_is_taken(desk: Desk):
    asking = desk.start(desk.edit("e1", "hello", "bye"))
    item = await desk.human.approve()
    assert item.facts["path"] == "src/app.py"
    assert said(await asking) == "allow"
    assert ("request", "consumed", "call-e1") in desk.entries()
    assert desk.verdicts("e1") == [("ask", "built-in"), ("allow", "human")]
    again = desk.start(desk.edit("e1", "hello", "bye"))
    items = await desk.human.pending()
    assert [one.item_id for one in items] == ["call-e1.again2"]  # the approval is used up
    await desk.human.deny("once is enough")
    assert said(await again) == "deny"


async def test_the_words_of_the_human_reach_the_model(desk: Desk):
    asking = desk.start(desk.bash("b1", "touch made"))
    await desk.human.deny("use the tests instead")
    reply = await asking
    assert reply.exit_code == 2
    assert "use the tests instead" in reason(reply)
    assert b"use the tests instead" in reply.stderr


async def test_of_three_calls_only_the_approved_one_runs(desk: Desk):
    asked = {name: desk.start(desk.bash(name, f"touch {name}")) for name in ("c1", "c2", "c3")}
    await desk.human.pending(3)
    await desk.human.approve("call-c3")
    assert said(await asked["c3"]) == "allow"
    assert not asked["c1"].done()
    assert not asked["c2"].done()
    await desk.human.deny("no", "call-c1")
    assert said(await asked["c1"]) == "deny"
    assert not asked["c2"].done()
    asked["c2"].cancel()
    with suppress(asyncio.CancelledError):
        await asked["c2"]


async def test_a_client_that_goes_away_takes_its_question_along(desk: Desk):
    asking = desk.start(desk.bash("gone", "touch made"))
    await desk.human.pending()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert desk.why("call-gone") == "the client went away"
    assert desk.human.look().pending == ()
    assert desk.human.look().pending == ()  # looking again does not bring it back


@pytest.mark.parametrize(
    ("absent", "told"), [("deny", "the call was denied"), ("defer", "the client asks at its own prompt")]
)
async def test_a_human_who_leaves_is_not_a_client_that_went_away(desk: Desk, absent: str, told: str):
    desk.places.config.mkdir(mode=0o700, exist_ok=True)
    (desk.places.config / "policy.toml").write_text(f'[limits]\nwhen_absent = "{absent}"\n')
    asking = desk.start(desk.bash("left", "touch made"))
    await desk.human.pending()
    desk.judge.leave()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert desk.why("call-left") == f"ags-tui was left; {told} (when_absent)"
    assert desk.lines()[-1].reason == "ags-tui was left while a human was asked"


async def test_a_rule_that_lets_a_waiting_call_through_is_named(desk: Desk):
    asking = desk.start(desk.bash("r1", "touch made"))
    await desk.human.pending()
    rule, now = Rule("mine", "allow", "shell", command="touch made"), datetime.now(UTC)
    made = RememberedRule(rule, now, now + timedelta(hours=8))
    keys = Keys.open(desk.places)
    TreeLog(desk.tree, desk.places).record(remember(desk.tree.key, made, preview=0, call={}), keys, now)
    assert said(await asking) == "allow"
    assert desk.why("call-r1").startswith("settled otherwise: a remembered rule let it through: ")


async def test_a_call_that_is_over_waits_no_longer(desk: Desk):
    asking = desk.start(desk.bash("late", "touch made"))
    await desk.human.pending()
    call = {"tool_name": "Bash", "tool_input": {"command": "touch made"}, "tool_use_id": "late"}
    await desk.ask(desk.event("PostToolBatch", tool_calls=[{**call, "tool_response": "x"}]))
    assert said(await asking) == "deny"
    assert ("request", "withdrawn", "call-late") in desk.entries()


async def test_a_file_that_changes_after_the_approval_is_not_edited(desk: Desk):
    asking = desk.start(desk.edit("e2", "hello", "bye"))
    (item,) = await desk.human.pending()
    (desk.work / "src" / "app.py").write_text("print('hello', 'you')\n")
    draft = approve(item, SEEN)
    now = desk.human.workspace.current_bound(draft.bound)
    await asyncio.to_thread(desk.human.workspace.record, replace(draft, bound=now))
    reply = await asking
    assert said(reply) == "deny"
    assert "src/app.py" in reason(reply)
    assert ("request", "consumed", "call-e2") not in desk.entries()


async def test_a_rule_that_denies_meanwhile_holds(desk: Desk):
    asking = desk.start(desk.bash("p1", "touch made"))
    await desk.human.pending()
    desk.places.config.mkdir(mode=0o700, exist_ok=True)
    rule = '[[rule]]\nid = "no-touch"\ndecision = "deny"\ntool = "shell"\ncommand = "touch *"\n'
    (desk.places.config / "policy.toml").write_text(rule)
    reply = await asking
    assert said(reply) == "deny"
    assert "no-touch" in reason(reply)
    assert ("request", "withdrawn", "call-p1") in desk.entries()


async def test_a_policy_that_changes_after_the_approval_ends_it(desk: Desk):
    asking = desk.start(desk.edit("p2", "hello", "bye"))
    (item,) = await desk.human.pending()
    desk.places.config.mkdir(mode=0o700, exist_ok=True)
    draft = approve(item, SEEN)
    (desk.places.config / "policy.toml").write_text("[limits]\nrequest_timeout_s = 1800\n")
    with pytest.raises(Exception, match="policy"):
        await asyncio.to_thread(desk.human.workspace.record, draft)
    assert not asking.done()
    await desk.human.deny("ask again")
    assert said(await asking) == "deny"


async def test_nobody_decides_in_time(desk: Desk):
    asking = desk.start(desk.bash("slow", "touch made"), deadline_s=1)
    await desk.human.pending()
    reply = await asking
    assert "in time" in reason(reply)
    assert desk.verdicts("slow")[-1] == ("deny", "timeout")
    assert any(row[1:] == ("expired", "call-slow") for row in desk.entries())


async def test_what_the_human_made_of_it_runs_where_the_client_obeys(desk: Desk):
    asking = desk.start(desk.bash("m1", "touch made"))
    await desk.human.approve(effective={"input": {"command": "touch other"}})
    reply = await asking
    output = json.loads(reply.stdout)["hookSpecificOutput"]
    assert (output["permissionDecision"], output["updatedInput"]) == ("allow", {"command": "touch other"})


async def test_what_it_would_not_obey_is_not_let_through(desk: Desk):
    payload = json.dumps({
        "session_id": SESSION, "cwd": str(desk.work), "hook_event_name": "PermissionRequest", "turn_id": "t",
        "tool_name": "Bash", "tool_input": {"command": "touch made", "description": "why"},
    }).encode()  # fmt: skip
    asking = desk.start(payload, "codex")
    await desk.human.approve(effective={"input": {"command": "touch other"}})
    reply = await asking
    assert json.loads(reply.stdout)["hookSpecificOutput"]["decision"]["behavior"] == "deny"
    assert b"touch other" in reply.stdout


async def test_codex_is_asked_once_about_a_call(desk: Desk):
    common = {"session_id": SESSION, "cwd": str(desk.work), "turn_id": "t9", "tool_name": "Bash"}
    before = {
        **common,
        "hook_event_name": "PreToolUse",
        "tool_input": {"command": "touch a"},
        "tool_use_id": "x1",
    }
    asking = desk.start(json.dumps(before).encode(), "codex")
    await desk.human.approve()
    assert (await asking).stdout == b""  # Codex takes silence for yes
    permission = {
        **common, "hook_event_name": "PermissionRequest",
        "tool_input": {"command": "touch a", "description": "why"},
    }  # fmt: skip
    reply = await desk.ask(json.dumps(permission).encode(), "codex")
    assert json.loads(reply.stdout)["hookSpecificOutput"]["decision"]["behavior"] == "allow"
    assert len(list((desk.root / "tasks" / TASK / "tool-requests").iterdir())) == 1


async def test_a_killed_hook_leaves_nothing_to_approve(desk: Desk):
    asking = desk.start(desk.bash("k1", "touch made"))
    await desk.human.pending()
    # a TUI that is killed says nothing to anybody: its successor finds the request and the ask on record
    other = Desk.__new__(Desk)
    other.__dict__.update(desk.__dict__)
    other.open()
    await other.ask(other.event("UserPromptSubmit", prompt="go on"))
    assert ("request", "withdrawn", "call-k1") in other.entries()
    assert other.human.look().pending == ()
    assert said(await asking) == "deny"  # and whoever still waited is told


async def test_each_file_of_a_patch_is_decided(desk: Desk):
    patch = (
        "*** Begin Patch\n*** Update File: src/app.py\n@@\n-print('hello')\n+print('bye')\n"
        "*** Add File: src/new.py\n+x = 1\n*** End Patch"
    )
    payload = json.dumps({
        "session_id": SESSION, "cwd": str(desk.work), "hook_event_name": "PreToolUse", "turn_id": "t",
        "tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_use_id": "ap",
    }).encode()  # fmt: skip
    asking = desk.start(payload, "codex")
    items = await desk.human.pending(2)
    await desk.human.approve(items[0].item_id)
    assert await until(lambda: len(desk.human.look().pending) == 1 or None)
    assert not asking.done()
    await desk.human.deny("not that one")
    reply = await asking
    assert b"not that one" in reply.stdout
    assert not any(row[1] == "consumed" for row in desk.entries())


async def test_a_patch_of_300_kib_is_asked_about_and_runs(desk: Desk):
    """Its lines are shown once, as the diff, so they are not too long to be read."""
    lines = "".join(f"+line {number} of a long file that an agent writes\n" for number in range(7_000))
    assert len(lines) > 300 * 1024
    patch = f"*** Begin Patch\n*** Add File: src/new.py\n{lines}*** End Patch"
    payload = json.dumps({
        "session_id": SESSION, "cwd": str(desk.work), "hook_event_name": "PreToolUse", "turn_id": "t",
        "tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_use_id": "ap",
    }).encode()  # fmt: skip
    asking = desk.start(payload, "codex")
    item = (await desk.human.pending())[0]
    assert item.malformed == ""
    await desk.human.approve(item.item_id)
    reply = await asking
    assert reply.exit_code == 0
    assert b"deny" not in reply.stdout
    assert ("request", "consumed", item.item_id) in desk.entries()
