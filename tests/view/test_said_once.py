"""What is wrong with a file stands on the screen once, in full."""

from dataclasses import replace

import pytest

from ags_tui.core.assessment import TaskAssessment
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.checks.reading import finding_of
from ags_tui.core.snapshot import LoadProblem
from ags_tui.view.gate import gate_rows
from ags_tui.view.glyphs import UNICODE
from ags_tui.view.overview import overview_rows, root_rows
from ags_tui.view.said_once import referring_gate, untold
from tests import builders as make
from tests.app import driver, scenes

NEXT = "Compare it with .ai/contracts/ReviewResult/1.0.0.schema.json"


def problem(name: str = "review-result.json") -> LoadProblem:
    return make.load_problem(
        name, message="scopeCheck should be an object with four lists", field="scopeCheck", next_step=NEXT
    )


def broken(*problems: LoadProblem) -> TaskAssessment:
    findings = tuple(map(finding_of, problems))
    contracts = make.condition(1, Outcome.FAILED, reason=findings[0].message, findings=findings)
    return make.task_assessment(
        make.task_snapshot(files={"problems": problems}),
        gate=make.gate_report(contracts),
        findings=(*findings, make.finding(message="src/x.py is not in the plan")),
    )


def flat(rows) -> str:
    return " ".join("".join(row.text for row in rows).split())


@pytest.mark.parametrize("width", [29, 50, 76, 110])
def test_an_unreadable_file_is_told_in_full_once_and_named_elsewhere(width: int) -> None:
    task = broken(problem())
    centre = "".join("".join(row.text.split()) for row in overview_rows(task, width, UNICODE))
    gate = " ".join(row.text for row in gate_rows(referring_gate(task, "2"), width, UNICODE))

    assert centre.count("fourlists") == centre.count("1.0.0.schema.json") == 1
    assert "src/x.pyisnotintheplan" in centre
    assert "four lists" not in gate
    assert "review-result.json cannot be read: 2 shows why." in " ".join(gate.split())


def test_several_files_are_counted() -> None:
    gate = referring_gate(broken(problem(), problem("plan.json")), "2")

    assert next(row.reason for row in gate.conditions if row.name == "contracts") == (
        "review-result.json and 1 more cannot be read: 2 shows why."
    )


def test_a_gate_without_unreadable_files_stays_as_it_is() -> None:
    task = scenes.login_task()

    assert referring_gate(task, "2") is task.gate
    assert untold(task.findings, ()) == task.findings


def test_another_reason_is_kept_beside_an_unreadable_file() -> None:
    task = broken(problem())
    other = make.condition(4, Outcome.FAILED, reason="1 path is not in the plan")
    gate = referring_gate(replace(task, gate=make.gate_report(other)), "2")

    assert "1 path is not in the plan" in [row.reason for row in gate.conditions]


def test_what_is_wrong_with_the_root_is_told_once_too() -> None:
    snapshot, _ = scenes.scene(problems=(problem(),))
    text = flat(root_rows(snapshot, (finding_of(problem()),), 76, UNICODE))

    assert text.count("four lists") == 1


async def test_on_the_screen_it_stands_once() -> None:
    behind = driver.door(scenes.scene(broken(problem())))
    async with driver.app(behind).run_test(size=(120, 36)) as pilot:
        screen = await driver.opened(pilot, behind)
        whole = "".join("".join(screen.text(name).split()) for name in ("request", "scope", "gate", "inbox"))
        assert whole.count("fourlists") == 1
        assert "2 shows why" in " ".join(screen.text("gate").split())
