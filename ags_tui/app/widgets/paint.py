"""From lines of inert spans to strips: one place that knows how semantic styles look.

The colours are the variables of the theme. They are turned into styles once a theme, for all widgets
together: as component classes, which Textual matches for every widget and every change of a class, they
took a third of the time to the first frame. Nothing here parses markup.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.strip import Strip
from textual.widget import Widget

from ags_tui.view.text import Line

_LOOKS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "muted": ("muted", "", ""),
        "accent": ("accent", "", ""),
        "ok": ("success", "", ""),
        "warn": ("warning", "", "bold"),
        "error": ("error", "", "bold"),
        "added": ("diff-added", "", ""),
        "removed": ("diff-removed", "", ""),
        "title": ("", "", "bold"),
        "escape": ("background", "warning", "bold"),
        "risk-low": ("muted", "", ""),
        "risk-medium": ("accent", "", ""),
        "risk-high": ("warning", "", "bold"),
        "risk-critical": ("error", "", "bold reverse"),
        "key": ("accent", "", "bold"),
        "off": ("muted", "", ""),
        "tab-active": ("accent", "", "bold"),
        "pane": ("accent", "", "bold reverse"),
        "hit": ("", "warning", "underline"),
        "bar": ("muted", "", ""),
        "bar-focused": ("accent", "", ""),
        "fresh": ("accent", "", ""),
        "cursor": ("", "selection-blurred", ""),
        "cursor-focused": ("", "selection", ""),
        "ground-added": ("", "diff-added-background", ""),
        "ground-removed": ("", "diff-removed-background", ""),
        "ground-file": ("", "panel", "bold"),
    }
)
"""Colour, ground (variables of the theme, empty for what is below) and text style of each style name."""

_VARIABLES = tuple(sorted({name for look in _LOOKS.values() for name in look[:2] if name}))

_ASCII = str.maketrans({"…": "~", "“": '"', "”": '"', "–": "-", "’": "'", "—": "-", "·": "|"})

Styles = Mapping[str, Style]
"""Partial styles by name."""


def paint(line: Line, width: int, base: Style, styles: Styles, *, ascii_only: bool = False) -> Strip:
    """Make a strip of exactly ``width`` cells.

    Args:
        line: Inert spans.
        width: Cells of the strip; the line is cut or filled.
        base: Style under all of it.
        styles: Partial styles by name.
        ascii_only: Replace the typographic characters of our own sentences (same width).
    """
    segments = [
        Segment(
            span.text.translate(_ASCII) if ascii_only else span.text,
            base + styles[span.style] if span.style else base,
        )
        for span in line
        if span.text
    ]
    return Strip(segments).adjust_cell_length(width, base)


def styles_of(variables: Mapping[str, str]) -> Styles:
    """Give the style of each name under a theme; the same object as long as its colours are the same.

    Args:
        variables: Colours of the theme by name, as ``App.theme_variables`` holds them.
    """
    return _made(tuple([variables[name] for name in _VARIABLES]))


@lru_cache(maxsize=16)
def _made(colours: tuple[str, ...]) -> Styles:
    """Make the styles of one theme."""
    rich = {name: Color.parse(colour).rich_color for name, colour in zip(_VARIABLES, colours, strict=True)}
    return MappingProxyType(
        {
            name: Style(color=rich.get(colour), bgcolor=rich.get(ground)) + Style.parse(text or "none")
            for name, (colour, ground, text) in _LOOKS.items()
        }
    )


def looks_of(widget: Widget) -> Styles:
    """Give the partial styles by name under the theme of now."""
    return styles_of(_app_of(widget).theme_variables)


def is_colourless(widget: Widget) -> bool:
    """Tell whether nothing may be told by colours alone (``NO_COLOR``)."""
    return _app_of(widget).no_color


def follow_theme(widget: Widget, repaint: Callable[[], object]) -> None:
    """Have a mounted widget painted anew under another theme: no rule of a style sheet does that for it."""
    _app_of(widget).theme_changed_signal.subscribe(widget, lambda _theme: repaint())


def _app_of(widget: Widget) -> App[Any]:
    return widget.app  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
