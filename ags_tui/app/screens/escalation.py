"""The escalation screen: the question with its evidence, an answer to choose, and one key that commits it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual.message import Message
from textual.widget import Widget

from ags_tui.app.attention import CodeEntry, app_of
from ags_tui.app.exhibit import Exhibit
from ags_tui.app.look import Look
from ags_tui.app.screens.guarded import GuardedScreen, scrolling
from ags_tui.app.screens.reason import ANSWER, ReasonScreen
from ags_tui.app.widgets.diff_view import DiffView
from ags_tui.app.widgets.line_bar import LineBar
from ags_tui.app.widgets.paint import is_colourless, looks_of
from ags_tui.core import drafts
from ags_tui.core.assessment import Assessment, Pending, TaskAssessment
from ags_tui.core.contracts.human import Escalation
from ags_tui.core.decisions import Draft
from ags_tui.view.content import Fact
from ags_tui.view.decision import Missing, head_lines, missing_line, needs_code, place_line
from ags_tui.view.escalation import answer_label, chosen_line
from ags_tui.view.text import Line, Span, spans


class AnswerView(DiffView):
    """The question with its answers; the chosen one is marked where it stands.

    To mark it changes no content: what was seen stays seen.
    """

    chosen: int | None = None
    """Index of the chosen answer."""

    def __init__(self, look: Look) -> None:
        """Make an empty view.

        Args:
            look: How the shell looks.
        """
        super().__init__(id="content", wrap=True, ascii_only=look.ascii_only)
        self.glyphs = look.glyphs

    def choose(self, chosen: int | None) -> None:
        """Mark another answer, or none."""
        self.chosen = chosen
        self.refresh()

    def is_marked(self, index: int) -> bool:
        """Whether a line begins the chosen answer: its label is ours, foreign text can never stand there."""
        if self.chosen is None or index >= self.document.size:
            return False
        return self.document.gutter(index, first=True) == answer_label(self.chosen)

    def gutter_line(self, index: int, *, first: bool) -> Line:
        """The mark and the number of the chosen answer."""
        if first and self.is_marked(index) and self.chosen is not None:
            return (Span(f"{self.glyphs.bar}{self.chosen + 1:>2}", "tab-active"),)
        return super().gutter_line(index, first=first)

    def row_style(self, index: int) -> Style:
        """The ground of the chosen answer; without colours it is written in reverse."""
        base = super().row_style(index)
        if not self.is_marked(index):
            return base
        return base + looks_of(self)["cursor-focused"] + Style(reverse=is_colourless(self) or None)


class EscalationScreen(GuardedScreen["Draft | None"]):
    """Answers one escalation by an option or by free text.

    Digits choose an option and decide nothing; ``t`` asks for words on a second screen; ``Ctrl+O`` commits
    what was chosen. Dismisses with the draft to record, or None.
    """

    DEFAULT_CSS: ClassVar[str] = ""
    heading = "Answer this question"

    @dataclass(eq=False)
    class EvidenceWanted(Message):
        """The human wants to read evidence; the app answers with :meth:`EscalationScreen.evidence_read`."""

        task_id: str
        """Whose evidence."""
        ref: str
        """Reference as the escalation gives it; foreign text."""

    def __init__(self, pending: Pending, task: TaskAssessment | None, look: Look, *, tty: str = "") -> None:
        """Make the screen.

        Args:
            pending: The escalation.
            task: Its task.
            look: How the shell looks.
            tty: Terminal, for the log.
        """
        super().__init__(look, tty=tty)
        self.answers = AnswerView(look)
        self.exhibit = Exhibit(pending, task, look, self._renewed, self.post_message, view=self.answers)
        self.code = CodeEntry()
        self.choice: int | None = None
        view = self.answers
        self._harmless = {
            **scrolling(view),
            "escape": lambda: self.dismiss(None), "q": lambda: self.dismiss(None),
            "right_square_bracket": lambda: self._choose_next(1),
            "left_square_bracket": lambda: self._choose_next(-1),
            "backspace": lambda: self._choose(None),
            "e": self._open_evidence,
            "R": lambda: self.exhibit.show(self.exhibit.latest) if self.exhibit.changed else None,
        }  # fmt: skip

    def parts(self) -> Iterator[Widget]:
        """Head, content, the chosen answer and what is missing, keys."""
        plain = self.look.ascii_only
        yield LineBar(id="head", height=3, ascii_only=plain)
        yield self.exhibit.view
        yield LineBar(id="foot", height=3, ascii_only=plain)
        yield LineBar(id="keys", ascii_only=plain)

    def on_mount(self) -> None:
        """Show the question."""
        exhibit, glyphs = self.exhibit, self.look.glyphs
        self.query_one("#head", LineBar).draw(
            lambda width: head_lines(exhibit.shown, width, glyphs, self.look.clock())
        )
        self.query_one("#foot", LineBar).draw(self._foot)
        self.query_one("#keys", LineBar).draw(
            lambda width: (place_line(_keys(exhibit), exhibit.view.place, width),)
        )
        exhibit.view.focus()
        exhibit.show(exhibit.shown)

    def _renewed(self) -> None:
        """Guard anew: other content stands on the screen, or another answer is chosen."""
        self.code = CodeEntry()
        if self.exhibit.changed:
            self.choice = None
        self.answers.choose(self.choice)
        self.set_class(bool(self.exhibit.changed), "-warning")
        self.settling.cancel()
        self.attention.again()
        self.redraw()

    # -- the app -------------------------------------------------------------------------------------

    def update(self, assessment: Assessment) -> None:
        """Take a new assessment: the question may be the same, changed, or gone."""
        if not self.recording:
            self.exhibit.update(assessment)
            self.redraw()

    def evidence_read(self, ref: str, text: str) -> None:
        """Show evidence in place, or why it could not be read.

        Args:
            ref: Reference of the wish.
            text: Its text; foreign.
        """
        if not self.recording:
            self.exhibit.attach(ref, text)

    # -- keys ----------------------------------------------------------------------------------------

    def pressed(self, key: str, refusal: str) -> None:
        """Do what a key does. Only ``Ctrl+O`` commits."""
        if self.exhibit.over:
            if key in ("escape", "q", "enter") and not refusal:
                self.dismiss(None)
        elif key == "ctrl+o":
            if self.choice is None:
                self.say("Not taken: choose an answer first.")
            elif self.missing().done:
                self.decide(self._commit, refusal)
            else:
                self.say("Not taken: do first what the next line says.")
        elif key == "t" and self.exhibit.shown.allow_free_text:
            self._ask_words(refusal)
        elif key == "t":
            self.say("This question takes one of its answers, no words of your own.")
        elif key.isdigit() and len(key) == 1:
            self._digit(key)
        else:
            self.code.reset()
            self.say("")
            self._harmless.get(key, self.redraw)()
            self.redraw()

    def _digit(self, key: str) -> None:
        """Choose an option; once one is chosen and a code is asked for, digits are the code's."""
        missing = self.missing()
        if self.choice is not None and missing.code:
            if missing.readable and missing.left <= 0 and missing.focused:
                self.code.press(key, self.guard.typed_at)
            self.redraw()
        elif 0 < int(key) <= len(self.exhibit.shown.options):
            self._choose(int(key) - 1)

    def _choose(self, choice: int | None) -> None:
        """Choose an answer; what is to be committed is another thing, so the guard starts again."""
        if choice != self.choice and not self.exhibit.changed:
            self.choice = choice
            self._renewed()

    def _choose_next(self, step: int) -> None:
        count = len(self.exhibit.shown.options)
        if count:
            start = -1 if self.choice is None and step > 0 else self.choice or 0
            self._choose((start + step) % count)

    def _commit(self) -> None:
        exhibit, view = self.exhibit, self.exhibit.view
        if self.choice is None or not self.missing().open:
            return
        viewing = drafts.Viewing(view.seen_lines, view.document.size, self.tty, self.guard.focused)
        sequence = None if exhibit.task is None else exhibit.task.task.log.next_sequence
        option = exhibit.shown.options[self.choice].id
        self.recording = True
        self.dismiss(drafts.answer(exhibit.shown, viewing, option=option, sequence=sequence))

    def _ask_words(self, refusal: str) -> None:
        """Ask for an answer in words on a second screen, once the question was read."""
        if refusal or not self.missing().done:
            self.say(f"Not taken: {refusal or 'do first what the next line says'}.")
            return
        exhibit, view = self.exhibit, self.exhibit.view
        pending, task = exhibit.shown, exhibit.task
        sequence = None if task is None else task.task.log.next_sequence
        viewing = drafts.Viewing(view.seen_lines, view.document.size, self.tty, self.guard.focused)

        def answered(draft: Draft | None) -> None:
            if draft is not None:
                self.recording = True
                self.dismiss(draft)

        screen = ReasonScreen(
            ANSWER,
            lambda words: drafts.answer(pending, viewing, text=words, sequence=sequence),
            self.look,
            subject=[Fact(spans(pending.title, "title"))],
            tty=self.tty,
        )
        app_of(self).push_screen(screen, answered)

    def _open_evidence(self) -> None:
        """Ask the app for all evidence."""
        refs = _evidence(self.exhibit)
        for ref in refs:
            self.post_message(self.EvidenceWanted(self.exhibit.shown.task_id, ref))
        if not refs:
            self.say("No evidence came with this question.")

    def missing(self) -> Missing:
        """What still keeps ``Ctrl+O`` from committing, the choice aside."""
        exhibit, view = self.exhibit, self.exhibit.view
        return Missing(
            over=exhibit.over,
            changed=bool(exhibit.changed),
            malformed=exhibit.shown.malformed,
            below=0 if view.end_seen else max(1, view.unseen_below),
            code=self.code.code if needs_code(exhibit.shown.risk) else "",
            typed=len(self.code.typed),
            focused=self.guard.focused,
            left=self.guard.left(self.look.ticks()),
        )

    def _foot(self, width: int) -> tuple[Line, ...]:
        shown, missing = self.exhibit.shown, self.missing()
        line = missing_line(missing, self.look.glyphs, "give this answer")
        if missing.open and self.choice is None:
            line = (Span("Choose an answer; ^o then gives it", "muted"),)
        return chosen_line(shown, self.choice, width), (Span(self.said, "warn"),), line


def _evidence(exhibit: Exhibit) -> tuple[str, ...]:
    """What the agent names for the human to look at."""
    task, pending = exhibit.task, exhibit.shown
    artifact = None if task is None else task.task.files.artifacts.get(pending.artifact)
    document = None if artifact is None else artifact.document
    return tuple(one.ref for one in document.evidence) if isinstance(document, Escalation) else ()


def _keys(exhibit: Exhibit) -> str:
    """The keys of the last line, without those that have nothing to do."""
    words = ["Esc back"]
    words += ["[ ] next answer"] if exhibit.shown.options else []
    words += ["e evidence"] if _evidence(exhibit) else []
    return "   ".join(words)
