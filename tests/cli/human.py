"""The human of the tests: decides through the workspace, with the human key of the throw-away state."""

from collections.abc import Callable
from datetime import UTC, datetime

from ags_tui.core.assessment import Assessment, Pending, TaskAssessment
from ags_tui.core.checks.assess import assess
from ags_tui.core.decisions import Draft
from ags_tui.core.drafts import Viewing, answer, approve, attest, finalize
from ags_tui.core.log_state import LoggedEntry
from ags_tui.io.places import Places
from ags_tui.io.workspace import Workspace
from tests.cli.conftest import Cli

SEEN = Viewing(lines=10, total=10, tty="/dev/pts/9")


class Human:
    """Sees what the TUI would see, and decides."""

    def __init__(self, cli: Cli) -> None:
        places = Places(state=cli.folder / "state", config=cli.folder / "config")
        self.workspace = Workspace.open(cli.work, places=places)

    def look(self) -> Assessment:
        """Read, record what is due, and assess, as the TUI does on every hint."""
        snapshot = self.workspace.read()
        while self.workspace.observe(snapshot, datetime.now(UTC)):
            snapshot = self.workspace.read()
        return assess(snapshot, datetime.now(UTC))

    def task(self, task_id: str) -> TaskAssessment:
        return next(task for task in self.look().tasks if task.task_id == task_id)

    def pending(self, task_id: str, item_id: str) -> Pending:
        return next(one for one in self.task(task_id).pending if one.item_id == item_id)

    def approve(self, task_id: str, item_id: str) -> LoggedEntry:
        return self.workspace.record(approve(self.pending(task_id, item_id), SEEN))

    def answer(self, task_id: str, item_id: str, *, option: str = "", text: str = "") -> LoggedEntry:
        return self.workspace.record(answer(self.pending(task_id, item_id), SEEN, option=option, text=text))

    def attest_all(self, task_id: str) -> None:
        task = self.task(task_id)
        for prose in task.gate.prose:
            if prose.outcome.value != "passed":
                self.workspace.record(attest(task, prose, SEEN))

    def finalize(self, task_id: str) -> LoggedEntry:
        return self.workspace.record(finalize(self.task(task_id), SEEN))

    def record(self, task_id: str, make: Callable[[TaskAssessment], Draft]) -> LoggedEntry:
        return self.workspace.record(make(self.task(task_id)))
