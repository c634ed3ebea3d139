r"""Inert text: what agents, files and diffs contributed, made safe and measured.

Nothing foreign reaches the screen but through :func:`printable` or :func:`spans`. Every character that a
terminal could act on, or that a human cannot see, is shown as an escape such as ``\x1b`` or ``\u{200b}``.
Digests are taken over the raw bytes elsewhere, never over what is shown.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import wcwidth

TAB = "»   "
"""What a tab is shown as: always four cells, so that it is told from blanks."""


class Span(NamedTuple):
    """A run of inert text in one style."""

    text: str
    """Inert text without line breaks."""
    style: str = ""
    """Semantic name: ``muted``, ``accent``, ``ok``, ``warn``, ``error``, ``added``, ``removed``, ``title``,
    ``escape``, ``risk-low``, ``risk-medium``, ``risk-high``, ``risk-critical``, or empty."""


Line = tuple[Span, ...]
"""One row of a screen."""

_SNEAKY = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0e\U000e0100-\U000e01ef]"
)
"""Printable for Python, but blank or without width of its own: joiners, fillers, empty braille, selectors."""

_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_PILED = re.compile(f"(?<=[{_MARKS}]{{4}})[{_MARKS}]")
_CONTROL_NAMES = """
NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI
DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US
"""
_ESCAPE = re.compile(r"\\x[0-9a-f]{2}|\\u\{[0-9a-f]+\}|\\[nr]|" + re.escape(TAB))


def _escaped(character: str) -> str:
    """The visible form of one character that may not be shown as it is."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was not UTF-8, as Python carries it
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"


def _is_shown(character: str) -> bool:
    """Whether a character may be shown as it is: visible, and the same after composition."""
    if character == " ":
        return True
    if not character.isprintable() or _SNEAKY.match(character):
        return False
    return unicodedata.normalize("NFC", character) == character


class _Table(dict[int, int | str]):
    """Translation table that learns: characters are judged once, when first met."""

    def __missing__(self, code: int) -> int | str:
        """Judge a character."""
        character = chr(code)
        shown: int | str = code if _is_shown(character) else _escaped(character)
        self[code] = shown
        return shown


_ONE_LINE = _Table({0x09: TAB, 0x0A: "\\n", 0x0D: "\\r"})
_MANY_LINES = _Table({0x09: TAB, 0x0A: 0x0A, 0x0D: "\\r"})


def printable(text: str, *, newline: bool = False) -> str:
    r"""Make foreign text inert.

    Controls (C0, DEL, C1), bidirectional and other format characters, blanks other than the space, characters
    without width, lone surrogates, private and unassigned code points become escapes; a tab becomes
    :data:`TAB`. Decomposed text is shown composed (:func:`hidden` says so); characters that composition would
    replace are escaped.

    Args:
        text: Any string.
        newline: Keep line feeds; else they become ``\n`` in letters.
    """
    if text.isprintable() and (text.isascii() or (not _SNEAKY.search(text) and _composed(text))):
        return text
    shown = text.translate(_MANY_LINES if newline else _ONE_LINE)
    return shown if shown.isascii() else _settle(shown)


def _composed(text: str) -> bool:
    """Whether nothing in it depends on what stands beside it."""
    if "\ufe0f" in text or _PILED.search(text) or (text and _width(text[0]) == 0):
        return False
    return unicodedata.is_normalized("NFC", text)


def _settle(text: str) -> str:
    """Treat what depends on its neighbours: compose, keep ``U+FE0F`` behind emoji only, unpile marks."""
    text = _PILED.sub(lambda found: _escaped(found.group()), unicodedata.normalize("NFC", text))
    if "\ufe0f" in text:
        parts = text.split("\ufe0f")
        joined = parts[0]
        for part in parts[1:]:
            joined += ("\ufe0f" if _takes_selector(joined[-1:]) else "\\u{fe0f}") + part
        text = joined
    lines = text.split("\n")
    anchored = (_escaped(line[0]) + line[1:] if line and _width(line[0]) == 0 else line for line in lines)
    return "\n".join(anchored)


@lru_cache(maxsize=1024)
def _takes_selector(character: str) -> bool:
    return bool(character) and wcwidth.wcswidth(character + "\ufe0f") == 2


def spans(text: str, style: str = "") -> Line:
    """Make foreign text inert, the escapes in a style of their own.

    A backslash escape that stands in the text itself keeps ``style``: so the two can be told apart.
    """
    if text.isprintable() and printable(text) == text:
        return (Span(text, style),) if text else ()
    unshown = "".join(c for c in set(text) if c != "\ufe0f" and (c in "\t\n\r" or not _is_shown(c)))
    pieces = re.split(f"([{re.escape(unshown)}]+)", text) if unshown else [text]
    found: list[Span] = []
    for number, piece in enumerate(pieces):
        if number % 2:
            found.append(Span(piece.translate(_ONE_LINE), "escape"))
        elif piece:
            shown = printable(piece)
            found.extend(_marked(shown, style) if shown != piece else [Span(piece, style)])
    return _merge(found)


def _marked(shown: str, style: str) -> Iterator[Span]:
    """Split text in which composition or marks left escapes."""
    position = 0
    for match in _ESCAPE.finditer(shown):
        yield Span(shown[position : match.start()], style)
        yield Span(match.group(), "escape")
        position = match.end()
    yield Span(shown[position:], style)


def _merge(parts: Iterable[Span]) -> Line:
    """Join neighbours of one style; linear, however many there are."""
    runs = groupby((span for span in parts if span.text), key=attrgetter("style"))
    return tuple(Span("".join(span.text for span in run), style) for style, run in runs)


def hidden(text: str) -> tuple[str, ...]:
    """Names of the invisible, control and direction characters in a text, in order of appearance, each once.

    Line feeds and tabs are not among them. ``text is not composed (NFC)`` is added where the bytes differ
    from what is shown for that reason alone.
    """
    if text.isprintable() and text.isascii():
        return ()
    names: dict[str, None] = {}
    for character in dict.fromkeys(text):
        if character not in "\n\t\ufe0f" and not _is_shown(character):
            names[_name(character)] = None
    if printable(text, newline=True).count("\\u{fe0f}") > text.count("\\u{fe0f}"):
        names[_name("\ufe0f")] = None
    if not unicodedata.is_normalized("NFC", text):
        names["text is not composed (NFC)"] = None
    return tuple(names)


def _name(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"byte 0x{code - 0xDC00:02X} that is not UTF-8"
    if code < 0x20:
        return f"U+{code:04X} {_CONTROL_NAMES.split()[code]}"
    fallback = "DEL" if code == 0x7F else "CONTROL" if code < 0xA0 else "UNASSIGNED"
    return f"U+{code:04X} {unicodedata.name(character, fallback)}"


def lookalikes(text: str) -> tuple[str, ...]:
    """What can be seen but misread: words of Latin and Cyrillic or Greek letters, right-to-left letters."""
    if text.isascii():
        return ()
    found: dict[str, None] = {}
    for word in dict.fromkeys(re.findall(r"[^\W\d_]+", text)):
        if word.isascii():
            continue
        scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in set(word)}
        if "LATIN" in scripts and scripts & {"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"}:
            other = next(c for c in word if not unicodedata.name(c, "").startswith("LATIN"))
            found[f"{unicodedata.name(other)} (U+{ord(other):04X}) in the word {word[:40]}"] = None
    if any(unicodedata.bidirectional(character) in {"R", "AL"} for character in set(text)):
        found["right-to-left letters: the terminal may draw them in another order"] = None
    return tuple(found)


@lru_cache(maxsize=8192)
def _width(character: str) -> int:
    code = ord(character)
    if 0x1F1E6 <= code <= 0x1F1FF:  # two indicators make one flag of two cells
        return 1
    if 0x1F3FB <= code <= 0x1F3FF:  # skin tones colour the emoji before them
        return 0
    return max(0, wcwidth.wcwidth(character))


def cell_len(text: str) -> int:
    """Cells that inert text takes, measured like Textual measures its strips."""
    if text.isascii():
        return len(text)
    size = sum(map(_width, text))
    if "\ufe0f" in text:
        for before in text.split("\ufe0f")[:-1]:
            size += _width(before[-1:] or " ") == 1
    return size


def clip(text: str, width: int, *, keep_end: bool = False, mark: str = "…") -> str:
    """Cut inert text to at most ``width`` cells, never inside a wide character; ``mark`` stands where it was
    cut.

    Args:
        text: Inert text.
        width: Cells; 0 or less gives the empty string.
        keep_end: Keep the end instead of the beginning, as for paths.
        mark: One cell.
    """
    if cell_len(text) <= width:
        return text
    if width < 1:
        return ""
    if not keep_end:
        return head(text, width - 1) + mark
    return mark + _tail(text, width - 1)


def head(text: str, width: int) -> str:
    """The longest beginning of at most ``width`` cells, with the marks of its last character."""
    if text.isascii():
        return text[:width]
    used = base = 0
    for index, character in enumerate(text):
        size = _size(text, index)
        if used + size > width:
            return text[: base if character == "\ufe0f" else index]
        if character != "\ufe0f":
            base = index
        used += size
    return text


def _size(text: str, index: int) -> int:
    """Cells that a character adds to those before it: ``U+FE0F`` makes a narrow emoji wide."""
    character = text[index]
    if character != "\ufe0f":
        return _width(character)
    return int(index > 0 and _width(text[index - 1]) == 1)


def _tail(text: str, width: int) -> str:
    """The longest end of at most ``width`` cells that begins with a character of its own."""
    start = len(text)
    for index in range(len(text) - 1, max(-1, len(text) - 8 * width - 64), -1):
        if _width(text[index]):
            if cell_len(text[index:]) > width:
                break
            start = index
    return text[start:]


def wrap(text: str, width: int) -> list[str]:
    """Cut inert text into rows of at most ``width`` cells; at least one row, and nothing is left out.

    A row ends behind the last blank of its last third where there is one, else at any character.
    """
    rows: list[str] = []
    width, start = max(2, width), 0
    ascii_only = text.isascii()
    while start < len(text):
        rest = text[start : start + width + 1 if ascii_only else start + 8 * width + 64]
        row = head(rest, width)
        if start + len(row) < len(text):
            if not row:  # one character that is wider than the row, or marks without end
                row = rest[:1]
            row = row[: _break(row, rest, width)]
        rows.append(row)
        start += len(row)
    return rows or [""]


def _break(row: str, rest: str, width: int) -> int:
    """Give the length at which a row that is not the last one ends."""
    if rest[len(row) : len(row) + 1] == " " or " " not in row:
        return len(row)
    blank = row.rfind(" ") + 1
    return blank if cell_len(row[:blank]) >= width - width // 3 else len(row)


def pad(text: str, width: int, *, mark: str = "…") -> str:
    """Clip or fill inert text to exactly ``width`` cells."""
    text = clip(text, width, mark=mark)
    return text + " " * (width - cell_len(text))


def line_len(line: Line) -> int:
    """Cells that a line takes."""
    return sum(cell_len(span.text) for span in line)


def clip_line(line: Line, width: int, *, mark: str = "…") -> Line:
    """Cut a line to at most ``width`` cells."""
    if line_len(line) <= width:
        return line
    kept: list[Span] = []
    left = width
    for span in line:
        size = cell_len(span.text)
        if size >= left:
            kept.append(Span(clip(span.text + " ", left, mark=mark), span.style))
            break
        kept.append(span)
        left -= size
    return tuple(kept)


def age(delta: timedelta) -> str:
    """A span of time in one number: ``12s``, ``4m``, ``3h``, ``2d``; the future is ``0s``."""
    seconds = max(0, int(delta.total_seconds()))
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
