"""Reading: one run at a time, newer hints cause one trailing run, failures are said."""

import gc
import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from textual.message import Message

from ags_tui.app.messages import AssessmentReady, ReadFailed, SnapshotTaken
from ags_tui.app.reading import Reader, merged
from ags_tui.core.failures import AgsError
from ags_tui.core.hints import EVERYTHING, Hint, WatchState
from tests import builders as make
from tests.app import driver, scenes

WIDE = (120, 36)


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        (Hint(tasks=frozenset("a")), Hint(tasks=frozenset("b")), Hint(tasks=frozenset("ab"))),
        (Hint(tasks=None), Hint(tasks=frozenset("b")), Hint(tasks=None)),
        (Hint(paths=frozenset("x")), Hint(paths=None), Hint(paths=None)),
        (Hint(git=True), Hint(paths=frozenset("x")), Hint(git=True, paths=frozenset("x"))),
        (Hint(state_changed=True), Hint(), Hint(state_changed=True)),
    ],
)
def test_merged_hints_look_wherever_one_of_them_looks(first: Hint, second: Hint, both: Hint) -> None:
    assert merged(first, second) == both
    assert merged(second, first) == both


def reader(behind: driver.FakeDoor) -> tuple[Reader, list[Message]]:
    posted: list[Message] = []
    return Reader(behind, posted.append, driver.Clock().wall, behind.assess), posted


async def test_hints_while_reading_cause_exactly_one_trailing_run() -> None:
    behind = driver.door()
    made, posted = reader(behind)
    inside, go_on = threading.Event(), threading.Event()
    plain = behind.read

    def slow(hint: Hint):
        inside.set()
        go_on.wait(10)
        return plain(hint)

    behind.read = slow  # type: ignore[method-assign]
    assert made.ask(Hint(tasks=frozenset({"a"})))
    thread = threading.Thread(target=made.run)
    thread.start()
    inside.wait(10)
    assert [made.ask(Hint(tasks=frozenset({name}))) for name in "bcd"] == [False, False, False]
    go_on.set()
    thread.join(10)

    assert [hint.tasks for hint in behind.reads] == [frozenset("a"), frozenset("bcd")]
    assert [type(message) for message in posted] == [SnapshotTaken, AssessmentReady] * 2
    assert made.ask(Hint())


async def test_what_the_system_recorded_is_read_again_once() -> None:
    behind = driver.door()
    behind.observe = lambda snapshot, now, more: 3  # type: ignore[method-assign]
    made, _ = reader(behind)
    made.ask(EVERYTHING)
    made.run()

    assert [hint.why for hint in behind.reads] == ["", "observed"]
    assert behind.reads[1].tasks is None


async def test_only_the_logs_that_have_grown_are_read_again() -> None:
    behind = driver.door(observed=frozenset({"b"}))
    behind.observe = lambda snapshot, now, more: 1  # type: ignore[method-assign]
    made, _ = reader(behind)
    made.ask(EVERYTHING)
    made.run()

    assert behind.reads == [EVERYTHING, replace(EVERYTHING, tasks=frozenset({"b"}), why="observed")]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (AgsError("no work tree any more"), "no work tree any more"),
        (PermissionError(13, "Permission denied", "/w/.ai"), "Permission denied: /w/.ai"),
        (RuntimeError("oops"), "own failure: RuntimeError: oops"),
    ],
)
async def test_a_failed_reading_is_a_message_and_the_next_one_works(error: Exception, said: str) -> None:
    behind = driver.door()
    made, posted = reader(behind)
    behind.read_error = error
    made.ask(Hint())
    made.run()
    behind.read_error = None
    made.ask(Hint())
    made.run()

    assert isinstance(posted[0], ReadFailed)
    assert said in posted[0].reason
    assert [type(message) for message in posted[1:]] == [SnapshotTaken, AssessmentReady]


async def test_the_collector_is_as_it_was_after_reading() -> None:
    behind = driver.door()
    made, _ = reader(behind)
    assert gc.isenabled()
    behind.read_error = AgsError("x")
    made.ask(Hint())
    made.run()
    assert gc.isenabled()


async def test_the_app_reads_everything_at_the_start_and_where_hints_point() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        assert behind.reads == [EVERYTHING]
        behind.hints.put_nowait(Hint(tasks=frozenset({"search-api"})))
        await screen.until(lambda: len(behind.reads) == 2)
        assert behind.reads[1].tasks == frozenset({"search-api"})


async def test_a_reading_that_fails_keeps_the_last_state_and_says_so() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        behind.read_error = AgsError("the folder is gone [/]")
        behind.hints.put_nowait(EVERYTHING)
        await screen.until(lambda: "may be old" in screen.text("status"))

        assert "not read: the folder is gone [/]" in screen.text("status")
        assert "edit_file" in screen.text("inbox")


async def test_the_watch_mode_is_on_the_screen() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        assert "watching by events" in screen.text("status")
        behind.watch_state = WatchState("polling", "inotify limit reached")
        behind.hints.put_nowait(Hint(state_changed=True))
        await screen.until(lambda: "polling: inotify limit reached" in screen.text("status"))


async def test_a_watch_that_ends_says_so() -> None:
    behind = driver.door()

    async def broken():
        raise AgsError("no inotify")
        yield

    behind.watch = broken  # type: ignore[method-assign]
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.until(lambda: "stopped: no inotify; restart" in screen.text("status"))


async def test_the_screen_looks_again_when_a_request_expires() -> None:
    soon = replace(scenes.edit_request(), expires_at=make.NOW + timedelta(milliseconds=150))
    behind = driver.door(scenes.scene(make.task_assessment(pending=(soon,))))
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.until(lambda: any(hint.why == "a request expires" for hint in behind.reads))


async def test_ages_are_drawn_again_by_the_clock_and_only_where_they_differ() -> None:
    clock = driver.Clock()
    behind = driver.door()
    async with driver.app(behind, clock).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        assert "4m" in screen.text("inbox")
        clock.now += timedelta(minutes=3)
        screen.main.panes.tick()

        assert "7m" in screen.text("inbox")
        assert "oldest 7m" in screen.text("header")
        assert "ends 53m" in screen.text("inbox")


async def test_a_sentence_leaves_the_status_line_after_a_while() -> None:
    clock = driver.Clock()
    behind = driver.door(scenes.scene(scenes.done_task()))
    async with driver.app(behind, clock).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("n")
        screen.main.panes.tick()
        assert "/ searches" in screen.text("status")
        clock.now += timedelta(seconds=9)
        screen.main.panes.tick()
        assert "/ searches" not in screen.text("status")
        assert "watching by events" in screen.text("status")


async def test_coming_back_to_the_terminal_looks_at_the_whole_work_tree() -> None:
    from textual import events

    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        screen.app.post_message(events.AppBlur())
        screen.app.post_message(events.AppFocus())
        await screen.until(lambda: behind.reads[-1].why == "focus")

        assert behind.reads[-1].paths is None
        assert behind.reads[-1].git
