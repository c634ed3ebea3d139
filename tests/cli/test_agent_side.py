"""``request``, ``escalate`` and ``route``: what agents file, and what they are told."""

import json
import os
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ags_tui.core.contracts.parse import Parsed, parse_contract
from ags_tui.core.contracts.tool_request import ToolRequestV2
from ags_tui.core.digests import digest, text_digest
from tests import builders
from tests.cli.conftest import Cli
from tests.cli.test_contract_commands import put

TASK = "login"
ASK = (
    "request",
    "--task",
    TASK,
    "--tool",
    "shell",
    "--command",
    "make it",
    "--reason",
    "why not",
    "--risk",
    "low",
)


@pytest.fixture
def task(cli: Cli) -> Path:
    folder = cli.task(TASK)
    put(folder / "task.json", builders.agent_task(id=TASK))
    return folder


def filed(task: Path, out: str) -> ToolRequestV2:
    name, token = out.split()
    path = task / "tool-requests" / f"{name.removeprefix(f'{TASK}/')}.json"
    parsed = parse_contract(path.read_bytes(), contract="ToolRequest", artifact=path.name)
    assert isinstance(parsed, Parsed)
    assert isinstance(parsed.document, ToolRequestV2)
    assert parsed.document.claim == text_digest(token)
    return parsed.document


def test_request_is_a_valid_file_and_prints_id_and_token(cli: Cli, task: Path):
    words = ("--agent", "codex", "--session", "s-1", "--input", '{"cmd": ["make", "it"]}', "--expires", "60")
    done = cli(*ASK, *words, cwd=cli.work / "src")
    assert (done.code, done.err) == (0, "")
    request = filed(task, done.out)
    assert (request.tool, request.command, request.reason, request.risk_level) == (
        "shell",
        "make it",
        "why not",
        "low",
    )
    assert (request.agent, request.session_id, request.task_id) == ("codex", "s-1", TASK)
    assert request.cwd == str(cli.work / "src")
    assert request.input == {"cmd": ["make", "it"]}
    assert request.requires_approval is True
    assert request.expires_at - request.created_at == timedelta(seconds=60)
    assert isinstance(request.created_at, datetime)


def test_life_comes_from_the_policy_where_it_is_not_given(cli: Cli, task: Path):
    (cli.root / "policy.toml").write_text("[limits]\nrequest_timeout_s = 120\n")
    request = filed(task, cli(*ASK).out)
    assert request.expires_at - request.created_at == timedelta(seconds=120)


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (("--after", "새 텍스트\n"), b""),
        (("--content-file", "new.txt"), b""),
        (("--content-file", "-"), "새 텍스트\n".encode()),
    ],
)
def test_proposed_change_is_bound_to_the_file_as_it_is(
    cli: Cli, task: Path, words: tuple[str, ...], stdin: bytes
):
    (cli.work / "new.txt").write_text("새 텍스트\n")
    ask = ("request", "--task", TASK, "--tool", "edit_file", "--reason", "r", "--risk", "critical")
    done = cli(*ask, "--path", "src/app.py", *words, stdin=stdin)
    assert done.code == 0, done.err
    change = filed(task, done.out).proposed_change
    assert change is not None
    assert change.path == "src/app.py"
    assert change.before == digest((cli.work / "src" / "app.py").read_bytes())
    assert change.after == "새 텍스트\n"


def test_new_and_deleted_files_are_said_so(cli: Cli, task: Path):
    ask = ("request", "--task", TASK, "--tool", "edit_file", "--reason", "r", "--risk", "low")
    created = filed(task, cli(*ask, "--path", "new.py", "--after", "x").out).proposed_change
    deleted = filed(task, cli(*ask, "--path", "README.md", "--delete").out).proposed_change
    assert created is not None
    assert created.before == "absent"
    assert deleted is not None
    assert deleted.after is None


def test_input_from_stdin_is_read_strictly(cli: Cli, task: Path):
    assert filed(task, cli(*ASK, "--input", "-", stdin='{"a": "表"}').out).input == {"a": "表"}
    for wrong in (b'{"a": 1, "a": 2}', b"[1]", b'{"a": NaN}', b"\xff", b""):
        done = cli(*ASK, "--input", "-", stdin=wrong)
        assert done.code == 2
        assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "needle"),
    [
        (("--task", "nope"), "nope"),
        (("--tool", "rm"), "--tool"),
        (("--risk", "huge"), "--risk"),
        (("--id", "a/b"), "--id"),
        (("--id", "../x"), "--id"),
        (("--expires", "0"), "--expires"),
        (("--after", "x"), "--path"),
        (("--after", "x", "--path", "../x"), "--path"),
        (("--after", "x", "--path", "/etc/x"), "--path"),
        (("--after", "x", "--delete", "--path", "a"), "exclude"),
        (("--after", "x", "--content-file", "y", "--path", "a"), "exclude"),
        (("--content-file", "nowhere", "--path", "a"), "no such file"),
        (("--before", "sha256:1", "--after", "x", "--path", "a"), "--before"),
        (("--before", "absent"), "--before"),
        (("--input", "{"), "--input"),
    ],
)
def test_wrong_arguments_are_2_and_write_nothing(cli: Cli, task: Path, words: tuple[str, ...], needle: str):
    done = cli(*ASK, *words)
    assert done.code == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert needle in done.err
    assert not (task / "tool-requests").exists()


def test_unfinished_files_of_a_killed_request_are_swept_after_an_hour(cli: Cli, task: Path):
    folder = task / "tool-requests"
    folder.mkdir()
    old, young = folder / ".tmp-4711-0", folder / ".tmp-4711-1"
    for file in (old, young):
        file.write_text("{")
    hour_ago = time.time() - 3700
    os.utime(old, (hour_ago, hour_ago))
    assert cli(*ASK).code == 0
    assert (old.exists(), young.exists()) == (False, True)


def test_id_is_taken_once(cli: Cli, task: Path):
    assert cli(*ASK, "--id", "tool-1").code == 0
    before = (task / "tool-requests" / "tool-1.json").read_bytes()
    done = cli(*ASK, "--id", "tool-1", "--reason", "other")
    assert done.code == 1
    assert "exists already" in done.err
    assert (task / "tool-requests" / "tool-1.json").read_bytes() == before


def test_link_in_the_task_folder_leads_nowhere(cli: Cli, task: Path, tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    (task / "tool-requests").symlink_to(tmp_path / "elsewhere")
    assert cli(*ASK).code == 1
    assert not list((tmp_path / "elsewhere").iterdir())


def test_escalation_is_a_valid_file(cli: Cli, task: Path):
    ask = (
        "escalate",
        "--task",
        TASK,
        "--question",
        "범위를 넓힐까?",
        "--free-text",
        "--risk",
        "high",
        "--json",
    )
    options = ("--option", "widen=넓힌다::계획을 다시 쓴다", "--option", "stop=멈춘다")
    rest = ("--evidence", "code:src/app.py", "--next", "planner", "--next", "stop")
    done = cli(*ask, *options, *rest)
    assert done.code == 0, done.err
    identity = done.json["id"].removeprefix(f"{TASK}/")
    payload = json.loads((task / "escalations" / f"{identity}.json").read_bytes())["payload"]
    assert payload["question"] == "범위를 넓힐까?"
    assert payload["options"] == [
        {"id": "widen", "label": "넓힌다", "consequence": "계획을 다시 쓴다"},
        {"id": "stop", "label": "멈춘다", "consequence": ""},
    ]
    assert payload["allowFreeText"] is True
    assert payload["evidence"] == [{"kind": "code", "ref": "src/app.py"}]
    assert payload["nextActions"] == ["planner", "stop"]


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--option", "x"),
        ("--option", "=x"),
        ("--option", "a b=x"),
        ("--option", "a=x", "--option", "a=y"),
        ("--free-text", "--evidence", "gossip:x"),
        ("--free-text", "--next", "run"),
    ],
)
def test_wrong_escalations_are_2(cli: Cli, task: Path, words: tuple[str, ...]):
    done = cli("escalate", "--task", TASK, "--question", "q", *words)
    assert done.code == 2
    assert not (task / "escalations").exists()


@pytest.mark.parametrize(
    ("name", "document", "to"),
    [
        ("errors/e-1.json", builders.agent_error(next_action="planner"), "planner"),
        ("review-result.json", builders.review_result(verdict="needs_changes"), "fixer"),
        ("test-result.json", builders.run_result(), "gate"),
    ],
)
def test_route_says_who_goes_on(cli: Cli, task: Path, name: str, document: Any, to: str):
    put(task / name, document)
    done = cli("route", task / name, "--json")
    assert done.code == 0
    assert (done.json["nextAction"], done.json["valid"]) == (to, True)


def test_route_of_an_invalid_file_names_the_failing_fields_and_is_1(cli: Cli, task: Path):
    plan = builders.agent_plan(task_id=TASK).model_dump(mode="json", by_alias=True)
    plan["steps"] = []
    put(task / "plan.json", plan)
    done = cli("route", task / "plan.json")
    assert done.code == 1
    assert "→ retry" in done.out
    assert "steps: needs at least 1 entry" in done.out
    (cli.root / "policy.toml").write_text("[limits]\nmax_schema_attempts = 1\n")
    assert cli("route", task / "plan.json", "--json").json["nextAction"] == "human"
    assert cli("route", "nowhere.json").code == 2
