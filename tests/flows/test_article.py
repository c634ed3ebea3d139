"""The article's task from the first command to a finalized tree, with real processes on a real repository."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from ags_tui.core.assessment import RequestState
from ags_tui.core.digests import digest
from tests.core.checks import test_article as article
from tests.flows.stage import COMMAND, MAPPER, TASK, TESTS, VIEW, Stage

PLAN: dict[str, Any] = {**article.PLAN, "testsToRun": [COMMAND], "requiresHumanApproval": True}
RESULT: dict[str, Any] = {**article.RESULT, "commandsRequested": []}
FIX: dict[str, Any] = {**article.FIX, "commandsRequested": []}
CLAIMED: dict[str, Any] = {
    "status": "passed", "failedTests": [], "environmentIssues": [],
    "artifacts": ["artifacts/login-tests.log"],
    "commands": [{"command": COMMAND, "exitCode": None, "durationMs": None}],
}  # fmt: skip


def begin(stage: Stage) -> None:
    task = article.TASK
    words = ["--id", TASK, "--category", task["category"], "--risk", task["riskLevel"]]
    for option, field in (
        ("--expect", "expectedBehavior"), ("--forbid", "forbiddenChanges"), ("--evidence", "requiredEvidence")
    ):  # fmt: skip
        words += [word for text in task[field] for word in (option, text)]
    done = stage.cli("task", "new", task["title"], "--description", task["description"], *words)
    assert done.code == 0, done.err


def planned(stage: Stage) -> None:
    begin(stage)
    stage.write("plan.json", PLAN)
    stage.human.look()
    stage.human.approve(TASK, "plan")


def implemented(stage: Stage) -> None:
    planned(stage)
    stage.edit(MAPPER, "friendly error\n")
    stage.edit(TESTS, "test_a\n")
    stage.write("implementation-result.json", RESULT)
    stage.look()


def reviewed(stage: Stage) -> None:
    implemented(stage)
    stage.write("review-result.json", article.NEEDS_CHANGES)
    stage.look()
    stage.edit(TESTS, "test_a\ntest_timeout\n")
    stage.write("fix-result.json", FIX)
    stage.look()
    stage.write("review-result.json", article.PASS)
    stage.look()


def finished(stage: Stage) -> None:
    reviewed(stage)
    assert stage.cli("check", TASK).code == 0
    stage.human.attest_all(TASK)


def open_rungs(stage: Stage) -> dict[int, str]:
    """Open conditions of the gate, by a process, with the outcome of each."""
    done = stage.gate()
    gate = done.json["tasks"][0]["gate"]
    outcome = {"passed": 0, "failed": 1, "unknown": 3}[gate["outcome"]]
    assert done.code == outcome
    return {
        row["number"]: row["outcome"] for row in gate["conditions"] if row["outcome"] in ("failed", "unknown")
    }


def codes(stage: Stage, number: int) -> set[str]:
    gate = stage.gate().json["tasks"][0]["gate"]
    return {finding["code"] for finding in gate["conditions"][number - 1]["findings"]}


FAILED, UNKNOWN = "failed", "unknown"


def test_every_step_moves_the_gate_as_the_article_says(stage: Stage):
    begin(stage)
    assert (stage.folder() / "log" / "000000.json").is_file()
    assert stage.gate_code() == (1, "MISSING_ARTIFACT")
    assert stage.cli("scope", TASK).code == 4

    stage.write("plan.json", PLAN)
    assert [one.item_id for one in stage.task().pending] == ["plan"]
    assert stage.gate_code() == (1, "MISSING_APPROVAL")
    stage.human.approve(TASK, "plan")
    assert open_rungs(stage) == {6: FAILED, 7: FAILED, 8: FAILED}
    assert stage.cli("scope", TASK).code == 0

    stage.edit(MAPPER, "friendly error\n")
    stage.edit(TESTS, "test_a\n")
    stage.write("implementation-result.json", RESULT)
    stage.look()
    assert stage.cli("scope", TASK).code == 0
    stage.write("review-result.json", article.NEEDS_CHANGES)
    stage.look()
    assert {"UNRESOLVED_ISSUE", "FIX_MISSING"} <= codes(stage, 6)

    stage.edit(TESTS, "test_a\ntest_timeout\n")
    stage.write("fix-result.json", FIX)
    stage.look()
    assert {"UNRESOLVED_ISSUE", "STALE_EVIDENCE"} <= codes(stage, 6)
    stage.write("review-result.json", article.PASS)
    stage.look()
    assert open_rungs(stage) == {7: FAILED, 8: FAILED}

    stage.write("test-result.json", CLAIMED)
    stage.look()
    assert {"PASSED_WITHOUT_EXIT_CODE", "MISSING_ARTIFACT"} <= codes(stage, 7)
    assert stage.cli("check", TASK).code == 0
    assert open_rungs(stage) == {8: UNKNOWN}

    stage.human.attest_all(TASK)
    assert open_rungs(stage) == {}
    assert [one.item_id for one in stage.task().pending] == ["finalize"]
    assert stage.gate(TASK, "--finalized").code == 1
    stage.human.finalize(TASK)
    assert stage.gate().code == 0
    assert stage.gate(TASK, "--finalized").code == 0
    assert stage.task().gate.outcome == "passed"


def test_the_report_does_not_change_what_was_finalized_and_one_byte_does(stage: Stage):
    finished(stage)
    stage.human.finalize(TASK)
    assert stage.cli("report", TASK, "--write").code == 0
    report = json.loads((stage.folder() / "final-report.json").read_text())
    assert sorted(report["changedFiles"]) == [MAPPER, TESTS]
    assert stage.gate(TASK, "--finalized").code == 0
    assert stage.cli("gate", "--finalized", "--json").code == 0
    stage.git("add", "-A")
    stage.git("commit", "-q", "-m", "done")
    assert stage.gate(TASK, "--finalized").code == 0
    assert stage.gate(TASK, "--finalized", "--tree", "HEAD").code == 0
    stage.edit(MAPPER, "friendly error!\n")
    assert stage.gate(TASK, "--finalized").code == 1
    assert (stage.gate(TASK).code, stage.task().gate.outcome) == (1, FAILED), "the screen says the same"
    assert stage.gate(TASK, "--finalized", "--tree", "HEAD").code == 0
    assert "final-report.json" not in stage.git("status", "--porcelain")


def test_a_report_that_is_written_before_the_end_is_held_against_the_evidence(stage: Stage):
    finished(stage)
    assert stage.cli("report", TASK, "--write").code == 0
    assert open_rungs(stage) == {}
    report = stage.folder() / "final-report.json"
    said = json.loads(report.read_text())
    report.write_text(json.dumps({**said, "changedFiles": [MAPPER]}))
    assert "REPORT_CONTRADICTS" in codes(stage, 12)
    assert stage.gate().code == 1


def test_a_command_is_asked_for_and_taken_once(stage: Stage):
    planned(stage)
    words = ("--tool", "shell", "--command", "sh Tests/run.sh -v", "--reason", "to see more", "--risk", "low")
    done = stage.cli("request", "--task", TASK, *words)
    name, claim = done.out.split()
    stage.look()
    assert open_rungs(stage)[5] == FAILED
    waiter = stage.cli.start("wait", name, "--claim", claim, "--timeout", "40")
    stage.human.approve(TASK, name.partition("/")[2])
    assert waiter.wait(60) == 0
    assert json.loads(waiter.communicate()[0])["effective"]["command"] == "sh Tests/run.sh -v"
    assert [one.state for one in stage.task().requests] == [RequestState.CONSUMED]
    assert 5 not in open_rungs(stage)
    assert stage.cli("wait", name, "--claim", claim, "--timeout", "0").code == 14


def test_an_edit_outside_the_plan_is_seen_and_denied_and_restored(stage: Stage):
    implemented(stage)
    stage.edit(VIEW, "new label\n")
    assert stage.cli("scope", TASK).code == 10
    item = next(one for one in stage.task().pending if one.path == VIEW)
    done = stage.cli("deny", f"{TASK}/{item.item_id}", "--reason", "not in the plan")
    assert done.code == 0, done.err
    assert stage.cli("scope", TASK).code == 10
    assert "DENIED_BUT_APPLIED" in {one.code for one in stage.task().findings}
    stage.edit(VIEW, "label\n")
    assert stage.cli("scope", TASK).code == 0
    assert 5 not in open_rungs(stage)


def test_a_fix_out_of_its_bounds_stays_a_finding(stage: Stage):
    implemented(stage)
    only_tests = {**article.NEEDS_CHANGES["requiredFixes"][0], "allowedFiles": ["LoginViewModelTests.swift"]}
    stage.write("review-result.json", {**article.NEEDS_CHANGES, "requiredFixes": [only_tests]})
    stage.look()
    stage.edit(MAPPER, "friendly error, twice\n")
    stage.write("fix-result.json", FIX)
    stage.look()
    stage.write("review-result.json", article.PASS)
    stage.look()
    assert "FIX_OUT_OF_BOUNDS" in codes(stage, 6)
    assert open_rungs(stage)[6] == FAILED
    stage.edit(MAPPER, "friendly error\n")
    assert "FIX_OUT_OF_BOUNDS" not in codes(stage, 6)


def test_a_block_by_the_command_holds_until_the_human_lifts_it(stage: Stage):
    finished(stage)
    from ags_tui.core.drafts import lift

    assert stage.cli("block", TASK, "--reason", "wait for the release").code == 0
    assert stage.gate_code() == (1, "HUMAN_BLOCK")
    blocked = stage.task().task.log.blocks[0]
    stage.human.record(TASK, lambda task: lift(task, blocked, "released"))
    assert stage.gate_code() == (0, "")


def test_what_the_article_wrote_is_what_is_bound(stage: Stage):
    planned(stage)
    row = next(row for row in stage.task().task.log.entries if row.entry.kind == "plan")
    assert row.entry.subject.digest == digest((stage.folder() / "plan.json").read_bytes())
    assert row.signer == "human"


def test_the_installed_script_says_the_same(stage: Stage):
    script = Path(sys.executable).with_name("ags-tui")
    if not script.exists():
        pytest.skip("the package is not installed here, only importable")
    finished(stage)
    where = ("--state", str(stage.cli.folder / "state"), "--config", str(stage.cli.folder / "config"))
    done = stage.cli.raw([str(script), "gate", TASK, "--json", *where])
    assert done.code == 0
    assert done.json["tasks"] == stage.gate().json["tasks"]
