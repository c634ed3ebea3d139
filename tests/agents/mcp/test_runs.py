"""A run over MCP: from plan to finalize, what the supervisor refuses, and what a kill leaves behind."""

import asyncio
import os
import signal
from typing import Any

from ags_tui.core.contracts.workflow import WorkflowReceipt
from ags_tui.core.workflow.documents import read_document
from tests.agents.mcp.client import Client, connected, workshop
from tests.agents.mcp.conftest import TASK
from tests.cli.conftest import Cli
from tests.cli.human import Human
from tests.core.workflow.making import audit_output, envelope, result


def receipt_of(data: Any) -> WorkflowReceipt:
    return read_document(WorkflowReceipt, data)


async def started(client: Client, **fields: Any) -> WorkflowReceipt:
    plan = await client("plan_workflow", **envelope(taskId=TASK, **fields))
    assert plan.ok, plan.error
    found = await client("start_workflow", **plan.data)
    assert found.ok, found.error
    return receipt_of(found.data)


async def recorded(client: Client, receipt: WorkflowReceipt, stage: int, **fields: Any) -> WorkflowReceipt:
    found = await client("record_stage_result", **result(receipt, stage, **fields))
    assert found.ok, found.error
    return receipt_of(found.data)


def tree_now(human: Human) -> str:
    changes = human.task(TASK).task.changes
    assert changes is not None
    return changes.tree_digest


async def test_a_run_from_plan_to_finalize(cli: Cli, human: Human):
    shop = workshop(cli)
    async with connected(cli) as client:
        receipt = await started(client)
        assert (receipt.run_id, receipt.revision, receipt.state) == (f"run-{TASK}-1", 0, "running")
        for stage in range(3):
            receipt = await recorded(client, receipt, stage)
        audit = audit_output(auditTarget=tree_now(human), currentTarget=tree_now(human))
        last = await client("record_stage_result", **result(receipt, 3, out=audit), responseMode="compact")
        assert (last.data["revision"], last.data["completedStageCount"]) == (4, 4)
        early = await client("finalize_workflow", runId=receipt.run_id, expectedRevision=3)
        assert (early.code, early.details) == ("STALE_REVISION", {"expectedRevision": 3, "actualRevision": 4})
        done = await client("finalize_workflow", runId=receipt.run_id, expectedRevision=4)
        assert (done.data["state"], done.data["revision"]) == ("passed", 5)
        status = await client("get_workflow_status", runId=receipt.run_id)
        assert receipt_of(status.data) == shop.status(receipt).receipt
        compact = await client("get_workflow_status", runId=receipt.run_id, detail="compact")
        assert compact.data["state"] == "passed"
        over = await client("abort_workflow", runId=receipt.run_id, expectedRevision=5)
        assert over.code == "INVALID_TRANSITION"
        gate = await client("gate_status", taskIds=[TASK], detail="compact")
        assert 9 not in {row["number"] for row in gate.data["tasks"][0]["open"]}


async def test_the_supervisor_refuses_what_ags_would_not(cli: Cli, human: Human):
    shop = workshop(cli)
    only_audit = {"requiredCapabilities": ["independent-audit"], "riskLevel": "low"}
    async with connected(cli) as client:
        receipt = await started(client, **only_audit)
        audit = audit_output(auditTarget=tree_now(human), currentTarget=tree_now(human))
        receipt = await recorded(client, receipt, 0, out=audit)
        run = {"runId": receipt.run_id, "expectedRevision": 1}

        (cli.work / "src" / "app.py").write_text("print('changed after the audit')\n")
        stale = await client("finalize_workflow", **run)
        assert (stale.code, stale.details["currentTarget"]) == ("GATE_FAILED", tree_now(human))
        cli.git("checkout", "src/app.py")

        assert cli("block", TASK, "--reason", "wait for me").code == 0
        blocked = await client("finalize_workflow", **run)
        assert (blocked.code, blocked.details) == ("GATE_FAILED", {"humanBlock": ["wait for me"]})

        last = sorted((cli.task(TASK) / "log").iterdir())[-1]
        kept = last.read_bytes()
        last.unlink()
        torn = await client("finalize_workflow", **run)
        assert (torn.code, torn.details["log"]) == ("GATE_FAILED", ["LOG_TAMPERED"])
        last.write_bytes(kept)
        assert shop.status(receipt).receipt == receipt
        aborted = await client("abort_workflow", **run, responseMode="compact")
        assert (aborted.data["state"], aborted.data["revision"]) == ("blocked", 2)


async def test_two_writers_at_once_and_one_wins(cli: Cli, human: Human):
    shop = workshop(cli)
    async with connected(cli) as client, connected(cli) as other:
        receipt = await started(client)
        for revision in range(3):
            calls = (
                one("record_stage_result", **result(receipt, revision)) for one in (client, client, other)
            )
            told = await asyncio.gather(*calls)
            (won,) = [one for one in told if one.ok]
            receipt = receipt_of(won.data)
            assert receipt.revision == revision + 1
            assert {one.code for one in told if one is not won} == {"STALE_REVISION"}
            assert shop.status(receipt).receipt == receipt


async def test_killed_in_between_and_started_again(cli: Cli, human: Human):
    shop = workshop(cli)
    async with connected(cli) as client:
        receipt = await recorded(client, await started(client), 0)
        os.kill(child_of_this_process(), signal.SIGKILL)
    async with connected(cli) as client:
        status = await client("get_workflow_status", runId=receipt.run_id)
        assert receipt_of(status.data) == receipt
        late = await client("record_stage_result", **(result(receipt, 1) | {"expectedRevision": 0}))
        assert late.details == {"expectedRevision": 0, "actualRevision": 1}
        receipt = await recorded(client, receipt, 1)
        assert shop.status(receipt).receipt.revision == 2


def child_of_this_process() -> int:
    """The server: the child that runs ``ags_tui mcp``."""
    import subprocess

    listed = subprocess.run(
        ["ps", "-ww", "-o", "pid=,ppid=,args=", "-A"], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    (found,) = [int(row[0]) for row in rows if row[1] == str(os.getpid()) and row[2].endswith(" mcp")]
    return found
