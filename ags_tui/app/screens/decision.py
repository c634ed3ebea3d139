"""The decision screen: all that is asked for, and one key that approves it once everything else was done."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget

from ags_tui.app.attention import CodeEntry, app_of
from ags_tui.app.exhibit import Exhibit
from ags_tui.app.look import Look
from ags_tui.app.messages import DiffFailed, DiffLoaded
from ags_tui.app.screens.guarded import GuardedScreen, scrolling
from ags_tui.app.screens.reason import deny_screen
from ags_tui.app.widgets.line_bar import LineBar
from ags_tui.app.widgets.press import Press
from ags_tui.core import drafts
from ags_tui.core.assessment import Assessment, Pending, TaskAssessment
from ags_tui.core.decisions import Draft
from ags_tui.view.decision import (
    Missing,
    foot_lines,
    head_lines,
    key_line,
    may_amend,
    needs_code,
    of_session,
    question,
)


class DecisionScreen(GuardedScreen["Draft | None"]):
    """Approves or denies one item of the inbox: tool request, plan, edit, spec or baseline.

    Dismisses with the draft to record, or None. The app calls :meth:`update` with every assessment, and
    :meth:`diff_answered` when it answers the ``DiffWanted`` that the screen posts. The draft is bound to what
    was shown, never to what came after.
    """

    DEFAULT_CSS: ClassVar[str] = """
    DecisionScreen {
        & #buttons { height: 1; }
        & #keys { padding: 0 0 0 2; }
    }
    """

    @dataclass(eq=False)
    class Amended(Message):
        """The human allowed the path for the whole task; the screen waits to hear how that ended."""

        draft: Draft
        """To be recorded; :meth:`DecisionScreen.settled` is called with the outcome."""

    @dataclass(eq=False)
    class EditorWanted(Message):
        """The human wants to read the request or the file in the editor."""

        pending: Pending
        """The item."""

    @dataclass(eq=False)
    class RuleWanted(Message):
        """The human wants to make a rule of the call behind the request."""

        pending: Pending
        """The item."""

    def __init__(
        self,
        pending: Pending,
        task: TaskAssessment | None,
        look: Look,
        *,
        reasons: Sequence[str] = (),
        tty: str = "",
    ) -> None:
        """Make the screen.

        Args:
            pending: The item to decide.
            task: Its task.
            look: How the shell looks.
            reasons: Recent reasons of denials, newest first.
            tty: Terminal, for the log.
        """
        super().__init__(look, tty=tty)
        self.heading = question(pending)
        self.exhibit = Exhibit(pending, task, look, self._renewed, self.post_message)
        self.code = CodeEntry()
        self.amend = False
        self.reasons = reasons
        self._harmless = self._harmless_keys()

    def parts(self) -> Iterator[Widget]:
        """Head, content, what is missing, deny and the other keys."""
        plain = self.look.ascii_only
        yield LineBar(id="head", height=3, ascii_only=plain)
        yield self.exhibit.view
        yield LineBar(id="foot", height=3, ascii_only=plain)
        yield Horizontal(Press("Deny...", id="deny"), LineBar(id="keys", ascii_only=plain), id="buttons")

    def on_mount(self) -> None:
        """Show the content; the focus starts on deny."""
        exhibit, glyphs, view = self.exhibit, self.look.glyphs, self.exhibit.view
        self.query_one("#head", LineBar).draw(
            lambda width: head_lines(exhibit.shown, width, glyphs, self.look.clock(), task=exhibit.task)
        )
        self.query_one("#foot", LineBar).draw(
            lambda width: foot_lines(
                exhibit.shown, exhibit.task, self.missing(), width, glyphs,
                said=self.said, amend=self.amend, recording=self.recording,
                written=exhibit.effective is not None,
            )
        )  # fmt: skip
        self.query_one("#keys", LineBar).draw(
            lambda width: (
                key_line(
                    exhibit.shown,
                    exhibit.task,
                    width,
                    amend=self.amend,
                    place=view.place,
                    written=exhibit.effective is not None,
                ),
            )
        )
        self.query_one("#deny", Press).focus()
        exhibit.show(exhibit.shown)

    def _renewed(self) -> None:
        """Guard anew: other content stands on the screen, or none can be decided."""
        self.code = CodeEntry()
        self.set_class(bool(self.exhibit.changed), "-warning")
        written = self.exhibit.effective is not None
        if written and self.is_mounted:
            self.amend = False
        if self.is_mounted:
            self.query_one("#frame").border_title = question(
                self.exhibit.shown, amend=self.amend, written=written
            )
        self.settling.cancel()
        self.attention.again()
        self.redraw()

    # -- the app -------------------------------------------------------------------------------------

    def update(self, assessment: Assessment) -> None:
        """Take a new assessment: the item may be the same, changed, or gone."""
        if not self.recording:
            self.exhibit.update(assessment)
            self.redraw()

    def diff_answered(self, message: DiffLoaded | DiffFailed) -> None:
        """Take the answer to the ``DiffWanted`` that this screen posted."""
        if not self.recording:
            self.exhibit.answered(message)

    def settled(self, problem: str = "") -> None:
        """Hear that an amendment was recorded, or why it was not; the item itself can then be decided."""
        self.recording = self.amend = False
        self.query_one("#frame").border_title = question(self.exhibit.shown)
        self._renewed()
        self.say(problem or "The path is allowed for the task. This request itself still waits.")

    # -- keys ----------------------------------------------------------------------------------------

    def pressed(self, key: str, refusal: str) -> None:
        """Do what a key does. Only ``Ctrl+O`` approves; Enter on deny asks for the reason."""
        if self.exhibit.over:
            if key in ("escape", "q", "enter") and not refusal:
                self.dismiss(None)
        elif key == "ctrl+o":
            if self.missing().done:
                self.decide(self._commit, refusal)
            else:
                self.say("Not taken: first do what the next line says.")
        elif key in ("d", "ctrl+x") or (key == "enter" and isinstance(self.focused, Press)):
            self._deny(refusal)
        elif key.isdigit() and len(key) == 1:
            self._digit(key)
        else:
            self.code.reset()
            self.say("")
            self._harmless.get(key, self.redraw)()
            self.redraw()

    def _harmless_keys(self) -> Mapping[str, Callable[[], object]]:
        """What keys do that decide nothing."""
        exhibit = self.exhibit

        def mark() -> None:
            if not exhibit.view.toggle_mark():
                self.say("Show the hunk to its end first.")

        def wrap() -> None:
            exhibit.view.wrapping = not exhibit.view.wrapping
            self.attention.again()

        def remember() -> None:
            if of_session(exhibit.shown, exhibit.task) and not (exhibit.changed or exhibit.effective):
                self.post_message(self.RuleWanted(exhibit.shown))

        return {
            **scrolling(exhibit.view),
            "escape": lambda: self.dismiss(None), "q": lambda: self.dismiss(None),
            "tab": self.focus_next, "shift+tab": self.focus_previous,
            "w": wrap, "m": mark, "p": self._toggle_amend,
            "a": lambda: self.say("Ctrl+O approves, once everything asked for was seen."),
            "R": lambda: exhibit.show(exhibit.latest) if exhibit.changed else None,
            "e": lambda: self.post_message(self.EditorWanted(exhibit.shown)),
            "ctrl+r": remember, "u": lambda: exhibit.amend(None) if exhibit.effective is not None else None,
        }  # fmt: skip

    def _commit(self) -> None:
        """Approve what was shown, or allow its path for the task."""
        if not self.missing().open:
            return
        exhibit, view = self.exhibit, self.exhibit.view
        viewing = drafts.Viewing(view.seen_lines, view.document.size, self.tty, self.guard.focused)
        sequence = None if exhibit.task is None else exhibit.task.task.log.next_sequence
        self.recording = True
        if self.amend and exhibit.task is not None:
            self.redraw()
            self.post_message(
                self.Amended(drafts.amend_plan(exhibit.shown, exhibit.task, viewing, sequence=sequence))
            )
        elif exhibit.effective is not None:
            self.dismiss(drafts.amend(exhibit.shown, exhibit.effective, viewing, sequence=sequence))
        else:
            self.dismiss(drafts.approve(exhibit.shown, viewing, sequence=sequence))

    def _deny(self, refusal: str) -> None:
        """Ask for the reason on a second screen; nothing is denied yet."""
        if refusal:
            self.say(f"Not taken: {refusal}.")
            return

        def denied(draft: Draft | None) -> None:
            if draft is not None:
                self.recording = True
                self.dismiss(draft)

        screen = deny_screen(self.exhibit.latest, self.look, reasons=self.reasons, tty=self.tty)
        app_of(self).push_screen(screen, denied)

    def _digit(self, key: str) -> None:
        """Take a digit of the code, once everything before it was done and the guard time is over."""
        missing = self.missing()
        if missing.code and missing.readable and missing.left <= 0 and missing.focused:
            taken = self.code.press(key, self.guard.typed_at)
            self.say("" if taken or self.code.typed else "The code begins anew: one digit after another.")
        else:
            self.code.reset()
            self.say("The code comes after what stands before it." if missing.code else "")
        self.redraw()

    def _toggle_amend(self) -> None:
        """Change what the approving key will do: once, or for the whole task."""
        exhibit = self.exhibit
        if not exhibit.changed and exhibit.effective is None and may_amend(exhibit.shown, exhibit.task):
            self.amend = not self.amend
            self._renewed()

    def on_press_clicked(self, event: Press.Clicked) -> None:
        """A click on deny opens the reason, like Enter there."""
        event.stop()
        refusal = self.guard.refusal(event.at)
        self.guard.typed(event.at)
        if not (self.settling.cancel() or self.recording or self.exhibit.over or self.has_class("-small")):
            self._deny(refusal)

    def missing(self) -> Missing:
        """What still keeps ``Ctrl+O`` from approving."""
        exhibit, view = self.exhibit, self.exhibit.view
        read = view.end_seen or view.all_marked
        hunks = 0 if view.diff is None else view.diff.hunk_count - len(view.marks)
        return Missing(
            over=exhibit.over,
            changed=bool(exhibit.changed),
            malformed=exhibit.malformed,
            loading=exhibit.loading,
            below=0 if read else max(1, view.unseen_below),
            hunks=0 if read else hunks,
            code=self.code.code if needs_code(exhibit.shown.risk) else "",
            typed=len(self.code.typed),
            focused=self.guard.focused,
            left=self.guard.left(self.look.ticks()),
        )
