"""Pictures of the shell at the two sizes that matter; ``--snapshot-update`` makes them anew."""

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from ags_tui.app.app import AgsApp
from ags_tui.view.glyphs import glyph_set
from tests.app import driver, scenes
from tests.app.preview import themes

WIDE, NARROW = (120, 36), (80, 24)

Compare = Callable[..., bool]


def prepared(scene: str, *keys: str, theme: str = "ink", glyphs: str = "unicode") -> tuple[AgsApp, Any]:
    """An app on a scene, and what brings it to the picture."""
    behind = driver.door(getattr(scenes, scene)())
    found = themes()
    chosen = next(one for one in found if one.name == theme)
    app = driver.app(behind, look={"glyphs": glyph_set(glyphs)}, themes=found, theme=chosen)

    async def run(pilot: Pilot[str]) -> None:
        screen = await driver.opened(pilot, behind)
        for key in keys:
            await screen.press(key)

    return app, run


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["120x36", "80x24"])
@pytest.mark.parametrize("scene", ["busy", "empty", "hostile"])
def test_scenes(snap_compare: Compare, scene: str, size: tuple[int, int]) -> None:
    app, run = prepared(scene)
    assert snap_compare(app, run_before=run, terminal_size=size)


@pytest.mark.parametrize("tab", ["2", "3", "4", "5", "6"])
@pytest.mark.parametrize("scene", ["busy", "hostile"])
def test_narrow_tabs(snap_compare: Compare, scene: str, tab: str) -> None:
    app, run = prepared(scene, tab)
    assert snap_compare(app, run_before=run, terminal_size=NARROW)


@pytest.mark.parametrize("theme", ["paper", "contrast", "dusk"])
def test_themes(snap_compare: Compare, theme: str) -> None:
    app, run = prepared("busy", theme=theme)
    assert snap_compare(app, run_before=run, terminal_size=WIDE)


@pytest.mark.parametrize("glyphs", ["narrow", "ascii"])
def test_glyphs(snap_compare: Compare, glyphs: str) -> None:
    app, run = prepared("busy", glyphs=glyphs)
    assert snap_compare(app, run_before=run, terminal_size=WIDE)


@pytest.mark.parametrize(
    "keys", [("question_mark",), ("T",), ("comma",), ("N",), ("6",), ("t",)], ids=lambda k: k[0]
)
def test_sheets(snap_compare: Compare, keys: tuple[str, ...]) -> None:
    app, run = prepared("busy", *keys)
    assert snap_compare(app, run_before=run, terminal_size=WIDE)
