"""The main screen: what it shows, where it moves, and that new items disturb nothing."""

from datetime import timedelta

import pytest
from textual.widgets import Input

from ags_tui.app.widgets.row_list import RowList
from ags_tui.core import drafts
from ags_tui.core.assessment import RequestState, StageState
from tests import builders as make
from tests.app import driver, scenes

WIDE, NARROW = (120, 36), (80, 24)


def with_new_request(item_id: str = "tool-099", risk: str = "critical"):
    """The busy scene with one request more, more urgent than all others."""
    new = make.pending(item_id, risk=risk, first_seen=make.NOW)
    task = scenes.login_task()
    more = make.task_assessment(
        task.task, title=task.title, stages=task.stages, scope=task.scope, gate=task.gate,
        pending=(new, *task.pending), requests=(*task.requests, make.request_status(item_id)),
    )  # fmt: skip
    return scenes.scene(more, scenes.search_task(), scenes.done_task())


def decided():
    """The busy scene after tool-014 was decided."""
    task = scenes.login_task()
    less = make.task_assessment(
        task.task, title=task.title, stages=task.stages, scope=task.scope, gate=task.gate, pending=(),
        requests=(make.request_status(scenes.REQUEST, state=RequestState.APPROVED),),
    )  # fmt: skip
    return scenes.scene(less, scenes.search_task(), scenes.done_task())


async def test_two_seconds_what_why_and_which_key() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)

        assert "● 2 need you · oldest 4m" in screen.text("header")
        assert "▲ high edit_file" in screen.text("inbox")
        assert "▲ NEEDS APPROVAL" in screen.text("scope")
        assert scenes.UNPLANNED.rsplit("/", 1)[-1] in screen.text("scope")
        assert "✖ 5 open" in screen.text("gate")
        assert "a approve…" in screen.text("keys")
        assert "a opens the decision" in screen.text("request")
        assert screen.main.selection.item_id == scenes.REQUEST
        assert "L10n.tryAgain" in screen.main.diffs.view.text


async def test_narrow_keeps_verdict_and_open_rungs_on_every_tab() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=NARROW) as pilot:
        screen = await driver.opened(pilot, behind)
        for number, pane in enumerate(("inbox", "request", "diff", "scope", "gate", "log"), start=1):
            await screen.press(str(number))

            assert screen.focused == pane
            assert f"[{number} " in screen.text("tabs")
            assert "▲ NEEDS APPROVAL" in screen.text("status")
            assert "✖ 5 open" in screen.text("status")
            shown = [
                name for name in ("inbox", "request", "diff", "scope", "gate", "log") if visible(screen, name)
            ]
            assert shown == [pane]


def visible(screen: driver.Screen, name: str) -> bool:
    widget = screen.app.screen.query_one(f"#{name}")
    return all(node.display for node in widget.ancestors_with_self if hasattr(node, "display"))


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_new_request_moves_neither_cursor_nor_focus(size) -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=size) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("j")
        before = (screen.rows("inbox").cursor, screen.focused, screen.main.selection)

        await screen.shows(with_new_request())

        assert (screen.rows("inbox").cursor, screen.focused, screen.main.selection) == before
        assert screen.rows("inbox").rows[1].key == f"item:{make.TASK_ID}/tool-099@tool-requests"
        assert "● 3 need you" in screen.text("header")


async def test_a_new_request_never_takes_the_focus_from_a_text_that_is_typed() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("slash", "a", "d")

        await screen.shows(with_new_request())
        await screen.press("r", "x", "b")

        assert screen.focused == "search"
        assert screen.app.screen.query_one("#search", Input).value == "adrxb"
        assert behind.recorded == []
        assert len(screen.app.screen_stack) == 1


async def test_the_list_stays_where_it_was_on_the_screen() -> None:
    many = [
        make.pending(f"tool-{n:03d}", first_seen=make.NOW - timedelta(minutes=n)) for n in range(100, 160)
    ]
    task = make.task_assessment(pending=tuple(many))
    behind = driver.door(scenes.scene(task))
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        rows = screen.rows("inbox")
        for _ in range(30):
            await pilot.press("j")
        await screen.settle()
        key, top = rows.cursor, rows.scroll_offset.y
        place = rows.text.split("\n").index("x") if "x" in rows.text.split("\n") else None
        assert place is None
        height = height_of(rows, key) - top

        urgent = make.pending("tool-999", risk="critical", first_seen=make.NOW)
        await screen.shows(scenes.scene(make.task_assessment(pending=(urgent, *many))))

        assert rows.cursor == key
        assert height_of(rows, key) - rows.scroll_offset.y == height


def height_of(rows: RowList, key: str | None) -> int:
    """First line of a row."""
    y = 0
    for row in rows.rows:
        if row.key == key:
            return y
        y += len(row.lines)
    raise AssertionError(key)


async def test_only_rows_that_changed_are_painted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        painted: list[tuple[str, int, int]] = []
        plain = RowList.refresh_lines

        def refresh_lines(self: RowList, y_start: int, line_count: int = 1) -> None:
            painted.append((self.id or "", y_start, line_count))
            plain(self, y_start, line_count)

        monkeypatch.setattr(RowList, "refresh_lines", refresh_lines)
        task = scenes.search_task()
        changed = make.task_assessment(
            task.task, title=task.title, pending=task.pending, gate=task.gate, scope=task.scope,
            stages=make.stages(implement=StageState.ACTIVE),
        )  # fmt: skip
        await screen.shows(scenes.scene(scenes.login_task(), changed, scenes.done_task()))

        assert {(name, y) for name, y, _ in painted} == {("tasks", 2)}


async def test_a_decided_item_hands_over_to_the_next_which_is_not_opened() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        screen.main.acts.desk.decided(drafts.deny(scenes.edit_request(), "no"))
        await screen.until(lambda: bool(behind.recorded) and not screen.app.state.recording)
        screen.main.said = ()
        await screen.shows(decided())

        assert screen.main.selection.item_id == "escalation-2"
        assert screen.rows("inbox").cursor == "item:search-api/escalation-2@escalations"
        assert "tool-014: approved" in screen.text("status")
        assert len(screen.app.screen_stack) == 1


async def test_when_the_last_item_is_gone_its_task_stays_selected() -> None:
    behind = driver.door(scenes.scene(scenes.login_task(), scenes.done_task()))
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        _, assessment = decided()
        tasks = tuple(task for task in assessment.tasks if task.task_id != "search-api")
        await screen.shows(scenes.scene(*tasks))

        assert screen.main.selection.key == f"task:{make.TASK_ID}"
        assert "all quiet" in screen.text("inbox")


async def test_an_expired_item_stays_selected_and_says_so() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        task = scenes.login_task()
        expired = make.task_assessment(
            task.task, title=task.title, stages=task.stages, gate=task.gate, scope=task.scope,
            requests=(make.request_status(scenes.REQUEST, state=RequestState.EXPIRED),),
        )  # fmt: skip
        await screen.shows(scenes.scene(expired, scenes.search_task()))

        assert screen.main.selection.item_id == scenes.REQUEST
        assert "EXPIRED" in screen.text("request")
        await screen.press("a")
        assert "expired; x puts it away" in screen.text("status")
        assert len(screen.app.screen_stack) == 1


async def test_moving_down_flows_from_the_inbox_into_the_tasks_and_back() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("j")
        assert screen.main.selection.item_id == "escalation-2"
        await screen.press("j")
        assert screen.focused == "tasks"
        assert screen.main.selection.key == f"task:{make.TASK_ID}"
        await screen.press("k")
        assert screen.focused == "inbox"
        assert screen.main.selection.item_id == "escalation-2"


async def test_tab_goes_through_the_panes_without_selecting() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        seen = [screen.focused]
        for _ in range(6):
            await screen.press("tab")
            seen.append(screen.focused)

        assert seen == ["inbox", "tasks", "request", "diff", "scope", "gate", "inbox"]
        assert screen.main.selection.item_id == scenes.REQUEST
        await screen.press("shift+tab")
        assert screen.focused == "gate"


async def test_the_log_takes_the_centre_and_gives_it_back() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("6")
        assert screen.focused == "log"
        assert visible(screen, "log")
        assert not visible(screen, "diff")
        await screen.press("tab")
        assert screen.focused == "inbox"
        assert visible(screen, "log")
        await screen.press("2")
        assert not visible(screen, "log")
        assert visible(screen, "request")


async def test_enter_on_a_log_entry_shows_it_in_full() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("6", "enter")

        assert "human kim via tui" in screen.text("sheet-rows")
        await screen.press("escape")
        assert screen.focused == "log"


async def test_selecting_a_path_shows_its_diff() -> None:
    behind = driver.door()
    asked: list[str] = []
    plain = behind.diff
    behind.diff = lambda task_id, path: asked.append(f"{task_id} {path}") or plain(task_id, path)  # type: ignore[method-assign]
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("4", "j")
        assert asked == [f"{make.TASK_ID} {scenes.UNPLANNED}", f"{make.TASK_ID} {make.MAPPER}"]
        await screen.press("right_curly_bracket")
        assert asked[-1] == f"{make.TASK_ID} {make.MAPPER_TESTS}"
        await screen.press("left_curly_bracket")
        assert asked[-1] == f"{make.TASK_ID} {make.MAPPER}"
        await screen.press("enter")
        assert screen.focused == "diff"


async def test_reviewed_marks_hold_for_this_content_only() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("m")
        assert "◆ 1 of 4 reviewed" in screen.text("scope")

        task = scenes.login_task()
        paths = tuple(
            make.path_verdict(v.path, v.path_class, why=v.why, change=make.change(v.path, new="other"))
            if v.path == scenes.UNPLANNED else v
            for v in task.scope.paths
        )  # fmt: skip
        scope = make.scope_report(verdict=task.scope.verdict, paths=paths)
        again = make.task_assessment(
            task.task, title=task.title, scope=scope, gate=task.gate, pending=task.pending
        )
        await screen.shows(scenes.scene(again))

        assert "reviewed" not in screen.text("scope")
        await screen.press("m", "m")
        assert "reviewed" not in screen.text("scope")


async def test_search_jumps_and_n_goes_on() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("5", "slash", *"observed", "enter")
        assert screen.focused == "gate"
        assert "hit 1 of" in screen.text("status")
        first = screen.rows("gate").cursor
        await screen.press("n")
        assert "hit 2 of" in screen.text("status")
        assert screen.rows("gate").cursor != first
        await screen.press("N")
        assert screen.rows("gate").cursor == first
        await screen.press("escape")
        assert screen.main.search == ""


async def test_without_a_search_n_says_so_and_shift_n_makes_a_task() -> None:
    behind = driver.door(scenes.scene(scenes.done_task()))
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("n")
        assert "/ searches. Nothing needs you." in screen.text("status")
        await screen.press("N")
        assert screen.app.screen.query("#title")


async def test_the_filter_keeps_matching_rows_in_both_lists() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("f", *"search", "enter")

        assert [row.key for row in screen.rows("inbox").rows if row.selectable] == [
            "item:search-api/escalation-2@escalations"
        ]
        assert "task:search-api" in [row.key for row in screen.rows("tasks").rows]
        assert "task:fix-typo" not in [row.key for row in screen.rows("tasks").rows]
        assert "only search" in screen.text("inbox")
        await screen.press("q")
        assert "task:fix-typo" in [row.key for row in screen.rows("tasks").rows]
        assert screen.app.is_running


async def test_a_click_selects_and_opens_nothing() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await pilot.click("#inbox", offset=(6, 4))
        await screen.settle()
        assert screen.main.selection.item_id == "escalation-2"
        await pilot.click("#inbox", offset=(6, 4), times=2)
        await screen.settle()

        assert len(screen.app.screen_stack) == 1
        assert behind.recorded == []


async def test_clicks_on_key_bar_and_header_do_nothing() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        for x in range(0, 119, 6):
            await pilot.click("#keys", offset=(x, 0))
        await pilot.click("#header", offset=(5, 0))
        await screen.settle()

        assert len(screen.app.screen_stack) == 1
        assert screen.app.is_running
        assert behind.recorded == []


async def test_hangul_moves_and_nothing_else() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("ㅓ")
        assert screen.main.selection.item_id == "escalation-2"
        await screen.press("ㅏ")
        assert screen.main.selection.item_id == scenes.REQUEST
        for letter in ("ㅁ", "ㅇ", "ㄱ", "ㅠ", "ㅌ", "ㅂ", "ㅅ"):
            await screen.press(letter)
            assert "letters wait for the IME. ^a approve, ^x deny" in screen.text("status")
        assert len(screen.app.screen_stack) == 1
        assert screen.app.is_running
        assert behind.recorded == []


async def test_the_first_frame_shows_names_before_anything_is_read() -> None:
    behind = driver.door()
    app = driver.app(behind)
    async with app.run_test(size=WIDE):
        assert [row.key for row in app.main_screen.query_one("#tasks", RowList).rows if row.selectable][:3]
    assert app.state.names == ("fix-typo", make.TASK_ID, "search-api")


async def test_without_a_task_the_live_diff_is_there_and_the_screen_teaches() -> None:
    behind = driver.door(scenes.empty())
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)

        assert "N  new task" in screen.text("inbox")
        assert "N new task" not in screen.text("about"), "said once, and by the key bar"
        assert "D demo" in screen.text("keys")
        assert "L10n.tryAgain" in screen.main.diffs.view.text
        assert "1 changed since HEAD" in screen.text("scope")
        await screen.press("F")
        assert "no task yet: N makes one" in screen.text("status")


async def test_what_cannot_be_read_is_on_the_screen() -> None:
    problem = make.load_problem("tasks/Bad name", message="the folder name has a blank")
    snapshot, assessment = scenes.scene(scenes.login_task(), problems=(problem,))
    behind = driver.door((snapshot, assessment))
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        assert "cannot be read" in screen.text("tasks")
        await screen.press("j", "k", "tab", "g", "enter")
        assert screen.main.selection.kind == "problems"
        assert "the folder name has a blank" in screen.text("request")


async def test_q_goes_back_first_and_quits_from_the_inbox() -> None:
    behind = driver.door()
    app = driver.app(behind)
    async with app.run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("5", "q")
        assert screen.focused == "inbox"
        assert app.is_running
        await pilot.press("q")
        await screen.until(lambda: not app.is_running)
    assert app.return_code == 0


async def test_d_starts_the_demo_only_where_there_is_no_task() -> None:
    behind = driver.door(scenes.empty())
    app = driver.app(behind)
    async with app.run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await pilot.press("D")
        await screen.until(lambda: not app.is_running)
    assert app.return_value == "demo"


async def test_an_item_is_shown_instead_of_the_log_that_was_open() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("6", "tab", "1")
        assert screen.main.has_class("-log")
        await screen.press("j")

        assert screen.main.selection.item_id == "escalation-2"
        assert not screen.main.has_class("-log")
