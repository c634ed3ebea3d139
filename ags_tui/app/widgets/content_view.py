"""A virtual view of a document: makes the rows in sight, wraps or shifts long lines, knows what was seen."""

from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate

from rich.style import Style
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ags_tui.app.widgets.paint import follow_theme, looks_of, paint
from ags_tui.view.content import Document, TextDocument, with_hits, wrap_line
from ags_tui.view.text import Line, Span, clip_line, line_len

EMPTY_DOCUMENT: Document = TextDocument(())
"""Nothing."""

_Key = tuple[int, int, int, int, bool]


class ContentView(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows one document. Scrolls by method calls only; the screen decides which keys do that.

    A line counts as seen once its end was painted: a line that reaches beyond the right edge is not seen
    before it wraps or is scrolled to its end.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    ContentView {
        height: 1fr;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
        overflow-x: hidden;
        overflow-y: auto;
    }
    """

    wrapping: var[bool] = var(True, init=False)
    """Whether long lines wrap; else they scroll sideways and a mark shows that more follows."""

    @dataclass(eq=False)
    class SeenChanged(Message):
        """More of the document was seen."""

        view: "ContentView"
        """Which view."""

        def can_replace(self, message: Message) -> bool:
            """Only the newest matters."""
            return isinstance(message, ContentView.SeenChanged) and message.view is self.view

    def __init__(self, *, id: str | None = None, wrap: bool = True, ascii_only: bool = False) -> None:
        """Make an empty view.

        Args:
            id: Id in the screen.
            wrap: Whether long lines wrap at first.
            ascii_only: Draw the marks of cut lines in ASCII; the text itself is never replaced.
        """
        super().__init__(id=id)
        self.set_reactive(ContentView.wrapping, wrap)
        self.ascii_only = ascii_only
        self.document: Document = EMPTY_DOCUMENT
        self._starts: array[int] | None = None
        self._laid_out_for = (0, False)
        self._shift = 0
        self._strips: LRUCache[_Key, Strip] = LRUCache(1024)
        self._rows: LRUCache[int, list[Line]] = LRUCache(256)
        self.needle = ""
        self._hit = -1
        self._hits: tuple[Document, str, list[int]] = (EMPTY_DOCUMENT, "", [])
        self._seen = bytearray()
        self._seen_count = 0
        self._seen_told = 0

    def on_mount(self) -> None:
        """Follow the theme."""
        follow_theme(self, self.repaint)

    # -- content -------------------------------------------------------------------------------------

    def show(self, document: Document, *, keep_place: bool = False) -> None:
        """Show another document; nothing of it counts as seen yet.

        Args:
            document: What to show.
            keep_place: Stay at the same line instead of going to the top.
        """
        place = self._line_at(self.scroll_offset.y)[0] if keep_place and self.document.size else 0
        self.document = document
        self.forget_seen()
        self._shift = 0
        self._lay_out()
        self.move_to_line(min(place, max(0, document.size - 1)))

    def forget_seen(self) -> None:
        """Count nothing as seen, as if the document had just been opened."""
        self._seen = bytearray(self.document.size)
        self._seen_count = self._seen_told = 0
        self.refresh()

    def _lay_out(self) -> None:
        """Work out how many rows there are."""
        width = self._width
        self._laid_out_for = (width, self.wrapping)
        self._strips.clear()
        self._rows.clear()
        size = self.document.size
        self._starts = self._wrapped_starts(width) if self.wrapping and width else None
        rows = self._starts[-1] if self._starts else size
        self.virtual_size = Size(self.scrollable_content_region.width, rows)
        self.refresh()

    def _wrapped_starts(self, width: int) -> "array[int] | None":
        """First row of every line and the number of rows; None where no line needs a second row."""
        document = self.document
        counts = array("L", bytes(0))
        longer = False
        for index in range(document.size):
            room = width - document.indent(index)
            if document.width(index) <= room:
                counts.append(1)
            else:
                counts.append(len(wrap_line(document.line(index), room)))
                longer = True
        return array("L", accumulate(counts, initial=0)) if longer else None

    @property
    def _width(self) -> int:
        """Cells of a row with its gutter."""
        return self.scrollable_content_region.width or self.size.width

    def watch_show_vertical_scrollbar(self) -> None:
        """Lay out anew: the bar must not cover the last character of a row."""
        self.on_resize()

    def on_resize(self) -> None:
        """Lay out for the new width; the line at the top stays there."""
        if self._laid_out_for != (self._width, self.wrapping):
            place = self._line_at(self.scroll_offset.y)[0]
            self._lay_out()
            self.move_to_line(place)

    def watch_wrapping(self) -> None:
        """Lay out again."""
        place = self._line_at(self.scroll_offset.y)[0]
        self._shift = 0
        self._lay_out()
        self.move_to_line(place)

    def notify_style_update(self) -> None:
        """Forget painted rows when the look changes."""
        super().notify_style_update()
        self._strips.clear()

    def repaint(self) -> None:
        """Paint anew, with nothing left of what was painted before."""
        self._strips.clear()
        self.refresh()

    # -- where things are ----------------------------------------------------------------------------

    def _line_at(self, row: int) -> tuple[int, int]:
        """Line that a row belongs to, and which of its rows it is."""
        if self._starts is None:
            return row, 0
        index = bisect_right(self._starts, row) - 1
        return index, row - self._starts[index]

    def _row_of(self, index: int) -> int:
        """First row of a line."""
        return index if self._starts is None else self._starts[min(index, len(self._starts) - 1)]

    @property
    def row_count(self) -> int:
        """Rows of the whole document."""
        return self.virtual_size.height

    @property
    def rows_below(self) -> int:
        """Rows below the visible ones."""
        return max(0, self.row_count - self.scroll_offset.y - self.scrollable_content_region.height)

    @property
    def top_line(self) -> int:
        """Line at the top of the view."""
        return self._line_at(self.scroll_offset.y)[0] if self.document.size else 0

    @property
    def place(self) -> tuple[int, int, int]:
        """First and last visible line, counted from 1, and the number of lines."""
        size = self.document.size
        if not size:
            return 0, 0, 0
        bottom = min(self.row_count, self.scroll_offset.y + self.scrollable_content_region.height) - 1
        return self.top_line + 1, min(size, self._line_at(max(0, bottom))[0] + 1), size

    # -- seen ----------------------------------------------------------------------------------------

    @property
    def seen_lines(self) -> int:
        """Lines whose end was painted."""
        return self._seen_count

    @property
    def end_seen(self) -> bool:
        """Whether the last line was painted to its end; true for an empty document."""
        return not self._seen or bool(self._seen[-1])

    @property
    def unseen_below(self) -> int:
        """Lines behind the furthest one that was painted."""
        return len(self._seen) - 1 - self._seen.rfind(1)

    def _saw(self, index: int, *, end: bool) -> None:
        """Keep that a line was painted; told once the frame is done."""
        if not end or self._seen[index]:
            return
        self._seen[index] = 1
        self._seen_count += 1
        if self._seen_told < self._seen_count:
            self._seen_told = self.document.size
            self.call_after_refresh(self._tell_seen)

    def _tell_seen(self) -> None:
        self._seen_told = self._seen_count
        self.post_message(self.SeenChanged(self))

    # -- scrolling -----------------------------------------------------------------------------------

    def move(self, step: int) -> None:
        """Scroll by rows."""
        self._go(self.scroll_offset.y + step)

    def move_page(self, direction: int, *, half: bool = False) -> None:
        """Scroll by a page less one row, so that nothing is skipped, or by half a page."""
        height = self.scrollable_content_region.height
        self.move(direction * max(1, height // 2 if half else height - 1))

    def move_end(self, *, last: bool) -> None:
        """Go to the first or last row."""
        self._go(self.row_count if last else 0)

    def move_to_line(self, index: int) -> None:
        """Put a line at the top, as far as there are enough rows below it."""
        self._go(self._row_of(index))

    def _go(self, row: int) -> None:
        # The scrollbar appears one layout later than the content; scrolling must not wait for it.
        self.scroll_to(y=row, animate=False, force=True)

    def shift(self, cells: int) -> None:
        """Scroll sideways, while long lines do not wrap."""
        if not self.wrapping:
            self._shift = max(0, self._shift + cells)
            self.refresh()

    # -- search --------------------------------------------------------------------------------------

    def find(self, needle: str, step: int) -> tuple[int, int]:
        """Go to the next line that holds a text.

        Args:
            needle: Text, compared without regard to case; empty to end the search.
            step: 1 for the next hit, -1 for the previous one, 0 for the first one from the top line on.

        Returns:
            Number of the hit and how many lines hold the text; ``(0, 0)`` for none.
        """
        if needle != self.needle:
            self.needle = needle
            self._strips.clear()
            self.refresh()
        hits = self._lines_with(needle.casefold())
        if not hits:
            return 0, 0
        first, last, _ = self.place
        here = self._hit if step and first - 1 <= self._hit < last else first - 1
        place = bisect_right(hits, here) if step > 0 else bisect_left(hits, here) - (step < 0)
        place %= len(hits)
        self._hit = hits[place]
        self.move_to_line(self._hit)
        return place + 1, len(hits)

    def _lines_with(self, wanted: str) -> list[int]:
        """Lines that hold a text; kept until text or document changes."""
        if self._hits[0] is not self.document or self._hits[1] != wanted:
            lines = (self.document.line(index) for index in range(self.document.size if wanted else 0))
            texts = ("".join(span.text for span in line).casefold() for line in lines)
            self._hits = (self.document, wanted, [n for n, text in enumerate(texts) if wanted in text])
        return self._hits[2]

    # -- painting ------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Paint one row."""
        width = self.scrollable_content_region.width
        row = y + self.scroll_offset.y
        if row >= self.row_count or width <= 0:
            return Strip.blank(max(0, width), self.rich_style)
        index, part = self._line_at(row)
        marked = self.is_marked(index)
        key = (index, part, self._shift, width, marked)
        strip = self._strips.get(key)
        if strip is None:
            line, end = self._row_line(index, part)
            if self.needle:
                line = with_hits(line, self.needle)
            strip = paint(line, width, self.row_style(index), looks_of(self))
            if end:
                self._strips[key] = strip
                self._saw(index, end=True)
        else:
            self._saw(index, end=True)
        return strip

    def _row_line(self, index: int, part: int) -> tuple[Line, bool]:
        """Gutter and text of a row, and whether the end of the line is on it."""
        indent = self.document.indent(index)
        # A resize paints once more before the new layout: rows are those of the width they were made for.
        width = self._laid_out_for[0] if self._starts is not None else self._width
        room = max(0, width - indent)
        gutter = clip_line(self.gutter_line(index, first=part == 0), indent)
        gutter = (*gutter, Span(" " * (indent - line_len(gutter)))) if indent else ()
        if self._starts is not None:
            rows = self._rows.get(index)
            if rows is None:
                rows = self._rows[index] = wrap_line(self.document.line(index), room)
            return (*gutter, *rows[part]), part == len(rows) - 1
        line = self.document.line(index)
        end = line_len(line) - self._shift <= room
        marks = "<>" if self.ascii_only else "‹›"
        return (*gutter, *_cut(line, self._shift, room, marks)), end

    def gutter_line(self, index: int, *, first: bool) -> Line:
        """What stands left of a row."""
        return self.document.gutter(index, first=first)

    def is_marked(self, index: int) -> bool:
        """Whether a line is shown as marked; here none is."""
        del index
        return False

    def row_style(self, index: int) -> Style:
        """Style under a whole row."""
        del index
        return self.rich_style

    @property
    def text(self) -> str:
        """The visible text, for tests."""
        height = self.scrollable_content_region.height
        rows = range(self.scroll_offset.y, min(self.row_count, self.scroll_offset.y + height))
        lines = (self._row_line(*self._line_at(row))[0] for row in rows)
        return "\n".join("".join(span.text for span in line).rstrip() for line in lines)


def _cut(line: Line, shift: int, room: int, marks: str) -> Line:
    """The part of a line behind ``shift`` cells; marks show that there is more at either side."""
    if shift:
        head = clip_line(line, shift, mark=marks[0])
        skipped = sum(len(span.text) for span in head)
        rest: list[Span] = []
        for span in line:
            if skipped >= len(span.text):
                skipped -= len(span.text)
                continue
            rest.append(Span(span.text[skipped:], span.style))
            skipped = 0
        line = (Span(marks[0], "muted"), *rest) if line else ()
    return clip_line(line, room, mark=marks[1])
