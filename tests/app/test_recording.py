"""From a draft to the log and back to the screen: nothing is shown as decided before the log holds it."""

import asyncio

import pytest

from ags_tui.app.messages import DecisionDrafted
from ags_tui.core import drafts
from ags_tui.core.assessment import RequestState
from ags_tui.core.failures import AgsError
from tests import builders as make
from tests.app import driver, scenes

WIDE = (120, 36)


def denial():
    return drafts.deny(scenes.edit_request(), "범위 밖이다")


async def test_a_decision_is_recorded_and_read_back() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        reads = len(behind.reads)
        screen.main.post_message(DecisionDrafted(denial()))
        await screen.until(lambda: bool(behind.recorded))
        await screen.settle()

        assert behind.recorded == [denial()]
        assert "denied: tool-014 · log 000007" in screen.text("status")
        assert [hint.tasks for hint in behind.reads[reads:]] == [frozenset({make.TASK_ID})]


async def test_while_recording_deciding_keys_are_off_and_the_item_is_still_there() -> None:
    behind = driver.door()
    behind.record_gate.clear()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        screen.main.post_message(DecisionDrafted(denial()))
        await screen.until(lambda: screen.app.state.recording)
        await pilot.pause()

        assert "recording…" in screen.text("status")
        assert "edit_file" in screen.text("inbox")
        await pilot.press("a")
        await pilot.press("d")
        assert len(screen.app.screen_stack) == 1
        await pilot.press("q")
        assert screen.app.is_running

        behind.record_gate.set()
        await screen.until(lambda: not screen.app.state.recording)
        await screen.settle()
        assert behind.recorded == [denial()]


async def test_a_second_decision_is_not_taken_while_one_is_recorded() -> None:
    behind = driver.door()
    behind.record_gate.clear()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        screen.main.post_message(DecisionDrafted(denial()))
        screen.main.post_message(DecisionDrafted(drafts.deny(scenes.edit_request(), "again")))
        await screen.until(lambda: screen.app.state.recording)
        await pilot.pause()
        behind.record_gate.set()
        await screen.settle()

        assert behind.recorded == [denial()]


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        (AgsError("the log has grown since: look again"), "not recorded: the log has grown since"),
        (AgsError("[/] \x1b[2J"), "not recorded: [/] \\x1b[2J"),
    ],
)
async def test_a_refused_decision_says_why_and_reads_again(refusal: AgsError, said: str) -> None:
    behind = driver.door(refusal=refusal)
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        reads = len(behind.reads)
        screen.main.post_message(DecisionDrafted(denial()))
        await screen.until(lambda: len(behind.reads) > reads)
        await screen.settle()

        assert said in screen.text("status")
        assert behind.recorded == []
        assert "edit_file" in screen.text("inbox")


async def test_an_own_failure_while_recording_is_said_too() -> None:
    behind = driver.door(refusal=ValueError("no such verdict"))  # type: ignore[arg-type]
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        screen.main.post_message(DecisionDrafted(denial()))
        await screen.until(lambda: "own failure" in screen.text("status"))

        assert screen.app.is_running
        assert not screen.app.state.recording


async def test_an_expired_request_is_put_away_by_x() -> None:
    status = make.request_status("tool-009", state=RequestState.EXPIRED)
    behind = driver.door(scenes.scene(make.task_assessment(requests=(status,))))
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        assert screen.main.selection.item_id == "tool-009"
        await screen.press("x")
        await screen.until(lambda: bool(behind.recorded))

        (draft,) = behind.recorded
        assert (draft.kind, draft.verdict, draft.subject_id, draft.subject_digest) == (
            "request", "dismissed", "tool-009", status.digest,
        )  # fmt: skip


async def test_x_does_nothing_to_a_request_that_waits() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("x")

        assert behind.recorded == []
        assert "Only expired or withdrawn" in screen.text("status")


async def test_a_and_enter_open_the_decision_and_decide_nothing() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        for key in ("a", "enter", "ctrl+a"):
            await screen.press(key)
            assert type(screen.app.screen).__name__ == "DecisionScreen", key
            await asyncio.sleep(0)
            screen.app.pop_screen()
            await screen.settle()
        assert behind.recorded == []


async def test_a_held_enter_opens_nothing_again_after_a_screen_closed() -> None:
    clock = driver.Clock()
    behind = driver.door()
    async with driver.app(behind, clock).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("question_mark")
        clock.step = 0.03
        await screen.press("escape")
        for _ in range(30):
            await screen.press("enter")
        assert len(screen.app.screen_stack) == 1

        clock.step = 1.0
        await screen.press("enter")
        assert len(screen.app.screen_stack) == 2
    assert behind.recorded == []
