"""A bar of one or more lines that a pure function draws for the width at hand."""

from collections.abc import Callable, Sequence

from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from ags_tui.app.widgets.paint import follow_theme, looks_of, paint
from ags_tui.view.text import Line

Drawing = Callable[[int], Sequence[Line]]
"""Draws the lines for a width in cells."""


class LineBar(Widget):
    """Header, tabs, status line, key bar: lines at an edge, never focused, never clickable.

    The drawing is run again when the width changes; only lines that differ are repainted.
    """

    DEFAULT_CSS = """
    LineBar {
        height: 1;
        width: 1fr;
    }
    """

    def __init__(self, *, height: int = 1, id: str | None = None, ascii_only: bool = False) -> None:
        """Make an empty bar.

        Args:
            height: Lines at least; a drawing of more lines makes the bar higher.
            id: Id in the screen.
            ascii_only: Replace typographic characters of our own sentences.
        """
        super().__init__(id=id)
        self.styles.height = height
        self.least = height
        self.ascii_only = ascii_only
        self._drawing: Drawing = lambda _width: ()
        self._lines: tuple[Line, ...] = ()

    def on_mount(self) -> None:
        """Follow the theme."""
        follow_theme(self, self.refresh)

    def draw(self, drawing: Drawing) -> None:
        """Take a new drawing and repaint the lines that differ."""
        self._drawing = drawing
        self._redraw()

    def on_resize(self) -> None:
        """Draw for the new width."""
        self._redraw()

    def _redraw(self) -> None:
        """Run the drawing and repaint what differs."""
        width = self.size.width
        if not width:
            return
        lines = tuple(self._drawing(width))
        if len(lines) != len(self._lines):
            self.styles.height = max(self.least, len(lines))
            self.refresh(layout=True)
        else:
            changed = [y for y, pair in enumerate(zip(lines, self._lines, strict=True)) if pair[0] != pair[1]]
            if changed:
                self.refresh(*(Region(0, y, width, 1) for y in changed))
        self._lines = lines

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Take all there is."""
        return container.width

    def render_line(self, y: int) -> Strip:
        """Paint one line."""
        line = self._lines[y] if y < len(self._lines) else ()
        return paint(line, self.size.width, self.rich_style, looks_of(self), ascii_only=self.ascii_only)

    @property
    def text(self) -> str:
        """What stands in the bar, for tests."""
        return "\n".join("".join(span.text for span in line) for line in self._lines)
