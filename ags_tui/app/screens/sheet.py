"""A sheet over the main screen: a title, one list, a line of keys. Help and settings are such."""

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from ags_tui.app.keys import sheet_bindings
from ags_tui.app.look import Look
from ags_tui.app.widgets.line_bar import LineBar
from ags_tui.app.widgets.row_list import RowList
from ags_tui.view.rows import Row
from ags_tui.view.status import KeyHint, key_line
from ags_tui.view.text import Line, Span

Result = TypeVar("Result")


class Sheet(ModalScreen[Result], inherit_bindings=False):
    """Shows rows and closes; subclasses give the rows and say what opening a row does."""

    BINDINGS: ClassVar[list[BindingType]] = [*sheet_bindings()]
    AUTO_FOCUS = "#sheet-rows"
    DEFAULT_CSS = """
    Sheet {
        align: center middle;
        background: $background 50%;
        & > #sheet {
            width: 90%;
            max-width: 100;
            height: 90%;
            max-height: 40;
            border: round $accent;
            background: $background;
            padding: 0 1;
        }
    }
    Sheet.-narrow > #sheet { width: 100%; height: 100%; max-height: 100%; }
    Sheet.-plain-lines > #sheet { border: ascii $accent; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-roomy")]  # noqa: RUF012 (declared by Textual)

    def __init__(self, look: Look, title: str) -> None:
        """Make the sheet.

        Args:
            look: Glyphs, clock and keys.
            title: First line; inert text.
        """
        super().__init__()
        self.look = look
        self.sheet_title = title

    def compose(self) -> ComposeResult:
        """Lay out title, rows and keys."""
        plain = self.look.ascii_only
        with Vertical(id="sheet"):
            yield LineBar(id="sheet-title", ascii_only=plain)
            yield from self.compose_top()
            yield RowList(id="sheet-rows", glyphs=self.look.glyphs, alone=True)
            yield LineBar(id="sheet-keys", ascii_only=plain)

    def compose_top(self) -> ComposeResult:
        """Put something between title and rows."""
        yield from ()

    def on_mount(self) -> None:
        """Show the rows."""
        self.set_class(self.look.plain_lines, "-plain-lines")
        title: Line = (Span(self.sheet_title, "title"),)
        self.query_one("#sheet-title", LineBar).draw(lambda _width: [title])
        self.query_one("#sheet-keys", LineBar).draw(lambda width: [key_line(self.hints(), width)])
        self.show()

    def show(self) -> None:
        """Make the rows again; before they are laid out there is nothing to do, mounting makes them."""
        for rows in self.query("#sheet-rows").results(RowList):
            rows.show(self.make_rows, mark=False)

    @property
    def rows(self) -> RowList:
        """The list of the sheet."""
        return self.query_one("#sheet-rows", RowList)

    def make_rows(self, width: int) -> Sequence[Row]:
        """Make the rows for a width; for subclasses."""
        raise NotImplementedError

    def hints(self) -> list[KeyHint]:
        """Give the keys of the last line."""
        return [KeyHint("j/k", "move", True, 2), KeyHint("Esc", "close", True, 1)]

    def choose(self, key: str) -> None:
        """Do what opening a row does; nothing where the sheet only shows."""

    def action_sheet(self, what: str) -> None:
        """Move, open or close."""
        rows = self.rows
        if what == "close":
            self.dismiss(None)
        elif what == "open":
            if rows.cursor:
                self.choose(rows.cursor)
        elif what in ("down", "up"):
            rows.move(1 if what == "down" else -1)
        elif what in ("top", "bottom"):
            rows.move_end(last=what == "bottom")
        else:
            rows.move_page(1 if what == "half-down" else -1)
