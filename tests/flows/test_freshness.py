"""Evidence is fresh only where the screen or ``gate`` saw it together with its tree; that is never faked."""

import os
import time
from collections.abc import Callable
from typing import Any

import pytest

from ags_tui.core.checks.findings import Outcome
from ags_tui.core.log_state import Observation
from tests.core.checks import test_article as article
from tests.flows.stage import MAPPER, TASK, Stage

REVIEW = "review-result.json"


def begin(stage: Stage) -> None:
    stage.new_task()
    stage.plan(MAPPER)
    stage.look()
    stage.edit(MAPPER, "friendly\n")
    stage.write("implementation-result.json", RESULT)
    stage.look()


RESULT: dict[str, Any] = {
    **article.RESULT, "commandsRequested": [], "executedSteps": ["one"], "notChanged": [],
    "changedFiles": [{"path": MAPPER, "changeType": "updated", "reason": "r"}],
}  # fmt: skip


def observed(stage: Stage, path: str = REVIEW) -> list[Observation]:
    return [one for one in stage.only_read().tasks[0].task.log.observations if one.path == path]


def by_screen(stage: Stage) -> None:
    stage.look()


def by_gate(stage: Stage) -> None:
    stage.gate()


LOOKS: tuple[Callable[[Stage], None], ...] = (by_screen, by_gate)


@pytest.mark.parametrize("look", LOOKS)
def test_a_review_that_is_seen_at_once_is_fresh(stage: Stage, look: Callable[[Stage], None]):
    begin(stage)
    stage.write(REVIEW, article.PASS)
    look(stage)
    (seen,) = observed(stage)
    task = stage.only_read().tasks[0]
    assert task.task.changes is not None
    assert seen.tree_digest == task.task.changes.tree_digest
    assert task.gate.conditions[5].outcome is Outcome.PASSED


@pytest.mark.parametrize("look", LOOKS)
def test_a_review_that_is_seen_too_late_is_unknown_until_it_is_written_again(
    stage: Stage, look: Callable[[Stage], None]
):
    begin(stage)
    stage.write(REVIEW, article.PASS)
    stage.age(REVIEW, 2.5)
    look(stage)
    assert [one.tree_digest for one in observed(stage)] in ([], [""])
    assert "UNOBSERVED_EVIDENCE" in {one.code for one in stage.only_read().tasks[0].findings}
    assert stage.gate().code in (1, 3)
    stage.write(REVIEW, article.PASS)
    look(stage)
    assert observed(stage)[-1].tree_digest.startswith("sha256:")
    assert "UNOBSERVED_EVIDENCE" not in {one.code for one in stage.only_read().tasks[0].findings}


def test_an_edit_and_an_old_review_seen_together_are_not_taken_for_a_review_of_the_edit(stage: Stage):
    """The reviewer looked at one tree, then it changed, and only then somebody opened this program."""
    begin(stage)
    stage.write(REVIEW, article.PASS)
    stage.age(REVIEW, 3600)
    stage.edit(MAPPER, "something else entirely\n")
    stage.look()
    assert stage.task().gate.conditions[5].outcome is Outcome.UNKNOWN
    assert stage.gate_code()[0] in (1, 3)


@pytest.mark.parametrize("ahead", [3.0, 1e9])
def test_a_time_in_the_future_says_nothing(stage: Stage, ahead: float):
    begin(stage)
    stage.write(REVIEW, article.PASS)
    stage.age(REVIEW, -ahead)
    stage.look()
    assert [one.tree_digest for one in observed(stage)] == [""]


def test_what_was_written_just_before_the_first_look_counts_with_a_baseline_of_that_look(stage: Stage):
    stage.write("task.json", {**article.TASK})
    stage.plan(MAPPER)
    stage.write(REVIEW, article.PASS)
    workspace = stage.human.workspace
    snapshot = workspace.read()
    assert workspace.observe(snapshot, snapshot.taken_at) == 4
    seen = observed(stage)
    tree = workspace.read().tasks[0].changes
    assert tree is not None
    assert [one.tree_digest for one in seen] == [tree.tree_digest]
    assert workspace.observe(workspace.read(), snapshot.taken_at) == 0


def test_a_file_written_while_the_screen_reads_is_seen_with_the_tree_of_the_next_reading(stage: Stage):
    begin(stage)
    workspace = stage.human.workspace
    snapshot = workspace.read()
    stage.write(REVIEW, article.PASS)
    later = snapshot.taken_at.timestamp() + 1.0
    os.utime(stage.folder() / REVIEW, (later, later))
    snapshot = workspace.read()
    if snapshot.taken_at.timestamp() < later:
        assert workspace.observe(snapshot, snapshot.taken_at) == 0
    os.utime(stage.folder() / REVIEW, (time.time(), time.time()))
    stage.look()
    assert observed(stage)[0].tree_digest.startswith("sha256:")


def test_a_stranger_who_looks_leaves_nothing_in_the_log(stage: Stage):
    begin(stage)
    entries = sorted(place.name for place in (stage.folder() / "log").iterdir())
    stage.write(REVIEW, article.PASS)
    where = (
        "--state",
        str(stage.cli.folder / "ci" / "state"),
        "--config",
        str(stage.cli.folder / "ci" / "config"),
    )
    (stage.cli.folder / "ci").mkdir()
    done = stage.bare("gate", TASK, "--json", *where)
    assert done.code in (1, 3)
    assert "UNKNOWN_SIGNER" in done.out
    assert sorted(place.name for place in (stage.folder() / "log").iterdir()) == entries
