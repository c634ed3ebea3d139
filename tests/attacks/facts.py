"""What is on disk: the only thing that says whether something was decided."""

import json
from pathlib import Path
from typing import Any

from tests import builders
from tests.flows.stage import TASK, Stage, raw_of

LOOSENING = frozenset({
    "approved", "amended", "answered", "attested", "lifted", "finalized", "accepted", "closed", "reopened",
    "created", "trusted", "dismissed",
})  # fmt: skip
"""Verdicts that no agent may get without a human who means them."""


def entries(stage: Stage, task_id: str = TASK) -> list[dict[str, Any]]:
    """All log entries of a task, by number."""
    return [
        json.loads(path.read_bytes())["payload"]
        for path in sorted((stage.folder(task_id) / "log").glob("[0-9]*.json"))
    ]


def loosened(stage: Stage, task_id: str = TASK) -> list[tuple[str, str]]:
    """What was let pass: subject and verdict, in order."""
    return [
        (one["subject"]["id"], one["verdict"])
        for one in entries(stage, task_id)
        if one["verdict"] in LOOSENING
    ]


def ask(stage: Stage, name: str, command: str, *more: str, task_id: str = TASK, risk: str = "low") -> str:
    """An agent asks for a command, by the command; gives its claim token."""
    done = stage.cli(
        "request", "--task", task_id, "--tool", "shell", "--command", command, "--reason", "r",
        "--risk", risk, "--id", name, "--json", *more,
    )  # fmt: skip
    assert done.code == 0, done.err
    return str(done.json["claim"])


def shell_request(name: str, command: str, task_id: str = TASK, **fields: Any) -> bytes:
    """The bytes of a request for a command, as an agent may write them without us."""
    document = json.loads(raw_of(builders.tool_request_v2(name, task_id=task_id)))
    payload = document["payload"]
    payload.pop("targetPath", None)
    payload |= {
        "tool": "shell", "command": command, "proposedChange": None, "input": {}, "riskLevel": "low",
        "expiresAt": "2099-01-01T00:00:00Z", **fields,
    }  # fmt: skip
    return json.dumps(document, ensure_ascii=False).encode()


def replace(path: Path, raw: bytes) -> None:
    """Put other bytes in the place of a file, at once."""
    part = path.with_name(".tmp-1-2")
    part.write_bytes(raw)
    part.replace(path)
