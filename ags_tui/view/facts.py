"""Lines with labels: the building blocks of what a decision screen shows."""

from collections.abc import Iterator

from ags_tui.view.content import Fact, text_lines
from ags_tui.view.text import Span, clip, printable

LABEL = 18
"""Cells of the names of fields."""


def labelled(name: str, text: str, style: str = "") -> Iterator[Fact]:
    """A field with its name beside the first line; the further lines stand below, beside nothing."""
    label = clip(printable(name), LABEL - 1)
    for index, line in enumerate(text_lines(text, style)):
        yield Fact(line, "" if index else label, LABEL)


def heading(text: str) -> Fact:
    """A heading; our own words."""
    return Fact((Span(text, "title"),))


BLANK = Fact(())
"""An empty line."""
