"""request_approval and escalate over MCP: pending, decided by a human, taken once, beside other calls."""

import asyncio
import json

import pytest

from tests.agents.mcp.client import Client, Told, connected
from tests.agents.mcp.conftest import TASK
from tests.cli.conftest import Cli
from tests.cli.human import Human

EDIT = {
    "taskId": TASK,
    "tool": "edit_file",
    "reason": "say goodbye",
    "riskLevel": "low",
    "targetPath": "src/app.py",
    "proposedChange": {"path": "src/app.py", "after": "print('bye')\n"},
}


def item(told: Told) -> str:
    return told.data["id"].partition("/")[2]


async def again(client: Client, told: Told, **more: object) -> Told:
    """Ask as ``poll`` says."""
    poll = told.data["poll"]
    return await client(poll["tool"], **poll["arguments"], **more)


async def test_pending_then_approved_then_taken_once(cli: Cli, human: Human):
    async with connected(cli) as client:
        asked = await client("request_approval", **EDIT, waitSeconds=0)
        assert (asked.data["state"], asked.data["effective"]) == ("pending", None)
        assert asked.data["poll"]["tool"] == "get_approval"
        file = cli.task(TASK) / "tool-requests" / f"{item(asked)}.json"
        assert asked.data["claim"] not in file.read_text()
        assert (await again(client, asked, waitSeconds=0.2)).data["state"] == "pending"
        waiting = asyncio.create_task(again(client, asked, waitSeconds=60))
        beside = await client("gate_status", detail="compact")  # answered while the other one waits
        assert beside.data["tasks"][0]["pending"] == [asked.data["id"]]
        assert not waiting.done()
        human.approve(TASK, item(asked))
        taken = await waiting
        assert taken.data["state"] == "approved"
        assert taken.data["effective"]["proposedChange"]["after"] == "print('bye')\n"
        assert taken.data["poll"] is None
        second = await client("get_approval", id=asked.data["id"], claim=asked.data["claim"])
        assert (second.data["state"], second.data["effective"]) == ("consumed", None)


async def test_a_denial_is_heard_and_a_tampered_log_counts_for_nothing(cli: Cli, human: Human):
    async with connected(cli) as client:
        denied = await client("request_approval", **EDIT, waitSeconds=0)
        assert cli("deny", denied.data["id"], "--reason", "not so").code == 0
        told = await again(client, denied)
        assert (told.data["state"], told.data["reason"]) == ("denied", "not so")

        asked = await client("request_approval", **EDIT, waitSeconds=0)
        human.approve(TASK, item(asked))
        last = sorted((cli.task(TASK) / "log").iterdir())[-1]
        last.write_bytes(last.read_bytes().replace(b'"approved"', b'"approvee"'))
        torn = await again(client, asked)
        assert (torn.code, torn.details["id"]) == ("INTEGRITY_FAILED", asked.data["id"])
        assert not (cli.task(TASK) / "consumptions").exists()


async def test_a_question_is_answered(cli: Cli, human: Human):
    options = [{"id": "a", "label": "A"}, {"id": "b", "label": "B", "consequence": "more work"}]
    async with connected(cli) as client:
        asked = await client("escalate", taskId=TASK, question="넓힐까?", options=options, waitSeconds=0)
        assert (asked.data["state"], asked.data["poll"]["tool"]) == ("pending", "get_escalation")
        wrong = await client("get_approval", id=asked.data["id"], claim=asked.data["claim"])
        assert (wrong.code, wrong.details["contract"]) == ("INVALID_INPUT", "Escalation")
        human.answer(TASK, item(asked), option="b")
        told = await again(client, asked)
        assert (told.data["state"], told.data["effective"]) == ("answered", {"option": "b"})
        free = await client("escalate", taskId=TASK, question="why?", allowFreeText=True, waitSeconds=0)
        human.answer(TASK, item(free), text="so")
        assert (await again(client, free)).data["effective"] == {"text": "so"}


async def test_a_call_that_is_given_up_takes_nothing(cli: Cli, human: Human):
    async with connected(cli) as client:
        asked = await client("request_approval", **EDIT, waitSeconds=0)
        waiting = asyncio.create_task(again(client, asked, waitSeconds=200))
        await client("get_approval", **asked.data["poll"]["arguments"], waitSeconds=0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (await again(client, asked, waitSeconds=0)).data["state"] == "pending"
        human.approve(TASK, item(asked))
        assert (await again(client, asked)).data["state"] == "approved"


async def test_of_two_takers_at_once_one_wins(cli: Cli, human: Human):
    async with connected(cli) as client, connected(cli) as other:
        asked = await client("request_approval", **EDIT, waitSeconds=0)
        both = asyncio.gather(*(again(one, asked, waitSeconds=60) for one in (client, client, other)))
        human.approve(TASK, item(asked))
        assert sorted(told.data["state"] for told in await both) == ["approved", "consumed", "consumed"]


async def test_many_waits_hold_up_no_call(cli: Cli, human: Human):
    async with connected(cli) as client:
        asked = await client("request_approval", **EDIT, waitSeconds=0)
        waits = [asyncio.create_task(again(client, asked, waitSeconds=200)) for _ in range(60)]
        assert (await client("get_workflow_status", runId="run-x-1")).code == "RUN_NOT_FOUND"
        assert not any(wait.done() for wait in waits)
        assert cli("deny", asked.data["id"], "--reason", "no").code == 0
        assert {told.data["state"] for told in await asyncio.gather(*waits)} == {"denied"}


def test_no_wait_is_longer_than_clients_are():
    from ags_tui.agents.mcp_server.asking import AT_MOST_S, FIRST_LOOK_S
    from ags_tui.agents.mcp_server.inputs import PATIENCE_S

    assert FIRST_LOOK_S + AT_MOST_S < 240
    assert PATIENCE_S < 60


async def test_a_request_of_the_command_is_polled_and_filed_the_same(cli: Cli, human: Human):
    words = ("--tool", "shell", "--command", "make it", "--reason", "r", "--risk", "low")
    name, claim = cli("request", "--task", TASK, *words).out.split()
    async with connected(cli) as client:
        call = {"tool": "shell", "command": "make it", "reason": "r", "riskLevel": "low"}
        filed = await client("request_approval", taskId=TASK, **call, waitSeconds=0)
        human.approve(TASK, name.partition("/")[2])
        told = await client("get_approval", id=name, claim=claim)
        assert told.data["state"] == "approved"
    ours, theirs = (
        json.loads((cli.task(TASK) / "tool-requests" / f"{one.partition('/')[2]}.json").read_bytes())[
            "payload"
        ]
        for one in (filed.data["id"], name)
    )
    own = {"requestId", "createdAt", "expiresAt", "claim"}
    assert {k: v for k, v in ours.items() if k not in own} == {
        k: v for k, v in theirs.items() if k not in own
    }
