"""Alarms: the newest one that nobody has read in one line, and all of them."""

from collections.abc import Sequence
from datetime import datetime

from ags_tui.core.session_calls import Alarm
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.rows import Row, fitted, paragraph, spread
from ags_tui.view.text import Line, Span, age, clip, line_len, printable

NEXT_PAST = "It holds the gate of its task. 7 shows it among the calls; x there puts it away."
"""What a human does about a call past the gate."""

_ROOMY = 100
"""Cells from which on the line of an alarm also names what to do."""


def alarm_line(alarms: Sequence[Alarm], unread: int, width: int, glyphs: Glyphs) -> Line:
    """Draw the newest alarm that nobody has read; nothing where there is none.

    Args:
        alarms: Oldest first.
        unread: How many of the newest nobody has read.
        width: Cells.
        glyphs: Symbols.
    """
    if not alarms or unread <= 0:
        return ()
    more = f"{unread} alarms   " if unread > 1 else ""
    right: Line = (Span(more, "muted"), Span("!", "key"), Span(" reads it ", "muted"))
    if alarms[-1].past_gate and width >= _ROOMY:
        right = (
            Span(more, "muted"), Span("7", "key"), Span(" shows it, ", "muted"), Span("x", "key"),
            Span(" puts it away  ", "muted"), *right[1:],
        )  # fmt: skip
    room = max(0, width - line_len(right) - 3)
    text = clip(printable(alarms[-1].text), room)
    return spread((Span(f" {glyphs.fail} ", "error"), Span(text, "error")), right, width)


def alarm_rows(alarms: Sequence[Alarm], width: int, glyphs: Glyphs, now: datetime) -> tuple[Row, ...]:
    """Make the rows of all alarms, newest first."""
    rows: list[Row] = []
    for index, alarm in enumerate(reversed(alarms)):
        head = (Span(f"{glyphs.fail} ", "error"), Span(f"{age(now - alarm.at)} ago", "muted"))
        body = paragraph("", printable(alarm.text), width, indent=2, limit=12)
        lines = [head, *body.lines]
        if alarm.past_gate:
            lines += paragraph("", NEXT_PAST, width, indent=2, style="muted").lines
        rows.append(Row(f"alarm:{index}", tuple(lines)))
    if not rows:
        rows.append(paragraph("alarm:none", "There is no alarm.", width, style="muted"))
    return fitted(rows, width)
