"""From lines of inert spans to strips: one place that knows how semantic styles look.

The look itself lives in style sheets: each style name is a component class ``line--NAME``, with the colours
of the theme. Nothing here parses markup.
"""

from collections.abc import Callable

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from ags_tui.view.text import Line

STYLES = (
    "muted", "accent", "ok", "warn", "error", "added", "removed", "title", "escape", "risk-low",
    "risk-medium", "risk-high", "risk-critical", "key", "off", "tab-active", "hit",
)  # fmt: skip
"""All style names of ``view`` with a look."""

COMPONENTS = frozenset(f"line--{name}" for name in STYLES)
"""Component classes for ``COMPONENT_CLASSES``."""

RULES = """
    & > .line--muted { color: $muted; }
    & > .line--accent { color: $accent; }
    & > .line--ok { color: $success; }
    & > .line--warn { color: $warning; text-style: bold; }
    & > .line--error { color: $error; text-style: bold; }
    & > .line--added { color: $diff-added; }
    & > .line--removed { color: $diff-removed; }
    & > .line--title { text-style: bold; }
    & > .line--escape { color: $background; background: $warning; text-style: bold; }
    & > .line--risk-low { color: $muted; }
    & > .line--risk-medium { color: $accent; }
    & > .line--risk-high { color: $warning; text-style: bold; }
    & > .line--risk-critical { color: $error; text-style: bold reverse; }
    & > .line--key { color: $accent; text-style: bold; }
    & > .line--off { color: $muted 60%; }
    & > .line--tab-active { color: $accent; text-style: bold; }
    & > .line--hit { background: $warning 30%; text-style: underline; }
"""
"""Nested rules for ``DEFAULT_CSS`` of a widget that paints lines."""

_ASCII = str.maketrans({"…": "~", "“": '"', "”": '"', "–": "-", "’": "'", "—": "-", "·": "|"})

StyleOf = Callable[[str], Style]
"""Gives the partial style of a component class."""


def paint(line: Line, width: int, base: Style, style_of: StyleOf, *, ascii_only: bool = False) -> Strip:
    """Make a strip of exactly ``width`` cells.

    Args:
        line: Inert spans.
        width: Cells of the strip; the line is cut or filled.
        base: Style under all of it.
        style_of: Gives the partial style of ``line--NAME``.
        ascii_only: Replace the typographic characters of our own sentences (same width).
    """
    segments = [
        Segment(
            span.text.translate(_ASCII) if ascii_only else span.text,
            base + style_of(f"line--{span.style}") if span.style else base,
        )
        for span in line
        if span.text
    ]
    return Strip(segments).adjust_cell_length(width, base)
