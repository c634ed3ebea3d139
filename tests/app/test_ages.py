"""Ages: one clock for all that is painted, and steps that only time makes."""

from dataclasses import replace
from datetime import timedelta

import pytest

from ags_tui.app.screens import main
from tests import builders as make
from tests.app import driver, scenes

WIDE, NARROW = (120, 36), (80, 24)


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps are made by the tests alone, however slow the machine is."""
    monkeypatch.setattr(main, "AGE_CLOCK", 3600.0)


def young(seconds: int = 4):
    """The request of the busy scene, asked a few seconds ago."""
    item = replace(scenes.edit_request(), first_seen=make.NOW - timedelta(seconds=seconds))
    return scenes.scene(replace(scenes.login_task(), pending=(item,)))


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_one_thing_has_one_age_wherever_it_stands(size: tuple[int, int]) -> None:
    clock, behind = driver.Clock(), driver.door(young())
    async with driver.app(behind, clock).run_test(size=size) as pilot:
        screen = await driver.opened(pilot, behind)
        for shown, step in (("4s", 0), ("4s", 6), ("14s", 4)):
            clock.now += timedelta(seconds=step)
            screen.main.say("a sentence draws the edges anew")
            if shown == "14s":
                screen.main.panes.tick()
            await screen.settle()
            assert f"oldest {shown}" in screen.text("header")
            first = next(line for line in screen.text("inbox").split("\n") if "edit_file" in line)
            assert first.rstrip().endswith(f" {shown}")
            if size == WIDE:
                assert f"{shown} ago" in screen.text("request")


async def test_a_reading_between_two_steps_moves_no_age() -> None:
    clock, behind = driver.Clock(), driver.door(young())
    async with driver.app(behind, clock).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        clock.now += timedelta(seconds=3)
        await screen.shows(young())
        assert "oldest 4s" in screen.text("header")
        assert "4s ago" in screen.text("request")
        clock.now += timedelta(seconds=7)
        screen.main.panes.tick()
        assert "oldest 14s" in screen.text("header")
        assert "14s ago" in screen.text("request")


async def test_a_mark_of_a_change_outlasts_a_step_that_comes_at_once() -> None:
    behind = driver.door(young())
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.shows(scenes.busy())
        tasks = screen.rows("tasks")
        assert tasks._fresh
        screen.main.panes.tick()
        assert tasks._fresh
        screen.main.panes.tick()
        assert not tasks._fresh
