"""Which planned test commands may be run: only what a human approved, exactly."""

from dataclasses import replace
from typing import Any

import pytest

from ags_tui.core.assessment import RequestState, TaskAssessment
from ags_tui.core.contracts.tool_request import ToolRequestV2
from ags_tui.core.planned_tests import RunFacts, planned_tests, run_draft
from tests import builders
from tests.builders import NOW, TEST_COMMAND


def assessed(
    state: RequestState | None = None, *, approved_plan: bool = False, **fields: Any
) -> TaskAssessment:
    """A task whose plan is approved, or which has a request for its command in some state."""
    plan = builders.agent_plan()
    digest = builders.artifact(plan, "plan.json").digest
    entries = [builders.entry("plan", "approved", "plan", digest)] if approved_plan else []
    request: ToolRequestV2 = builders.tool_request_v2(
        "tool-7", **{"tool": "run_tests", "command": TEST_COMMAND, "proposed_change": None, **fields}
    )
    more = {"tool-requests/tool-7.json": request} if state else {}
    task = builders.task_snapshot(plan=plan, entries=entries, more=more)
    requests = (builders.request_status("tool-7", state=state),) if state else ()
    return builders.task_assessment(task, requests=requests)


def test_approved_plan_approves_its_commands():
    found = planned_tests(assessed(approved_plan=True), NOW, ignore_case=False)
    assert [command.command for command in found.approved] == [TEST_COMMAND]
    assert found.unapproved == ()
    assert found.plan_digest == builders.artifact(builders.agent_plan(), "plan.json").digest


def test_nothing_is_approved_by_itself():
    found = planned_tests(assessed(), NOW, ignore_case=False)
    assert found.approved == ()
    assert [command.waiting_id for command in found.unapproved] == [""]


def test_approved_request_for_exactly_this_command_is_enough():
    (command,) = planned_tests(assessed(RequestState.APPROVED), NOW, ignore_case=False).approved
    assert command.request_id == "tool-7"
    assert command.request_digest


@pytest.mark.parametrize("state", [state for state in RequestState if state is not RequestState.APPROVED])
def test_request_in_any_other_state_is_not(state: RequestState):
    (command,) = planned_tests(assessed(state), NOW, ignore_case=False).unapproved
    waits = state in (RequestState.PENDING, RequestState.CHANGED)
    assert command.waiting_id == ("tool-7" if waits else "")


@pytest.mark.parametrize(
    "fields", [{"command": f"{TEST_COMMAND} "}, {"command": None}, {"tool": "external_api"}]
)
def test_request_for_something_else_is_not(fields: dict[str, Any]):
    found = planned_tests(assessed(RequestState.APPROVED, **fields), NOW, ignore_case=False)
    assert found.approved == ()


def test_wider_plan_on_disk_does_not_count_before_it_is_approved():
    first = builders.agent_plan()
    wider = builders.agent_plan(
        files_to_edit=(*first.files_to_edit, "Sources/**"), tests_to_run=("rm -rf /",)
    )
    seen = builders.artifact(first, "plan.json")
    text = seen.raw.decode()
    task = builders.task_snapshot(
        plan=wider,
        observations=[
            builders.observation(
                "plan.json", seen.digest, "", data={"contract": "AgentPlan", "valid": True, "text": text}
            )
        ],
        entries=[builders.entry("plan", "approved", "plan", seen.digest)],
    )
    found = planned_tests(builders.task_assessment(task), NOW, ignore_case=False)
    assert [command.command for command in found.commands] == [TEST_COMMAND]


def test_without_a_plan_there_is_nothing():
    task = builders.task_snapshot(plan=None)
    assert planned_tests(builders.task_assessment(task), NOW, ignore_case=False).commands == ()


def test_blank_and_repeated_commands_are_run_once_or_not_at_all():
    plan = builders.agent_plan(tests_to_run=("make test", " ", "make test"))
    task = builders.task_snapshot(plan=plan)
    found = planned_tests(builders.task_assessment(task), NOW, ignore_case=False)
    assert [command.command for command in found.commands] == ["make test"]


def test_draft_keeps_what_was_tested_and_says_that_the_tree_changed():
    run = RunFacts(
        "make test", 3, 0, 12, "artifacts/check-3-make.log", builders.blob("x"), "sha256:1", "sha256:2"
    )
    draft = run_draft("t", run, "sha256:p", via="cli")
    assert (draft.kind, draft.verdict, draft.subject_id) == ("observation", "recorded", "test-run/3")
    assert (draft.source, draft.via) == ("system", "cli")
    assert draft.data["treeDigest"] == "sha256:1"
    assert draft.data["changedTree"] is True
    assert draft.data["testRun"] is True
    still = run_draft("t", replace(run, tree_after="sha256:1"), "sha256:p", via="cli")
    assert still.data["changedTree"] is False
