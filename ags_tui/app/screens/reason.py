"""Words for a decision: a text field first, then, on the same screen without it, the key that commits."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Input

from ags_tui.app.look import Look
from ags_tui.app.screens.guarded import GuardedScreen
from ags_tui.app.widgets.content_view import ContentView
from ags_tui.app.widgets.line_bar import LineBar
from ags_tui.app.widgets.press import Press
from ags_tui.app.widgets.words import Words
from ags_tui.core import drafts
from ags_tui.core.assessment import Assessment, Pending, TaskAssessment
from ags_tui.core.decisions import Draft
from ags_tui.core.log_state import LoggedEntry
from ags_tui.view.asker import asker_word
from ags_tui.view.content import Fact, TextDocument, text_lines
from ags_tui.view.gate import gate_line
from ags_tui.view.inbox import risk_style
from ags_tui.view.meanwhile import denied_late
from ags_tui.view.scope import WORDS as CLASS_WORDS
from ags_tui.view.scope import class_look, task_verdict_line
from ags_tui.view.text import Line, Span, printable, spans


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


class _Subject(ContentView):
    """As high as its content, up to a quarter of the terminal: the field and the keys stay in sight."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Give the lines that it takes."""
        most = max(3, viewport.height * 26 // 100)
        return min(super().get_content_height(container, viewport, width), most)


class ReasonScreen(GuardedScreen["Draft | None"]):
    """Asks for words, then for the committing key. Dismisses with the draft, or None.

    Where there are recent reasons, the focus starts on their list: a digit takes one, any other letter begins
    a text in the field, where digits are text. While the field has the focus no key decides. Enter in it
    leads to the second step, where the field is gone: there ``Ctrl+O`` commits, and Enter too where the
    decision is a safe one.
    """

    DEFAULT_CSS: ClassVar[str] = """
    ReasonScreen {
        align: center middle;
        background: $background 60%;
        & > #frame { width: 90%; max-width: 100; height: auto; }
        & #subject { height: auto; }
        & #commit { display: none; }
        &.-commit #commit { display: block; }
        &.-commit #field { display: none; }
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
        meanwhile: Callable[[Assessment], str] = lambda _: "",
        tty: str = "",
    ) -> None:
        """Make the screen.

        Args:
            purpose: What the words are for.
            make: Makes the draft from the words.
            look: How the shell looks.
            subject: What it is about, in a few lines.
            reasons: Recent reasons, newest first; the first nine are offered.
            meanwhile: Says of a new assessment what became of the subject; empty while it is as it was.
            tty: Terminal, for the log.
        """
        super().__init__(look, tty=tty)
        self.heading = purpose.title
        self.purpose = purpose
        self.make = make
        self.subject = tuple(subject)
        self.meanwhile = meanwhile
        self.news = ""
        self.field = Words(reasons, look.glyphs, lambda: self.guard.left(look.ticks()) <= 0)

    def parts(self) -> Iterator[Widget]:
        """Subject, recent reasons with the field, the committing word, one line for what is said."""
        yield _Subject(id="subject", ascii_only=self.look.ascii_only)
        yield self.field
        yield Press(self.purpose.verb, key="Enter" if self.purpose.safe else "^o", id="commit")
        yield LineBar(id="foot", height=2, ascii_only=self.look.ascii_only)

    def on_mount(self) -> None:
        """Show what it is about; the focus is on the recent reasons where there are any."""
        self.query_one("#subject", ContentView).show(TextDocument(_facts(self)))
        self.query_one("#foot", LineBar).draw(self._foot)
        self.field.begin()

    @property
    def committing(self) -> bool:
        """Whether the words are done and the committing key is asked for."""
        return self.has_class("-commit")

    @property
    def words(self) -> str:
        """The words as typed."""
        return self.field.text

    def update(self, assessment: Assessment) -> None:
        """Say what became of the subject while the words were written, and what will be recorded then."""
        news = self.meanwhile(assessment)
        if news == self.news or self.recording or not self.is_mounted:
            return
        self.news = news
        self.set_class(bool(news), "-warning")
        self.query_one("#subject", ContentView).show(TextDocument(_facts(self)))
        self.settling.cancel()
        self.attention.again()
        self.redraw()

    # -- words ---------------------------------------------------------------------------------------

    def takes(self, key: str) -> bool:
        """Leave the keys of the text field to the field."""
        return self.committing or self.field.choosing or key in ("escape", "ctrl+o", "tab")

    def on_descendant_focus(self) -> None:
        """Name the keys that work where the focus is now."""
        self.redraw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on to the committing key, if there are words."""
        event.stop()
        if not self.words:
            self.say("Write a reason first.")
            return
        self._show_step(committing=True)

    def _show_step(self, *, committing: bool) -> None:
        self.set_class(committing, "-commit")
        self.set_focus(self.query_one("#commit" if committing else "#words"))
        self.query_one("#subject", ContentView).show(TextDocument(_facts(self)))
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
            self._before_commit(key)
        elif key == "ctrl+o" or (key == "enter" and self.purpose.safe):
            self.decide(self._commit, refusal)
        elif key == "backspace":
            self._show_step(committing=False)

    def _before_commit(self, key: str) -> None:
        """Take a reason, go between list and field, or say why nothing is decided yet."""
        if key == "ctrl+o":
            self.say("Enter first: no key decides while the text field has the focus.")
        elif key in ("tab", "enter"):
            self.field.toggle()
            self.redraw()
        elif self.field.choosing:
            self.say(self.field.press(key))

    def on_press_clicked(self, event: Press.Clicked) -> None:
        """Say which key commits; a click does not."""
        event.stop()
        self.guard.typed(event.at)
        self.say(f"A click does not {self.purpose.verb}.")

    def _commit(self) -> None:
        self.recording = True
        self.dismiss(self.make(self.words))

    # -- drawing -------------------------------------------------------------------------------------

    def _foot(self, width: int) -> tuple[Line, ...]:
        keys = "^o or Enter" if self.purpose.safe else "^o"
        if not self.committing:
            hint = self.field.hint(width)
        elif not self.guard.focused:
            hint = "The terminal is not focused: keys decide nothing"
        elif self.guard.left(self.look.ticks()) > 0:
            hint = f"Look: {keys} works in a moment; Esc goes back to the words"
        else:
            hint = f"{keys} to {self.purpose.verb}; Esc goes back to the words"
        return (Span(self.said, "warn"),), (Span(hint, "muted"),)


def _facts(screen: ReasonScreen) -> Iterator[Fact]:
    """What became of the subject meanwhile, the words once they are written, and the subject.

    The words come before the subject: what is signed stays in sight where not all of it has room.
    """
    for index, line in enumerate(text_lines(screen.news, "warn") if screen.news else ()):
        yield Fact(line, "" if index else "meanwhile", 10, "warn")
    if screen.committing:
        for index, line in enumerate(text_lines(screen.words, "title")):
            yield Fact(line, "" if index else "you say", 10)
        yield Fact(())
    yield from screen.subject


def deny_screen(pending: Pending, look: Look, *, reasons: Sequence[str] = (), tty: str = "") -> ReasonScreen:
    """Ask for the reason of a denial."""
    glyphs = look.glyphs
    asked = [
        Fact(line, "" if index else "because", 10) for index, line in enumerate(text_lines(pending.reason))
    ]
    risk: Line = (Span(f"{printable(pending.risk)} risk", risk_style(pending.risk)),)
    if pending.path_class is not None:
        glyph, style = class_look(pending.path_class, glyphs)
        risk = (*risk, Span(f" {glyphs.dot} {glyph} {CLASS_WORDS[pending.path_class]}", style))
    subject = [
        *(Fact(line, "" if index else "asks for", 10) for index, line in enumerate(_title(pending))),
        *(asked if pending.reason else ()),
        *(
            Fact(spans(one, "warn"), "" if index else "loosens", 10)
            for index, one in enumerate(pending.loosened)
        ),
        Fact(spans(f"{asker_word(pending)}, for {pending.task_id}, {pending.item_id}", "muted"), "whose", 10),
        Fact(risk, "risk", 10),
    ]
    return ReasonScreen(
        DENY,
        lambda reason: drafts.deny(pending, reason),
        look,
        subject=subject,
        reasons=reasons,
        meanwhile=lambda assessment: denied_late(pending, assessment),
        tty=tty,
    )


def block_screen(
    task: TaskAssessment, look: Look, *, reasons: Sequence[str] = (), tty: str = ""
) -> ReasonScreen:
    """Ask why a task may not be finalized."""
    return ReasonScreen(
        BLOCK,
        lambda reason: drafts.block(task, reason),
        look,
        subject=_about(task, look),
        reasons=reasons,
        tty=tty,
    )


def lift_screen(task: TaskAssessment, blocked: LoggedEntry, look: Look, *, tty: str = "") -> ReasonScreen:
    """Ask why a block ends; it shows whose words held the task."""
    words = [
        Fact(line, "" if index else "block", 8) for index, line in enumerate(text_lines(blocked.entry.reason))
    ]
    subject = [*_about(task, look), *words]
    return ReasonScreen(
        LIFT, lambda reason: drafts.lift(task, blocked, reason), look, subject=subject, tty=tty
    )


def close_screen(task: TaskAssessment, look: Look, *, tty: str = "") -> ReasonScreen:
    """Ask why a task is put away without finalization."""
    return ReasonScreen(
        CLOSE, lambda reason: drafts.close(task, reason), look, subject=_about(task, look), tty=tty
    )


def reopen_screen(task: TaskAssessment, look: Look, *, tty: str = "") -> ReasonScreen:
    """Ask why a finalized or closed task is taken up again."""
    return ReasonScreen(
        REOPEN, lambda reason: drafts.reopen(task, reason), look, subject=_about(task, look), tty=tty
    )


def _title(pending: Pending) -> Iterator[Line]:
    """The subject of an item whole, and the command where its title does not end with it."""
    yield from text_lines(pending.title, "title")
    if pending.command and not pending.title.endswith(pending.command):
        yield from text_lines(pending.command, "title")


def _about(task: TaskAssessment, look: Look) -> list[Fact]:
    """A task in three lines: what it is called, and how scope and gate stand."""
    glyphs = look.glyphs
    gap = Span("  ")
    stand = (
        *task_verdict_line(task, glyphs),
        gap,
        Span("gate ", "muted"),
        *gate_line(task.gate, glyphs),
    )
    return [
        Fact(spans(task.title, "title"), "task", 10),
        Fact(spans(task.task_id, "muted"), "", 10),
        Fact(stand, "scope", 10),
    ]
