"""Themes: TOML files to validated colours to Textual themes; a broken file fails softly."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from textual.theme import Theme

VERSION = 1
"""Version of the theme files that this program reads."""

COLOURS = (
    "background", "surface", "panel", "foreground", "muted", "accent", "success", "warning", "error", "rule",
    "selection", "selection-blurred",
)  # fmt: skip
"""Names of the table ``[colors]``; all are required."""

DIFF_COLOURS = ("added", "added-background", "removed", "removed-background")
"""Names of the table ``[diff]``; all are required."""

FALLBACK = "ink"
"""The theme that stands in for a missing or broken one."""

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")


@dataclass(frozen=True, slots=True)
class ThemeFile:
    """A valid theme file."""

    name: str
    """Short name for the settings."""
    title: str
    """Name for the picker."""
    dark: bool
    """Light letters on a dark ground."""
    colours: Mapping[str, str]
    """``#rrggbb`` by name, see ``COLOURS``."""
    diff: Mapping[str, str]
    """``#rrggbb`` by name, see ``DIFF_COLOURS``."""


@dataclass(frozen=True, slots=True)
class ThemeProblem:
    """Why a theme file could not be used."""

    origin: str
    """The file."""
    reason: str
    """What is wrong with it; may hold foreign text."""


BUILT_IN = ThemeFile(
    name=FALLBACK,
    title="Ink, dark",
    dark=True,
    colours={
        "background": "#101418", "surface": "#101418", "panel": "#1a2027", "foreground": "#d3d9e0",
        "muted": "#828d99", "accent": "#79b8ff", "success": "#8fc59a", "warning": "#e8b65a",
        "error": "#f2777a", "rule": "#2c343d", "selection": "#243447", "selection-blurred": "#1d252e",
    },
    diff={
        "added": "#9bd3a5", "added-background": "#15241a", "removed": "#f0a0a2",
        "removed-background": "#2a181b",
    },
)  # fmt: skip
"""What is used where no theme file can be read; the same colours as ``themes/ink.toml``."""


def parse_theme(text: str, origin: str) -> ThemeFile | ThemeProblem:
    """Read one theme file.

    Args:
        text: TOML text.
        origin: Name of the file, for the message.

    Returns:
        The theme, or the first thing that is wrong with it.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return ThemeProblem(origin, f"not TOML: {error}")
    name, title, dark = data.get("name"), data.get("title"), data.get("dark")
    if data.get("version") != VERSION:
        return ThemeProblem(origin, f"version must be {VERSION}")
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        return ThemeProblem(origin, "name must be lower-case letters, digits and hyphens")
    if not isinstance(title, str) or not title or not isinstance(dark, bool):
        return ThemeProblem(origin, "title must be a text and dark true or false")
    unknown = set(data) - {"version", "name", "title", "dark", "colors", "diff"}
    if unknown:
        return ThemeProblem(origin, f"unknown key {min(unknown)!r}")
    colours = _table(data.get("colors"), COLOURS, "colors")
    diff = _table(data.get("diff"), DIFF_COLOURS, "diff")
    for part in (colours, diff):
        if isinstance(part, str):
            return ThemeProblem(origin, part)
    return ThemeFile(name, title, dark, cast("Mapping[str, str]", colours), cast("Mapping[str, str]", diff))


def _table(value: object, names: Iterable[str], table: str) -> Mapping[str, str] | str:
    """Check one table of colours; a sentence where it is wrong."""
    if not isinstance(value, dict):
        return f"the table [{table}] is missing"
    found = cast("dict[str, Any]", value)
    wanted = tuple(names)
    for name in wanted:
        colour = found.get(name)
        if not isinstance(colour, str) or _COLOUR.fullmatch(colour) is None:
            return f"{table}.{name} must be a colour such as #79b8ff"
    unknown = set(found) - set(wanted)
    return f"unknown colour {table}.{min(unknown)}" if unknown else found


def to_textual(theme: ThemeFile) -> Theme:
    """Make the Textual theme with the variables that ``app.tcss`` and the widgets use."""
    colours, diff = theme.colours, theme.diff
    return Theme(
        name=theme.name,
        primary=colours["accent"],
        secondary=colours["muted"],
        accent=colours["accent"],
        warning=colours["warning"],
        error=colours["error"],
        success=colours["success"],
        foreground=colours["foreground"],
        background=colours["background"],
        surface=colours["surface"],
        panel=colours["panel"],
        dark=theme.dark,
        variables=variables(theme)
        | {
            "block-cursor-background": colours["selection"],
            "block-cursor-foreground": colours["foreground"],
            "block-cursor-text-style": "none",
            "input-selection-background": colours["selection"],
            "border": colours["accent"],
            "border-blurred": colours["rule"],
            "scrollbar": colours["rule"],
            "scrollbar-hover": colours["muted"],
            "scrollbar-active": colours["accent"],
            "scrollbar-background": colours["background"],
            "scrollbar-background-hover": colours["background"],
            "scrollbar-background-active": colours["background"],
            "scrollbar-corner-color": colours["background"],
            "footer-background": colours["panel"],
            "diff-added": diff["added"],
            "diff-removed": diff["removed"],
        },
    )


def variables(theme: ThemeFile = BUILT_IN) -> dict[str, str]:
    """Give the CSS variables of our own, so that every style sheet parses under any theme."""
    colours, diff = theme.colours, theme.diff
    return {
        "muted": colours["muted"],
        "rule": colours["rule"],
        "selection": colours["selection"],
        "selection-blurred": colours["selection-blurred"],
        "diff-added": diff["added"],
        "diff-added-background": diff["added-background"],
        "diff-removed": diff["removed"],
        "diff-removed-background": diff["removed-background"],
    }


def read_themes(files: Iterable[tuple[str, str]]) -> tuple[tuple[ThemeFile, ...], tuple[ThemeProblem, ...]]:
    """Read all theme files; the built-in one is always there.

    Args:
        files: Pairs of file name and text.

    Returns:
        Themes by name order, and what was wrong with the others.
    """
    found: dict[str, ThemeFile] = {BUILT_IN.name: BUILT_IN}
    problems: list[ThemeProblem] = []
    for origin, text in files:
        theme = parse_theme(text, origin)
        if isinstance(theme, ThemeProblem):
            problems.append(theme)
        else:
            found[theme.name] = theme
    return tuple(found[name] for name in sorted(found)), tuple(problems)


def choose(wanted: str, themes: Iterable[ThemeFile], *, light_terminal: bool) -> tuple[ThemeFile, str]:
    """Pick the theme to start with.

    Args:
        wanted: Name in the settings; ``auto`` follows the terminal.
        themes: What could be read.
        light_terminal: The terminal says that its ground is light.

    Returns:
        The theme and a sentence where the wanted one does not exist.
    """
    by_name = {theme.name: theme for theme in themes}
    fallback = by_name.get("paper" if light_terminal else FALLBACK, BUILT_IN)
    if wanted == "auto":
        return fallback, ""
    if wanted in by_name:
        return by_name[wanted], ""
    return fallback, f"There is no theme “{wanted}”; {fallback.name} is used. T chooses another."
