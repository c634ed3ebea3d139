"""What the human looks at stays before them: new things are announced, rows keep their places."""

from dataclasses import replace

import pytest

from ags_tui.app.state import Selection
from ags_tui.core.assessment import TaskAssessment
from ags_tui.core.snapshot import Changes
from tests import builders as make
from tests.app import driver, scenes

WIDE, NARROW = (120, 36), (80, 24)


def quiet(task: TaskAssessment) -> TaskAssessment:
    """A task that asks for nothing now."""
    return make.task_assessment(
        task.task, title=task.title, stages=task.stages, scope=task.scope, gate=task.gate, pending=()
    )


def all_quiet():
    return scenes.scene(quiet(scenes.login_task()), quiet(scenes.search_task()), scenes.done_task())


def other_asks():
    return scenes.scene(quiet(scenes.login_task()), scenes.search_task(), scenes.done_task())


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_another_task_that_asks_is_announced_and_n_jumps_to_it(size: tuple[int, int]) -> None:
    behind = driver.door(all_quiet())
    async with driver.app(behind).run_test(size=size) as pilot:
        screen = await driver.opened(pilot, behind)
        before = screen.main.selection
        assert before.key == f"task:{make.TASK_ID}"
        order = [row.key for row in screen.rows("tasks").rows]
        await screen.shows(other_asks())

        assert screen.main.selection == before
        assert size == NARROW or screen.text("about").startswith(make.TASK_ID)
        assert [row.key for row in screen.rows("tasks").rows] == order
        assert screen.rows("tasks").cursor == before.key
        assert "search-api asks: n jumps to it" in screen.text("status")
        assert "new" in screen.text("inbox")
        assert "● 1 needs you" in screen.text("header")

        await screen.press("n")
        assert screen.main.selection.item_id == "escalation-2"
        assert screen.text("about").startswith("search-api")
        assert "jumps" not in screen.text("status")
        assert "new" not in screen.text("inbox")
        assert screen.focused == ("inbox" if size == WIDE else "request")
        assert len(screen.app.screen_stack) == 1


async def test_a_row_that_is_new_shows_no_cursor_until_it_is_selected() -> None:
    behind = driver.door(all_quiet())
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.shows(other_asks())
        rows = screen.rows("inbox")
        bars = [rows.render_line(y).text[0] for y in range(1, 4)]
        assert screen.main.look.glyphs.bar not in bars
        assert screen.main.look.glyphs.fresh in bars
        screen.main.panes.tick()
        screen.main.panes.tick()
        assert screen.main.look.glyphs.fresh in [rows.render_line(y).text[0] for y in range(1, 4)]
        await screen.press("j")
        assert screen.main.selection.item_id == "escalation-2"
        assert rows.render_line(1).text[0] == screen.main.look.glyphs.bar


async def test_while_something_is_searched_for_the_line_names_the_keys_that_lead_there() -> None:
    behind = driver.door(all_quiet())
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("slash", "x", "enter")
        screen.main.say("")
        await screen.shows(other_asks())
        assert "search-api asks: Esc n jumps to it" in screen.text("status")
        await screen.press("escape", "n")
        assert screen.main.selection.item_id == "escalation-2"


async def test_without_anything_new_n_goes_through_what_needs_the_human() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        assert "jumps" not in screen.text("status")
        seen: list[str] = []
        for _ in range(3):
            seen.append(screen.main.selection.item_id)
            await screen.press("n")
        assert seen == [scenes.REQUEST, "escalation-2", scenes.REQUEST]


async def test_what_was_announced_and_went_away_is_announced_no_more() -> None:
    behind = driver.door(all_quiet())
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.shows(other_asks())
        await screen.shows(all_quiet())
        assert "jumps" not in screen.text("status")
        assert screen.main.selection.key == f"task:{make.TASK_ID}"


async def test_an_item_that_nobody_here_decided_leaves_its_task_before_the_eyes() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        assert screen.main.selection.item_id == scenes.REQUEST
        await screen.shows(other_asks())
        assert screen.main.selection.key == f"task:{make.TASK_ID}"
        assert "jumps" not in screen.text("status")


@pytest.mark.parametrize("chosen", ["search-api", make.TASK_ID])
async def test_the_selected_task_survives_what_comes_goes_and_ends(chosen: str) -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        screen.main.selection = Selection("task", chosen)
        screen.main.moves.follow_selection()
        await screen.settle()
        login, search, done = scenes.login_task(), scenes.search_task(), scenes.done_task()
        first = make.task_assessment(make.task_snapshot(task_id="aaa", attested=False))
        end = make.entry("finalize", "finalized", "finalize", sequence=9)
        ended = make.task_assessment(
            replace(search.task, log=replace(search.task.log, finalized=end)), title=search.title
        )
        for scene in (
            scenes.scene(first, login, search, done),
            scenes.scene(first, quiet(login), quiet(search), done),
            scenes.scene(login, search),
            scenes.scene(login, ended, first, done),
        ):
            await screen.shows(scene)
            assert screen.main.selection == Selection("task", chosen)
            assert screen.rows("tasks").cursor == f"task:{chosen}"
            assert screen.text("about").startswith(chosen)


async def test_a_finalized_task_stays_selected_though_another_asks() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        screen.main.selection = Selection("task", "fix-typo")
        screen.main.moves.decide_selected()
        await screen.settle()
        assert screen.main.selection == Selection("task", "fix-typo")
        assert screen.focused == "tasks"


async def test_the_first_thing_is_selected_only_where_nothing_is_shown_yet() -> None:
    empty = scenes.empty()[0]
    nothing = Changes(base=make.BASE, target="work-tree", entries=(), tree_digest="sha256:0")
    bare = (replace(empty, work_tree=nothing), scenes.empty()[1])
    behind = driver.door(bare)
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.shows(scenes.busy())
        assert screen.main.selection.item_id == scenes.REQUEST
        assert "search-api asks" in screen.text("status")
    for scene, keys in ((scenes.empty(), ()), (bare, ("j",))):
        behind = driver.door(scene)
        async with driver.app(behind).run_test(size=WIDE) as pilot:
            screen = await driver.opened(pilot, behind)
            await screen.press(*keys)
            await screen.shows(scenes.busy())
            assert screen.main.selection == Selection("tree")
            assert "and 1 more ask: n jumps there" in screen.text("status")


async def test_the_pane_that_is_read_stays_where_it_was_scrolled_to() -> None:
    task = scenes.login_task()
    many = tuple(
        make.finding(path=f"src/f{n:02d}.py", message=f"f{n:02d} is not in the plan") for n in range(40)
    )
    long = replace(quiet(task), findings=many)
    behind = driver.door(scenes.scene(long))
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("2", "G")
        rows = screen.rows("request")
        top = rows.rows[rows._row_at(rows.scroll_offset.y)].key
        assert rows.scroll_offset.y
        problem = make.load_problem("review-result.json")
        files = replace(long.task.files, problems=(problem,))
        more = replace(long, task=replace(long.task, files=files))
        await screen.shows(scenes.scene(more, scenes.search_task()))
        assert rows.rows[rows._row_at(rows.scroll_offset.y)].key == top
