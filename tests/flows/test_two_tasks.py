"""Two tasks in one work tree: what the second does never turns the first red, and the other way round."""

import json

from ags_tui.core.assessment import PathClass, TaskAssessment, Verdict
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.drafts import close
from tests.flows import test_article as article
from tests.flows.stage import COMMAND, MAPPER, REPOSITORY, TASK, VIEW, Stage

OTHER = "second-task"
CHANGED = {"path": VIEW, "changeType": "updated", "reason": "theirs"}
STEPS = {"executedSteps": ["one"], "notChanged": []}


def second(stage: Stage, *paths: str) -> None:
    """A second task whose plan a human approved."""
    stage.new_task(OTHER)
    stage.plan(*paths, task_id=OTHER, tests_to_run=(COMMAND,), requires_human_approval=True)
    stage.human.look()
    stage.human.approve(OTHER, "plan")


def finish_second(stage: Stage) -> None:
    stage.write("implementation-result.json", {**article.RESULT, "changedFiles": [CHANGED], **STEPS}, OTHER)
    stage.look()
    stage.write("review-result.json", article.article.PASS, OTHER)
    stage.look()
    assert stage.cli("check", OTHER).code == 0


def not_red(stage: Stage, task_id: str = TASK) -> TaskAssessment:
    """Neither blocked nor failed by the screen, nor by either command."""
    task = stage.task(task_id)
    assert task.scope.verdict in (Verdict.PASS, Verdict.NEEDS_APPROVAL)
    assert task.gate.outcome is not Outcome.FAILED, task.gate.headline
    assert stage.cli("scope", task_id).code in (0, 10)
    assert stage.gate(task_id).code in (0, 3)
    return task


def test_the_second_tasks_approved_edits_do_not_turn_a_finished_first_red(stage: Stage):
    article.finished(stage)
    assert stage.gate_code() == (0, "")
    second(stage, VIEW)
    assert stage.gate_code() == (0, "")
    stage.edit(VIEW, "theirs\n")
    task = not_red(stage)
    assert {one.path: one.path_class for one in task.scope.paths}[VIEW] is PathClass.OWNERSHIP_UNKNOWN
    stage.git("add", "-A")
    stage.git("commit", "-q", "-m", "theirs")
    not_red(stage)
    stage.edit(VIEW, "label\n")
    stage.git("add", "-A")
    assert stage.gate_code() == (0, "")


def test_nor_where_the_first_excludes_these_very_paths(stage: Stage):
    article.finished(stage)
    second(stage, REPOSITORY, "DesignSystem/**")
    stage.edit(REPOSITORY, "theirs\n")
    stage.edit("DesignSystem/Button.swift", "theirs\n")
    stage.edit("DesignSystem/New.swift", "theirs\n")
    task = not_red(stage)
    assert task.scope.verdict is Verdict.NEEDS_APPROVAL
    assert {one.path for one in task.scope.paths if one.path_class is PathClass.EXCLUDED} == set()


def test_nor_does_a_second_task_that_asks_for_no_approval_and_its_plan_is_the_way_out(stage: Stage):
    path = VIEW
    article.finished(stage)
    stage.new_task(OTHER)
    stage.plan(path, task_id=OTHER, tests_to_run=(COMMAND,), requires_human_approval=False)
    stage.look()
    assert stage.gate_code() == (0, "")
    stage.edit(path, "theirs\n")
    task = not_red(stage)
    assert task.gate.outcome is Outcome.UNKNOWN, "and never green by a plan that an agent wrote"
    assert f"{path} is named by the plan of task {OTHER}, which nobody approved" in stage.gate(TASK).out
    assert "→ you" in stage.cli("scope", TASK).out
    review = next(one for one in task.gate.conditions if one.name == "review")
    assert "older than changes that other tasks made since" in review.reason
    stage.human.approve(OTHER, "plan")
    said = stage.gate(TASK).out
    assert f"{path} belongs to task {OTHER}, whose plan a human approved" in said
    assert "Nothing to press yet" in said
    assert "APPROVAL LATER" in stage.cli("scope", TASK).out
    not_red(stage)


def test_what_the_first_excludes_is_excused_by_no_plan_that_nobody_approved(stage: Stage):
    article.finished(stage)
    stage.new_task(OTHER)
    stage.plan(REPOSITORY, task_id=OTHER, requires_human_approval=True)
    stage.edit(REPOSITORY, "theirs\n")
    assert stage.task().scope.verdict is Verdict.BLOCKED
    assert stage.cli("scope", TASK).code == 1
    assert f"The plan of task {OTHER}, which nobody approved, names it" in stage.gate(TASK).out
    stage.human.approve(OTHER, "plan")
    assert stage.cli("scope", TASK).code == 10
    not_red(stage)


def test_a_second_task_whose_plan_is_denied_or_invalid_excuses_nothing(stage: Stage):
    article.finished(stage)
    stage.new_task(OTHER)
    stage.plan(VIEW, task_id=OTHER, requires_human_approval=True)
    stage.edit(VIEW, "theirs\n")
    not_red(stage)
    assert stage.cli("deny", f"{OTHER}/plan", "--reason", "not now").code == 0
    assert stage.gate(TASK).code == 1
    assert "UNPLANNED_FILE" in stage.gate(TASK).out
    stage.write("plan.json", b"{}", OTHER)
    stage.look()
    assert stage.gate(TASK).code == 1


def test_scope_without_a_task_shows_all_open_ones_and_the_worst_counts(stage: Stage):
    article.finished(stage)
    second(stage, VIEW)
    stage.edit(VIEW, "theirs\n")
    shown = stage.cli("scope")
    assert shown.code == 10
    assert TASK in shown.out
    assert OTHER in shown.out
    document = json.loads(stage.cli("--json", "scope").out)
    assert [one["taskId"] for one in document["tasks"]] == sorted((TASK, OTHER))


def test_it_holds_the_other_way_round(stage: Stage):
    article.planned(stage)
    second(stage, VIEW)
    stage.edit(VIEW, "theirs\n")
    assert stage.task(OTHER).scope.verdict is Verdict.PASS
    stage.edit(MAPPER, "friendly error\n")
    task = stage.task(OTHER)
    assert task.scope.verdict is Verdict.NEEDS_APPROVAL
    assert {one.path: one.path_class for one in task.scope.paths}[MAPPER] is PathClass.OWNERSHIP_UNKNOWN
    assert stage.cli("scope", OTHER).code == 10


def both_finished(stage: Stage) -> None:
    """The first is finished but for what the second did; the second is ready to finalize."""
    article.finished(stage)
    second(stage, VIEW)
    stage.edit(VIEW, "theirs\n")
    finish_second(stage)
    assert [one.item_id for one in stage.task(OTHER).pending] == ["finalize"]


def approve_paths(stage: Stage, task_id: str) -> None:
    """The human looks at each foreign path of a task and approves it as it is."""
    for _ in range(10):
        item = next((one for one in stage.task(task_id).pending if one.path), None)
        if item is None:
            return
        stage.human.approve(task_id, item.item_id)
    raise AssertionError("the paths never end")


def test_finalizing_the_second_leaves_the_first_as_it_was(stage: Stage):
    both_finished(stage)
    assert stage.gate_code(OTHER) == (0, "")
    before = not_red(stage)
    stage.human.finalize(OTHER)
    after = not_red(stage)
    assert (after.scope.verdict, after.gate.headline) == (before.scope.verdict, before.gate.headline)
    assert stage.gate(OTHER, "--finalized").code == 0


def test_both_can_be_finalized_on_one_tree(stage: Stage):
    both_finished(stage)
    stage.human.finalize(OTHER)
    stage.write("review-result.json", b" " + (stage.folder() / "review-result.json").read_bytes())
    stage.look()
    assert stage.cli("check", TASK).code == 0
    stage.human.attest_all(TASK)
    approve_paths(stage, TASK)
    assert stage.gate_code() == (0, "")
    stage.human.finalize(TASK)
    for task_id in (TASK, OTHER):
        assert stage.gate(task_id, "--finalized").code == 0


def test_closing_the_second_ends_its_claim_and_nothing_else(stage: Stage):
    article.finished(stage)
    second(stage, VIEW)
    stage.human.workspace.record(close(stage.task(OTHER), "not wanted"))
    assert stage.gate_code() == (0, "")
    stage.edit(VIEW, "whose?\n")
    task = stage.task()
    assert task.scope.verdict is Verdict.NEEDS_APPROVAL
    assert {one.path: one.path_class for one in task.scope.paths}[VIEW] is PathClass.UNPLANNED
