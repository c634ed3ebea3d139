"""Styles of lines: made once a theme, and another theme paints anew what is on the screen."""

from pathlib import Path

from rich.style import Style
from textual.strip import Strip

from ags_tui.app.themes import BUILT_IN, ThemeFile, read_themes, to_textual, variables
from ags_tui.app.widgets.paint import paint, styles_of
from ags_tui.view.text import Span
from tests.app import driver

THEMES = Path(__file__).resolve().parents[2] / "themes"
WIDE = (120, 36)


def themes() -> dict[str, ThemeFile]:
    files = ((path.name, path.read_text("utf-8")) for path in sorted(THEMES.glob("*.toml")))
    return {theme.name: theme for theme in read_themes(files)[0]}


def colours(theme: ThemeFile) -> dict[str, str]:
    return {**to_textual(theme).to_color_system().generate(), **variables(theme)}


def grounds(app, name: str) -> set[str]:
    """Colours under the cells of a widget, as they are on the screen."""
    widget = app.screen.query_one(f"#{name}")
    left, top, width, height = widget.region
    strips: list[Strip] = app.screen._compositor.render_strips(app.size)
    found: set[str] = set()
    for strip in strips[top : top + height]:
        for segment in strip.crop(left, left + width):
            if segment.style is not None and segment.style.color is not None and segment.text.strip():
                found.add(segment.style.color.name)
    return found


def test_the_styles_of_a_theme_are_made_once_and_those_of_another_differ() -> None:
    found = themes()
    ink, paper = colours(found["ink"]), colours(found["paper"])
    assert styles_of(ink) is styles_of(dict(ink))
    assert styles_of(ink)["error"] != styles_of(paper)["error"]
    error = styles_of(ink)["error"].color
    assert error is not None
    assert error.name == ink["error"].lower()
    assert styles_of(ink)["error"].bold
    assert styles_of(ink)["risk-critical"].reverse
    assert styles_of(ink)["title"].color is None


def test_a_strip_is_as_wide_as_asked_and_has_the_style_of_each_span() -> None:
    styles = styles_of(colours(BUILT_IN))
    strip = paint((Span("ab", "error"), Span("cd")), 6, Style(), styles)
    assert strip.cell_length == 6
    assert [(segment.text, segment.style) for segment in strip][:2] == [
        ("ab", styles["error"]),
        ("cd", Style()),
    ]


async def test_another_theme_paints_all_lines_anew() -> None:
    behind = driver.door()
    found = themes()
    app = driver.app(behind, themes=tuple(found.values()))
    async with app.run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        panes = ("inbox", "tasks", "request", "diff", "scope", "gate", "header", "status", "keys")
        dark = {name: grounds(app, name) for name in panes}
        muted = found["ink"].colours["muted"]
        assert muted in dark["status"]
        app.theme = "paper"
        await screen.settle()
        light = {name: grounds(app, name) for name in panes}
        assert not [name for name in panes if muted in light[name]]
        assert found["paper"].colours["muted"] in light["status"]
        app.theme = "ink"
        await screen.settle()
        assert {name: grounds(app, name) for name in panes} == dark
