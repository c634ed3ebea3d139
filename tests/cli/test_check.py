"""``check``: runs only what a human approved, as a group that ends whole, and records what came out."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.cli.human import Human
from tests.cli.test_contract_commands import put
from tests.cli.test_tasks import TASK, plan


@pytest.fixture
def human(cli: Cli) -> Human:
    assert cli("task", "new", "Login", "--id", TASK, "--description", "d", "--risk", "low").code == 0
    return Human(cli)


def planned(cli: Cli, human: Human, *commands: str, approved: bool = True) -> None:
    put(cli.task(TASK) / "plan.json", plan(tests_to_run=commands, requires_human_approval=True))
    human.look()
    if approved:
        human.approve(TASK, "plan")


def runs(cli: Cli) -> list[dict[str, Any]]:
    entries = cli("log", TASK, "--json").json["entries"]
    return [row for row in entries if row["data"].get("testRun")]


def test_passing_commands_are_0_and_on_record(cli: Cli, human: Human):
    planned(cli, human, "echo one", "test -f README.md && echo two")
    done = cli("check", TASK)
    assert done.code == 0
    assert "one\n" in done.out
    assert "two\n" in done.out
    first, second = runs(cli)
    assert (first["subject"]["id"], second["subject"]["id"]) == ("test-run/1", "test-run/2")
    assert (first["kind"], first["signer"], first["actor"]["via"]) == ("observation", "system", "cli")
    data = first["data"]
    assert (data["command"], data["exitCode"], data["changedTree"]) == ("echo one", 0, False)
    assert data["treeDigest"].startswith("sha256:")
    assert (cli.task(TASK) / data["artifact"]).read_text() == "one\n"
    assert human.task(TASK).task.log.tests[0].data["exitCode"] == 0


def test_failure_is_1_with_the_output_kept(cli: Cli, human: Human):
    planned(cli, human, "true", "echo broken; exit 3", "echo after")
    done = cli("check", TASK, "--json")
    assert done.code == 1
    assert done.json["passed"] is False
    assert [run["exitCode"] for run in done.json["runs"]] == [0, 3, 0]
    assert "broken" in done.err
    assert "broken" not in done.json["summary"]
    assert len(runs(cli)) == 3


def test_without_approval_nothing_runs_and_the_human_is_asked_once(cli: Cli, human: Human):
    planned(cli, human, "touch ran", approved=False)
    done = cli("check", TASK, "--json")
    assert done.code == 3
    assert not (cli.work / "ran").exists()
    (waiting,) = done.json["waiting"]
    item = waiting["id"].partition("/")[2]
    assert human.pending(TASK, item).command == "touch ran"
    again = cli("check", TASK, "--json")
    assert again.code == 3
    assert again.json["waiting"] == done.json["waiting"]
    assert "a human approves" in cli("check", TASK).err
    assert runs(cli) == []


def test_approved_request_for_the_command_is_used_up_by_one_run(cli: Cli, human: Human):
    put(cli.task(TASK) / "plan.json", plan(tests_to_run=("echo once",)))
    human.look()
    waiting = cli("check", TASK, "--json").json["waiting"]
    human.approve(TASK, waiting[0]["id"].partition("/")[2])
    assert cli("check", TASK).code == 0
    human.look()
    second = cli("check", TASK, "--json")
    assert second.code == 3
    assert second.json["waiting"][0]["id"] != waiting[0]["id"]
    assert len(runs(cli)) == 1
    assert "consumed" in [status.state.value for status in human.task(TASK).requests]


def test_request_for_another_command_is_no_approval(cli: Cli, human: Human):
    put(cli.task(TASK) / "plan.json", plan(tests_to_run=("touch ran",)))
    human.look()
    ask = (
        "request",
        "--task",
        TASK,
        "--tool",
        "run_tests",
        "--command",
        "touch ran ",
        "--reason",
        "r",
        "--risk",
        "low",
    )
    name = cli(*ask).out.split()[0]
    human.approve(TASK, name.partition("/")[2])
    assert cli("check", TASK).code == 3
    assert not (cli.work / "ran").exists()


def test_other_plan_than_the_approved_one_runs_nothing_new(cli: Cli, human: Human):
    planned(cli, human, "echo approved")
    put(cli.task(TASK) / "plan.json", plan(tests_to_run=("touch ran",), requires_human_approval=True))
    human.look()
    done = cli("check", TASK, "--json")
    assert not (cli.work / "ran").exists()
    assert [run["command"] for run in done.json["runs"]] in ([], ["echo approved"])


def test_test_that_changes_the_tree_is_noted(cli: Cli, human: Human):
    planned(cli, human, "echo x > made.txt")
    done = cli("check", TASK, "--json")
    assert done.code == 0
    assert done.json["runs"][0]["changedTree"] is True
    (run,) = runs(cli)
    assert run["data"]["changedTree"] is True
    assert run["data"]["treeDigest"] != run["data"]["treeDigestAfter"]
    assert cli("check", TASK, "--json").json["runs"][0]["changedTree"] is False


def test_time_limit_ends_the_command_and_is_1(cli: Cli, human: Human):
    planned(cli, human, "sleep 300")
    done = cli("check", TASK, "--timeout", "1", "--json")
    assert done.code == 1
    assert done.json["runs"][0]["timedOut"] is True
    assert done.json["runs"][0]["exitCode"] is None


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_ends_the_group_and_is_recorded(cli: Cli, human: Human, number: int, code: int):
    planned(cli, human, "echo started; sleep 300", "echo never")
    process = cli.start("check", TASK)
    assert process.stdout is not None
    while b"started" not in (line := process.stdout.readline()):
        assert line
    process.send_signal(number)
    assert process.wait(30) == code
    (run,) = runs(cli)
    assert run["data"]["cancelled"] is True
    assert run["data"]["exitCode"] is None


def test_output_of_tests_is_inert_and_the_log_raw(cli: Cli, human: Human):
    planned(cli, human, r"printf '\033]0;x\007\r\342\200\256end\n'")
    done = cli("check", TASK)
    assert done.code == 0
    assert not set(done.out + done.err) & set("\x1b\x07\r\u202e")
    (run,) = runs(cli)
    assert b"\x1b]0;x\x07" in (cli.task(TASK) / run["data"]["artifact"]).read_bytes()


def test_child_sees_none_of_our_secrets(cli: Cli, human: Human):
    cli.environment.update({"AGS_CLAIM": "secret", "GIT_DIR": "/nowhere"})
    planned(cli, human, "env")
    done = cli("check", TASK)
    assert done.code == 0
    assert "secret" not in done.out
    assert "/nowhere" not in done.out


def test_nothing_to_run_is_3_and_unknown_task_2(cli: Cli, human: Human):
    assert cli("check", TASK).code == 3
    planned(cli, human)
    done = cli("check", TASK)
    assert done.code == 3
    assert "testsToRun" in done.err
    assert cli("check", "nope").code == 2


def test_artifacts_that_lead_away_are_refused(cli: Cli, human: Human, tmp_path: Path):
    planned(cli, human, "touch ran")
    (tmp_path / "elsewhere").mkdir()
    (cli.task(TASK) / "artifacts").symlink_to(tmp_path / "elsewhere")
    done = cli("check", TASK)
    assert done.code == 3
    assert not (cli.work / "ran").exists()
    assert not list((tmp_path / "elsewhere").iterdir())


def test_observed_run_speaks_for_the_gate_beside_the_claim(cli: Cli, human: Human):
    planned(cli, human, "exit 1")
    put(cli.task(TASK) / "test-result.json", {
        "status": "passed", "commands": [{"command": "exit 1", "exitCode": 0, "durationMs": 5}],
        "failedTests": [], "environmentIssues": [], "artifacts": [],
    })  # fmt: skip
    human.look()
    assert cli("check", TASK).code == 1
    conditions = cli("gate", TASK, "--json").json["tasks"][0]["gate"]["conditions"]
    rung = next(one for one in conditions if one["name"] == "tests")
    assert rung["outcome"] == "failed"
    assert "CLAIM_CONTRADICTS_OBSERVATION" in json.dumps(rung)


def test_same_tree_after_a_commit_keeps_the_run_fresh(cli: Cli, human: Human):
    planned(cli, human, "true")
    (cli.work / "src" / "app.py").write_text("print('bye')\n")
    assert cli("check", TASK).code == 0
    before = human.task(TASK).task.changes
    cli.git("add", "src")
    cli.git("commit", "-q", "-m", "same")
    after = human.task(TASK).task.changes
    assert before is not None
    assert after is not None
    assert before.tree_digest == after.tree_digest == runs(cli)[0]["data"]["treeDigest"]
    assert os.path.exists(cli.work / "src" / "app.py")
