"""A text field with recent texts above it: a digit takes one of them only while their list has the focus."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size
from textual.widgets import Input

from ags_tui.app.widgets.row_list import RowList
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.rows import Row, fitted, heading
from ags_tui.view.text import Span, printable

MAX_LENGTH = 2000
"""Longest text, in characters."""

RECENT = 9
"""Recent texts that digits can take."""


class RecentRows(RowList):
    """As high as its rows, up to a third of the terminal: the field below stays in sight."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Give the lines that it takes."""
        return min(super().get_content_height(container, viewport, width), viewport.height * 30 // 100)


class Words(Vertical):
    """Where there are recent texts, the focus starts on their list.

    Whatever else can be written begins a text of one's own in the field, where digits are text.
    """

    DEFAULT_CSS: ClassVar[str] = """
    Words {
        height: auto;
        & #recent { height: auto; display: none; }
        & Input { height: 3; }
        &.-recent #recent { display: block; }
    }
    """

    def __init__(self, recent: Sequence[str], glyphs: Glyphs, readable: Callable[[], bool]) -> None:
        """Make the field.

        Args:
            recent: Recent texts, newest first; the first nine are offered.
            glyphs: Symbols.
            readable: Whether the list has been there long enough to be read; before, digits are text.
        """
        super().__init__(id="field", classes="-recent" if recent else "")
        self.recent = tuple(dict.fromkeys(text for text in recent if text.strip()))[:RECENT]
        self.glyphs = glyphs
        self.readable = readable

    def compose(self) -> ComposeResult:
        """Lay out list and field."""
        yield RecentRows(id="recent", glyphs=self.glyphs)
        yield Input(placeholder="Why?", max_length=MAX_LENGTH, id="words", select_on_focus=False)

    def on_mount(self) -> None:
        """Show the recent texts."""
        self.query_one("#recent", RowList).show(self._rows, mark=False)

    @property
    def text(self) -> str:
        """What was written, without the blanks around it."""
        return self.query_one(Input).value.strip()

    @property
    def choosing(self) -> bool:
        """Whether the list has the focus."""
        return self.screen.focused is self.query_one("#recent")

    def begin(self) -> None:
        """Put the focus on the list where there is one, else into the field."""
        self.screen.set_focus(self.query_one("#recent" if self.recent else "#words"))

    def toggle(self) -> None:
        """Go from the list to the field, or back."""
        to_list = bool(self.recent) and not self.choosing
        self.screen.set_focus(self.query_one("#recent" if to_list else "#words"))

    def on_key(self, event: events.Key) -> None:
        """Begin a text with whatever can be written while the list has the focus, but for its digits."""
        text = event.character if event.is_printable else None
        takes = self.choosing and self.offered(event.key) and self.readable()
        # What comes up from the list after the field has the focus was typed in one burst with its first key;
        # the field itself lets no text come up.
        if text and not takes:
            event.stop()
            event.prevent_default()
            self._write(text)

    def on_paste(self, event: events.Paste) -> None:
        """Take what is pasted onto the list as text, as the field does."""
        if self.choosing:
            self._write((event.text.splitlines() or [""])[0])

    def offered(self, key: str) -> str:
        """Give the recent text that a key stands for; empty for none."""
        number = int(key) if len(key) == 1 and key in "123456789" else 0
        return self.recent[number - 1] if 0 < number <= len(self.recent) else ""

    def press(self, key: str) -> str:
        """Do what a key of the list does; gives a sentence where it cannot."""
        offered = self.offered(key)
        if offered and self.text:
            return "The field holds words already; empty it first, then a digit takes a reason."
        if offered:
            self.query_one(Input).value = ""
            self._write(offered)
        elif key in ("up", "down"):
            self.query_one("#recent", RowList).move(1 if key == "down" else -1)
        return ""

    def hint(self, width: int) -> str:
        """Say which keys work now."""
        if not self.choosing:
            return f"Enter goes on{'; Tab to the recent reasons' if self.recent else ''}; Esc leaves"
        digits = "1 takes the" if len(self.recent) == 1 else f"1-{len(self.recent)} take a"
        whole = f"{digits} reason; any other key begins your own; Esc leaves"
        return whole if len(whole) <= width else f"{digits} reason; Esc leaves"

    def _write(self, text: str) -> None:
        """Go to the field with a text."""
        field = self.query_one(Input)
        self.screen.set_focus(field)
        field.insert_text_at_cursor(text)

    def _rows(self, width: int) -> list[Row]:
        rows = [heading("title", Span("RECENT REASONS  ", "title"), Span("a digit takes one", "muted"))]
        rows += [
            heading(f"recent:{number}", Span(f"{number} ", "key"), Span(printable(text)))
            for number, text in enumerate(self.recent, 1)
        ]
        return list(fitted(rows, width))
