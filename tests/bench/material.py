"""Data sets: repositories with task folders, as a project looks after some weeks with agents."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ags_tui.core import drafts
from ags_tui.core.checks.assess import assess
from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.write import to_bytes
from ags_tui.io.places import Places
from ags_tui.io.workspace import Workspace
from tests import builders
from tests.io.git.repos import git

FOLDERS = 40
"""Folders of sources in a repository."""
FILES_A_FOLDER = 15
"""Sources in each."""
DIRTY = 12
"""Sources that differ from the last commit."""
OPEN = 12
"""Tasks that are not closed yet."""
PENDING = 3
"""Tasks that have an open request."""
EVERYTHING = 1_000_000
"""Most entries that are recorded at once while a project is made."""


@dataclass(frozen=True)
class Project:
    """A repository with tasks, and the folders of its user."""

    top: Path
    """The work tree."""
    places: Places
    """State and settings."""

    @property
    def options(self) -> tuple[str, ...]:
        """What ``ags-tui`` is called with."""
        return ("--state", str(self.places.state), "--config", str(self.places.config))

    def task(self, number: int) -> Path:
        """A task folder."""
        return self.top / ".ai" / "tasks" / task_id(number)


def task_id(number: int) -> str:
    """Name of a task."""
    return f"task-{number:04}"


def project(folder: Path, tasks: int, *, open_tasks: int = OPEN) -> Project:
    """Make a project whose logs are complete: the next start has nothing to record.

    Args:
        folder: where.
        tasks: how many task folders.
        open_tasks: how many of them are not closed.
    """
    made = Project(folder / "app", Places(state=folder / "state", config=folder / "config"))
    _sources(made.top)
    for number in range(tasks):
        _task(made.task(number), number)
    workspace = Workspace.open(made.top, places=made.places)
    try:
        while workspace.observe(workspace.read(), datetime.now(UTC), most=EVERYTHING):
            continue
        for task in assess(workspace.read(), datetime.now(UTC)).tasks[open_tasks:]:
            workspace.record(drafts.close(task, "done elsewhere"))
    finally:
        workspace.git.close()
    for number in range(DIRTY):
        _source(made.top, number).write_text("changed = True\n", "utf-8")
    return made


def title_file(number: int, title: str) -> bytes:
    """A task contract with this title."""
    return to_bytes(builders.agent_task(id=task_id(number), title=title), envelope=False)


def _sources(top: Path) -> None:
    top.mkdir(parents=True)
    git(top, "init", "-q", "-b", "main")
    for number in range(FOLDERS * FILES_A_FOLDER):
        path = _source(top, number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"number = {number}\n" * 20, "utf-8")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "base")


def _source(top: Path, number: int) -> Path:
    return top / "src" / f"part{number % FOLDERS:02}" / f"module{number}.py"


def _task(folder: Path, number: int) -> None:
    """Write task and plan, and what a task in progress has besides."""
    task = task_id(number)
    edits = (
        f"src/part{number % FOLDERS:02}/**",
        *(f"src/part{part:02}/module{part}.py" for part in range(DIRTY)),
    )
    documents: dict[str, Contract] = {
        "task.json": builders.agent_task(id=task, title=f"title of {task}"),
        "plan.json": builders.agent_plan(task_id=task, files_to_edit=edits, files_to_read=edits),
        "implementation-result.json": builders.implementation_result(changed_files=()),
        "review-result.json": builders.review_result(),
        "test-result.json": builders.run_result(),
    }
    if number < PENDING:
        now = datetime.now(UTC)
        documents["tool-requests/tool-001.json"] = builders.tool_request_v2(
            "tool-001", task_id=task, created_at=now, expires_at=now + timedelta(days=30)
        )
    for name, document in documents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(to_bytes(document, envelope=document.contract_version != "1.0.0"))


def long_diff(lines: int) -> bytes:
    """A diff of one file with about so many lines, in hunks of eight lines and their header."""
    head = b"diff --git a/f b/f\nindex 1111111..2222222 100644\n--- a/f\n+++ b/f\n"
    hunk = (
        b"@@ -%d,7 +%d,7 @@ def name\n a line of code\n two\n three and so on\n"
        b"-removed line %d\n+added line %d\n four\n five\n six\n"
    )
    count = max(1, lines // 9)
    return head + b"".join(hunk % (10 * one + 1, 10 * one + 1, one, one) for one in range(count))
