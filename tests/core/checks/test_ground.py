"""Baselines and hiding rules that a human accepts, with the real log."""

from typing import Any

from ags_tui.core.assessment import PendingKind, Verdict
from ags_tui.core.checks.assess import assess
from ags_tui.core.digests import digest
from tests import builders as make
from tests.core.checks.looking import item_ids, of
from tests.core.checks.play import Play
from tests.logs import BASELINE, Chain

BASE = {make.MAPPER: "old\n", make.MAPPER_TESTS: "old\n"}


def play(**baseline: Any) -> Play:
    begun = Play.begun(BASE)
    begun.chain = Chain.begun(**baseline)
    begun.write("task.json", make.agent_task())
    begun.write("plan.json", make.agent_plan())
    begun.edit(make.MAPPER, "new\n")
    return begun


def test_a_late_baseline_is_accepted_once():
    late = play(late=True)
    assert late.look().scope.verdict is Verdict.INCONCLUSIVE
    item = late.inbox("baseline")
    assert item.kind is PendingKind.BASELINE
    assert "already changed" in item.reason
    seen = late.approve("baseline")
    assert seen.scope.verdict is Verdict.PASS
    assert "baseline" not in item_ids(seen)


def test_an_unsigned_baseline_is_adopted():
    bare = Play.begun(BASE)
    bare.chain = Chain()
    bare.chain.add("baseline", "recorded", "baseline", data=BASELINE, key_id="")
    bare.write("plan.json", make.agent_plan())
    seen = bare.write("task.json", make.agent_task())
    assert of(seen, "UNSIGNED_BASELINE")
    assert bare.approve("baseline").scope.verdict is Verdict.PASS


def test_hiding_rules_are_accepted_as_they_are_and_asked_about_again():
    hidden = play(hiding={".gitignore": digest(b"*.log")})
    hidden.hiding = {".gitignore": digest(b"*.log")}
    assert hidden.look().scope.verdict is Verdict.PASS
    hidden.hiding = {".gitignore": digest(b"*.log\nsecret")}
    assert of(hidden.look(), "HIDING_RULES_CHANGED")
    seen = hidden.approve("baseline")
    assert seen.scope.verdict is Verdict.PASS
    assert seen.task.log.baseline is not None
    assert seen.task.log.baseline.commit == make.BASE
    hidden.hiding = {}
    assert hidden.look().scope.verdict is Verdict.INCONCLUSIVE


def test_a_new_baseline_waits_for_a_human_and_the_old_one_holds():
    moved = play()
    moved.chain.add("baseline", "recorded", "baseline", data={**BASELINE, "head": "e" * 40})
    seen = moved.look()
    assert moved.inbox("baseline").title == "Measure the task from a new baseline?"
    assert seen.task.log.baseline is not None
    assert seen.task.log.baseline.commit == make.BASE
    seen = moved.approve("baseline")
    assert seen.task.log.baseline is not None
    assert seen.task.log.baseline.commit == "e" * 40
    assert "baseline" not in item_ids(seen)


def test_a_work_tree_that_git_cannot_tell_is_unknown_as_a_whole():
    odd = make.snapshot(tasks=(), work_tree=make.changes(unknown="missing blob a1b2"))
    (finding,) = assess(odd, make.NOW).findings
    assert (finding.code, finding.unknown) == ("GIT_UNKNOWN", True)
    assert "missing blob a1b2" in finding.message
