"""Lines with labels: the building blocks of what a decision screen shows."""

from collections.abc import Iterator

from ags_tui.core.subjects import LONGEST_READ
from ags_tui.view.content import Fact, text_lines
from ags_tui.view.text import Span, clip, printable

LABEL = 18
"""Cells of the names of fields."""


def labelled(name: str, text: str, style: str = "") -> Iterator[Fact]:
    """A field with its name beside the first line; the further lines stand below, beside nothing.

    What is longer than anything that can be approved is cut, and says so.
    """
    label = clip(printable(name[:LABEL]), LABEL - 1)
    if len(text) > LONGEST_READ:
        text = f"{text[:LONGEST_READ]}\n… {len(text) - LONGEST_READ:,} more characters: too long to be shown"
    for index, line in enumerate(text_lines(text, style)):
        yield Fact(line, "" if index else label, LABEL)


def heading(text: str) -> Fact:
    """A heading; our own words."""
    return Fact((Span(text, "title"),))


BLANK = Fact(())
"""An empty line."""
