"""Choose a theme with live preview: moving shows it, Enter keeps it, Esc gives the old one back."""

from collections.abc import Sequence

from ags_tui.app.look import Look
from ags_tui.app.messages import ThemePreviewed
from ags_tui.app.screens.sheet import Sheet
from ags_tui.app.themes import ThemeFile
from ags_tui.app.widgets.row_list import RowList
from ags_tui.view.rows import Row, blank, heading, paragraph, spread
from ags_tui.view.status import KeyHint
from ags_tui.view.text import Span, printable


class ThemePicker(Sheet[str]):
    """Lists the themes; gives the name of the one to keep."""

    DEFAULT_CSS = """
    ThemePicker { background: transparent; align: right top; }
    ThemePicker > #sheet { width: 46; height: auto; max-height: 90%; }
    ThemePicker.-narrow > #sheet { width: 46; height: auto; }
    ThemePicker #sheet-rows { height: auto; max-height: 30; }
    """

    def __init__(self, look: Look, themes: Sequence[ThemeFile], now: str) -> None:
        """Make the screen.

        Args:
            look: Glyphs and keys.
            themes: What can be chosen.
            now: Name of the theme in use.
        """
        super().__init__(look, "Theme")
        self.themes = tuple(themes)
        self.before = now

    def make_rows(self, width: int) -> Sequence[Row]:
        """Make one row a theme, and a sample of its colours."""
        rows = [
            Row(theme.name, (spread((Span(printable(theme.title)),), (Span(theme.name, "muted"),), width),))
            for theme in self.themes
        ]
        sample = (
            Span("accent ", "accent"),
            Span("ok ", "ok"),
            Span("warning ", "warn"),
            Span("error", "error"),
        )
        diff = (Span("+ added  ", "added"), Span("- removed", "removed"))
        return [*rows, blank("gap"), heading("sample", *sample), heading("diff", *diff),
                paragraph("muted", "muted text", width, style="muted")]  # fmt: skip

    def show(self) -> None:
        """Show the rows with the cursor on the theme in use."""
        super().show()
        self.call_after_refresh(self.rows.select, self.before)

    def on_row_list_cursor_moved(self, event: RowList.CursorMoved) -> None:
        """Preview the theme under the cursor."""
        event.stop()
        if event.by_human:
            self.post_message(ThemePreviewed(event.key))

    def choose(self, key: str) -> None:
        """Keep the theme."""
        self.dismiss(key)

    def action_sheet(self, what: str) -> None:
        """Give the old theme back when closed."""
        if what == "close":
            self.post_message(ThemePreviewed(self.before))
        super().action_sheet(what)

    def hints(self) -> list[KeyHint]:
        """Give the keys of the last line."""
        return [
            KeyHint("j/k", "preview", True, 3),
            KeyHint("Enter", "keep", True, 1),
            KeyHint("Esc", "as before", True, 2),
        ]
