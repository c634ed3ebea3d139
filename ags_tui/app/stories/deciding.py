"""Deciding: draft → log entry → reading. Nothing is shown as decided before the log holds it."""

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ags_tui.app import terminal
from ags_tui.app.messages import AssessmentReady, DecisionDrafted, DecisionRecorded, DecisionRefused
from ags_tui.app.notifications import announce
from ags_tui.app.stories.reading import ReadingStory
from ags_tui.core.assessment import Pending
from ags_tui.core.hints import Hint

if TYPE_CHECKING:
    from ags_tui.app.screens.decision import DecisionScreen
    from ags_tui.app.screens.finalize import FinalizeScreen
    from ags_tui.core.decisions import Draft


@runtime_checkable
class Settles(Protocol):
    """A decision screen that stays open while something it asked for is recorded."""

    def settled(self, problem: str = "") -> None:
        """Hear how it ended; an empty text means that it is recorded."""
        ...


class DecidingStory(ReadingStory):
    """Records decisions and announces what waits for the next one."""

    _before: "tuple[Pending, ...] | None" = None

    def on_decision_screen_amended(self, message: "DecisionScreen.Amended") -> None:
        """Record a plan amendment; its screen stays open and hears how that ended."""
        self.post_message(DecisionDrafted(message.draft))

    def on_finalize_screen_attested(self, message: "FinalizeScreen.Attested") -> None:
        """Record an attestation; its screen stays open and hears how that ended."""
        self.post_message(DecisionDrafted(message.draft))

    def on_decision_drafted(self, message: DecisionDrafted) -> None:
        """Record a decision; deciding keys are off until the log has it or refused it."""
        if self.state.recording:
            self.say("another decision is being recorded; this one was not taken", "error")
            self._settle(message.draft, "another decision is being recorded")
            return
        self.change(recording=True)
        self.blocking(lambda: self.clerk.record(message.draft), "record")

    def on_decision_recorded(self, message: DecisionRecorded) -> None:
        """Say so and read the task again: the screen shows what is on disk."""
        draft = message.draft
        self.change(recording=False)
        self.say(f"{draft.verdict}: {draft.subject_id} · log {message.sequence:06d}", "ok")
        self._settle(draft, "")
        self.look_again(Hint(tasks=frozenset({draft.task_id}), why="recorded"))

    def on_decision_refused(self, message: DecisionRefused) -> None:
        """Say why nothing was recorded, and read again: something is not as it was shown."""
        draft = message.draft
        self.change(recording=False)
        self.say(f"not recorded: {message.reason}", "error")
        self._settle(draft, f"not recorded: {message.reason}")
        self.look_again(Hint(tasks=frozenset({draft.task_id}), why="refused"))

    def _settle(self, draft: "Draft", problem: str) -> None:
        """Tell the screen that waits for an amendment or an attestation how it ended."""
        stays = draft.verdict == "amended" or draft.kind == "attest"
        if stays and isinstance(self.screen, Settles):
            self.screen.settled(problem)

    def on_assessment_ready(self, message: AssessmentReady) -> None:
        """Count in the title, and ring once for what is new."""
        where = message.snapshot.repo.top.rstrip("/").rsplit("/", 1)[-1]
        setting = self.outside.settings.get("notifications", "bell")
        said = announce(self._before, message.assessment.pending, where, setting)
        self._before = message.assessment.pending
        terminal.set_title(self, said.title)
        if said.bell:
            self.bell()
