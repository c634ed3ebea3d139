"""The finalization screen: the ladder, what is claimed beside what was observed, and sentences to attest."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.message import Message
from textual.widget import Widget

from ags_tui.app.attention import CodeEntry, app_of
from ags_tui.app.look import Look
from ags_tui.app.screens.guarded import GuardedScreen
from ags_tui.app.screens.reason import block_screen
from ags_tui.app.widgets.line_bar import LineBar
from ags_tui.app.widgets.row_list import RowList
from ags_tui.core import drafts
from ags_tui.core.assessment import Assessment, TaskAssessment
from ags_tui.core.checks.findings import Basis, Outcome
from ags_tui.core.decisions import Draft
from ags_tui.view.decision import Missing, missing_line, needs_code
from ags_tui.view.finalize import (
    finalize_head,
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
    :class:`Attested` while the screen stays. ``Ctrl+O`` finalizes. Dismisses with the draft, or None.
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
        keys = "Esc back   Space attests the sentence under the cursor   b block..."
        self.query_one("#head", LineBar).draw(lambda width: finalize_head(self.shown, width, glyphs))
        self.query_one("#foot", LineBar).draw(self._foot)
        self.query_one("#keys", LineBar).draw(lambda _width: ((Span(keys, "muted"),),))
        self.rows.focus()
        self._show(self.shown)
        self.call_after_refresh(self.rows.select, first_waiting(self.shown))

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
        if changed and self._expects_attestation and not self.changed:
            self._expects_attestation = False
            self._show(self.latest)
        elif (over, changed) != (self.over, self.changed):
            self.over, self.changed = over, changed
            self.settling.cancel()
            self.attention.again()
        self.over = over
        self.set_class(bool(self.changed), "-warning")
        self.redraw()

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
            self._block(refusal)
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
            withdraw = prose.basis is Basis.HUMAN and prose.outcome is Outcome.PASSED and not prose.stale
            draft = drafts.attest(self.shown, prose, self._viewing(), withdraw=withdraw)

            def post() -> None:
                self.recording = True
                self.say("Recording...")
                self.post_message(self.Attested(draft))

            self.decide(post, refusal)

    def _block(self, refusal: str) -> None:
        """Ask why the task may not be finalized, on a second screen."""
        if refusal:
            self.say(f"Not taken: {refusal}.")
            return

        def blocked(draft: Draft | None) -> None:
            if draft is not None:
                self.recording = True
                self.dismiss(draft)

        app_of(self).push_screen(
            block_screen(self.latest, self.look, reasons=self.reasons, tty=self.tty), blocked
        )

    def _commit(self) -> None:
        if self.missing().open and not self.shown.gate.open_conditions:
            self.recording = True
            self.dismiss(drafts.finalize(self.shown, self._viewing()))

    def _viewing(self) -> drafts.Viewing:
        total = self.rows.virtual_size.height
        bottom = total if self.end_seen else self.rows.scroll_offset.y + self.rows.size.height
        return drafts.Viewing(min(total, bottom), total, self.tty, self.guard.focused)

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
