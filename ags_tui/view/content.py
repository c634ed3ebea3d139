"""Documents: numbered inert lines that a scrolling view shows, made when they are asked for."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from ags_tui.view.text import Line, Span, line_len, pad, spans, wrap

COLLAPSE = 4
"""Blank lines in a row from which on they are shown as one line that counts them."""


class Document(Protocol):
    """What a scrolling view shows. Never changes; another content is another document."""

    @property
    def size(self) -> int:
        """Number of lines."""
        ...

    def indent(self, index: int) -> int:
        """Cells left of a line, for its gutter; the further rows of a wrapped line keep them."""
        ...

    def gutter(self, index: int, *, first: bool) -> Line:
        """What stands left of a line; ``first`` is False for the further rows of a wrapped line."""
        ...

    def line(self, index: int) -> Line:
        """The line itself."""
        ...

    def width(self, index: int) -> int:
        """Cells of the line."""
        ...


class Fact(NamedTuple):
    """A line with a label in its gutter: foreign text, wrapped or not, can never stand where labels stand."""

    line: Line
    """Inert text."""
    label: str = ""
    """Inert label, at most ``indent`` cells."""
    indent: int = 0
    """Cells of the gutter."""
    style: str = "muted"
    """Style of the label."""

    @property
    def gutter(self) -> Line:
        """The label as a line."""
        return (Span(self.label, self.style),) if self.label else ()


class TextDocument:
    """Lines that exist already, such as the facts of a request."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        """Take the lines."""
        self._facts = tuple(facts)

    @property
    def size(self) -> int:
        """Number of lines."""
        return len(self._facts)

    def indent(self, index: int) -> int:
        """Cells left of a line."""
        return self._facts[index].indent

    def gutter(self, index: int, *, first: bool) -> Line:
        """The label."""
        return self._facts[index].gutter if first else ()

    def line(self, index: int) -> Line:
        """The line itself."""
        return self._facts[index].line

    def width(self, index: int) -> int:
        """Cells of the line."""
        return line_len(self._facts[index].line)


def text_lines(text: str, style: str = "") -> Iterator[Line]:
    """Inert lines of a foreign text; runs of blank lines become one line that counts them.

    Args:
        text: Any text; only line feeds end a line, a carriage return is shown.
        style: Style of what is not an escape.
    """
    blank: list[str] = []
    for raw in [*text.split("\n"), None]:
        if raw is not None and not raw.strip(" \t"):
            blank.append(raw)
            continue
        if len(blank) >= COLLAPSE:
            yield (Span(f"… {len(blank)} blank lines …", "escape"),)
        else:
            yield from (spans(one, style) for one in blank)
        blank = []
        if raw is not None:
            yield spans(raw, style)


def wrap_line(line: Line, width: int) -> list[Line]:
    """Cut a line into rows of at most ``width`` cells, at blanks where one is near; at least one row."""
    if len(line) == 1:
        return [(Span(part, line[0].style),) for part in wrap(line[0].text, width)]
    rows: list[Line] = []
    spans = iter(line)
    text, style = "", ""
    for part in wrap("".join(span.text for span in line), width):
        row: list[Span] = []
        left = len(part)
        while left:
            while not text:
                text, style = next(spans)
            row.append(Span(text[:left], style))
            text, left = text[left:], left - len(row[-1].text)
        rows.append(tuple(row))
    return rows


def plain_text(document: Document) -> str:
    """All text of a document with its labels, as it is shown."""
    rows: list[str] = []
    for index in range(document.size):
        label = "".join(span.text for span in document.gutter(index, first=True))
        text = "".join(span.text for span in document.line(index))
        rows.append(f"{pad(label, document.indent(index))}{text}".rstrip())
    return "\n".join(rows)


def with_hits(line: Line, needle: str) -> Line:
    """A line with every occurrence of a text, without regard to case, in the style ``hit``."""
    wanted = needle.casefold()
    found: list[Span] = []
    for span in line:
        folded = span.text.casefold()
        if not wanted or len(folded) != len(span.text) or wanted not in folded:
            found.append(span)
            continue
        start = 0
        while (at := folded.find(wanted, start)) >= 0:
            found += [Span(span.text[start:at], span.style), Span(span.text[at : at + len(wanted)], "hit")]
            start = at + len(wanted)
        found.append(Span(span.text[start:], span.style))
    return tuple(span for span in found if span.text)
