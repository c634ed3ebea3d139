"""What somebody who has read only the key bar expects: keys act on what is in sight, or say why not."""

from dataclasses import replace

import pytest

from ags_tui.app.screens.reason import deny_screen
from ags_tui.app.state import Selection
from ags_tui.app.widgets.row_list import RowList
from ags_tui.core.assessment import PendingKind
from ags_tui.view.glyphs import glyph_set
from tests import builders as make
from tests.app import driver, scenes
from tests.app import test_decision as decisions
from tests.app import test_decision_others as others
from tests.app.makers import pending
from tests.app.stage import screen_text, until

WIDE = (120, 36)


@pytest.mark.parametrize(
    ("key", "task_id", "title"),
    [
        ("a", make.TASK_ID, "Approve this edit?"),
        ("d", make.TASK_ID, "Deny with a reason"),
        ("r", "search-api", "Answer this question"),
    ],
)
async def test_a_key_of_a_request_takes_the_one_of_the_task_that_is_shown(
    key: str, task_id: str, title: str
) -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        screen.main.selection = Selection("task", task_id)
        await screen.settle()
        await screen.press(key)
        assert str(screen.app.screen.query_one("#frame").border_title) == title
        assert screen.main.selection.kind == "item"
        assert screen.main.selection.task_id == task_id
        assert behind.recorded == []


async def test_with_the_work_tree_shown_a_key_takes_what_the_inbox_cursor_stands_on() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        screen.main.selection = Selection("tree")
        await screen.settle()
        await screen.press("a")
        assert len(screen.app.screen_stack) == 2
        assert screen.main.selection.item_id == scenes.REQUEST


async def test_a_task_without_a_request_does_not_open_that_of_another() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        screen.main.selection = Selection("task", "fix-typo")
        await screen.settle()
        await screen.press("a")
        assert "No request waits here; 1 goes to the inbox." in screen.text("status")
        assert len(screen.app.screen_stack) == 1


async def test_the_kind_that_fits_the_key_comes_first() -> None:
    task = scenes.login_task()
    asked = replace(scenes.escalation(), task_id=task.task_id, risk="critical")
    both = make.task_assessment(
        task.task, title=task.title, stages=task.stages, scope=task.scope, gate=task.gate,
        pending=(asked, *task.pending), requests=task.requests,
    )  # fmt: skip
    behind = driver.door(scenes.scene(both))
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        screen.main.selection = Selection("task", task.task_id)
        await screen.settle()
        assert "a approve…" in screen.text("keys")
        assert "r answer…" in screen.text("keys")
        await screen.press("a")
        assert screen.main.selection.item_id == scenes.REQUEST
        assert asked.kind is PendingKind.ESCALATION


async def test_a_deciding_key_that_comes_as_a_dialog_closes_says_so() -> None:
    behind, clock = driver.door(), driver.Clock()
    async with driver.app(behind, clock).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        clock.step = 0.0
        await screen.press("a")
        await screen.press("escape")
        await screen.press("a")
        assert len(screen.app.screen_stack) == 1
        assert "press it again" in screen.text("status")
        clock.seconds += 1
        await screen.press("a")
        assert len(screen.app.screen_stack) == 2


async def test_keys_without_anything_to_do_say_why_and_are_not_offered() -> None:
    screen = others.question(others.escalation(allow_free_text=False, evidence=()))
    async with others.opened(screen) as (pilot, app):
        assert "[ ] next answer" in screen_text(app)
        assert "e evidence" not in screen_text(app)
        await others.press(pilot, screen, "t")
        await until(pilot, lambda: "takes one of its answers" in screen_text(app))
        await others.press(pilot, screen, "j")
        await until(pilot, lambda: "takes one of its answers" not in screen_text(app))
        await others.press(pilot, screen, "e")
        await until(pilot, lambda: "No evidence came with this question." in screen_text(app))
    screen = others.question(others.escalation())
    async with others.opened(screen) as (pilot, app):
        assert "e evidence" in screen_text(app)


async def test_who_denies_still_sees_why_the_agent_asked() -> None:
    screen = deny_screen(replace(pending(), reason="서버 원문을 숨긴다."), decisions.look())
    async with others.opened(screen) as (_, app):
        assert "because" in screen_text(app)
        assert "서버 원문을 숨긴다." in screen_text(app).replace("\N{ZERO WIDTH SPACE}", "")


async def test_a_run_that_has_ended_offers_no_cancel() -> None:
    behind = driver.door()
    behind.run_gate.clear()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await pilot.press("t")
        await screen.until(lambda: "running" in screen.text("run-title"))
        assert "x cancel" in screen.text("run-keys")
        behind.run_gate.set()
        await screen.until(lambda: "1 passed in 0.2 s" in screen.text("run-title"))
        assert "cancel" not in screen.text("run-keys")
        assert "Esc close" in screen.text("run-keys")


async def test_the_decision_screen_answers_every_key_that_looks_like_approving() -> None:
    async with decisions.desk(pending(risk="high")) as (pilot, screen, app):
        await until(pilot, lambda: screen.missing().readable and screen.missing().left <= 0)
        await pilot.press("a")
        await until(pilot, lambda: "Ctrl+O approves" in screen_text(app))
        await pilot.press("j")
        await until(pilot, lambda: "Ctrl+O approves" not in screen_text(app))
        wrong = next(digit for digit in "123456789" if digit not in screen.code.code)
        await pilot.press(wrong)
        await until(pilot, lambda: "The code begins anew" in screen_text(app))
        assert app.results == []


async def test_a_code_that_comes_too_early_is_told_so() -> None:
    async with decisions.desk(pending(risk="high"), guard=60) as (pilot, screen, app):
        await pilot.press(screen.code.code[0])
        await until(pilot, lambda: "The code comes after" in screen_text(app))
        assert screen.code.typed == ""


@pytest.mark.parametrize(("panes", "pane", "word"), [(1, "tasks", "fix-typo"), (2, "request", "unplanned")])
async def test_enter_keeps_the_hits_of_the_pane_that_was_searched(panes: int, pane: str, word: str) -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press(*["tab"] * panes)
        assert screen.focused == pane
        await screen.press("slash", *word)
        assert "hit 1 of" in screen.text("status")
        await screen.press("enter")
        assert "hit 1 of" in screen.text("status")
        assert screen.focused == pane


@pytest.mark.parametrize(("glyphs", "rail"), [("unicode", "┃"), ("narrow", "╏"), ("ascii", "|")])
@pytest.mark.parametrize("colourless", [False, True])
async def test_one_pane_says_that_it_has_the_focus_not_by_colour_alone(
    glyphs: str, rail: str, colourless: bool
) -> None:
    behind = driver.door()
    app = driver.app(behind, look={"glyphs": glyph_set(glyphs)})
    app.no_color = colourless

    def marked(name: str) -> tuple[bool, bool]:
        """Whether a pane has the rail, and a title in reverse."""
        pane = app.screen.query_one(f"#{name}", RowList)
        lines = [pane.render_line(y) for y in range(pane.size.height)]
        titled = any(segment.style and segment.style.reverse for segment in lines[0])
        return any(line.text.startswith(rail) for line in lines), titled

    async with app.run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        for number, name in ((1, "inbox"), (2, "request"), (4, "scope"), (5, "gate"), (6, "log")):
            await screen.press(str(number))
            others = ("inbox", "tasks", "scope", "gate")
            assert marked(name) == (True, True)
            assert all(marked(other) == (False, False) for other in others if other != name)


async def test_the_diff_has_a_rail_while_it_has_the_focus() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        diff = screen.main.diffs.view
        assert diff.styles.outline_left[0] == ""
        await screen.press("3")
        assert diff.styles.outline_left[0] == "heavy"
