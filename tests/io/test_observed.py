"""Which logs have grown in an observation: those alone are read again after it."""

from datetime import UTC, datetime
from pathlib import Path

from ags_tui.core.contracts.write import to_bytes
from ags_tui.core.hints import Hint
from ags_tui.io.places import Places
from ags_tui.io.workspace import Workspace
from tests import builders
from tests.io.git.repos import git


def test_the_tasks_whose_logs_have_grown_are_named_and_reading_them_is_enough(tmp_path: Path) -> None:
    top = tmp_path / "app"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    git(top, "commit", "-q", "--allow-empty", "-m", "base")
    for name in ("a", "b"):
        folder = top / ".ai" / "tasks" / name
        folder.mkdir(parents=True)
        (folder / "task.json").write_bytes(to_bytes(builders.agent_task(id=name)))
    workspace = Workspace.open(top, places=Places(state=tmp_path / "state", config=tmp_path / "config"))
    try:
        assert workspace.observe(workspace.read(), datetime.now(UTC))
        assert workspace.observed == {"a", "b"}
        assert not workspace.observe(workspace.read(), datetime.now(UTC))
        assert workspace.observed == frozenset()

        task = builders.agent_task(id="b", title="another title")
        (top / ".ai" / "tasks" / "b" / "task.json").write_bytes(to_bytes(task))
        assert workspace.observe(workspace.read(Hint(tasks=frozenset("b"))), datetime.now(UTC))
        assert workspace.observed == {"b"}
        seen = workspace.read(Hint(tasks=workspace.observed))
        assert all(one is two for one, two in zip(seen.tasks, workspace.read().tasks, strict=True))
    finally:
        workspace.git.close()
