"""Every size: from one cell to two hundred columns, resized while open, the state kept."""

import pytest

from ags_tui.app.screens.too_small import TooSmallScreen
from tests.app import driver, scenes


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (119, 40), (120, 30), (160, 50), (200, 60), (40, 12)])
async def test_what_matters_is_there_at_every_size(size: tuple[int, int]) -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=size) as pilot:
        screen = await driver.opened(pilot, behind)
        assert "2 need you" in screen.text("header")
        assert "NEEDS APPROVAL" in screen.text("status")
        assert "5 open" in screen.text("status")
        assert "? help" in screen.text("keys")
        assert screen.main.has_class("-wide") == (size[0] >= 120)


async def test_below_the_smallest_size_everything_is_covered_and_no_key_acts() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=(120, 40)) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("j")
        for size in ((30, 8), (1, 1), (39, 40), (80, 11)):
            await pilot.resize_terminal(*size)
            await screen.settle()
            assert isinstance(screen.app.screen, TooSmallScreen), size
            await screen.press("a", "d", "x", "F", "j", "enter")
            assert len(screen.app.screen_stack) == 2
        await pilot.resize_terminal(80, 24)
        await screen.settle()

        assert screen.app.screen is screen.main
        assert screen.main.selection.item_id == "escalation-2"
        assert behind.recorded == []


async def test_a_dialog_stays_open_below_the_cover() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=(120, 40)) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("N", *"로그인")
        await pilot.resize_terminal(20, 5)
        await screen.settle()
        await screen.press("escape", "q")
        await pilot.resize_terminal(120, 40)
        await screen.settle()

        assert type(screen.app.screen).__name__ == "NewTaskScreen"
        assert screen.app.screen.query_one("#title").value == "로그인"  # type: ignore[attr-defined]


async def test_resizing_keeps_the_pane_in_sight() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=(120, 40)) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("5", "j")
        cursor = screen.rows("gate").cursor
        await pilot.resize_terminal(80, 24)
        await screen.settle()

        assert screen.focused == "gate"
        assert "[5 Gate]" in screen.text("tabs")
        assert screen.rows("gate").cursor == cursor
        await pilot.resize_terminal(200, 60)
        await screen.settle()
        assert screen.focused == "gate"


async def test_two_hundred_tasks_and_requests_scroll() -> None:
    from tests import builders as make

    tasks = tuple(
        make.task_assessment(
            make.task_snapshot(task_id=f"task-{n:03d}", attested=False),
            pending=(make.pending(f"tool-{n:03d}", task_id=f"task-{n:03d}"),),
        )
        for n in range(200)
    )
    behind = driver.door(scenes.scene(*tasks))
    async with driver.app(behind).run_test(size=(120, 36)) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("G")
        assert screen.main.selection.item_id == "tool-199"
        await screen.press("ctrl+u", "g")
        assert screen.main.selection.item_id == "tool-000"
        assert screen.rows("tasks").size.height >= 8
