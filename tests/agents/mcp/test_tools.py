"""Bad input at each tool, the gate, validation, own failures, and who may import the SDK."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ags_tui.agents.mcp_server.calls import Caller
from ags_tui.agents.mcp_server.desk import Desk
from ags_tui.agents.mcp_server.tools import TOOLS
from tests import builders
from tests.agents.mcp.client import connected, workshop
from tests.agents.mcp.conftest import TASK
from tests.agents.mcp.test_runs import started
from tests.cli.conftest import TOP, Cli
from tests.cli.human import Human
from tests.cli.test_contract_commands import put
from tests.core.workflow.making import envelope, result

MIB = 1024 * 1024
NAMES = (
    "plan_workflow", "start_workflow", "record_stage_result", "get_workflow_status", "finalize_workflow",
    "abort_workflow", "validate_contract", "request_approval", "get_approval", "escalate", "get_escalation",
    "gate_status",
)  # fmt: skip
BAD: dict[str, tuple[dict[str, Any], ...]] = {
    "plan_workflow": ({}, envelope(taskId=1), envelope(more=1), {"taskEnvelope": envelope()}),
    "start_workflow": ({}, {"stages": 1}, {"responseMode": "tiny"}),
    "record_stage_result": ({}, {"output": []}, {"responseMode": 1}),
    "get_workflow_status": ({}, {"runId": 1}, {"runId": "r", "detail": "all"}, {"runId": "r", "more": 1}),
    "finalize_workflow": ({}, {"runId": []}, {"runId": "r", "expectedRevision": 0, "more": 1}),
    "abort_workflow": ({}, {"runId": {}}, {"runId": "r", "expectedRevision": 0, "responseMode": None}),
    "validate_contract": ({"paths": "x"}, {"more": 1}, {"contract": 1}),
    "request_approval": (
        {}, {"taskId": TASK}, {"taskId": TASK, "tool": "rm", "reason": "r", "riskLevel": "low"},
        {"taskId": TASK, "tool": "shell", "reason": "r", "riskLevel": "low", "waitSeconds": 1000},
        {"taskId": TASK, "tool": "shell", "reason": "r", "riskLevel": "low", "approved": True},
        {"taskId": TASK, "tool": "edit_file", "reason": "r", "riskLevel": "low", "waitSeconds": 0,
         "proposedChange": {"path": "../x", "after": ""}},
    ),
    "get_approval": ({}, {"id": "x", "claim": "c"}, {"id": f"{TASK}/x", "claim": 1}),
    "escalate": ({}, {"taskId": TASK, "question": "q"}, {"taskId": TASK, "question": "q", "answer": "yes"}),
    "get_escalation": ({}, {"id": f"{TASK}/x"}, {"id": f"{TASK}/x", "claim": "c", "more": 1}),
    "gate_status": ({"taskIds": "x"}, {"finalized": 1}, {"detail": "all"}, {"approve": True}),
}  # fmt: skip


async def test_bad_input_at_each_tool_is_a_result_and_changes_nothing(cli: Cli, human: Human):
    shop = workshop(cli)
    assert BAD.keys() == set(NAMES)
    async with connected(cli) as client:
        receipt = await started(client)
        before = files_of(cli)
        for tool, inputs in BAD.items():
            for arguments in inputs:
                told = await client(tool, **arguments)
                assert told.code == "INVALID_INPUT", (tool, arguments)
                assert told.details["validationErrors"], (tool, arguments)
        for tool in ("finalize_workflow", "abort_workflow"):
            for stale in (7, "0", None, 0.5, True):
                told = await client(tool, runId=receipt.run_id, expectedRevision=stale)
                assert (told.code, told.details["actualRevision"]) == ("STALE_REVISION", 0)
            assert (await client(tool, runId="run-x-9", expectedRevision=0)).code == "RUN_NOT_FOUND"
        stale = await client("record_stage_result", **(result(receipt, 0) | {"expectedRevision": 3}))
        assert stale.details == {"expectedRevision": 3, "actualRevision": 0}
        unknown = await client("record_stage_result", **(result(receipt, 0) | {"runId": "run-x-9"}))
        assert (unknown.code, unknown.details) == ("RUN_NOT_FOUND", {"runId": "run-x-9"})
        claimed = await client("record_stage_result", **result(receipt, 0), executionContext=None)
        assert claimed.code == "BINDING_INVALID"
        nobody = await client("approve", id="x")
        assert (nobody.code, nobody.details["tool"]) == ("INVALID_INPUT", "approve")
        for tool in ("get_approval", "get_escalation"):
            told = await client(tool, id=f"{TASK}/none", claim="c")
            assert (told.code, told.details) == ("INVALID_INPUT", {"id": f"{TASK}/none"})
        gone = await client("gate_status", taskIds=["none"])
        assert (gone.code, gone.details["taskIds"]) == ("INVALID_INPUT", ["none"])
        lost = await client("escalate", taskId="none", question="q", allowFreeText=True)
        assert (lost.code, lost.details) == ("INVALID_INPUT", {"cause": "NoSuchTask"})
        assert files_of(cli) == before
        assert shop.status(receipt).receipt == receipt


async def test_outputs_of_16_mib_are_bounded(cli: Cli, human: Human):
    workshop(cli)
    async with connected(cli) as client:
        receipt = await started(client)
        before = files_of(cli)
        for size in (16 * MIB - 2048, 17 * MIB):
            told = await client("record_stage_result", **result(receipt, 0, out={"text": "x" * size}))
            assert (told.code, bool(told.details["validationErrors"])) == ("INVALID_INPUT", True)
        assert files_of(cli) == before
        large = await client("record_stage_result", **result(receipt, 0, out={"text": "x" * (2 * MIB)}))
        assert large.ok
        assert large.data["revision"] == 1
        compact = await client("get_workflow_status", runId=receipt.run_id, detail="compact")
        assert compact.data["revision"] == 1


def files_of(cli: Cli) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(cli.task(TASK).rglob("*")) if path.is_file()}


async def test_the_gate_is_the_command_s(cli: Cli, human: Human):
    (cli.task("other") / "tool-requests").mkdir(parents=True)
    put(cli.task(TASK) / "plan.json", builders.agent_plan(task_id=TASK))
    async with connected(cli) as client:
        for arguments, words in (
            ({}, ()),
            ({"taskIds": [TASK]}, (TASK,)),
            ({"finalized": True, "taskIds": [TASK]}, ("--finalized", TASK)),
        ):
            told = await client("gate_status", **arguments)
            said = cli("gate", "--json", *words).json
            assert told.data | {"takenAt": "", "version": 1} == said | {"takenAt": ""}
    seen = [
        json.loads(path.read_bytes())["payload"] for path in sorted((cli.task(TASK) / "log").glob("*.json"))
    ]
    plan = [row for row in seen if row["subject"]["id"] == "plan.json"]
    assert [row["actor"]["via"] for row in plan] == ["mcp"]


async def test_validation_is_the_command_s(cli: Cli, human: Human):
    (cli.task(TASK) / "plan.json").write_text('{"taskId": "x", "steps": 1}')
    (cli.folder / "secret.json").write_text("{}")
    (cli.work / "link.json").symlink_to(cli.folder / "secret.json")
    async with connected(cli) as client:
        told = await client("validate_contract")
        assert told.data["valid"] is False
        assert told.data == {key: cli("validate", "--json").json[key] for key in ("valid", "files")}
        path = f".ai/tasks/{TASK}/plan.json"
        one = await client("validate_contract", paths=[path])
        assert one.data["files"] == cli("validate", path, "--json").json["files"]
        task = json.loads((cli.task(TASK) / "task.json").read_bytes())
        good = await client("validate_contract", document=task, contract="AgentTask")
        assert (good.data["valid"], good.data["files"][0]["contract"]) == (True, "AgentTask")
        bad = await client("validate_contract", document={"id": 1}, contract="AgentTask")
        assert bad.data["valid"] is False
        assert (await client("validate_contract", document={}, contract="Nothing")).code == "INVALID_INPUT"
        for outside in (str(cli.folder / "secret.json"), "../secret.json", "link.json", "none.json"):
            told = await client("validate_contract", paths=[outside])
            assert (told.code, told.details) == ("INVALID_INPUT", {"path": outside})


async def test_tools_are_listed_with_schemas_that_take_what_the_tools_take(cli: Cli, human: Human):
    workshop(cli)
    async with connected(cli) as client:
        listed = {tool.name: tool for tool in (await client.session.list_tools()).tools}
        receipt = await started(client)
    assert tuple(listed) == NAMES == tuple(TOOLS)
    good: dict[str, dict[str, Any]] = {
        "plan_workflow": envelope(),
        "start_workflow": json.loads(receipt.plan.model_dump_json(by_alias=True, exclude_unset=True)),
        "record_stage_result": result(receipt, 0) | {"responseMode": "compact"},
        "get_workflow_status": {"runId": "r", "detail": "compact"},
        "finalize_workflow": {"runId": "r", "expectedRevision": 0},
        "abort_workflow": {"runId": "r", "expectedRevision": 0},
        "validate_contract": {"paths": ["x"]},
        "request_approval": {"taskId": TASK, "tool": "shell", "reason": "r", "riskLevel": "low"},
        "get_approval": {"id": f"{TASK}/x", "claim": "c"},
        "escalate": {"taskId": TASK, "question": "q", "allowFreeText": True},
        "get_escalation": {"id": f"{TASK}/x", "claim": "c"},
        "gate_status": {},
    }
    for name, arguments in good.items():
        schema = listed[name].input_schema
        assert schema["type"] == "object"
        jsonschema.validate(arguments, schema, jsonschema.Draft202012Validator)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(arguments | {"more": 1}, schema, jsonschema.Draft202012Validator)
    assert not any(name == "approve" or name.startswith("approve_") for name in listed)


async def test_outside_a_repository_the_server_lives_and_says_so(cli: Cli):
    async with connected(cli, folder=cli.folder) as client:
        told = await client("gate_status")
        assert (told.code, told.details) == ("INVALID_INPUT", {"cause": "NotARepository"})
        assert (await client("gate_status")).code == "INVALID_INPUT"


def test_an_own_failure_is_an_answer(tmp_path: Path):
    def broken(_: Path | None) -> Any:
        raise KeyError("our mistake")

    told: list[str] = []

    def crash(error: Exception, what: str) -> str:
        told.append(f"{what}: {type(error).__name__}")
        return "internal failure; details: FILE"

    desk = Desk(tmp_path, lambda: None, broken, lambda: pytest.fail("no clock"), told.append)
    steps = Caller(desk, crash).steps("gate_status", {})
    with pytest.raises(StopIteration) as end:
        next(steps)
    answer = json.loads(end.value.value.text)
    assert (answer["ok"], answer["error"]["code"]) == (False, "INVALID_INPUT")
    assert answer["error"]["details"] == {"cause": "KeyError"}
    assert "details: FILE" in answer["error"]["message"]
    assert told == ["mcp gate_status: KeyError"]


def test_only_the_server_imports_the_sdk():
    program = (
        "import importlib, pkgutil, sys, ags_tui\n"
        "for found in pkgutil.walk_packages(ags_tui.__path__, 'ags_tui.'):\n"
        "    if not found.name.endswith(('.__main__', '.mcp_server.serve', '.mcp_server.stdio')):\n"
        "        importlib.import_module(found.name)\n"
        "print([name for name in sys.modules if name.partition('.')[0] in ('mcp', 'mcp_types', 'anyio')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=TOP, capture_output=True, text=True, check=True
    )
    assert "mcp" not in done.stdout.replace("anyio", ""), done.stdout
