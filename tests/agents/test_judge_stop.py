"""An agent that wants to stop: the gate speaks, a few times; then a human holds it."""

import json
from pathlib import Path

import pytest

from tests.agents.judging import SESSION, TASK, Desk, until
from tests.agents.test_judge_sessions import plan


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path.resolve())
    made.open()
    return made


def stop(desk: Desk, turn: str = "p1", **fields: object) -> bytes:
    return desk.event("Stop", prompt_id=turn, stop_hook_active=False, last_assistant_message="done", **fields)


async def test_a_turn_without_a_change_may_end(desk: Desk):
    await desk.ask(desk.event("SessionStart", source="startup"))
    assert (await desk.ask(stop(desk))).stdout == b""


async def test_a_session_is_held_by_what_went_past_the_gate(desk: Desk):
    await desk.ask(desk.event("SessionStart", source="startup"))
    await desk.ask(desk.bash("t1", "touch made", "PostToolUse", tool_response={}))
    (desk.work / "made").write_text("")
    # only a human can settle that: the agent is not sent back for it
    assert (await desk.ask(stop(desk))).stdout == b""
    assert [(one.event, one.reason) for one in desk.lines()][-1] == ("stop", "what is open waits for a human")


async def test_findings_go_back_until_a_human_holds_it(desk: Desk):
    plan(desk)
    desk.open()
    await desk.ask(desk.event("SessionStart", source="startup"))
    await desk.human.approve(next(one.item_id for one in await desk.human.pending()))
    (desk.work / "src" / "app.py").write_text("print('bye')\n")
    for number in (1, 2, 3):
        reply = await desk.ask(stop(desk))
        told = json.loads(reply.stdout)
        assert told["decision"] == "block"
        assert f"held {number} of 3 times" in told["reason"]
    fourth = desk.start(stop(desk))
    items = await desk.human.pending()
    question = next(one for one in items if one.item_id.startswith("stop-"))
    assert not fourth.done()
    await desk.human.answer_to(question, "end")
    assert (await fourth).stdout == b""
    # another turn is counted anew
    assert "held 1 of 3 times" in json.loads((await desk.ask(stop(desk, "p2"))).stdout)["reason"]


async def test_a_human_sends_it_back(desk: Desk):
    plan(desk)
    desk.open()
    await desk.ask(desk.event("SessionStart", source="startup"))
    await desk.human.approve(next(one.item_id for one in await desk.human.pending()))
    (desk.work / "src" / "app.py").write_text("print('bye')\n")
    for _ in range(3):
        await desk.ask(stop(desk))
    fourth = desk.start(stop(desk))
    items = await until(
        lambda: [one for one in desk.human.look().pending if one.item_id.startswith("stop-")] or None
    )
    await desk.human.answer_to(items[0], "go-on")
    assert json.loads((await fourth).stdout)["decision"] == "block"


async def test_codex_does_not_stop_while_a_human_decides(desk: Desk):
    common = {"session_id": SESSION, "cwd": str(desk.work), "turn_id": "t1"}
    call = {
        **common, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "touch a"},
        "tool_use_id": "x",
    }  # fmt: skip
    asking = desk.start(json.dumps(call).encode(), "codex")
    await desk.human.pending()
    stopping = desk.start(json.dumps({**common, "hook_event_name": "Stop"}).encode(), "codex")
    await desk.human.approve("call-x")
    assert (await asking).stdout == b""
    told = json.loads((await stopping).stdout)
    assert told["decision"] == "block"
    assert "Bash" in told["reason"]


async def test_a_stop_of_claude_code_ends_its_calls(desk: Desk):
    asking = desk.start(desk.bash("b1", "touch a"))
    await desk.human.pending()
    await desk.ask(stop(desk))
    reply = await asking
    assert reply.exit_code == 2
    assert ("request", "withdrawn", "call-b1") in desk.entries(TASK)
