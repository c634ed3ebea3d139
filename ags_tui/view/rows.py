"""Rows of a list and the geometry of their lines: clip, fill, spread, wrap, all in cells.

A row is inert: every text in it has gone through ``view.text.printable``.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ags_tui.view.text import Line, Span, cell_len, clip, clip_line, head, line_len, printable


@dataclass(frozen=True, slots=True)
class Row:
    """One item of a list: one or more lines under one stable key."""

    key: str
    """Identity across readings, such as ``item:login/tool-014``."""
    lines: tuple[Line, ...]
    """What is drawn, top to bottom, without the cursor bar."""
    selectable: bool = True
    """False for headings and hints: the cursor passes over them."""

    @property
    def text(self) -> str:
        """All text of the row, for search and filter."""
        return "\n".join(plain(line) for line in self.lines)


def focused_title(line: Line) -> Line:
    """Draw a title line of the pane that has the focus: its title stands out, and a blank behind it.

    Args:
        line: First line of a pane; one that does not begin with a title stays as it is.
    """
    if not line or line[0].style != "title":
        return line
    title = line[0].text.rstrip()
    rest = (Span(line[0].text[len(title) :], "title"), *line[1:])
    first = next((index for index, span in enumerate(rest) if span.text), None)
    if first is None or rest[first].text[0] != " ":
        return (Span(title, "pane"), *rest)
    cut = Span(rest[first].text[1:], rest[first].style)
    return (Span(f"{title} ", "pane"), *rest[:first], cut, *rest[first + 1 :])


def plain(line: Line) -> str:
    """Give the text of a line without its styles."""
    return "".join(span.text for span in line)


def fitted(rows: Iterable[Row], width: int) -> tuple[Row, ...]:
    """Cut every line that is too long, so that a cut shows its mark."""
    made: list[Row] = []
    for row in rows:
        if any(line_len(line) > width for line in row.lines):
            row = replace(row, lines=tuple(clip_line(line, width) for line in row.lines))
        made.append(row)
    return tuple(made)


MOST_CHARACTERS = 32 * 1024
"""Most characters of a paragraph without a limit; how many more there are is said."""
_CHARACTERS_A_CELL = 6
"""A letter and the marks that may stand on it."""


def heading(key: str, *spans: Span) -> Row:
    """Make a row that the cursor passes over."""
    return Row(key, (tuple(spans),), selectable=False)


def blank(key: str) -> Row:
    """Make an empty row that the cursor passes over."""
    return Row(key, ((),), selectable=False)


def spread(left: Line, right: Line, width: int) -> Line:
    """Put one line at the left edge and one at the right edge; the left one gives way."""
    right = clip_line(right, max(0, width))
    room = width - line_len(right)
    if not right:
        return clip_line(left, max(0, width))
    left = clip_line(left, max(0, room - 1))
    return (*left, Span(" " * (room - line_len(left))), *right)


def wrapped(text: str, width: int, *, limit: int = 0) -> tuple[str, ...]:
    """Break inert text into lines of at most ``width`` cells, at blanks where there are any.

    Args:
        text: Text that ``printable`` has seen; its newlines stay breaks.
        width: Cells; less than 1 counts as 1.
        limit: Largest number of lines; 0 for all. The last one shows that more was cut off.
    """
    width = max(1, width)
    lines = [part for paragraph in text.split("\n") for part in _paragraph(paragraph, width)]
    if limit and len(lines) > limit:
        rest = " ".join(lines[limit - 1 :])
        lines = [*lines[: limit - 1], clip(rest + " ", width)]
    return tuple(lines)


def _paragraph(text: str, width: int) -> Iterator[str]:
    """Break one paragraph; an empty one gives one empty line."""
    line, size = "", 0
    for word in text.split(" "):
        word_size = cell_len(word)
        gap = 1 if line else 0
        if size + gap + word_size <= width:
            line, size = f"{line} {word}" if gap else word, size + gap + word_size
            continue
        if line:
            yield line
        *full, line = _broken(word, width)
        yield from full
        size = cell_len(line)
    yield line


def _broken(word: str, width: int) -> Iterator[str]:
    """Break a word that is wider than a line: behind a slash, else another sign, where a line is filled well
    enough, else anywhere.
    """
    while cell_len(word) > width:
        part = head(word, width) or word[:1]
        ends = (part.rfind("/") + 1, max(part.rfind(sign) for sign in "-_.") + 1)
        cut = next((end for end in ends if cell_len(part[:end]) > width // 2), len(part))
        yield part[:cut]
        word = word[cut:]
    yield word


def middle(path: str, width: int, more: str = "…") -> str:
    """Shorten an inert path in its middle, so that its first folder and its name stay readable."""
    if cell_len(path) <= width:
        return path
    name = path.rsplit("/", 1)[-1]
    first = path.split("/", 1)[0]
    short = f"{first}/{more}/{name}"
    if path.count("/") > 1 and cell_len(short) <= width:
        return short
    short = f"{more}/{name}"
    if "/" in path and cell_len(short) <= width:
        return short
    return both_ends(name, width, more)


def both_ends(name: str, width: int, more: str = "…") -> str:
    """Shorten an inert name in its middle: what tells it from others stands at its ends.

    Args:
        name: One line.
        width: Cells.
        more: Stands for what was left out.
    """
    room = width - cell_len(more)
    if cell_len(name) <= width or room < 2:
        return clip(name, width)
    end = clip(name, room // 2 + 1, keep_end=True)[1:]
    return head(name, room - cell_len(end)) + more + end


def paragraph(key: str, text: str, width: int, *, style: str = "", indent: int = 0, limit: int = 0) -> Row:
    """Make a row of wrapped foreign text that the cursor passes over; far more than fits is not looked at."""
    room = _CHARACTERS_A_CELL * (limit + 1) * max(1, width) if limit else MOST_CHARACTERS
    if len(text) > room:
        text = text[:room] + ("" if limit else f"… {len(text) - room:,} more characters")
    lines = wrapped(printable(text, newline=True), width - indent, limit=limit)
    return Row(key, tuple((Span(" " * indent), Span(line, style)) for line in lines), selectable=False)


def matching(rows: Iterable[Row], needle: str) -> tuple[Row, ...]:
    """Keep headings and the rows that hold a text, without regard to case."""
    wanted = needle.casefold()
    return tuple(row for row in rows if not row.selectable or wanted in row.text.casefold())
