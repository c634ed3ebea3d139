"""Rows of the inbox as they were drawn last: with time only ages are drawn anew, not hundreds of rows."""

from collections.abc import Callable
from typing import NamedTuple

from ags_tui.core.assessment import Pending
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.rows import Row, spread
from ags_tui.view.text import Line, Span


class Told(NamedTuple):
    """What changes of a row while its item stays the same."""

    since: str
    """Its age."""
    ends: Line
    """Its time to expiry."""
    new: bool
    """Whether the human has not looked at it yet."""


class DrawnItem(NamedTuple):
    """What was drawn of an item."""

    item: Pending
    """The item."""
    of: tuple[int, Glyphs]
    """For which width and symbols."""
    lines: tuple[Line, ...]
    """Its lines without what changes."""
    told: Told
    """What changes."""
    row: Row
    """All of it."""


Drawn = dict[str, DrawnItem]
"""What was drawn of the items, by the keys of their rows."""

Lines = Callable[[Pending, int, Glyphs], tuple[Line, ...]]
"""Draws an item without what changes: two lines at least."""


def item_row(
    drawn: Drawn, key: str, lines: Lines, item: Pending, *, of: tuple[int, Glyphs], told: Told
) -> Row:
    """Give the row of an item: its age at the end of the first line, its time to expiry at that of the last.

    Args:
        drawn: What was drawn before; the row is kept in it.
        key: Key of the row.
        lines: Draws the item where nothing of it can be taken from before.
        item: The item.
        of: Cells of a line, and symbols.
        told: What changes.
    """
    known = drawn.get(key)
    if known is None or known.item is not item or known.of != of:
        plain = lines(item, *of)
        last = spread(plain[-1], told.ends, of[0])
    elif known.told == told:
        return known.row
    else:
        plain = known.lines
        same = known.told.ends == told.ends
        last = known.row.lines[-1] if same else spread(plain[-1], told.ends, of[0])
    mark = (Span("new ", "accent"),) if told.new else ()
    first = spread(plain[0], (*mark, Span(told.since, "muted")), of[0])
    row = Row(key, (first, *plain[1:-1], last))
    drawn[key] = DrawnItem(item, of, plain, told, row)
    return row
