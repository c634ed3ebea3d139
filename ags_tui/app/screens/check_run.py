"""The planned tests while they run: commands, streamed output with a bound, progress, cancel."""

from collections import deque
from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from ags_tui.app.keys import run_bindings
from ags_tui.app.look import Look
from ags_tui.app.messages import CheckAsked, CheckCancelled
from ags_tui.app.widgets.line_bar import LineBar
from ags_tui.app.widgets.row_list import RowList
from ags_tui.view.rows import Row, spread, wrapped
from ags_tui.view.status import KeyHint, key_line
from ags_tui.view.text import Line, Span, age, printable

MOST_LINES = 5000
"""Lines of output that the screen keeps; all of it is in the log artifact."""


class CheckRunScreen(ModalScreen[None], inherit_bindings=False):
    """Shows one run; closing the screen lets it go on, cancelling ends it."""

    BINDINGS: ClassVar[list[BindingType]] = [*run_bindings()]
    AUTO_FOCUS = "#run-lines"
    DEFAULT_CSS = """
    CheckRunScreen {
        align: center middle;
        background: $background 50%;
        & > #run {
            width: 94%; height: 90%;
            border: round $accent; background: $background; padding: 0 1;
        }
        & #run-lines { height: 1fr; margin: 1 0; }
    }
    CheckRunScreen.-plain-lines > #run { border: ascii $accent; }
    """

    def __init__(self, look: Look, task_id: str, commands: Sequence[str]) -> None:
        """Make the screen.

        Args:
            look: Glyphs, clock and keys.
            task_id: Whose tests.
            commands: The planned commands, as approved.
        """
        super().__init__()
        self.look = look
        self.task_id = task_id
        self.commands = tuple(commands)
        self.started: datetime | None = None
        self.ended = ""
        self.level = "accent"
        self._lines: deque[str] = deque(maxlen=MOST_LINES)
        self._count = 0

    def compose(self) -> ComposeResult:
        """Lay out heading, output and keys."""
        plain = self.look.ascii_only
        with Vertical(id="run"):
            yield LineBar(id="run-title", height=2, ascii_only=plain)
            yield RowList(id="run-lines", glyphs=self.look.glyphs, alone=True)
            yield LineBar(id="run-keys", ascii_only=plain)

    def on_mount(self) -> None:
        """Start the run, and the clock of its heading while it runs."""
        self.set_class(self.look.plain_lines, "-plain-lines")
        self.started = self.look.clock()
        self.post_message(CheckAsked(self.task_id))
        self.set_interval(1.0, self.draw, name="run")
        self.draw()

    def draw(self) -> None:
        """Draw heading and keys."""
        self.query_one("#run-title", LineBar).draw(self._title)
        self.query_one("#run-keys", LineBar).draw(lambda width: [key_line(self._hints(), width)])

    def printed(self, lines: Sequence[str]) -> None:
        """Add lines of output; the view follows unless it was scrolled up."""
        rows = self.query_one("#run-lines", RowList)
        follow = rows.is_vertical_scroll_end
        self._lines.extend(lines)
        self._count += len(lines)
        rows.show(self._rows, mark=False)
        if follow:
            rows.scroll_end(animate=False)
        self.draw()

    def finish(self, text: str, *, passed: bool) -> None:
        """Say how the run ended."""
        self.ended, self.level = text, "ok" if passed else "error"
        self.draw()

    def action_run(self, what: str) -> None:
        """Cancel, close or scroll."""
        rows = self.query_one("#run-lines", RowList)
        if what == "cancel" and not self.ended:
            self.post_message(CheckCancelled(self.task_id))
        elif what == "close":
            self.dismiss(None)
        elif what in ("top", "bottom"):
            rows.move_end(last=what == "bottom")
        elif what in ("down", "up", "half-down", "half-up"):
            step = 1 if what.endswith("down") else -1
            rows.move_page(step) if what.startswith("half") else rows.move(step)

    def _title(self, width: int) -> list[Line]:
        """Draw what runs, for how long, and how it ended."""
        since = "" if self.started is None else age(self.look.clock() - self.started)
        state = self.ended or f"running {since}"
        glyph = self.look.glyphs.active if not self.ended else ""
        first = spread(
            (Span("TESTS  ", "title"), Span(printable(self.task_id))),
            (Span(f"{glyph} {printable(state)}", self.level),),
            width,
        )
        many = f"  and {len(self.commands) - 1} more" if len(self.commands) > 1 else ""
        command = printable(self.commands[0]) if self.commands else "no command"
        return [first, spread((Span(f"$ {command}", "muted"), Span(many, "muted")), (), width)]

    def _rows(self, width: int) -> list[Row]:
        """Make one row a line of output; long ones are wrapped, nothing is hidden."""
        first = self._count - len(self._lines)
        rows: list[Row] = []
        if first:
            text = f"{first} earlier lines are in the log artifact"
            rows.append(Row("earlier", ((Span(text, "muted"),),), selectable=False))
        for index, line in enumerate(self._lines):
            parts = wrapped(printable(line), width)
            rows.append(
                Row(f"line:{first + index}", tuple((Span(part),) for part in parts), selectable=False)
            )
        return rows

    def _hints(self) -> list[KeyHint]:
        """Give the keys of the last line."""
        if self.ended:
            return [KeyHint("Esc", "close", True, 1)]
        return [KeyHint("x", "cancel", True, 2), KeyHint("Esc", "close, it runs on", True, 1)]
