"""Hostile workspaces: everything that an agent, or whoever wrote the repository, can leave behind."""

import json
import os
import socket
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests import builders
from tests.core.checks import test_article as article
from tests.flows.stage import MAPPER, Stage, raw_of, small_plan

CASES = Path(__file__).resolve().parents[1] / "cases"
GOOD = "good"
"""The one task that is as it should be."""
NASTY = (
    "\x1b[2J\x1b]52;c;QUdT\x07\x1b]0;title\x1b\\ \x9b31m \r over \x08\x7f \u202e\u2066 \u200b\u2060\ufeff "
    "[red]x[/] [/ ${x} %s {0} \U000e0041 \ud7b0"
)
"""Text with every kind of character that a terminal takes as a command, and some that libraries do."""


def commands() -> dict[str, str]:
    """Commands of the reported bugs, by case."""
    found: dict[str, str] = {}
    for name in (
        "007-blank-line-tail",
        "009-zero-width",
        "012-esc-osc",
        "014-carriage-return",
        "020-markup-swallow",
    ):
        text = json.loads((CASES / name / "hook-stdin.json").read_bytes())
        found[name] = text["tool_input"]["command"]
    for name in ("empty", "spaces"):
        found[f"018-{name}"] = "" if name == "empty" else "   "
    found["nasty"] = NASTY
    return found


def request(request_id: str, command: str) -> dict[str, Any]:
    """A tool request of some command, with nasty text around it."""
    usual = json.loads(raw_of(builders.tool_request_v2(request_id, task_id="evil")))
    payload = {
        **usual["payload"], "tool": "shell", "command": command, "reason": NASTY, "agent": NASTY,
        "proposedChange": None, "sessionId": NASTY, "cwd": NASTY, "input": {NASTY: [NASTY]},
        "createdAt": datetime.now(UTC).isoformat(), "expiresAt": "2099-01-01T00:00:00Z",
    }  # fmt: skip
    del payload["targetPath"]
    return {**usual, "payload": payload}


def contract_files() -> Mapping[str, bytes]:
    """Files that look like contracts, by path in the task folder."""
    deep = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    good = raw_of(request("tool-x", "true"))
    return {
        "task.json": raw_of({**article.TASK, "id": "evil", "title": NASTY, "requiredEvidence": [NASTY]}),
        "plan.json": raw_of(
            small_plan(
                "evil", MAPPER, NASTY, "**/" * 60 + "x", files_not_to_edit=(NASTY, "!x", ""),
                stop_conditions=(NASTY,), tests_to_run=(NASTY,),
            )
        ),
        "review-result.json": b'{"verdict": "pass", "verdict": "blocked"}',
        "test-result.json": raw_of({
            "status": "passed", "commands": [], "failedTests": [], "artifacts": [NASTY],
            "environmentIssues": [NASTY],
        }),
        "implementation-result.json": raw_of(article.RESULT)[:-30],
        "fix-result.json": b"\xff\xfe\x00{",
        "final-report.json": b"[" * 5000,
        "errors/e.json": (CASES / "138-nan" / "nan.json").read_bytes(),
        "errors/deep.json": deep,
        "handoffs/dup.json": (CASES / "136-duplicate-keys" / "dup.json").read_bytes(),
        "handoffs/bom.json": (CASES / "134-bom" / "bom.json").read_bytes(),
        "handoffs/extra.json": (CASES / "141-extra-fields" / "extra.json").read_bytes(),
        "tool-requests/tool-x.json": b"\xef\xbb\xbf" + good,
        "tool-requests/other-name.json": good,
        "tool-requests/lone.json": good.replace(b"tool-x", b"lone").replace(b'"shell"', b'"\\ud800"'),
        "tool-requests/nul.json": good.replace(b"tool-x", b"nul").replace(b'"true"', b'"\\u0000"'),
        "tool-requests/big.json": b'{"a": "' + b"x" * (16 * 1024 * 1024) + b'"}',
        "tool-requests/number.json": b'{"a": 9007199254740993}',
        "tool-requests/empty.json": b"",
        "Plan.json": b"{}",
        f"errors/{NASTY.replace('/', '')[:60]}.json": b"{}",
        "consumptions/tool-x.json": b'{"requestId": "tool-x", "digest": 1}',
        "log/000000.json": b'{"schema": "LogEntry", "payload": "\\u001b[2J"}\n',
        "log/\x1b[2J.json": b"{}",
        "artifacts/x.log": b"\x1b[2J",
    }  # fmt: skip


def build(stage: Stage) -> None:
    """Make the workspace: a good task first, then everything else."""
    stage.new_task(GOOD)
    stage.plan(MAPPER, task_id=GOOD)
    stage.look()
    tasks = stage.cli.root / "tasks"
    evil(tasks)
    odd_files(tasks)
    odd_folders(tasks)
    (stage.cli.root / "policy.toml").write_bytes(b"[[rule]\nid = '\x1b[2J'\n\xff")
    (stage.cli.root / "contracts").mkdir(exist_ok=True)
    os.mkfifo(stage.cli.root / "contracts" / "fifo")
    for name in (
        b"\xff\xfe.txt",
        b"\x1b[2J.txt",
        b"a\nb.txt",
        "\u202efdp.txt".encode(),
        b"-rf",
        b"[red].txt",
    ):
        (stage.work / os.fsdecode(name)).write_text("x\n")
    os.mkfifo(stage.work / "fifo")
    os.symlink("/etc/passwd", stage.work / "Sources" / "out")
    os.symlink("loop", stage.work / "loop")


def evil(tasks: Path) -> None:
    """A task folder full of what contracts must not be, written a while ago."""
    for path, raw in contract_files().items():
        place = tasks / "evil" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(raw)
    for number, (name, command) in enumerate(sorted(commands().items())):
        identity = f"tool-{number:03d}"
        (tasks / "evil" / "tool-requests" / f"{identity}.json").write_bytes(
            raw_of(request(identity, command))
        )
        assert name
    (tasks / "evil" / "escalations").mkdir()
    question = builders.escalation("esc-1", task_id="evil", question=NASTY)
    (tasks / "evil" / "escalations" / "esc-1.json").write_bytes(raw_of(question))
    then = (tasks / "evil").stat().st_mtime - 600
    for place in (tasks / "evil").rglob("*"):
        os.utime(place, (then, then))


def odd_files(tasks: Path) -> None:
    """Things in the place of files that are none, or lead elsewhere."""
    odd = tasks / "odd"
    (odd / "plan.json").mkdir(parents=True)
    os.mkfifo(odd / "task.json")
    os.symlink("/etc/passwd", odd / "review-result.json")
    os.symlink("/dev/zero", odd / "test-result.json")
    os.symlink("fix-result.json", odd / "fix-result.json")
    os.symlink("/nowhere", odd / "final-report.md")
    os.symlink("/etc", odd / "tool-requests")
    os.mkfifo(odd / "escalations")
    (odd / "errors").write_text("no folder")
    os.symlink(tasks / GOOD / "log", odd / "log")
    with socket.socket(socket.AF_UNIX) as one:
        folder = os.open(odd, os.O_RDONLY)
        try:
            one.bind(f"/proc/self/fd/{folder}/handoffs")
        finally:
            os.close(folder)


def odd_folders(tasks: Path) -> None:
    """Names that are no task ids (``-rf`` is one), and folders that are none."""
    names = (
        "\x1b[2J",
        "a\nb",
        "\u202eevil",
        "x\u200by",
        ".hidden",
        "-rf",
        "n" * 255,
        "é",
        "e\u0301",
        "sp ace",
        "[red]",
    )
    for name in names:
        (tasks / name).mkdir()
        (tasks / name / "plan.json").write_bytes(b"{")
    (tasks / os.fsdecode(b"\xff\xfe")).mkdir()
    (tasks / "file").write_text("no folder")
    os.mkfifo(tasks / "fifo")
    os.symlink("/etc", tasks / "linked")
    os.symlink("round", tasks / "round")
    os.symlink(tasks / GOOD, tasks / "twin")
