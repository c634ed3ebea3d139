"""The assessment of a whole snapshot: what is kept, what is computed again, and in which order."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from ags_tui.core import digests
from ags_tui.core.assessment import Assessment, StageName, StageState, TaskAssessment, Verdict
from ags_tui.core.checks.assess import Assessor, assess, assess_task, claims_of
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.decisions import Bound
from ags_tui.core.snapshot import PolicyState, Snapshot, TaskSnapshot
from tests import builders as make
from tests.core.checks.looking import item_ids, later, looked_at, of, rung, stage

A, B = "task-a", "task-b"


def planned(task_id: str, *paths: str, approved: bool = True, **fields: Any) -> TaskSnapshot:
    """A task with a plan of its own, approved by a human."""
    plan = make.agent_plan(task_id=task_id, files_to_edit=paths, files_not_to_edit=())
    digest = make.artifact(plan, "plan.json").digest
    row = make.entry("plan", "approved", "plan", digest, bound=Bound(plan=digest))
    entries = [*fields.pop("entries", []), *([row] if approved else [])]
    return make.task_snapshot(task_id=task_id, plan=plan, entries=entries, **fields)


def named(assessment: Assessment, task_id: str) -> TaskAssessment:
    return next(one for one in assessment.tasks if one.task_id == task_id)


# -- two tasks in one work tree ----------------------------------------------------------------------------


def test_two_tasks_side_by_side():
    both = make.changes(make.change("a/x.py"), make.change("b/y.py"))
    work = make.implementation_result(changed_files=(), not_changed=())
    tasks = [
        planned(A, "a/**", change_set=both, implementation=work),
        planned(B, "b/y.py", change_set=both, implementation=work),
    ]
    seen = assess(make.snapshot(*tasks), make.NOW)
    for task_id, foreign in ((A, "b/y.py"), (B, "a/x.py")):
        scope = named(seen, task_id).scope
        assert scope.verdict is Verdict.NEEDS_APPROVAL
        assert {one.path for one in scope.paths if one.path_class.value == "ownership-unknown"} == {foreign}
        assert not any(row.outcome is Outcome.FAILED for row in named(seen, task_id).gate.conditions)


@pytest.mark.parametrize(
    ("verdict", "claims"), [("finalized", True), ("closed", False)], ids=["finalized", "closed"]
)
def test_whether_a_frozen_task_still_claims(verdict: str, claims: bool):
    kind = "finalize" if verdict == "finalized" else "close"
    frozen = planned(B, "b/**", entries=[make.entry(kind, verdict, kind)])
    open_task = planned(A, "a/**", change_set=make.changes(make.change("b/y.py")))
    snapshot = make.snapshot(open_task, frozen)
    assert bool(claims_of(snapshot, make.NOW).owners("b/y.py")) is claims
    seen = named(assess(snapshot, make.NOW), A).scope.paths[0].path_class.value
    assert seen == ("ownership-unknown" if claims else "unplanned")


def test_a_tampered_log_claims_nothing():
    tampered = planned(B, "b/**", log={"integrity": Outcome.FAILED})
    assert claims_of(make.snapshot(tampered), make.NOW).claims == ()


# -- frozen tasks ------------------------------------------------------------------------------------------


def test_a_finalized_task_is_not_assessed_again():
    row = make.entry("finalize", "finalized", "finalize", data={"assessmentDigest": "sha256:" + "1" * 64})
    changes = make.changes(make.change("DesignSystem/x"))
    signed = {**row.entry.data, "treeDigest": changes.tree_digest}
    row = make.entry("finalize", "finalized", "finalize", data=signed)
    seen = looked_at(entries=[row], change_set=changes)
    assert seen.findings == seen.pending == ()
    assert [(one.name, one.outcome) for one in seen.gate.conditions] == [
        ("log", Outcome.PASSED), ("finalize", Outcome.PASSED), ("tree", Outcome.PASSED)
    ]  # fmt: skip
    assert seen.gate.outcome is Outcome.PASSED
    moved = looked_at(entries=[row], change_set=make.changes(unknown="damaged"))
    assert moved.gate.outcome is Outcome.UNKNOWN
    assert seen.digest == "sha256:" + "1" * 64
    assert stage(seen, StageName.GATE).state is StageState.DONE
    closed = looked_at(entries=[make.entry("close", "closed", "task")])
    assert closed.gate.outcome is Outcome.FAILED
    assert "C reopens it" in closed.gate.headline


def test_a_tampered_log_freezes_nothing():
    seen = looked_at(entries=[make.entry("finalize", "finalized")], log={"integrity": Outcome.FAILED})
    assert of(seen, "LOG_TAMPERED")
    assert seen.gate.outcome is Outcome.FAILED


# -- what is kept ------------------------------------------------------------------------------------------


def test_what_did_not_change_is_the_same_object():
    assessor = Assessor()
    tasks = [planned(f"task-{n}", f"{n}/**", approved=False) for n in range(3)]
    snapshot = make.snapshot(*tasks)
    first = assessor.assess(snapshot, make.NOW)
    assert assessor.assess(snapshot, later(minutes=1)) is first
    moved = replace(snapshot, repo=make.repo(head="d" * 40, branch="other"), taken_at=later(minutes=1))
    assert assessor.assess(moved, later(minutes=1)) is first
    one = replace(tasks[1])
    second = assessor.assess(replace(snapshot, tasks=(tasks[0], one, tasks[2])), later(minutes=2))
    assert [a is b for a, b in zip(first.tasks, second.tasks, strict=True)] == [True, False, True]
    gone = assessor.assess(replace(snapshot, tasks=(tasks[0],)), later(minutes=3))
    assert gone.tasks[0] is first.tasks[0]


@pytest.mark.parametrize(
    "change",
    [
        lambda s: replace(s, repo=make.repo(operation="merge")),
        lambda s: replace(s, repo=make.repo(hiding={".gitignore": digests.digest(b"x")})),
        lambda s: replace(s, repo=make.repo(ignore_case=True)),
        lambda s: replace(s, policy=PolicyState(make.POLICY_DIGEST, max_schema_attempts=1)),
        lambda s: replace(s, tasks=(*s.tasks, planned("other", "Sources/**"))),
    ],
    ids=["merge", "hiding", "case", "policy", "another plan"],
)
def test_what_all_tasks_depend_on_assesses_them_again(change: Callable[[Snapshot], Snapshot]):
    assessor = Assessor()
    snapshot = make.snapshot()
    first = assessor.assess(snapshot, make.NOW)
    other = change(snapshot)
    second = assessor.assess(other, make.NOW)
    assert named(second, make.TASK_ID) is not first.tasks[0]
    fresh = named(assess(other, make.NOW), make.TASK_ID)
    assert named(second, make.TASK_ID).digest == fresh.digest


@pytest.mark.parametrize("minutes", [0, 30, 44, 45, 46, 57, 90])
def test_time_alone_changes_what_expires(minutes: int):
    """The kept assessment equals a fresh one at every instant, and is kept until something expires."""
    ends = later(minutes=45)
    plan = make.agent_plan(requires_human_approval=True)
    digest = make.artifact(plan, "plan.json").digest
    rows = [
        make.entry("plan", "approved", "plan", digest, bound=Bound(plan=digest), expires_at=later(minutes=57))
    ]
    task = make.task_snapshot(
        plan=plan, entries=rows, more={"tool-requests/tool-002.json": make.tool_request_v2(expires_at=ends)},
    )  # fmt: skip
    snapshot = make.snapshot(task)
    assessor = Assessor()
    first = assessor.assess(snapshot, make.NOW)
    now = later(minutes=minutes)
    kept, fresh = assessor.assess(snapshot, now), assess(snapshot, now)
    assert (kept is first) is (now < ends)
    assert kept.tasks[0].digest == fresh.tasks[0].digest
    assert kept.tasks[0].requests == fresh.tasks[0].requests
    assert rung(kept.tasks[0], 3).outcome is (Outcome.PASSED if minutes < 57 else Outcome.FAILED)


def test_a_clock_that_goes_back_is_looked_at_again():
    row = make.entry("block", "lifted", decided_at=make.NOW)
    snapshot = make.snapshot(make.task_snapshot(entries=[row]))
    assessor = Assessor()
    assert not of(assessor.assess(snapshot, make.NOW).tasks[0], "CLOCK_WENT_BACK")
    assert of(assessor.assess(snapshot, later(minutes=-5)).tasks[0], "CLOCK_WENT_BACK")
    assert not of(assessor.assess(snapshot, later(minutes=5)).tasks[0], "CLOCK_WENT_BACK")


# -- order and digest --------------------------------------------------------------------------------------


def test_the_inbox_of_all_tasks_is_sorted_by_risk_then_age():
    def asking(task_id: str, request_id: str, risk: str, first_seen: datetime) -> TaskSnapshot:
        request = make.tool_request(request_id, tool="shell", command="ls", target_path=None, risk_level=risk)
        path = f"tool-requests/{request_id}.json"
        seen = make.observation(path, make.artifact(request, path).digest, observed_at=first_seen)
        return make.task_snapshot(task_id=task_id, more={path: request}, observations=[seen])

    tasks = [
        asking("t1", "new-high", "high", later(minutes=-1)),
        asking("t2", "old-medium", "medium", later(minutes=-40)),
        asking("t3", "old-high", "high", later(minutes=-9)),
    ]
    assert [one.item_id for one in assess(make.snapshot(*tasks), make.NOW).pending] == [
        "old-high", "new-high", "old-medium",
    ]  # fmt: skip


def test_the_digest_follows_outcomes_findings_and_tree_and_nothing_else():
    first = looked_at()
    assert looked_at(repo=make.repo(head=None, branch=None)).digest == first.digest
    assert looked_at(now=later(days=1)).digest == first.digest
    different = [
        looked_at(change_set=make.changes(make.change())),
        looked_at(review=None),
        looked_at(attested=False),
        looked_at(entries=[make.entry("block", "blocked")]),
        looked_at(base=make.baseline(late=True)),
        looked_at(plan=make.agent_plan(summary="another plan")),
        looked_at(task=make.agent_task(title="another task")),
    ]
    assert len({first.digest, *(one.digest for one in different)}) == len(different) + 1


def test_what_may_be_finalized_says_so_and_what_may_not_does_not():
    assert item_ids(looked_at()) == ["finalize"]
    assert "finalize" not in item_ids(looked_at(attested=False))
    assert "finalize" not in item_ids(looked_at(base=make.baseline(late=True)))


# -- sessions ----------------------------------------------------------------------------------------------


def session(**fields: Any) -> TaskAssessment:
    defaults: dict[str, Any] = {
        "task_id": "session-1", "task": None, "plan": None, "implementation": None, "review": None,
        "test": None,
    }  # fmt: skip
    rows = [make.entry("baseline", "recorded", source="system", sequence=0)]
    defaults["entries"] = rows
    return looked_at(**{**defaults, **fields})


def test_a_session_is_held_by_requests_blocks_and_log_only():
    seen = session()
    assert [row.number for row in seen.gate.conditions if row.outcome is not Outcome.NOT_APPLICABLE] == [
        5,
        10,
        11,
    ]
    assert seen.gate.outcome is Outcome.PASSED
    assert seen.pending == ()
    assert seen.title == "session-1"
    request = {"tool-requests/tool-001.json": make.tool_request()}
    assert session(more=request).gate.headline == "PENDING_REQUEST"
    assert session(entries=[make.entry("block", "blocked")]).gate.headline == "HUMAN_BLOCK"


def test_a_session_with_a_plan_is_held_by_its_scope():
    assert session(plan=make.agent_plan()).gate.outcome is Outcome.PASSED
    stray = session(plan=make.agent_plan(), change_set=make.changes(make.change("DesignSystem/x")))
    assert stray.gate.headline == "EXCLUDED_FILE"


def test_without_any_log_nothing_is_passed():
    seen = session(entries=[], log={"head_sequence": -1})
    assert seen.gate.outcome is Outcome.UNKNOWN
    assert seen.gate.headline == "NO_BASELINE"


# -- the gate ----------------------------------------------------------------------------------------------


def test_all_conditions_are_listed_and_the_first_open_one_gives_the_headline():
    seen = looked_at(review=None, test=None, entries=[make.entry("block", "blocked", reason="wait")])
    assert [row.number for row in seen.gate.conditions] == list(range(1, 13))
    assert [row.name for row in seen.gate.conditions] == list(make.CONDITIONS)
    assert [row.number for row in seen.gate.open_conditions] == [6, 7, 10]
    assert seen.gate.headline == "MISSING_ARTIFACT"
    assert rung(seen, 10).reason == "A human blocked this task: wait."
    assert stage(seen, StageName.GATE).state is StageState.BLOCKED


def test_each_open_condition_has_a_finding_and_a_reason():
    broken = looked_at(
        plan=None,
        implementation=None,
        review=None,
        test=None,
        attested=False,
        base=None,
        report=make.final_report(),
        files={"being_written": ("plan.json",)},
        log={"integrity": Outcome.UNKNOWN},
    )
    for row in broken.gate.open_conditions:
        assert row.findings, row.name
        assert row.reason, row.name
    assert broken.gate.not_checked == "whether the requirement itself is right"


def test_a_decision_by_a_stranger_leaves_what_a_human_must_decide_unknown():
    """Without the trusted keys (CI, a colleague) an approval may be there, and nobody can say so."""
    plan = make.agent_plan(requires_human_approval=True)
    stray = make.changes(make.change(), make.change("stray"))
    request = {"tool-requests/tool-001.json": make.tool_request()}
    unknown = {"integrity": Outcome.UNKNOWN}
    seen = looked_at(plan=plan, change_set=stray, more=request, log=unknown)
    assert {rung(seen, number).outcome for number in (2, 3, 4, 5)} == {Outcome.UNKNOWN}
    excluded = looked_at(change_set=make.changes(make.change("DesignSystem/x")), log=unknown)
    assert rung(excluded, 4).outcome is Outcome.FAILED
    assert rung(looked_at(plan=plan, log={"integrity": Outcome.FAILED}), 3).outcome is Outcome.FAILED


def test_assessing_one_task_finds_the_claims_itself():
    open_task = planned(A, "a/**", change_set=make.changes(make.change("b/y.py")))
    snapshot = make.snapshot(open_task, planned(B, "b/**"))
    alone = assess_task(open_task, snapshot, make.NOW)
    assert alone.digest == named(assess(snapshot, make.NOW), A).digest
