"""Working: diffs, new tasks, test runs, the editor, the clipboard, the demo."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ags_tui.app.beside_messages import SessionPromoted
from ags_tui.app.messages import (
    CheckAsked,
    CheckCancelled,
    CheckFailed,
    CheckFinished,
    CheckPrinted,
    CopyAsked,
    DemoAsked,
    DiffFailed,
    DiffLoaded,
    DiffWanted,
    EditorAsked,
    EvidenceRead,
    TaskCreated,
    TaskDrafted,
    TaskRefused,
)
from ags_tui.app.stories.deciding import DecidingStory
from ags_tui.core.hints import EVERYTHING, Hint

if TYPE_CHECKING:
    from ags_tui.app.screens.check_run import CheckRunScreen
    from ags_tui.app.screens.decision import DecisionScreen
    from ags_tui.app.screens.escalation import EscalationScreen
    from ags_tui.core.assessment import Pending
    from ags_tui.core.snapshot import Artifact

DEMO = "demo"
"""What the app returns where the human wants the demo."""


@runtime_checkable
class ShowsDiff(Protocol):
    """A decision screen that asks for the diff of what it shows."""

    def diff_answered(self, message: DiffLoaded | DiffFailed) -> None:
        """Take the answer; a late one is dropped."""
        ...


@runtime_checkable
class ReadsEvidence(Protocol):
    """A decision screen that opens evidence in place."""

    def evidence_read(self, ref: str, text: str) -> None:
        """Take what was read."""
        ...


class WorkingStory(DecidingStory):
    """Does what was asked for and hands the answer to the screen that waits for it."""

    def on_diff_wanted(self, message: DiffWanted) -> None:
        """Read a diff; only the last wanted one is shown."""
        self.blocking(lambda: self.clerk.diff(message), "diff")

    def on_diff_loaded(self, message: DiffLoaded) -> None:
        """Show a diff where it was asked for."""
        self.main_screen.diffs.loaded(message)
        self._judges(message)

    def on_diff_failed(self, message: DiffFailed) -> None:
        """Say why there is no diff."""
        self.main_screen.diffs.failed(message)
        self._judges(message)

    def _judges(self, message: DiffLoaded | DiffFailed) -> None:
        """Hand a diff to the decision screen that waits for it."""
        for screen in self.screen_stack:
            if isinstance(screen, ShowsDiff):
                screen.diff_answered(message)

    def on_task_drafted(self, message: TaskDrafted) -> None:
        """Write a new task."""
        self.say("writing the task…")
        self.blocking(lambda: self.clerk.new_task(message.task), "new-task")

    def on_session_promoted(self, message: SessionPromoted) -> None:
        """Write the contracts of a session."""
        self.say("writing task and plan…")
        self.blocking(lambda: self.clerk.promote(message.promotion), "promote")

    def on_task_created(self, message: TaskCreated) -> None:
        """Say so and read it."""
        self.main_screen.moves.want_task(message.task_id)
        done = "planned; a opens the plan" if message.promoted else "written, its baseline recorded"
        self.say(f"task {message.task_id} is {done}", "ok")
        self.look_again(EVERYTHING)

    def on_task_refused(self, message: TaskRefused) -> None:
        """Say why no task was written."""
        self.say(f"no task was written: {message.reason}", "error")

    def on_check_asked(self, message: CheckAsked) -> None:
        """Run the planned tests."""
        self.blocking(lambda: self.clerk.check(message.task_id), "check")

    def on_check_cancelled(self, message: CheckCancelled) -> None:
        """End a run."""
        self.clerk.cancel(message.task_id)

    def on_check_printed(self, message: CheckPrinted) -> None:
        """Show output on the screen of the run, while it is open."""
        self._run_screen(message.task_id, lambda screen: screen.printed(message.lines))

    def on_check_finished(self, message: CheckFinished) -> None:
        """Say how the run ended, and read what was recorded."""
        self._run_screen(
            message.task_id, lambda screen: screen.finish(message.summary, passed=message.passed)
        )
        self.say(f"tests of {message.task_id}: {message.summary}", "ok" if message.passed else "error")
        self.look_again(Hint(tasks=frozenset({message.task_id}), why="tests ran"))

    def on_check_failed(self, message: CheckFailed) -> None:
        """Say why the tests did not run."""
        self._run_screen(message.task_id, lambda screen: screen.finish(message.reason, passed=False))
        self.say(f"tests of {message.task_id} did not run: {message.reason}", "error")

    def _run_screen(self, task_id: str, tell: "Callable[[CheckRunScreen], None]") -> None:
        """Tell the screen of a run something, if it is open."""
        from ags_tui.app.screens.check_run import CheckRunScreen

        for screen in self.screen_stack:
            if isinstance(screen, CheckRunScreen) and screen.task_id == task_id and screen.is_mounted:
                tell(screen)

    def on_editor_asked(self, message: EditorAsked) -> None:
        """Give the terminal to the editor until it ends."""
        from ags_tui.app import editor

        try:
            with self.suspend():
                if message.data is None:
                    editor.edit_file(message.path, self.outside.environment)
                else:
                    editor.show_copy(message.path, message.data, self.outside.environment)
        except editor.NoEditor as error:
            self.say(str(error), "error")

    def on_escalation_screen_evidence_wanted(self, message: "EscalationScreen.EvidenceWanted") -> None:
        """Read a piece of evidence."""
        self.blocking(lambda: self.clerk.evidence(message.task_id, message.ref), "evidence")

    def on_evidence_read(self, message: EvidenceRead) -> None:
        """Show a piece of evidence on the screen that asked for it."""
        for screen in self.screen_stack:
            if isinstance(screen, ReadsEvidence):
                screen.evidence_read(message.ref, message.text)

    def on_decision_screen_editor_wanted(self, message: "DecisionScreen.EditorWanted") -> None:
        """Open what a request would run, to be changed; else the request as a read-only copy."""
        item = message.pending
        task = self.state.tasks.get(item.task_id)
        artifact = None if task is None else task.task.files.artifacts.get(item.artifact)
        if artifact is not None and not self.edit_input(item, artifact):
            self.post_message(EditorAsked(artifact.path.rsplit("/", 1)[-1], artifact.raw))

    def edit_input(self, item: "Pending", artifact: "Artifact") -> bool:
        """Let the human change what a request would run; False where it can only be read.

        Args:
            item: The request.
            artifact: Its file.
        """
        del item, artifact
        return False

    def on_copy_asked(self, message: CopyAsked) -> None:
        """Send text to the terminal's clipboard (OSC 52)."""
        self.copy_to_clipboard(message.text)
        self.say(f"{message.what} sent to the clipboard of the terminal", "muted")

    def on_demo_asked(self, message: DemoAsked) -> None:
        """Leave with the wish for the demo; the command line plays it."""
        self.exit(DEMO)
