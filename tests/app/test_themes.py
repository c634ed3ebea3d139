"""Theme files: valid, readable, and failing softly."""

from pathlib import Path

import pytest
from textual.color import Color

from ags_tui.app import themes
from ags_tui.app.themes import ThemeFile, ThemeProblem

FOLDER = Path(__file__).resolve().parents[2] / "themes"
FILES = sorted(FOLDER.glob("*.toml"))
TEXT = (FOLDER / "ink.toml").read_text("utf-8")


def read(path: Path) -> ThemeFile:
    theme = themes.parse_theme(path.read_text("utf-8"), path.name)
    assert isinstance(theme, ThemeFile)
    return theme


def test_there_are_dark_light_and_high_contrast_themes() -> None:
    found = {path.stem: read(path) for path in FILES}

    assert {"ink", "paper", "contrast"} <= set(found)
    assert found["ink"].dark
    assert not found["paper"].dark
    assert all(name == theme.name for name, theme in found.items())


def contrast(first: str, second: str) -> float:
    """Contrast ratio of WCAG 2."""

    def light(colour: str) -> float:
        parts = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in Color.parse(colour).normalized
        )
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))

    high, low = sorted((light(first), light(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_text_is_readable_on_every_ground(path: Path) -> None:
    theme = read(path)
    least = 7.0 if theme.name == "contrast" else 4.5
    grounds = [theme.colours[name] for name in ("background", "panel", "selection", "selection-blurred")]
    for ground in grounds:
        assert contrast(theme.colours["foreground"], ground) >= least
    for name in ("accent", "success", "warning", "error"):
        assert contrast(theme.colours[name], theme.colours["background"]) >= least, name
    assert contrast(theme.colours["muted"], theme.colours["background"]) >= (7.0 if least == 7.0 else 4.5)
    assert contrast(theme.diff["added"], theme.diff["added-background"]) >= least
    assert contrast(theme.diff["removed"], theme.diff["removed-background"]) >= least


def test_the_built_in_theme_is_the_file() -> None:
    assert read(FOLDER / "ink.toml") == themes.BUILT_IN


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version = [", "not TOML"),
        ("", "version must be 1"),
        (TEXT.replace("version = 1", "version = 2"), "version must be 1"),
        (TEXT.replace('name = "ink"', 'name = "../x"'), "name must be"),
        (TEXT.replace("dark = true", 'dark = "yes"'), "dark true or false"),
        (TEXT.replace('"#79b8ff"', '"blue; } *"'), "colors.accent must be a colour"),
        (TEXT.replace('muted = "#828d99"\n', ""), "colors.muted must be a colour"),
        (TEXT.replace("[diff]", "[dif]"), "unknown key 'dif'"),
        (TEXT + 'other = "#000000"\n', "unknown colour diff.other"),
        (TEXT.split("[diff]")[0], "the table [diff] is missing"),
    ],
)
def test_a_broken_file_says_what_is_wrong(text: str, said: str) -> None:
    found = themes.parse_theme(text, "mine.toml")

    assert isinstance(found, ThemeProblem)
    assert said in found.reason
    assert found.origin == "mine.toml"


def test_one_broken_file_does_not_hide_the_rest() -> None:
    found, problems = themes.read_themes(
        [("a.toml", "["), ("paper.toml", (FOLDER / "paper.toml").read_text("utf-8"))]
    )

    assert [theme.name for theme in found] == ["ink", "paper"]
    assert [problem.origin for problem in problems] == ["a.toml"]


@pytest.mark.parametrize(
    ("wanted", "light", "chosen", "said"),
    [
        ("auto", False, "ink", ""),
        ("auto", True, "paper", ""),
        ("contrast", False, "contrast", ""),
        ("neon", False, "ink", "no theme “neon”"),
    ],
)
def test_the_theme_to_start_with(wanted: str, light: bool, chosen: str, said: str) -> None:
    theme, problem = themes.choose(wanted, [read(path) for path in FILES], light_terminal=light)

    assert theme.name == chosen
    assert said in problem
    assert bool(said) == bool(problem)


def test_every_theme_defines_our_variables() -> None:
    for path in FILES:
        made = themes.to_textual(read(path))
        assert set(themes.variables()) <= set(made.variables)
