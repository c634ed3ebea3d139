"""How the stages stand, and who goes on."""

from typing import Any

import pytest

from ags_tui.core.assessment import StageName, StageState
from ags_tui.core.checks.routing import route, route_problem
from ags_tui.core.contracts.base import Contract
from tests import builders as make
from tests.core.checks.looking import looked_at, stage

NOTHING: dict[str, Any] = {
    "task": None, "plan": None, "implementation": None, "review": None, "test": None,
    "change_set": make.no_changes(), "attested": False,
}  # fmt: skip
UP_TO_PLAN: dict[str, Any] = {**NOTHING, "task": make.agent_task(), "plan": make.agent_plan()}
BROKEN = {"problems": (make.load_problem("plan.json"),)}


@pytest.mark.parametrize(
    ("name", "fields", "state"),
    [
        ("task", {}, "valid"),
        ("task", NOTHING, "not-applicable"),
        ("task", {"task": None, "files": {"being_written": ("task.json",)}}, "active"),
        ("task", {"task": None, "files": {"problems": (make.load_problem("task.json"),)}}, "invalid"),
        ("plan", {**NOTHING, "task": make.agent_task()}, "active"),
        ("plan", {**NOTHING, "task": make.agent_task(), "files": BROKEN}, "invalid"),
        ("plan", {"plan": make.agent_plan(requires_human_approval=True)}, "needs-human"),
        ("policy", {}, "valid"),
        ("policy", {"plan": make.agent_plan(tests_to_run=())}, "violated"),
        (
            "policy",
            {"plan": make.agent_plan(stop_conditions=("AuthErrorMapper 수정이 필요하면 중단",))},
            "needs-human",
        ),
        ("implement", UP_TO_PLAN, "active"),
        ("implement", {}, "done"),
        ("implement", {"implementation": make.implementation_result(status="blocked")}, "blocked"),
        ("implement", {"implementation": make.implementation_result(executed_steps=())}, "violated"),
        ("implement", {"change_set": make.changes(make.change("DesignSystem/x"))}, "violated"),
        ("implement", {"change_set": make.changes(make.change("stray"))}, "needs-human"),
        ("implement", {"base": make.baseline(late=True)}, "needs-human"),
        ("tools", {}, "not-applicable"),
        ("tools", {"more": {"tool-requests/tool-001.json": make.tool_request()}}, "needs-human"),
        ("tools", {"more": {"errors/e.json": make.agent_error(next_action="human")}}, "needs-human"),
        ("review", {**UP_TO_PLAN, "implementation": make.implementation_result()}, "active"),
        ("review", UP_TO_PLAN, "waiting"),
        ("review", {"review": make.review_result(verdict="blocked")}, "blocked"),
        ("review", {"review": make.review_result(verdict="needs_changes")}, "violated"),
        ("review", {"observed": False}, "active"),
        ("fix", {}, "not-applicable"),
        ("fix", UP_TO_PLAN, "waiting"),
        ("test", {}, "done"),
        ("test", {"test": None}, "active"),
        ("test", {"test": make.run_result(status="failed")}, "violated"),
        ("test", {"plan": make.agent_plan(tests_to_run=()), "test": None}, "not-applicable"),
        ("gate", {}, "needs-human"),
        ("gate", UP_TO_PLAN, "waiting"),
        ("gate", {"attested": False}, "needs-human"),
        ("gate", {"entries": [make.entry("block", "blocked")]}, "blocked"),
        ("report", {}, "waiting"),
        ("report", {"report": make.final_report()}, "done"),
        ("report", {"report": make.final_report(verdict="failed")}, "violated"),
    ],
)
def test_a_stage(name: str, fields: dict[str, Any], state: str):
    seen = stage(looked_at(**fields), StageName(name))
    assert seen.state == StageState(state), seen


def test_all_ten_stages_are_there_in_order_and_one_is_current():
    seen = looked_at(**UP_TO_PLAN)
    assert [one.name for one in seen.stages] == list(StageName)
    assert sum(one.state is StageState.ACTIVE for one in seen.stages) == 1
    assert seen.current_stage.name is StageName.IMPLEMENT


@pytest.mark.parametrize(
    ("document", "to"),
    [
        (make.agent_task(), "planner"),
        (make.agent_plan(), "implementer"),
        (make.agent_plan(requires_human_approval=True), "human"),
        (make.agent_plan(risk_level="high"), "human"),
        (make.agent_plan_v2(approval_policy="each-edit"), "human"),
        (make.tool_request(), "human"),
        (make.tool_request(requires_approval=False), "policy"),
        (make.implementation_result(), "reviewer"),
        (make.implementation_result(status="blocked"), "human"),
        (make.implementation_result(status="failed"), "planner"),
        (make.review_result(), "tester"),
        (make.review_result(verdict="needs_changes"), "fixer"),
        (make.review_result(verdict="blocked"), "human"),
        (make.run_result(), "gate"),
        (make.run_result(status="failed"), "fixer"),
        (make.run_result(status="not_run"), "human"),
        (make.agent_error(), "planner"),
        (make.agent_error(next_action="retry"), "retry"),
        (make.agent_error(next_action="stop"), "stop"),
        (make.agent_error(next_action="human"), "human"),
        (make.handoff(), "implementer"),
        (make.approval_request(), "human"),
        (make.escalation(), "human"),
        (make.final_report(), "human"),
    ],
    ids=lambda value: value.contract_name if isinstance(value, Contract) else None,
)
def test_who_goes_on(document: Contract, to: str):
    assert route(document).to == to
    assert route(document).reason


def test_a_broken_file_goes_back_with_its_fields_and_then_to_a_human():
    problem = make.load_problem(fields=(("filesToEdit", "is missing"), ("riskLevel", "must be low")))
    assert route_problem(problem, 1, 2).reason == "correct filesToEdit, riskLevel"
    assert route_problem(problem, 2, 2).to == "human"
