"""Tasks before they are read: their names, with the stage last shown, said to be of the last time.

Nothing here is about now. No key, gate or count is made of it, and the first assessment takes its place.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ags_tui.core.assessment import TaskAssessment
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.inbox import task_key, task_state
from ags_tui.view.rows import Row, spread
from ags_tui.view.text import Line, Span, clip, printable

LONGEST = 32
"""Most cells of a word of the last time."""


@dataclass(frozen=True, slots=True)
class LastShown:
    """What the list showed of one task when it was shown last."""

    word: str = ""
    """Word of its stage; empty where the folder has changed since."""
    frozen: bool = False
    """Whether it stood among the tasks that are done or closed."""


def to_row(task: TaskAssessment, glyphs: Glyphs) -> dict[str, Any]:
    """Make the JSON object that is kept of a task for the next start."""
    word = task_state(task, glyphs)[2]
    return {"word": word, "frozen": task.task.log.frozen}


def from_row(row: Mapping[str, Any], *, same: bool) -> LastShown:
    """Take what was kept of a task; whatever is not as ``to_row`` makes it counts as nothing.

    Args:
        row: JSON object from the file.
        same: Whether the folder is as it was then.
    """
    word = row.get("word")
    text = clip(printable(word), LONGEST) if same and isinstance(word, str) else ""
    return LastShown(text, row.get("frozen") is True)


def place_of(row: Mapping[str, Any], task_id: str) -> tuple[bool, str]:
    """Give the place of a task in the list, for sorting: what is open, what is over."""
    return from_row(row, same=False).frozen, task_id


def last_rows(
    names: Iterable[str], shown: Mapping[str, LastShown], width: int, glyphs: Glyphs
) -> tuple[Row, ...]:
    """Make one line a task, in the order of the list: what was open, what was over.

    Args:
        names: Names of the task folders that there are.
        shown: What was shown last, by task id.
        width: Cells of a line.
        glyphs: Symbols.
    """
    unknown = LastShown()
    known = [(name, shown.get(name, unknown)) for name in names]
    known.sort(key=lambda one: (one[1].frozen, one[0]))
    return tuple(Row(task_key(name), (_line(name, last, width, glyphs),)) for name, last in known)


def _line(name: str, last: LastShown, width: int, glyphs: Glyphs) -> Line:
    """Draw a task: its name, and muted what it was."""
    left = (Span(f"{glyphs.idle} ", "muted"), Span(printable(name), "muted" if last.frozen else ""))
    return spread(left, (Span(f"was {last.word}", "muted"),) if last.word else (), width)
