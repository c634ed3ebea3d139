"""A hostile workspace: every text of every contract is markup, a control sequence or oddly wide."""

import pytest
from textual.strip import Strip

from ags_tui.app.state import Selection
from ags_tui.app.widgets.line_bar import LineBar
from ags_tui.app.widgets.row_list import RowList
from tests import builders as make
from tests.app import driver, scenes

NASTY = ("\x1b", "\x07", "\x9b", "\u202e", "\u200b", "\r")


def painted(screen: driver.Screen) -> list[Strip]:
    """Every line of every list and bar on the screen, scrolled through from its first to its last line."""
    strips: list[Strip] = []
    for pane in screen.app.screen.query(RowList):
        height = max(1, pane.size.height)
        for top in range(0, max(1, pane.virtual_size.height), height):
            pane.scroll_to(y=top, animate=False, force=True)
            strips += [pane.render_line(y) for y in range(height)]
    for bar in screen.app.screen.query(LineBar):
        strips += [bar.render_line(y) for y in range(bar.size.height)]
    return strips


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (200, 60)])
async def test_nothing_foreign_acts_and_every_line_fits(size: tuple[int, int]) -> None:
    behind = driver.door(scenes.hostile())
    async with driver.app(behind).run_test(size=size) as pilot:
        screen = await driver.opened(pilot, behind)
        for key in ("1", "2", "3", "4", "5", "6"):
            await screen.press(key)
            for strip in painted(screen):
                assert not [sign for sign in NASTY if sign in strip.text], strip.text
        for pane in screen.app.screen.query(RowList):
            if pane.size.width:
                widths = {pane.render_line(y).cell_length for y in range(pane.size.height)}
                assert len(widths) <= 1, pane.id


@pytest.mark.parametrize("text", scenes.hostile_texts())
async def test_each_text_is_shown_letter_by_letter(text: str) -> None:
    from ags_tui.view.text import printable

    behind = driver.door(scenes.hostile())
    async with driver.app(behind).run_test(size=(200, 60)) as pilot:
        screen = await driver.opened(pilot, behind)
        inert = printable(text)
        index = scenes.hostile_texts().index(text)
        screen.main.selection = Selection("item", make.TASK_ID, f"tool-{index:03d}", "tool-requests")
        await screen.settle()
        everything = "".join(pane.text for pane in screen.app.screen.query(RowList)) + "".join(
            bar.text for bar in screen.app.screen.query(LineBar)
        )

        assert "".join(inert.split()) in "".join(everything.split())


async def test_every_text_can_be_said_searched_filtered_and_copied() -> None:
    behind = driver.door(scenes.hostile())
    async with driver.app(behind).run_test(size=(120, 36)) as pilot:
        screen = await driver.opened(pilot, behind)
        for text in scenes.hostile_texts():
            screen.app.say(text, "warn")
            screen.main.needle = text
            screen.main.search = text
            screen.main.moves.find(1)
            await screen.settle()
            assert not [sign for sign in NASTY if sign in screen.text("status")]
        screen.main.needle = ""
        await screen.press("1", "g", "y")
        assert "\x1b" not in screen.app.clipboard


async def test_the_palette_survives_every_title() -> None:
    behind = driver.door(scenes.hostile())
    async with driver.app(behind).run_test(size=(120, 36)) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("ctrl+p")
        await screen.press(*"Task")
        await screen.until(lambda: bool(screen.app.screen.query("CommandList")))
        await screen.press("escape")
        assert screen.app.is_running


async def test_every_log_entry_can_be_opened() -> None:
    behind = driver.door(scenes.hostile())
    async with driver.app(behind).run_test(size=(80, 24)) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("6")
        for _ in range(len(scenes.hostile_texts())):
            await screen.press("enter")
            assert len(screen.app.screen_stack) == 2
            await screen.press("escape", "j")
