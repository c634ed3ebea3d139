"""What has begun to need the human since they looked: a mark on its row, and a line with the key to it."""

from collections.abc import Sequence

from ags_tui.core.assessment import Pending
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.text import Line, Span, cell_len, clip, line_len, printable

_LEAST = 8
"""Fewest cells of a task's name: below that the number alone is said."""


def arrivals_line(items: Sequence[Pending], key: str, room: int, glyphs: Glyphs) -> Line:
    """Draw what is new: ``usage-doc asks: n jumps to it``; the name gives way, never the key.

    Args:
        items: What is new, most urgent first; nothing is drawn for none.
        key: The key that goes there, as shown.
        room: Cells of the line.
        glyphs: Symbols.
    """
    if not items:
        return ()
    first, more = items[0], len(items) - 1
    loud = any(item.risk in ("high", "critical") for item in items)
    style, glyph = ("warn", glyphs.warn) if loud else ("accent", glyphs.need)
    does = " jumps to it" if not more else " jumps there"
    tail: Line = (Span(key, "key"), Span(does, "muted"))
    after = f" and {more} more ask: " if more else " asks: "
    name = printable(first.task_id)
    left = room - cell_len(glyph) - 1 - cell_len(after) - line_len(tail)
    if left < min(_LEAST, cell_len(name)):
        return (Span(f"{glyph} {len(items)} new: ", style), *tail)
    return (Span(f"{glyph} {clip(name, left)}{after}", style), *tail)
