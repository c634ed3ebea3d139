"""A hostile workspace through the MCP server: it says what the commands say, and lives on."""

from tests.agents.mcp.client import connected
from tests.flows.hostile import GOOD, build
from tests.flows.stage import Stage

EVIL = ("evil", "odd")


async def test_the_server_says_what_the_commands_say(stage: Stage):
    build(stage)
    async with connected(stage.cli) as client:
        for task in EVIL:
            asked = {"riskLevel": "low", "waitSeconds": 0}
            call = {"tool": "shell", "command": "\x1b[2J", "reason": "\x1b]0;x\x07"}
            for told in (
                await client("request_approval", taskId=task, **call, **asked),
                await client("escalate", taskId=task, question="\u202e?", allowFreeText=True, **asked),
                await client("get_approval", id=f"{task}/tool-000", claim="\x1b", waitSeconds=0),
                await client("finalize_workflow", runId=f"run-{task}-1", expectedRevision=0),
            ):
                assert told.ok or told.code in ("INVALID_INPUT", "INTEGRITY_FAILED", "RUN_NOT_FOUND")
        said = stage.cli("gate", "--json").json
        told = await client("gate_status")
        assert told.data | {"version": 1, "takenAt": ""} == said | {"takenAt": ""}
        files = stage.cli("validate", "--json").json["files"]
        assert (await client("validate_contract")).data["files"] == files
        compact = await client("gate_status", taskIds=[GOOD, *EVIL], detail="compact")
        assert [row["taskId"] for row in compact.data["tasks"]] == [GOOD, *EVIL]
