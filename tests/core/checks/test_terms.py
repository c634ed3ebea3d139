"""Which task and plan are in force."""

from typing import Any

import pytest

from ags_tui.core.checks.terms import check_terms, terms_of
from ags_tui.core.contracts.base import Contract
from ags_tui.core.decisions import Bound
from ags_tui.core.log_state import LoggedEntry
from ags_tui.core.snapshot import TaskSnapshot
from tests import builders as make
from tests.core.checks.looking import later

FIRST = make.agent_plan()
WIDER = make.agent_plan(files_to_edit=(*FIRST.files_to_edit, "src/more.py"))
WIDEST = make.agent_plan(files_to_edit=(*WIDER.files_to_edit, "src/most.py"))
NARROW = make.agent_plan(files_to_edit=(make.MAPPER,))


def digest(plan: Contract) -> str:
    return make.artifact(plan, "plan.json").digest


SEEN = make.observation("plan.json", make.artifact(FIRST, "plan.json").digest)


def approval(plan: Contract, verdict: str = "approved", **fields: Any) -> LoggedEntry:
    return make.entry("plan", verdict, "plan", digest(plan), bound=Bound(plan=digest(plan)), **fields)


def task(*seen: Contract, rows: tuple[LoggedEntry, ...] = (), **fields: Any) -> TaskSnapshot:
    """A task whose plan.json held these versions one after the other; the last is there today."""
    return make.task_snapshot(
        plan=seen[-1],  # type: ignore[arg-type]
        recorded={digest(one): one for one in seen},
        observations=[
            make.observation("plan.json", digest(one), sequence=n) for n, one in enumerate(seen, start=1)
        ],
        entries=rows,
        **fields,
    )


def in_force(snapshot: TaskSnapshot) -> Contract | None:
    return terms_of(snapshot, make.NOW).plan


def test_the_first_one_is_in_force_until_it_is_narrowed():
    assert in_force(task(FIRST)) == FIRST
    assert in_force(task(FIRST, NARROW)) == NARROW
    assert in_force(task(FIRST, NARROW, FIRST)) == FIRST


def test_a_wider_one_waits():
    terms = terms_of(task(FIRST, WIDER), make.NOW)
    assert terms.plan == FIRST
    assert terms.plan_term.loosened == ("filesToEdit adds src/more.py",)
    assert [one.code for one in check_terms(terms)] == ["PLAN_WIDENED"]


def test_an_approved_one_is_the_new_measure():
    rows = (approval(WIDER),)
    assert in_force(task(FIRST, WIDER, rows=rows)) == WIDER
    assert in_force(task(FIRST, WIDER, NARROW, rows=rows)) == NARROW
    assert in_force(task(FIRST, WIDER, WIDEST, rows=rows)) == WIDER
    assert terms_of(task(FIRST, WIDER, FIRST, rows=rows), make.NOW).plan_term.approved is False


@pytest.mark.parametrize(
    "rows",
    [
        (approval(WIDER, expires_at=later(minutes=-1)),),
        (approval(WIDER, sequence=1), approval(WIDER, "denied", sequence=2)),
        (approval(WIDER, counted=False),),
        (make.entry("plan", "approved", "task", digest(WIDER)),),
        (make.entry("edit", "approved", "plan", digest(WIDER)),),
        (approval(WIDEST),),
    ],
    ids=["expired", "denied since", "not by a human", "of the task", "of an edit", "of another plan"],
)
def test_what_is_no_approval(rows: tuple[LoggedEntry, ...]):
    assert in_force(task(FIRST, WIDER, rows=rows)) != WIDER


def test_an_approval_that_ends_has_an_instant():
    ends = later(minutes=5)
    snapshot = task(FIRST, WIDER, rows=(approval(WIDER, expires_at=ends),))
    assert terms_of(snapshot, make.NOW).plan == WIDER
    assert ends in terms_of(snapshot, make.NOW).instants
    assert terms_of(snapshot, ends).plan == FIRST


def test_an_approval_request_approves_the_plan_that_it_was_bound_to():
    row = make.entry(
        "plan", "approved", "approval-001", "sha256:" + "5" * 64, bound=Bound(plan=digest(WIDER))
    )
    assert in_force(task(FIRST, WIDER, rows=(row,))) == WIDER


def test_a_version_that_nobody_can_read_any_more_is_not_passed_over():
    snapshot = task(FIRST, WIDER)
    lost = make.task_snapshot(
        plan=WIDER, recorded={}, observations=snapshot.log.observations[-2:],
    )  # fmt: skip
    terms = terms_of(lost, make.NOW)
    assert terms.plan_term.unreadable
    (finding,) = check_terms(terms)
    assert (finding.code, finding.unknown) == ("PLAN_WIDENED", True)


def test_the_text_in_the_log_is_enough():
    seen = [
        make.observation(
            "plan.json", digest(FIRST), sequence=1,
            data={"contract": "AgentPlan", "text": make.contract_bytes(FIRST).decode()},
        ),
        make.observation("plan.json", digest(WIDER), sequence=2),
    ]  # fmt: skip
    assert in_force(make.task_snapshot(plan=WIDER, observations=seen)) == FIRST
    data = {"contract": "AgentPlan", "text": make.contract_bytes(WIDEST).decode()}
    forged = [make.observation("plan.json", digest(FIRST), sequence=1, data=data), seen[1]]
    assert terms_of(make.task_snapshot(plan=WIDER, observations=forged), make.NOW).plan_term.unreadable


def test_removing_or_breaking_the_file_loosens_nothing():
    gone = make.task_snapshot(
        plan=None, recorded={digest(FIRST): FIRST}, observations=[SEEN],
    )  # fmt: skip
    assert in_force(gone) == FIRST
    assert [one.code for one in check_terms(terms_of(gone, make.NOW))] == ["PLAN_WIDENED"]
    broken = make.task_snapshot(
        plan=None, recorded={digest(FIRST): FIRST}, observations=[SEEN],
        files={"problems": (make.load_problem("plan.json"),)},
    )  # fmt: skip
    assert in_force(broken) == FIRST
    assert check_terms(terms_of(broken, make.NOW)) == ()


def test_a_task_that_was_removed_is_no_session():
    first = make.artifact(make.agent_task(), "task.json")
    gone = make.task_snapshot(
        task=None, recorded={first.digest: make.agent_task()},
        observations=[make.observation("task.json", first.digest)],
    )  # fmt: skip
    terms = terms_of(gone, make.NOW)
    assert not terms.session
    assert terms.task == make.agent_task()
    assert [one.code for one in check_terms(terms)] == ["TASK_WEAKENED"]
    assert terms_of(make.task_snapshot(task=None), make.NOW).session
    half = make.task_snapshot(task=None, files={"being_written": ("task.json",)})
    assert not terms_of(half, make.NOW).session


def test_what_was_invalid_first_is_not_the_measure():
    seen = [make.observation("plan.json", "sha256:" + "9" * 64, valid=False, sequence=1)]
    seen.append(make.observation("plan.json", digest(WIDER), sequence=2))
    assert in_force(make.task_snapshot(plan=WIDER, observations=seen)) == WIDER
