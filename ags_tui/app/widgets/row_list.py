"""A virtual list of rows: thousands cost as much as those in sight, and a changed row repaints alone."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ags_tui.app.widgets.paint import follow_theme, is_colourless, looks_of, paint
from ags_tui.view.content import with_hits
from ags_tui.view.glyphs import ASCII, UNICODE, Glyphs
from ags_tui.view.rows import Row, focused_title
from ags_tui.view.text import Line, Span

Source = Callable[[int], Sequence[Row]]
"""Makes the rows for a width in cells."""

GUTTER = 2
"""Cells at the left for the cursor bar and the mark of a fresh change."""

REVERSED = Style(reverse=True)
"""Letters under the cursor where there are no colours: with its bar they tell it."""


class RowList(ScrollView, can_focus=True, inherit_bindings=False):
    """A pane of rows with a cursor.

    Rows have stable keys: the cursor stays on its row, at the same height of the screen, whatever appears
    above it. Where its row is gone, the row in its place is selected, never opened. A list without
    selectable rows scrolls.
    """

    DEFAULT_CSS = """
    RowList {
        scrollbar-size-vertical: 1;
        overflow-x: hidden;
        overflow-y: auto;
    }
    """

    @dataclass(eq=False)
    class CursorMoved(Message):
        """Another row is selected."""

        rows: "RowList"
        """In which list."""
        key: str
        """Key of the row."""
        by_human: bool
        """Whether a key or click moved it; False where its row vanished or the first one came."""

        @property
        def control(self) -> "RowList":
            """The list."""
            return self.rows

    @dataclass(eq=False)
    class Scrolled(Message):
        """A list without a cursor moved."""

        rows: "RowList"
        """Which list."""

    def __init__(self, *, id: str, glyphs: Glyphs = UNICODE, shy: bool = False, alone: bool = False) -> None:
        """Make an empty list.

        Args:
            id: Id in the screen.
            glyphs: Symbols for the cursor bar and the mark of a change.
            shy: Show the cursor only while the list is focused.
            alone: No other pane stands beside it, so that it need not say that it has the focus.
        """
        super().__init__(id=id)
        self.glyphs = glyphs
        self.shy = shy
        self.alone = alone
        self.ascii_only = glyphs is ASCII
        self.rows: tuple[Row, ...] = ()
        self.cursor: str | None = None
        self.needle = ""
        self._source: Source = lambda _width: ()
        self._starts: list[int] = []
        self._index: dict[str, int] = {}
        self._fresh: frozenset[str] = frozenset()
        self._fading: frozenset[str] = frozenset()
        self._held: frozenset[str] = frozenset()
        self._hidden = False
        self._made_for = 0

    def on_mount(self) -> None:
        """Follow the theme."""
        follow_theme(self, self.refresh)

    # -- rows ----------------------------------------------------------------------------------------

    def show(self, source: Source, *, mark: bool = True) -> None:
        """Take a new source of rows and repaint what differs.

        Args:
            source: Makes the rows for a width.
            mark: Mark rows that changed since the last call.
        """
        self._source = source
        self._make(mark=mark)

    def on_resize(self) -> None:
        """Make the rows for the new width."""
        if self._made_for != self._room():
            self._make(mark=False)

    def settle(self) -> None:
        """Take away the marks of changes that have stood since the last time."""
        gone = self._fading & self._fresh
        self._fresh = self._fading = self._fresh - gone
        for key in gone:
            self._refresh_row(key)

    def hold(self, keys: frozenset[str]) -> None:
        """Mark rows until others are named: what is new waits there until it is looked at.

        Args:
            keys: Keys of the rows; there may be none of them yet.
        """
        changed, self._held = keys ^ self._held, keys
        for key in changed:
            self._refresh_row(key)

    def _room(self) -> int:
        """Give the cells for the text of a row: one is kept free for the scroll bar."""
        return max(0, self.size.width - GUTTER - 1)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Give the lines that the rows take at a width, for lists as high as their content."""
        room = width - GUTTER - 1
        if room == self._made_for and self.rows:
            return self.virtual_size.height
        return sum(len(row.lines) for row in self._source(room)) if room > 0 else 0

    def _make(self, *, mark: bool) -> None:
        """Run the source, keep the cursor on its row and height, and repaint what differs."""
        self._made_for = self._room()
        if not self._made_for:
            self.refresh(layout=True)
            return
        old, rows = self.rows, tuple(self._source(self._made_for))
        same_place = len(old) == len(rows) and all(
            a.key == b.key and len(a.lines) == len(b.lines) for a, b in zip(old, rows, strict=True)
        )
        before = {row.key: row.lines for row in old} if mark and old else None
        anchor, height = self._anchor()
        place = self._index.get(self.cursor or "", 0)
        self.rows = rows
        if before is not None:
            changed = frozenset(
                row.key for row in rows if row.selectable and before.get(row.key) != row.lines
            )
            self._fresh = (self._fresh | changed) & frozenset(row.key for row in rows)
        if same_place:
            for index, (a, b) in enumerate(zip(old, rows, strict=True)):
                if a.lines != b.lines:
                    self.refresh_lines(self._starts[index], len(b.lines))
            return
        self._index = {row.key: index for index, row in enumerate(rows)}
        self._starts = []
        total = 0
        for row in rows:
            self._starts.append(total)
            total += len(row.lines)
        self.virtual_size = Size(self._made_for + GUTTER, total)
        self._keep_cursor(place)
        self._keep_scroll(anchor, height)
        self.refresh(layout=self.styles.is_auto_height)

    def _anchor(self) -> tuple[str, int]:
        """Give the row that stays at its height of the screen: that of the cursor where it is in sight, else
        the first one that is.
        """
        height = self._cursor_y() - self.scroll_offset.y
        if self.cursor in self._index and 0 <= height < max(1, self.size.height):
            return self.cursor or "", height
        if not self.rows:
            return "", 0
        index = self._row_at(self.scroll_offset.y)
        return self.rows[index].key, self._starts[index] - self.scroll_offset.y

    def _keep_scroll(self, anchor: str, height: int) -> None:
        """Put a row back at its height; where it is gone, that of the cursor in its place."""
        index = self._index.get(anchor, self._index.get(self.cursor or ""))
        if index is not None and self.scroll_offset.y:
            self.scroll_to(y=max(0, self._starts[index] - height), animate=False)

    def _keep_cursor(self, place: int) -> None:
        """Put the cursor back on its row, or on the one in its place."""
        if self.cursor is None or self.cursor not in self._index:
            near = self._selectable_near(place)
            if near != self.cursor:
                self.cursor = near
                self.post_message(self.CursorMoved(self, near or "", by_human=False))

    def _selectable_near(self, place: int) -> str | None:
        """Give the selectable row at a place, else the one before it, else the first after it."""
        order = [*range(place, len(self.rows)), *range(min(place, len(self.rows)) - 1, -1, -1)]
        return next((self.rows[index].key for index in order if self.rows[index].selectable), None)

    def hide_cursor(self, hidden: bool) -> None:
        """Show no cursor, even while the list is focused: what is selected stands elsewhere."""
        self._hidden = hidden
        self._refresh_row(self.cursor)

    def on_focus(self) -> None:
        """Show the cursor and the marks of the focus."""
        self.refresh()

    def on_blur(self) -> None:
        """Hide the cursor of a shy list and the marks of the focus."""
        self.refresh()

    # -- cursor --------------------------------------------------------------------------------------

    def select(self, key: str, *, by_human: bool = False) -> bool:
        """Put the cursor on a row by its key; False where there is no such selectable row.

        Args:
            key: Key of the row.
            by_human: Whether the human moved there; told by the message.
        """
        index = self._index.get(key)
        if index is None or not self.rows[index].selectable:
            return False
        if key != self.cursor or by_human:
            old, self.cursor = self.cursor, key
            self._fresh -= {key}
            self._refresh_row(old)
            self._refresh_row(key)
            self.post_message(self.CursorMoved(self, key, by_human=by_human))
        self._reveal()
        return True

    def has(self, key: str) -> bool:
        """Tell whether there is a row with a key."""
        return key in self._index

    def move(self, step: int) -> bool:
        """Move the cursor by selectable rows, or scroll by lines where there are none; False at an end."""
        keys = [row.key for row in self.rows if row.selectable]
        if not keys:
            self.scroll_relative(y=step, animate=False)
            return False
        place = keys.index(self.cursor) if self.cursor in keys else -1 if step > 0 else len(keys)
        target = min(max(place + step, 0), len(keys) - 1)
        if target == place:  # at an end: show the headings and hints beyond the last row
            self.scroll_relative(y=step, animate=False)
            return False
        return self.select(keys[target], by_human=True)

    def move_page(self, direction: int) -> None:
        """Move by half a page; the cursor goes along."""
        lines = max(1, self.size.height // 2) * direction
        keys = [row.key for row in self.rows if row.selectable]
        if not keys or self.cursor is None:
            self.scroll_relative(y=lines, animate=False)
            return
        target = self._row_at(self._cursor_y() + lines)
        near = min(keys, key=lambda key: abs(self._index[key] - target))
        if near == self.cursor:
            self.move(direction)
        else:
            self.select(near, by_human=True)

    def move_end(self, *, last: bool) -> None:
        """Go to the first or last row."""
        keys = [row.key for row in self.rows if row.selectable]
        if keys:
            self.select(keys[-1 if last else 0], by_human=True)
        self.scroll_to(y=self.virtual_size.height if last else 0, animate=False)

    def find(self, needle: str, step: int) -> tuple[int, int]:
        """Go to the next row that holds a text.

        Args:
            needle: Text, compared without regard to case.
            step: 1 for the next hit, -1 for the previous one, 0 for the first one from the cursor on.

        Returns:
            Number of the hit and how many there are; ``(0, 0)`` for none.
        """
        self.needle = needle
        self.refresh()
        wanted = needle.casefold()
        hits = [index for index, row in enumerate(self.rows) if wanted and wanted in row.text.casefold()]
        if not hits:
            return 0, 0
        here = self._index.get(self.cursor or "", self._row_at(self.scroll_offset.y))
        place = bisect_right(hits, here)
        if step <= 0:
            place = next((i for i in range(len(hits) - 1, -1, -1) if hits[i] < here), len(hits) - 1)
        if step == 0:
            place = next((i for i, hit in enumerate(hits) if hit >= here), 0)
        place %= len(hits)
        if not self.select(self.rows[hits[place]].key, by_human=True):
            self.scroll_to(y=self._starts[hits[place]], animate=False)
        return place + 1, len(hits)

    def _cursor_y(self) -> int:
        """Give the first line of the row with the cursor."""
        index = self._index.get(self.cursor or "")
        return 0 if index is None else self._starts[index]

    def _row_at(self, y: int) -> int:
        """Give the index of the row that holds a line."""
        return max(0, min(bisect_right(self._starts, y) - 1, len(self.rows) - 1))

    def _reveal(self) -> None:
        """Scroll so that the row with the cursor is in sight, with the headings right above the first one."""
        index = self._index.get(self.cursor or "")
        height = self.scrollable_content_region.height
        if index is None or not height:
            return
        top, size = self._starts[index], len(self.rows[index].lines)
        first = top
        while first and not self.rows[self._row_at(first - 1)].selectable and top - first < height - size:
            first = self._starts[self._row_at(first - 1)]
        if first < self.scroll_offset.y:
            self.scroll_to(y=first, animate=False)
        elif top + size > self.scroll_offset.y + height:
            self.scroll_to(y=top + size - height, animate=False)

    def _refresh_row(self, key: str | None) -> None:
        """Repaint one row."""
        index = self._index.get(key or "")
        if index is not None:
            self.refresh_lines(self._starts[index], len(self.rows[index].lines))

    def on_click(self, event: events.Click) -> None:
        """Select the clicked row; a click never opens or decides."""
        offset = event.get_content_offset(self)
        if offset is not None and self.rows:
            y = offset.y + self.scroll_offset.y
            if y < self.virtual_size.height:
                self.select(self.rows[self._row_at(y)].key, by_human=True)

    # -- painting ------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Paint one line of a row, with the cursor bar or the mark of a change before it."""
        width = self.scrollable_content_region.width
        line_number = y + self.scroll_offset.y
        if not self.rows or line_number >= self.virtual_size.height:
            return paint(self._edge(first=False), width, self.rich_style, looks_of(self))
        index = self._row_at(line_number)
        row = self.rows[index]
        line: Line = row.lines[line_number - self._starts[index]]
        base, looks = self.rich_style, looks_of(self)
        marks = self._edge(first=not line_number)
        if not line_number and len(marks) > 1:
            line = focused_title(line)
        if row.key == self.cursor and not self._hidden and (self.has_focus or not self.shy):
            focused = "-focused" if self.has_focus else ""
            base += looks[f"cursor{focused}"]
            if is_colourless(self):
                base += REVERSED
            marks = (Span(f"{self.glyphs.bar} ", f"bar{focused}"),)
        elif row.key in self._fresh or row.key in self._held:
            marks = (Span(f"{self.glyphs.fresh} ", "fresh"),)
        if self.needle:
            line = with_hits(line, self.needle)
        return paint((*marks, *line), width, base, looks, ascii_only=self.ascii_only)

    def _edge(self, *, first: bool) -> Line:
        """Give the gutter of a line without a mark: a rail along the pane that has the focus.

        Args:
            first: Whether it is the first line; there the blank behind the rail stands out with the title.
        """
        if self.alone or not self.has_focus:
            return (Span(" " * GUTTER),)
        rail = Span(self.glyphs.rail_focus, "bar-focused")
        titled = first and bool(self.rows) and self.rows[0].lines[0][:1] and not self.rows[0].selectable
        return (rail, Span(" ", "pane" if titled and self.rows[0].lines[0][0].style == "title" else ""))

    @property
    def text(self) -> str:
        """All text of the list, for tests."""
        return "\n".join(row.text for row in self.rows)
