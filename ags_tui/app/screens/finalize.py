"""The finalization screen: the ladder, what is claimed beside what was observed, and sentences to attest."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.message import Message
from textual.widget import Widget

from ags_tui.app.attention import CodeEntry, app_of
from ags_tui.app.look import Look
from ags_tui.app.screens.check_run import CheckRunScreen
from ags_tui.app.screens.guarded import GuardedScreen
from ags_tui.app.screens.reason import block_screen
from ags_tui.app.state import planned_tests
from ags_tui.app.widgets.line_bar import LineBar
from ags_tui.app.widgets.row_list import RowList
from ags_tui.core import drafts
from ags_tui.core.assessment import Assessment, TaskAssessment
from ags_tui.core.checks.findings import Basis, Outcome
from ags_tui.core.decisions import Draft
from ags_tui.view.decision import Missing, missing_line, needs_code
from ags_tui.view.finalize import (
    attested,
    finalize_head,
    finalize_keys,
    finalize_rows,
    first_waiting,
    open_words,
    prose_of,
    what_changed,
)
from ags_tui.view.text import Line, Span, printable


class FinalizeScreen(GuardedScreen["Draft | None"]):
    """Attests sentences one by one and finalizes the task once every condition holds.

    ``Space`` attests the sentence under the cursor, or takes that back: a draft of its own, posted as
    :class:`Attested` while the screen stays. ``t`` runs the planned tests. ``Ctrl+O`` finalizes.
    Dismisses with the draft, or None.
    """

    DEFAULT_CSS: ClassVar[str] = """
    FinalizeScreen { & #ladder { height: 1fr; } }
    """
    heading = "Finalize this task?"

    @dataclass(eq=False)
    class Attested(Message):
        """A sentence was attested, or that taken back; :meth:`FinalizeScreen.settled` hears the outcome."""

        draft: Draft
        """To be recorded."""

    def __init__(
        self, task: TaskAssessment, look: Look, *, reasons: Sequence[str] = (), tty: str = ""
    ) -> None:
        """Make the screen.

        Args:
            task: The task to finalize.
            look: How the shell looks.
            reasons: Recent reasons of blocks, newest first.
            tty: Terminal, for the log.
        """
        super().__init__(look, tty=tty)
        self.shown = self.latest = task
        self.changed: tuple[str, ...] = ()
        self.over = ""
        self.reasons = reasons
        self.code = CodeEntry()
        self.rows = RowList(id="ladder", glyphs=look.glyphs, alone=True)
        self.end_seen = False
        self._expects_attestation = False
        self._attesting = ""
        self._last_run, self._runs_left = -1, 0
        self._harmless = self._harmless_keys()

    def parts(self) -> Iterator[Widget]:
        """Head, ladder, what is missing, keys."""
        plain = self.look.ascii_only
        yield LineBar(id="head", height=2, ascii_only=plain)
        yield self.rows
        yield LineBar(id="foot", height=2, ascii_only=plain)
        yield LineBar(id="keys", ascii_only=plain)

    def on_mount(self) -> None:
        """Show the ladder; the cursor starts on the first sentence that waits."""
        glyphs = self.look.glyphs
        tests = bool(planned_tests(self.shown))
        self.query_one("#head", LineBar).draw(lambda width: finalize_head(self.shown, width, glyphs))
        self.query_one("#foot", LineBar).draw(self._foot)
        self.query_one("#keys", LineBar).draw(
            lambda _width: (finalize_keys(self.shown, self.rows.cursor, tests=tests),)
        )
        self.rows.focus()
        self._show(self.shown)
        self.call_after_refresh(self.rows.select, first_waiting(self.shown))

    def on_row_list_cursor_moved(self, event: RowList.CursorMoved) -> None:
        """Name the keys that work where the cursor stands now."""
        event.stop()
        self.redraw()

    def _show(self, task: TaskAssessment) -> None:
        """Show a state of the task; what was done for another one is void."""
        self.shown = self.latest = task
        self.changed = ()
        self.code, self.end_seen = CodeEntry(), False
        self.set_class(False, "-warning")
        self.rows.show(lambda width: finalize_rows(task, width, self.look.glyphs, self.look.clock()))
        self.settling.cancel()
        self.attention.again()
        self.redraw()

    # -- the app -------------------------------------------------------------------------------------

    def update(self, assessment: Assessment) -> None:
        """Take a new assessment: the task may be as it was, changed, or settled elsewhere."""
        if self.recording and not self._expects_attestation:
            return
        task = next((one for one in assessment.tasks if one.task_id == self.shown.task_id), None)
        over = "the task folder is gone" if task is None else ""
        if task is not None and task.task.log.frozen:
            over = "the task was finalized or closed meanwhile"
        changed = () if task is None or over else what_changed(self.shown, task)
        if task is not None:
            self.latest = task
        if changed and not self.changed and self._expected():
            self._show(self.latest)
        elif (over, changed) != (self.over, self.changed):
            self.over, self.changed = over, changed
            self.settling.cancel()
            self.attention.again()
        self.over = over
        self.set_class(bool(self.changed), "-warning")
        self.redraw()

    def _expected(self) -> bool:
        """Whether what the human did here explains a change: an attestation, or a run of tests."""
        if self._expects_attestation:
            self._expects_attestation = False
            if self._attesting:
                following = first_waiting(self.latest, self._attesting)
                self.call_after_refresh(self.rows.select, following or self._attesting)
            return True
        new = [one.sequence for one in self.latest.task.log.tests if one.sequence > self._last_run]
        expected = bool(new) and self._runs_left > 0
        self._runs_left -= len(new)
        self._last_run = max([*new, self._last_run])
        return expected

    def settled(self, problem: str = "") -> None:
        """Hear that an attestation was recorded, or why it was not."""
        self.recording = False
        self._expects_attestation = not problem
        self.attention.again()
        self.say(problem or "Recorded.")

    # -- keys ----------------------------------------------------------------------------------------

    def pressed(self, key: str, refusal: str) -> None:
        """Do what a key does. Only ``Ctrl+O`` finalizes; Space attests a sentence."""
        if self.over:
            if key in ("escape", "q", "enter") and not refusal:
                self.dismiss(None)
        elif key == "ctrl+o":
            if self.missing().done:
                self.decide(self._commit, refusal)
            else:
                self.say("Not taken: do first what the next line says.")
        elif key == "space":
            self._attest(refusal)
        elif key.isdigit() and len(key) == 1:
            missing = self.missing()
            if missing.code and missing.readable and missing.left <= 0 and missing.focused:
                self.code.press(key, self.guard.typed_at)
            self.redraw()
        elif key in ("b", "ctrl+b"):
            _block(self, refusal)
        elif key in ("t", "ctrl+t"):
            self._run_tests(refusal)
        else:
            self.code.reset()
            self._harmless.get(key, self.redraw)()
            self.redraw()

    def _harmless_keys(self) -> Mapping[str, Callable[[], object]]:
        """What keys do that decide nothing."""
        rows = self.rows
        return {
            "escape": lambda: self.dismiss(None), "q": lambda: self.dismiss(None),
            "down": lambda: rows.move(1), "j": lambda: rows.move(1),
            "up": lambda: rows.move(-1), "k": lambda: rows.move(-1),
            "pagedown": lambda: rows.move_page(1), "ctrl+d": lambda: rows.move_page(1),
            "pageup": lambda: rows.move_page(-1), "ctrl+u": lambda: rows.move_page(-1),
            "home": lambda: rows.move_end(last=False), "g": lambda: rows.move_end(last=False),
            "end": lambda: rows.move_end(last=True), "G": lambda: rows.move_end(last=True),
            "R": lambda: self._show(self.latest) if self.changed else None,
        }  # fmt: skip

    def _attest(self, refusal: str) -> None:
        """Attest the sentence under the cursor, or take its attestation back."""
        prose = prose_of(self.shown, self.rows.cursor)
        if prose is None:
            self.say("Put the cursor on a sentence to attest.")
        elif self.changed:
            self.say("Not taken: something changed; R shows the new state.")
        elif prose.basis is not Basis.HUMAN and prose.outcome is not Outcome.UNKNOWN:
            self.say(f"This sentence is computed: {prose.reason}")
        else:
            withdraw = attested(prose)
            self._attesting = "" if withdraw else self.rows.cursor or ""
            draft = drafts.attest(self.shown, prose, _viewing(self), withdraw=withdraw)

            def post() -> None:
                self.recording = True
                self.say("Recording...")
                self.post_message(self.Attested(draft))

            self.decide(post, refusal)

    def _run_tests(self, refusal: str) -> None:
        """Run the planned tests in their screen, as ``t`` does in the main window; then show what is new."""
        commands = planned_tests(self.shown)
        if refusal or not commands:
            self.say(f"Not taken: {refusal or 'the plan of this task names no test command'}.")
            return
        self._last_run = max((one.sequence for one in self.latest.task.log.tests), default=-1)
        self._runs_left = len(commands)
        run = CheckRunScreen(self.look, self.shown.task_id, commands)

        def closed(_: None) -> None:
            if self.changed and self._expected():
                self._show(self.latest)
            self.say("The tests run on; their end is shown here." if not run.ended else run.ended)

        app_of(self).push_screen(run, closed)

    def _commit(self) -> None:
        if self.missing().open and not self.shown.gate.open_conditions:
            self.recording = True
            self.dismiss(drafts.finalize(self.shown, _viewing(self)))

    def missing(self) -> Missing:
        """What still keeps ``Ctrl+O`` from finalizing."""
        rows = self.rows
        below = max(
            0, rows.virtual_size.height - rows.scroll_offset.y - rows.scrollable_content_region.height
        )
        self.end_seen = self.end_seen or (self.guard.painted_at is not None and not below)
        return Missing(
            over=self.over,
            changed=bool(self.changed),
            malformed=open_words(self.shown),
            below=0 if self.end_seen else max(1, below),
            code=self.code.code if needs_code(self.shown.risk) else "",
            typed=len(self.code.typed),
            focused=self.guard.focused,
            left=self.guard.left(self.look.ticks()),
        )

    def _foot(self, width: int) -> tuple[Line, ...]:
        del width
        glyphs, still = self.look.glyphs, open_words(self.shown)
        line = missing_line(self.missing(), glyphs, "finalize")
        if self.changed:
            words = printable(", ".join(self.changed))
            line = (Span(f"{glyphs.warn} changed since shown: {words}. R shows the new state", "warn"),)
        elif still and not self.over:
            line = (Span(f"{glyphs.fail} Not yet: {still}", "warn"),)
        return (Span(self.said, "warn"),), line


def _viewing(screen: FinalizeScreen) -> drafts.Viewing:
    """How much of the ladder was seen."""
    rows = screen.rows
    total = rows.virtual_size.height
    bottom = total if screen.end_seen else rows.scroll_offset.y + rows.size.height
    return drafts.Viewing(min(total, bottom), total, screen.tty, screen.guard.focused)


def _block(screen: FinalizeScreen, refusal: str) -> None:
    """Ask why the task may not be finalized, on a second screen."""
    if refusal:
        screen.say(f"Not taken: {refusal}.")
        return

    def blocked(draft: Draft | None) -> None:
        if draft is not None:
            screen.recording = True
            screen.dismiss(draft)

    asked = block_screen(screen.latest, screen.look, reasons=screen.reasons, tty=screen.tty)
    app_of(screen).push_screen(asked, blocked)
