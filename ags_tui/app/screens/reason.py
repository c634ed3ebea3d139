"""Words for a decision: a text field first, then, on the same screen without it, the key that commits."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.widget import Widget
from textual.widgets import Input

from ags_tui.app.look import Look
from ags_tui.app.screens.guarded import GuardedScreen
from ags_tui.app.widgets.content_view import ContentView
from ags_tui.app.widgets.line_bar import LineBar
from ags_tui.app.widgets.press import Press
from ags_tui.core import drafts
from ags_tui.core.assessment import Pending, TaskAssessment
from ags_tui.core.decisions import Draft
from ags_tui.core.log_state import LoggedEntry
from ags_tui.view.content import Fact, TextDocument, text_lines
from ags_tui.view.text import Line, Span, printable, spans

MAX_REASON = 2000
"""Longest text, in characters."""

RECENT = 9
"""Recent reasons that digits can choose."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """What the words are for."""

    title: str
    """Title of the screen; ours."""
    verb: str
    """What the committing key does; ours."""
    safe: bool
    """Enter commits too: nothing gets looser by it."""


DENY = Purpose("Deny with a reason", "deny", safe=True)
"""A request, plan, edit or spec is denied."""
BLOCK = Purpose("Block finalization", "block", safe=True)
"""A task may not be finalized."""
LIFT = Purpose("Lift the block", "lift the block", safe=False)
"""A block ends."""
CLOSE = Purpose("Close the task without finalizing it", "close", safe=False)
"""A task is put away; nothing holds it any more."""
REOPEN = Purpose("Reopen the task", "reopen", safe=False)
"""A finalized or closed task is assessed again."""
ANSWER = Purpose("Answer in your own words", "answer", safe=False)
"""An escalation gets a free text."""


class ReasonScreen(GuardedScreen["Draft | None"]):
    """Asks for words, then for the committing key. Dismisses with the draft, or None.

    While the field has the focus no key decides. Enter in it leads to the second step, where the field is
    gone: there ``Ctrl+O`` commits, and Enter too where the decision is a safe one.
    """

    DEFAULT_CSS: ClassVar[str] = """
    ReasonScreen {
        & #subject { height: 1fr; }
        & Input { height: 3; }
        & #commit { display: none; }
        &.-commit #commit { display: block; }
        &.-commit Input { display: none; }
    }
    """

    def __init__(
        self,
        purpose: Purpose,
        make: Callable[[str], Draft],
        look: Look,
        *,
        subject: Sequence[Fact] = (),
        reasons: Sequence[str] = (),
        tty: str = "",
    ) -> None:
        """Make the screen.

        Args:
            purpose: What the words are for.
            make: Makes the draft from the words.
            look: How the shell looks.
            subject: What it is about, in a few lines.
            reasons: Recent reasons, newest first; the first nine are offered.
            tty: Terminal, for the log.
        """
        super().__init__(look, tty=tty)
        self.heading = purpose.title
        self.purpose = purpose
        self.make = make
        self.subject = tuple(subject)
        self.reasons = tuple(dict.fromkeys(reason for reason in reasons if reason.strip()))[:RECENT]
        self._before = ""

    def parts(self) -> Iterator[Widget]:
        """Subject and recent reasons, the field, the committing word, one line for what is said."""
        yield ContentView(id="subject", ascii_only=self.look.ascii_only)
        yield Input(placeholder="Why?", max_length=MAX_REASON, id="words", select_on_focus=False)
        yield Press(self.purpose.verb, id="commit")
        yield LineBar(id="foot", height=2, ascii_only=self.look.ascii_only)

    def on_mount(self) -> None:
        """Show what it is about and put the focus into the field."""
        self.query_one("#subject", ContentView).show(TextDocument(self._facts()))
        self.query_one("#foot", LineBar).draw(self._foot)
        self.query_one(Input).focus()

    @property
    def committing(self) -> bool:
        """Whether the words are done and the committing key is asked for."""
        return self.has_class("-commit")

    @property
    def words(self) -> str:
        """The words as typed."""
        return self.query_one(Input).value.strip()

    # -- words ---------------------------------------------------------------------------------------

    def takes(self, key: str) -> bool:
        """Leave the keys of the text field to the field."""
        return self.committing or key in ("escape", "ctrl+o")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Let a digit choose a recent reason, while it is the first thing typed and the guard lets it."""
        event.stop()
        before, self._before = self._before, event.value
        number = (
            int(event.value)
            if event.value.isascii() and event.value.isdigit() and len(event.value) == 1
            else 0
        )
        if before or not 0 < number <= len(self.reasons) or self.guard.left(self.look.ticks()) > 0:
            return
        event.input.value = self.reasons[number - 1]
        event.input.cursor_position = len(event.input.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on to the committing key, if there are words."""
        event.stop()
        if not self.words:
            self.say("Write a reason first.")
            return
        self._show_step(committing=True)

    def _show_step(self, *, committing: bool) -> None:
        self.set_class(committing, "-commit")
        (self.query_one("#commit", Press) if committing else self.query_one(Input)).focus()
        self.query_one("#subject", ContentView).show(TextDocument(self._facts()))
        self.attention.again()
        self.say("")

    # -- committing ----------------------------------------------------------------------------------

    def pressed(self, key: str, refusal: str) -> None:
        """Commit, go back to the words, or leave."""
        if key == "escape":
            if self.committing:
                self._show_step(committing=False)
            else:
                self.dismiss(None)
        elif not self.committing:
            self.say("Enter first: no key decides while the text field has the focus.")
        elif key == "ctrl+o" or (key == "enter" and self.purpose.safe):
            self.decide(self._commit, refusal)
        elif key == "backspace":
            self._show_step(committing=False)

    def on_press_clicked(self, event: Press.Clicked) -> None:
        """Say which key commits; a click does not."""
        event.stop()
        self.guard.typed(event.at)
        self.say(f"A click does not {self.purpose.verb}.")

    def _commit(self) -> None:
        self.recording = True
        self.dismiss(self.make(self.words))

    # -- drawing -------------------------------------------------------------------------------------

    def _facts(self) -> Iterator[Fact]:
        yield from self.subject
        yield Fact(())
        if self.committing:
            for index, line in enumerate(text_lines(self.words, "title")):
                yield Fact(line, "" if index else "because", 10)
            return
        for number, reason in enumerate(self.reasons, 1):
            yield Fact(spans(printable(reason), "muted"), f"{number}", 3, "accent")

    def _foot(self, width: int) -> tuple[Line, ...]:
        del width
        keys = "^o or Enter" if self.purpose.safe else "^o"
        if not self.committing:
            hint = (
                "Enter goes on"
                + ("; a digit chooses a recent reason" if self.reasons else "")
                + "; Esc leaves"
            )
        elif not self.guard.focused:
            hint = "The terminal is not focused: keys decide nothing"
        elif self.guard.left(self.look.ticks()) > 0:
            hint = f"Look: {keys} works in a moment; Esc goes back to the words"
        else:
            hint = f"{keys} to {self.purpose.verb}; Esc goes back to the words"
        return (Span(self.said, "warn"),), (Span(hint, "muted"),)


def deny_screen(pending: Pending, look: Look, *, reasons: Sequence[str] = (), tty: str = "") -> ReasonScreen:
    """Ask for the reason of a denial."""
    asked = [Fact(line, "" if index else "asked", 8) for index, line in enumerate(text_lines(pending.reason))]
    subject = [
        Fact(spans(pending.title, "title")),
        Fact(spans(f"{pending.task_id}/{pending.item_id}", "muted")),
        *(asked if pending.reason else ()),
    ]
    return ReasonScreen(
        DENY, lambda reason: drafts.deny(pending, reason), look, subject=subject, reasons=reasons, tty=tty
    )


def block_screen(
    task: TaskAssessment, look: Look, *, reasons: Sequence[str] = (), tty: str = ""
) -> ReasonScreen:
    """Ask why a task may not be finalized."""
    return ReasonScreen(
        BLOCK, lambda reason: drafts.block(task, reason), look, subject=_about(task), reasons=reasons, tty=tty
    )


def lift_screen(task: TaskAssessment, blocked: LoggedEntry, look: Look, *, tty: str = "") -> ReasonScreen:
    """Ask why a block ends; it shows whose words held the task."""
    words = [
        Fact(line, "" if index else "block", 8) for index, line in enumerate(text_lines(blocked.entry.reason))
    ]
    subject = [*_about(task), *words]
    return ReasonScreen(
        LIFT, lambda reason: drafts.lift(task, blocked, reason), look, subject=subject, tty=tty
    )


def close_screen(task: TaskAssessment, look: Look, *, tty: str = "") -> ReasonScreen:
    """Ask why a task is put away without finalization."""
    return ReasonScreen(CLOSE, lambda reason: drafts.close(task, reason), look, subject=_about(task), tty=tty)


def reopen_screen(task: TaskAssessment, look: Look, *, tty: str = "") -> ReasonScreen:
    """Ask why a finalized or closed task is taken up again."""
    return ReasonScreen(
        REOPEN, lambda reason: drafts.reopen(task, reason), look, subject=_about(task), tty=tty
    )


def _about(task: TaskAssessment) -> list[Fact]:
    return [Fact(spans(task.title, "title")), Fact(spans(task.task_id, "muted"))]
