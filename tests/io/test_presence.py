"""A decision that no TUI of this machine made raises an alarm in the TUIs that are open."""

import asyncio
import os
import subprocess
from contextlib import aclosing
from pathlib import Path

from ags_tui.core import drafts
from ags_tui.core.checks.assess import assess
from ags_tui.core.contracts.task import AgentTask
from ags_tui.io.places import Places
from ags_tui.io.workspace import Workspace


def workspace(tmp_path: Path) -> Workspace:
    repository = tmp_path / "repo"
    if not repository.exists():
        repository.mkdir()
        (repository / "a.txt").write_text("a\n")
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
            subprocess.run(
                ["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@b.c", *words],
                check=True,
                env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
            )
    return Workspace.open(repository, places=Places(state=tmp_path / "state", config=tmp_path / "config"))


def new_task() -> AgentTask:
    return AgentTask(
        id="t", title="t", description="d", category="feature", risk_level="low",
        expected_behavior=(), forbidden_changes=(), required_evidence=(),
    )  # fmt: skip


async def opened(space: Workspace) -> None:
    """Be a TUI: watch until the first hint."""
    async with aclosing(space.watch()) as hints:
        await anext(hints)


def block(space: Workspace) -> None:
    snapshot = space.read()
    space.record(drafts.block(assess(snapshot, snapshot.taken_at).tasks[0], "wait"))


def test_decisions_of_open_tuis_are_no_alarm_and_others_are(tmp_path: Path):
    first, second, stranger = (workspace(tmp_path) for _ in range(3))
    first.new_task(new_task())
    for space in (first, second):
        asyncio.run(opened(space))
        assert space.read().alarms == ()
    block(first)
    block(second)
    assert first.read().alarms == second.read().alarms == ()

    block(stranger)
    for space in (first, second):
        snapshot = space.read()
        (alarm,) = snapshot.alarms
        assert "block blocked" in alarm
        assert "FOREIGN_DECISION" in {
            finding.code for finding in assess(snapshot, snapshot.taken_at).findings
        }
    assert stranger.read().alarms == (), "who is no TUI does not watch"


def test_what_was_decided_before_is_no_alarm(tmp_path: Path):
    first = workspace(tmp_path)
    first.new_task(new_task())
    block(first)
    late = workspace(tmp_path)
    asyncio.run(opened(late))
    assert late.read().alarms == ()
