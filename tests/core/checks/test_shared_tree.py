"""Tasks that share a work tree: whose a change is, who acts next, and one wording for all places."""

from typing import Any

import pytest

from ags_tui.core.assessment import PathClass, SharedStep, StageName, StageState, TaskAssessment, Verdict
from ags_tui.core.checks.assess import Assessor, assess
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.decisions import Bound
from ags_tui.core.next_actor import who_acts
from ags_tui.core.sharing import asked_later, only_foreign, scope_said, shared_of
from ags_tui.core.signed import signed_changes, signed_words
from ags_tui.core.snapshot import TaskSnapshot
from tests import builders as make
from tests.core.checks.looking import rung, stage
from tests.core.checks.play import Play
from tests.core.checks.test_article import BASE, PLAN, TASK

A, B = "task-a", "task-b"
WORK = make.implementation_result(changed_files=(), not_changed=())


def planned(
    task_id: str, *paths: str, approved: bool = True, never: tuple[str, ...] = (), **fields: Any
) -> TaskSnapshot:
    """A task with a plan of its own."""
    plan = make.agent_plan(task_id=task_id, files_to_edit=paths, files_not_to_edit=never)
    digest = make.artifact(plan, "plan.json").digest
    row = make.entry("plan", "approved", "plan", digest, bound=Bound(plan=digest))
    entries = [*fields.pop("entries", []), *([row] if approved else [])]
    return make.task_snapshot(task_id=task_id, plan=plan, entries=entries, **fields)


def looked(*tasks: TaskSnapshot) -> dict[str, TaskAssessment]:
    """Assessments by task."""
    return {one.task_id: one for one in assess(make.snapshot(*tasks), make.NOW).tasks}


def changed(*paths: str) -> Any:
    """Changes of some paths."""
    return make.changes(*map(make.change, paths))


# -- a plan that nobody approved ---------------------------------------------------------------------------


def test_a_plan_that_nobody_approved_holds_its_neighbour_and_is_asked_about():
    both = changed("a/x.py", "b/y.py")
    seen = looked(planned(A, "a/**", change_set=both), planned(B, "b/y.py", approved=False, change_set=both))
    row = rung(seen[A], 4)
    assert (seen[A].scope.verdict, row.outcome) == (Verdict.NEEDS_APPROVAL, Outcome.UNKNOWN)
    assert row.reason == (
        "b/y.py is named by the plan of task task-b, which nobody approved: "
        "approve that plan (a) or restore it."
    )
    assert (who_acts(row), asked_later(seen[A])) == ("you", False)
    (asked,) = [one for one in seen[B].pending if one.item_id == "plan"]
    assert "This plan names b/y.py, which holds task task-a." in " ".join((asked.reason, *asked.warnings))
    assert not any(one.path for one in seen[A].pending), "the plan is the question"


@pytest.mark.parametrize(
    "other",
    [
        planned(B, "b/y.py", approved=False, entries=[make.entry("close", "closed", "task")]),
        planned(B, "b/y.py", approved=False, log={"integrity": Outcome.FAILED}),
        planned(B, "b/z.py", approved=False),
    ],
    ids=["closed", "tampered", "another path"],
)
def test_a_plan_that_cannot_be_the_owner_leaves_the_stray_red(other: TaskSnapshot):
    seen = looked(planned(A, "a/**", change_set=changed("b/y.py")), other)[A]
    assert [one.path_class for one in seen.scope.paths] == [PathClass.UNPLANNED]
    assert rung(seen, 4).outcome is Outcome.FAILED
    assert [one.path for one in seen.pending if one.path] == ["b/y.py"]


def test_a_plan_takes_nothing_away_from_its_neighbour_that_this_one_planned():
    first = planned(A, "a/**", change_set=changed("a/x.py"))
    alone, beside = looked(first)[A], looked(first, planned(B, "a/x.py", approved=False))[A]
    assert beside.scope == alone.scope
    assert beside.scope.verdict is Verdict.PASS


def test_what_a_task_excludes_stays_beyond_any_approval_of_a_path():
    first = planned(A, "a/**", never=("b/**",), change_set=changed("b/y.py"))
    seen = looked(first, planned(B, "b/y.py", approved=False))
    (path,) = seen[A].scope.paths
    assert (path.path_class, path.why, path.named_by) == (PathClass.EXCLUDED, "plan.filesNotToEdit: b/**", B)
    assert seen[A].scope.verdict is Verdict.BLOCKED
    (finding,) = [one for one in seen[A].findings if one.code == "EXCLUDED_FILE"]
    assert f"The plan of task {B}, which nobody approved, names it: approve that plan (a)" in finding.message
    assert not any(one.path for one in seen[A].pending)
    assert seen[A].gate.outcome is Outcome.FAILED
    (asked,) = [one for one in seen[B].pending if one.item_id == "plan"]
    assert "task-a excludes it" in " ".join(asked.warnings)
    assert looked(first)[A].scope.verdict is Verdict.BLOCKED


def test_only_a_plan_that_names_a_change_makes_its_neighbour_look_again():
    assessor = Assessor()
    first = planned(A, "a/**", change_set=changed("b/y.py"))

    def named(*others: TaskSnapshot) -> TaskAssessment:
        return assessor.assess(make.snapshot(first, *others), make.NOW).tasks[0]

    alone = named()
    assert named(planned(B, "c/z.py", approved=False)) is alone
    assert named(planned(B, "b/y.py", approved=False)) is not alone


# -- one sentence, one next actor --------------------------------------------------------------------------


def test_nothing_is_to_be_pressed_before_the_rest_holds_and_all_places_say_so():
    both = changed("a/x.py", "b/y.py")
    seen = looked(
        planned(A, "a/**", change_set=both, implementation=WORK, review=None),
        planned(B, "b/y.py", change_set=both, implementation=WORK),
    )[A]
    (one,) = shared_of(seen)
    assert (one.owner, one.paths, one.step) == (B, ("b/y.py",), SharedStep.LATER)
    assert one.text.startswith(
        "b/y.py belongs to task task-b, whose plan a human approved. Nothing to press yet"
    )
    assert "it may stay and remains the work of task-b" in one.text
    row = rung(seen, 4)
    assert (row.reason, who_acts(row), asked_later(seen)) == (one.short, "later", True)
    told = [found for found in seen.findings if found.code == "OWNERSHIP_UNKNOWN"]
    assert [(found.message, found.next_action) for found in told] == [(one.text, "")]
    assert [found.message for found in scope_said(seen).findings] == [one.text]
    assert "waits for task" not in one.text + one.short
    assert only_foreign(seen.scope)
    assert stage(seen, StageName.IMPLEMENT).state is StageState.DONE, "no fault of this task"


def test_a_path_of_a_finalized_task_is_not_called_waiting_for_it():
    frozen = planned(B, "b/y.py", entries=[make.entry("finalize", "finalized", "finalize")])
    seen = looked(planned(A, "a/**", change_set=changed("b/y.py")), frozen)[A]
    assert "belongs to task task-b, which a human finalized" in shared_of(seen)[0].text


def test_several_paths_of_one_owner_are_one_sentence():
    paths = tuple(f"b/{n}.py" for n in range(5))
    seen = looked(planned(A, "a/**", change_set=changed(*paths)), planned(B, "b/**"))[A]
    (one,) = shared_of(seen)
    assert one.text.startswith("b/0.py, b/1.py, b/2.py and 2 more belong to task task-b")


# -- a file that cannot be read is not a file that is not there --------------------------------------------


BROKEN = {"verdict": "maybe"}


@pytest.mark.parametrize(
    ("artifact", "number", "words"),
    [
        ("plan.json", 3, "There is no plan that can be read: plan.json is wrong"),
        ("review-result.json", 6, "There is no review that can be read: review-result.json is wrong"),
        ("test-result.json", 7, "There is no test result that can be read: test-result.json is wrong"),
        ("final-report.json", 12, "There is no final report that can be read: final-report.json is wrong"),
    ],
)
def test_a_broken_file_is_not_called_absent(artifact: str, number: int, words: str):
    play = Play.begun(BASE)
    play.write("task.json", TASK)
    if artifact != "plan.json":
        play.write("plan.json", PLAN)
    row = rung(play.write(artifact, BROKEN), number)
    assert row.outcome is Outcome.FAILED
    assert row.reason.startswith(words)
    assert {one.code for one in row.findings if one.artifact == artifact} >= {"INVALID_CONTRACT"}
    assert who_acts(row) == "agents"


def test_a_plan_that_a_human_may_take_as_it_is_is_for_the_human_in_gate_and_inbox_alike():
    free = {"requiresHumanApproval": False, "riskLevel": "low"}
    play = Play.begun(BASE)
    play.write("task.json", {**TASK, "riskLevel": "low"})
    seen = play.write("plan.json", {**PLAN, **free, "testsToRun": []})
    assert "MISSING_TEST_PLAN" in {one.code for one in rung(seen, 3).findings}
    assert [one.item_id for one in seen.pending] == ["plan"]
    assert who_acts(rung(seen, 3)) == "you"
    assert "Approve it as it is, or let the planner mend it" in seen.pending[0].reason
    seen = play.write("plan.json", {**PLAN, **free})
    assert (who_acts(rung(seen, 3)), seen.pending) == ("", ())


# -- what was signed ---------------------------------------------------------------------------------------


def test_a_finalized_task_says_what_was_signed_and_whether_the_tree_is_still_that_one():
    set_of = changed("a/x.py")
    data = {
        "assessmentDigest": "sha256:" + "1" * 64, "treeDigest": set_of.tree_digest,
        "scope": {"verdict": "PASS", "reason": "1 in plan"},
    }  # fmt: skip
    row = make.entry("finalize", "finalized", "finalize", data=data)
    task = planned(A, "a/**", change_set=set_of, entries=[row])
    who, what, today = signed_words(task)
    assert who.startswith("Finalized by ")
    assert who.endswith("In scope: 1 in plan.")
    assert "assessment 111111111111" in what
    assert "exactly that one" in today
    assert [one.path for one in signed_changes(task)] == ["a/x.py"]
    moved = planned(A, "a/**", change_set=changed("a/z.py"), entries=[row])
    assert "another one now" in signed_words(moved)[2]
    assert signed_changes(moved) == ()
    assert signed_words(planned(A, "a/**")) == ()
