"""What left the plan and came back: one bounded entry each, once it has settled."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from ags_tui.core.assessment import PathClass, PathVerdict, TaskAssessment, Verdict
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.decisions import Draft
from ags_tui.core.outside import MOST_ENTRIES, SETTLED_S, OutsideWatch, outside_now
from ags_tui.core.seen import MOST_NAMED, OutsideEntry, entry_of
from tests import builders as make
from tests.logs import Chain

LATER = timedelta(seconds=SETTLED_S)


def stray(path: str, path_class: PathClass = PathClass.UNPLANNED, **fields) -> PathVerdict:
    return make.path_verdict(path, path_class, **fields)


def task(paths: Iterable[PathVerdict] = (), log=None, verdict=Verdict.NEEDS_APPROVAL, **fields):
    snapshot = replace(make.task_snapshot(), log=log or make.log_state(), **fields)
    return make.task_assessment(snapshot, scope=make.scope_report(verdict=verdict, paths=tuple(paths)))


def said(draft: Draft) -> OutsideEntry:
    found = entry_of(draft.data)
    assert found is not None
    return found


def settle(watch: OutsideWatch, one: TaskAssessment, now: datetime = make.NOW) -> tuple[Draft, ...]:
    """Look twice, as long apart as it takes."""
    watch.look([one], now)
    assert watch.take(now) == ()
    watch.look([one], now + LATER)
    return watch.take(now + LATER)


def after(one: TaskAssessment, *drafts: Draft) -> TaskAssessment:
    """The same task when its log holds the drafts."""
    log = one.task.log
    seen = [make.observation(draft.subject_id, "", data=draft.data) for draft in drafts]
    return replace(one, task=replace(one.task, log=replace(log, outside=(*log.outside, *seen))))


def test_one_entry_when_a_path_leaves_the_plan_and_one_when_it_is_taken_back() -> None:
    watch = OutsideWatch()
    out = task([stray("b.py"), stray("a.py", PathClass.EXCLUDED), make.path_verdict("in.py")])
    (left,) = settle(watch, out)
    assert (left.source, left.kind, left.verdict) == ("system", "observation", "recorded")
    assert left.expected_sequence == out.task.log.next_sequence
    assert said(left).left.names == said(left).now.names == ("a.py", "b.py")

    noted = after(out, left)
    assert settle(watch, noted, make.NOW + LATER) == (), "it is on record"
    back = replace(noted, scope=make.scope_report(verdict=Verdict.PASS, paths=(make.path_verdict("b.py"),)))
    (again,) = settle(watch, back, make.NOW + 3 * LATER)
    assert said(again).back.names == ("a.py", "b.py")
    assert said(again).how == ("taken back", "now in the plan")
    assert settle(watch, after(back, left, again), make.NOW + 6 * LATER) == ()
    assert watch.wait(make.NOW + 9 * LATER) is None, "nothing of its own making goes on"


def test_what_flickers_is_never_recorded() -> None:
    watch, there, gone = OutsideWatch(), task([stray("a.py")]), task()
    now = make.NOW
    for _ in range(20):
        watch.look([there], now)
        assert watch.take(now) == ()
        assert watch.wait(now) == SETTLED_S, "one look is due when it would have settled"
        now += timedelta(seconds=0.5)
        watch.look([gone], now)
        assert watch.take(now) == ()
        assert watch.wait(now) is None
        now += timedelta(seconds=0.5)


def test_a_set_that_still_changes_has_not_settled() -> None:
    watch, now = OutsideWatch(), make.NOW
    for count in range(1, 8):
        watch.look([task([stray(f"{number}.py") for number in range(count)])], now)
        assert watch.take(now) == ()
        now += LATER / 2


def test_ten_thousand_files_are_one_bounded_entry_and_one_when_few_are_left() -> None:
    watch = OutsideWatch()
    many = task([stray(f"{number:05d}.py") for number in range(10_000)])
    (left,) = settle(watch, many)
    assert said(left).left.count == 10_000
    assert len(said(left).now.names) == len(said(left).left.names) == MOST_NAMED

    more = after(task([stray(f"{number:05d}.py") for number in range(10_500)]), left)
    assert settle(watch, more, make.NOW + 2 * LATER) == (), "many are many"
    few = after(task([stray("00000.py")]), left)
    (back,) = settle(watch, few, make.NOW + 9 * LATER)
    assert (said(back).back.count, said(back).now.names) == (9_999, ("00000.py",))


def test_a_failed_recording_is_not_tried_in_a_loop() -> None:
    watch, out = OutsideWatch(), task([stray("a.py")])
    assert settle(watch, out)
    assert watch.wait(make.NOW + LATER) is None
    watch.look([out], make.NOW + 2 * LATER)
    assert watch.take(make.NOW + 2 * LATER), "the next look tries again"


def test_an_approval_brings_a_path_back() -> None:
    watch, out = OutsideWatch(), task([stray("a.py")])
    (left,) = settle(watch, out)
    allowed = after(task([stray("a.py", approved=True)]), left)
    (back,) = settle(watch, allowed, make.NOW + 2 * LATER)
    assert said(back).how == ("approved",)


def test_where_it_cannot_be_said_nothing_is_recorded() -> None:
    paths = [stray("a.py")]
    full = tuple(make.observation("x", "") for _ in range(MOST_ENTRIES))
    for one in (
        task(paths, verdict=Verdict.NOT_APPLICABLE),
        task(paths, verdict=Verdict.INCONCLUSIVE),
        task(paths, changes=None),
        task(paths, changes=make.changes(unknown="git is gone")),
        task(paths, log=make.log_state(integrity=Outcome.FAILED)),
        task(paths, log=make.log_state(integrity=Outcome.UNKNOWN)),
        task(paths, log=make.log_state([make.entry("close", "closed")])),
        task(paths, log=replace(make.log_state(), outside=full)),
        task(paths, log=make.log_state(head_sequence=-1)),
    ):
        assert outside_now(one) is None
    assert outside_now(task([stray("a.py", change=None), stray("b\udcff.py")])) == ("bytes:b%FF.py",)


def test_the_replay_keeps_it_apart_from_what_checks_read() -> None:
    (draft,) = settle(OutsideWatch(), task([stray("a.py")]))
    chain = Chain.begun()
    chain.add("observation", "recorded", draft.subject_id, "", data=dict(draft.data))
    state = chain.state()
    assert (state.integrity, state.observations) == (Outcome.PASSED, ())
    assert entry_of(state.outside[0].data) == said(draft)
    assert all(row.counted for row in state.entries)


def test_facts_of_another_shape_say_nothing() -> None:
    assert entry_of({}) is None
    assert entry_of({"outsidePlan": 7}) is None
    odd = entry_of({"outsidePlan": {"now": {"paths": [1, "a"], "count": "x"}, "left": 3, "how": 4}})
    assert odd is not None
    assert (odd.now.names, odd.left.count, odd.how) == (("a",), 0, ())


def test_a_plan_of_another_task_that_nobody_approved_leaves_it_outside() -> None:
    theirs = stray("a.py", PathClass.OWNERSHIP_UNKNOWN, owner="two")
    assert outside_now(task([replace(theirs, proposed=True), replace(theirs, path="b.py")])) == ("a.py",)

    watch = OutsideWatch()
    out = task([replace(theirs, proposed=True)])
    (left,) = settle(watch, out)
    approved = replace(after(out, left), scope=task([theirs]).scope)
    (back,) = settle(watch, approved, make.NOW + LATER)
    assert (said(back).back.names, said(back).how) == (("a.py",), ("of another task's plan",))


def test_the_last_entry_that_a_log_takes_says_so() -> None:
    one = task([stray("a.py")])
    some = Draft(one.task_id, "observation", "recorded", "outside-the-plan", "")
    (draft,) = settle(OutsideWatch(), after(one, *[some] * (MOST_ENTRIES - 2)))
    assert not said(draft).last
    (draft,) = settle(OutsideWatch(), after(one, *[some] * (MOST_ENTRIES - 1)))
    assert said(draft).last
