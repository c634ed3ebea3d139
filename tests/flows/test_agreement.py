"""At every moment ``gate`` in another terminal says what the screen shows."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from ags_tui.core.assessment import Assessment, TaskAssessment
from ags_tui.core.checks.assess import Assessor, assess
from ags_tui.core.snapshot import Snapshot
from ags_tui.io.places import Places
from ags_tui.io.workspace import Workspace
from tests.flows.mirror import Mirror
from tests.flows.stage import Stage
from tests.flows.walk import TASKS, Walk

STEPS = 14


def shown(task: TaskAssessment) -> dict[str, Any]:
    """What the screen shows of a task, in the words of the command."""
    changes = task.task.changes
    return {
        "outcome": task.gate.outcome.value,
        "headline": task.gate.headline,
        "conditions": [
            (row.number, row.outcome.value, row.basis.value, row.reason) for row in task.gate.conditions
        ],
        "digest": task.digest,
        "tree": changes.tree_digest if changes is not None else None,
    }


def said(row: dict[str, Any]) -> dict[str, Any]:
    """What the command says of a task."""
    gate = row["gate"]
    return {
        "outcome": gate["outcome"],
        "headline": gate["headline"],
        "conditions": [
            (one["number"], one["outcome"], one["basis"], one["reason"]) for one in gate["conditions"]
        ],
        "digest": row["assessmentDigest"],
        "tree": row["treeDigest"],
    }


def whole(assessment: Assessment) -> list[object]:
    """Everything of an assessment that a human can tell apart."""
    return [
        (task.task_id, shown(task), task.stages, task.scope, task.findings, task.requests,
         [(item.item_id, item.digest, item.bound, item.malformed, item.risk) for item in task.pending])
        for task in assessment.tasks
    ]  # fmt: skip


def agree(stage: Stage, assessment: Assessment) -> None:
    done = stage.cli("gate", "--json")
    document = done.json
    assert "tasks" in document, (document, done.err)
    open_tasks = [task for task in assessment.tasks if not task.task.log.frozen]
    assert [row["taskId"] for row in document["tasks"]] == [task.task_id for task in open_tasks]
    for row, task in zip(document["tasks"], open_tasks, strict=True):
        assert said(row) == shown(task)
    outcomes = {task.gate.outcome.value for task in open_tasks}
    if "failed" in outcomes:
        assert done.code == 1
    elif "unknown" in outcomes:
        assert done.code == 3
    elif assessment.findings:
        assert done.code in (1, 3)
    else:
        assert done.code == 0


@pytest.mark.parametrize("seed", range(6))
def test_gate_and_screen_agree_all_along_a_random_walk(stage: Stage, seed: int):
    walk_and_compare(stage, Random(seed), STEPS)


def walk_and_compare(stage: Stage, random: Random, steps: int) -> None:
    walk = Walk(stage, random)
    for task_id in TASKS:
        stage.new_task(task_id)
    stage.git("commit", "-q", "--allow-empty", "-m", "something to amend")
    screen, mirror, hinted = Assessor(), Mirror(open_again(stage)), Assessor()
    try:
        for _ in range(steps):
            walk.step()
            fresh = compare(stage, screen, nobody_is_there=random.random() < 0.3)
            now = datetime.now(UTC)
            assert whole(hinted.assess(mirror.read(), now)) == whole(assess(fresh, now))
    except Exception:
        print("\n".join(walk.trail))
        raise


def open_again(stage: Stage) -> Workspace:
    places = Places(stage.cli.folder / "state", stage.cli.folder / "config")
    return Workspace.open(stage.work, places=places)


def compare(stage: Stage, screen: Assessor, *, nobody_is_there: bool) -> Snapshot:
    index = stage.work / ".git" / "index"
    before = (index.stat().st_ino, index.stat().st_mtime_ns)
    if nobody_is_there:
        stage.cli("gate", "--json")  # it observes by itself what was just written
    else:
        stage.look()
    if stage.human.workspace.read().look_again_at is not None:
        assert stage.cli("gate", "--json").code != 0
        settle(stage)
        stage.look()
    snapshot, now = stage.human.workspace.read(), datetime.now(UTC)
    agree(stage, screen.assess(snapshot, now))
    assert (index.stat().st_ino, index.stat().st_mtime_ns) == before
    fresh = open_again(stage).read()
    for later in (timedelta(), timedelta(seconds=70), timedelta(hours=2), timedelta(days=400)):
        assert whole(screen.assess(snapshot, now + later)) == whole(assess(fresh, now + later))
    return fresh


def settle(stage: Stage) -> None:
    """Let what looks half-written have been left like that a while ago."""
    for task in stage.human.workspace.read().tasks:
        for path in task.files.being_written:
            stage.age(path, 60, task.task_id)
