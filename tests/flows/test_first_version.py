"""The first task and plan stay in force until a human approves looser ones; the log alone tells."""

from pathlib import Path
from typing import Any

import pytest

from ags_tui.core.assessment import Verdict
from tests.cli.conftest import Cli
from tests.core.checks import test_article as article
from tests.flows.stage import MAPPER, TASK, VIEW, Stage


def elsewhere(stage: Stage, *, clone: bool = False) -> tuple[Cli, Path]:
    """Another machine: no state, no keys but the public ones that it was told to trust."""
    top = stage.cli.folder / "elsewhere"
    top.mkdir(exist_ok=True)
    trust = top / "trusted-keys"
    trust.write_text(stage.human.workspace.keys.export_trust())
    work = stage.work
    if clone:
        stage.git("add", "-A")
        stage.git("commit", "-q", "-m", "with the log")
        work = top / "clone"
        stage.git("clone", "-q", str(stage.work), str(work))
    return Cli(top, work, stage.cli.zygote), trust


def codes(machine: Cli, trust: Path) -> tuple[int, set[str]]:
    done = machine("gate", TASK, "--json", "--trust", trust)
    gate = done.json["tasks"][0]["gate"]
    found = {f["code"] for row in gate["conditions"] for f in row["findings"] if f["severity"] == "error"}
    return done.code, found


FULL: dict[str, Any] = {**article.TASK, "riskLevel": "high", "forbiddenChanges": ["DesignSystem 수정"]}


@pytest.mark.parametrize("clone", [False, True])
def test_a_wider_plan_waits_on_every_machine_and_then_holds_on_every_machine(stage: Stage, clone: bool):
    stage.new_task()
    stage.plan(MAPPER)
    stage.look()
    stage.plan(MAPPER, VIEW, summary="wider")
    stage.edit(VIEW, "new label\n")
    stage.look()
    assert stage.task().scope.verdict is Verdict.NEEDS_APPROVAL
    machine, trust = elsewhere(stage, clone=clone)
    code, found = codes(machine, trust)
    assert (code, "PLAN_WIDENED" in found) == (1, True)
    assert machine("scope", TASK, "--trust", trust).code in (2, 10)
    (item,) = [one for one in stage.task().pending if one.item_id == "plan"]
    assert f"filesToEdit adds {VIEW}" in item.warnings
    stage.human.approve(TASK, "plan")
    assert stage.task().scope.verdict is Verdict.PASS
    machine, trust = elsewhere(stage, clone=clone) if not clone else pulled(stage, machine, trust)
    code, found = codes(machine, trust)
    assert "PLAN_WIDENED" not in found
    assert stage.gate().code == code


def pulled(stage: Stage, machine: Cli, trust: Path) -> tuple[Cli, Path]:
    stage.git("add", "-A")
    stage.git("commit", "-q", "-m", "approved")
    machine.git("pull", "-q")
    return machine, trust


WEAKER: dict[str, dict[str, Any]] = {
    "risk": {"riskLevel": "low"},
    "expected": {"expectedBehavior": FULL["expectedBehavior"][:1]},
    "evidence": {"requiredEvidence": []},
    "forbidden": {"forbiddenChanges": []},
}


@pytest.mark.parametrize("name", WEAKER)
def test_a_weaker_task_waits_and_the_first_one_holds(stage: Stage, name: str):
    begun_by_hand(stage)
    before = [(one.text, one.outcome) for one in stage.task().gate.prose]
    weaker = {**FULL, **WEAKER[name]}
    stage.write("task.json", weaker)
    task = stage.task()
    assert "TASK_WEAKENED" in {one.code for one in task.findings}
    assert [(one.text, one.outcome) for one in task.gate.prose] == before
    assert task.risk == "high"
    machine, trust = elsewhere(stage)
    assert "TASK_WEAKENED" in codes(machine, trust)[1]
    stage.human.approve(TASK, "task")
    assert "TASK_WEAKENED" not in {one.code for one in stage.task().findings}
    assert "TASK_WEAKENED" not in codes(machine, trust)[1]
    stage.write("task.json", FULL)
    assert "TASK_WEAKENED" not in {one.code for one in stage.task().findings}, "stricter is always welcome"


def begun_by_hand(stage: Stage) -> None:
    """An agent makes the task; the screen sees it and records the baseline."""
    stage.write("task.json", FULL)
    stage.plan(MAPPER)
    stage.look()


def test_a_removed_plan_stays_in_force(stage: Stage):
    stage.new_task()
    stage.plan(MAPPER)
    stage.look()
    (stage.folder() / "plan.json").unlink()
    stage.edit(VIEW, "new label\n")
    assert stage.task().scope.verdict is Verdict.NEEDS_APPROVAL
    machine, trust = elsewhere(stage)
    code, _ = codes(machine, trust)
    assert code == 1


def test_a_plan_nobody_saw_before_the_wider_one_was_written_cannot_be_compared(stage: Stage):
    """The honest limit: what this program never saw is not on record; the first that it sees is the first."""
    stage.new_task()
    stage.plan(MAPPER)
    stage.plan(MAPPER, VIEW)
    stage.look()
    assert "PLAN_WIDENED" not in {one.code for one in stage.task().findings}


def test_widening_in_small_steps_is_still_widening(stage: Stage):
    stage.new_task()
    for number in range(4):
        stage.plan(MAPPER, *(f"Sources/New{n}.swift" for n in range(number)), summary=str(number))
        stage.look()
    (stage.work / "Sources/New2.swift").write_text("new\n")
    task = stage.task()
    assert task.scope.verdict is Verdict.NEEDS_APPROVAL
    (item,) = [one for one in task.pending if one.item_id == "plan"]
    assert sum("filesToEdit adds" in warning for warning in item.warnings) == 3
