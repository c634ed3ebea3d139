"""Opens the screens over the main screen; each is imported when it is first needed."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.screen import Screen

from ags_tui.app.beside_messages import SessionPromoted
from ags_tui.app.key_rules import why_off
from ags_tui.app.messages import SettingsAsked, TaskDrafted, ThemesAsked
from ags_tui.app.state import planned_tests, recent_reasons
from ags_tui.core.assessment import Pending, TaskAssessment

if TYPE_CHECKING:
    from ags_tui.app.screens.main import MainScreen
    from ags_tui.core.contracts.task import AgentTask
    from ags_tui.core.decisions import Draft
    from ags_tui.core.promotion import Promotion
    from ags_tui.core.session_calls import Call


class Desk:
    """Knows which screen shows what, and hands on what it gives back."""

    def __init__(self, screen: "MainScreen", decided: "Callable[[Draft | None], None]") -> None:
        """Take the screen below, and what takes the decisions.

        Args:
            screen: The main screen.
            decided: Takes the draft of a decision, or None.
        """
        self.screen = screen
        self.decided = decided

    def _push(self, screen: Screen[Any], callback: Callable[[Any], None] | None = None) -> None:
        """Put a screen over the main one."""
        app: App[Any] = self.screen.app  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        app.push_screen(screen, callback)

    # -- decisions -----------------------------------------------------------------------------------

    def decide(self, item: Pending) -> None:
        """Open the decision screen."""
        from ags_tui.app.screens.decision import DecisionScreen

        task = self.screen.state.tasks.get(item.task_id)
        reasons = recent_reasons(self.screen.state, "denied")
        look = self.screen.look
        self._push(DecisionScreen(item, task, look, reasons=reasons, tty=look.tty), self.decided)

    def deny(self, item: Pending) -> None:
        """Ask for the reason of a denial."""
        from ags_tui.app.screens.reason import deny_screen

        reasons = recent_reasons(self.screen.state, "denied")
        look = self.screen.look
        self._push(deny_screen(item, look, reasons=reasons, tty=look.tty), self.decided)

    def answer(self, item: Pending) -> None:
        """Open an escalation."""
        from ags_tui.app.screens.escalation import EscalationScreen

        task = self.screen.state.tasks.get(item.task_id)
        look = self.screen.look
        self._push(EscalationScreen(item, task, look, tty=look.tty), self.decided)

    def finalize(self, task: TaskAssessment) -> None:
        """Open the finalization screen."""
        from ags_tui.app.screens.finalize import FinalizeScreen

        reasons = recent_reasons(self.screen.state, "blocked")
        look = self.screen.look
        self._push(FinalizeScreen(task, look, reasons=reasons, tty=look.tty), self.decided)

    def block(self, task: TaskAssessment) -> None:
        """Ask for the reason of a block."""
        from ags_tui.app.screens.reason import block_screen

        reasons = recent_reasons(self.screen.state, "blocked")
        look = self.screen.look
        self._push(block_screen(task, look, reasons=reasons, tty=look.tty), self.decided)

    def lift(self, task: TaskAssessment) -> None:
        """Ask for the reason to lift the newest block."""
        from ags_tui.app.screens.reason import lift_screen

        look = self.screen.look
        self._push(lift_screen(task, task.task.log.blocks[-1], look, tty=look.tty), self.decided)

    def close(self, task: TaskAssessment) -> None:
        """Ask for the reason to close a task, or to reopen one that is finalized or closed."""
        from ags_tui.app.screens.reason import close_screen, reopen_screen

        make = reopen_screen if task.task.log.frozen else close_screen
        look = self.screen.look
        self._push(make(task, look, tty=look.tty), self.decided)

    # -- work ----------------------------------------------------------------------------------------

    def new_task(self) -> None:
        """Open the form for a new task."""
        from ags_tui.app.screens.new_task import NewTaskScreen

        taken = {*self.screen.state.names, *self.screen.state.tasks}
        self._push(NewTaskScreen(self.screen.look, taken), self._drafted)

    def _drafted(self, task: "AgentTask | None") -> None:
        """Hand a new task on."""
        if task is not None:
            self.screen.post_message(TaskDrafted(task))

    def promote(self, task: TaskAssessment) -> None:
        """Open the form that makes a session a planned task."""
        from ags_tui.app.screens.promote import PromoteScreen
        from ags_tui.core.promotion import sketch

        state = self.screen.state
        own = [seen for seen in state.sessions if seen.record.task == task.task_id]
        others = [seen for seen in state.sessions if seen.record.task != task.task_id]
        root = "" if state.snapshot is None else state.snapshot.root
        drawn = sketch(task.task, own, others, root=root)
        self._push(PromoteScreen(task.task_id, drawn, self.screen.look), self._promoted)

    def _promoted(self, promotion: "Promotion | None") -> None:
        """Hand a promotion on."""
        if promotion is not None:
            self.screen.post_message(SessionPromoted(promotion))

    def tests(self, task: TaskAssessment) -> None:
        """Run the planned tests in their screen."""
        from ags_tui.app.screens.check_run import CheckRunScreen

        commands = planned_tests(task)
        self._push(CheckRunScreen(self.screen.look, task.task_id, commands))

    def entry(self, task: TaskAssessment, sequence: int) -> None:
        """Open a log entry."""
        from ags_tui.app.screens.log import EntryScreen

        found = next((one for one in task.task.log.entries if one.entry.sequence == sequence), None)
        if found is not None:
            self._push(EntryScreen(self.screen.look, found))

    # -- program -------------------------------------------------------------------------------------

    def help(self) -> None:
        """Show all keys; what is chosen there is run."""
        from ags_tui.app.screens.help import HelpScreen

        facts = self.screen.dispatch.facts()
        help_screen = HelpScreen(self.screen.look, lambda key_id: why_off(key_id, facts))
        self._push(help_screen, self._chosen)

    def _chosen(self, key_id: str | None) -> None:
        """Run what was chosen in the help."""
        if key_id is not None:
            self.screen.call_later(self.screen.dispatch.choose, key_id)

    def palette(self) -> None:
        """Open the palette."""
        from textual.command import CommandPalette

        from ags_tui.app.commands import Commands

        self._push(CommandPalette([Commands], placeholder="Find a command or a task"))

    def themes(self) -> None:
        """Ask for the theme picker."""
        self.screen.post_message(ThemesAsked())

    def call(self, call: "Call") -> None:
        """Open a call of an agent in full."""
        from ags_tui.app.screens.call import CallScreen

        self._push(CallScreen(self.screen.look, call))

    def settings(self) -> None:
        """Ask for the settings."""
        self.screen.post_message(SettingsAsked())
