"""The rows of the last time: there before anything is read, said to be old, gone with the first reading."""

import os
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ags_tui.app.key_rules import why_off
from ags_tui.app.last_shown import EVERY, FIRST, LastRows
from ags_tui.app.state import ShellState, facts_of, selection_of
from ags_tui.core.hints import Hint
from ags_tui.io.outline import RememberedRows
from ags_tui.view.glyphs import UNICODE
from ags_tui.view.remembered import LONGEST, LastShown, from_row, last_rows
from tests import builders as make
from tests.app import driver, scenes

WIDE = (120, 36)
TASKS = ("fix-typo", "login-error-message", "search-api")


class Disk:
    """Task folders on disk, with the file that remembers what was shown of them."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / ".ai"
        self.state = folder / "state"
        for name in TASKS:
            (self.root / "tasks" / name).mkdir(parents=True)
            (self.root / "tasks" / name / "task.json").write_text("{}")
        self.clock = driver.Clock()
        self.clock.now = datetime.now(UTC) + timedelta(hours=1)  # all that was written is settled

    @property
    def memory(self) -> RememberedRows:
        return RememberedRows(self.state, self.root)

    @property
    def file(self) -> Path:
        (file,) = (self.state / "rows").iterdir()
        return file

    def change(self, name: str) -> None:
        path = self.root / "tasks" / name / "task.json"
        path.write_text('{"changed": true}')
        os.utime(path)

    async def session(self) -> None:
        """Start, read, leave."""
        behind = driver.door()
        async with driver.app(behind, self.clock, memory=self.memory).run_test(size=WIDE) as pilot:
            await driver.opened(pilot, behind)

    @asynccontextmanager
    async def unread(self) -> AsyncGenerator[tuple[driver.Screen, threading.Event]]:
        """Start again, and hold the first reading until the event is set."""
        behind, go_on = driver.door(), threading.Event()
        plain = behind.read

        def held(hint: Hint):
            go_on.wait(30)
            return plain(hint)

        behind.read = held  # type: ignore[method-assign]
        try:
            async with driver.app(behind, self.clock, memory=self.memory).run_test(size=WIDE) as pilot:
                screen = driver.Screen(pilot, behind)
                await screen.until(lambda: "fix-typo" in screen.text("tasks"))
                yield screen, go_on
                go_on.set()
        finally:
            go_on.set()


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path)


def line(screen: driver.Screen, name: str) -> str:
    """The line of a task, its blanks drawn together."""
    return next(" ".join(one.split()) for one in screen.text("tasks").split("\n") if name in one)


async def test_a_second_start_shows_the_stages_of_the_last_time_until_it_has_read(disk: Disk) -> None:
    await disk.session()
    async with disk.unread() as (screen, go_on):
        assert line(screen, "login-").endswith(" was implement")
        assert line(screen, "search-api") == "· search-api was plan"
        assert line(screen, "fix-typo") == "· fix-typo was done"
        order = [row.key for row in screen.rows("tasks").rows if row.selectable]
        assert order == ["task:login-error-message", "task:search-api", "task:fix-typo"]

        go_on.set()
        await screen.until(lambda: screen.app.state.assessment is not None)
        await screen.settle()
        assert "was" not in screen.text("tasks")
        assert line(screen, "search-api") == "▲ search-api plan"
        assert not screen.app.state.last_shown


async def test_nothing_is_decided_or_counted_by_what_was_shown_last(disk: Disk) -> None:
    await disk.session()
    async with disk.unread() as (screen, _):
        state = screen.app.state
        assert state.last_shown["login-error-message"].word
        assert not state.pending
        assert not state.tasks
        assert "Reading the task folders" in screen.text("inbox")
        assert screen.text("inbox").split("\n")[0] == "NEEDS YOU"
        assert "need you" not in screen.text("header")
        screen.main.selection = selection_of("task:login-error-message")
        await screen.pilot.pause()
        assert "reading…" in screen.text("about")
        facts = facts_of(state, screen.main.selection)
        for key in ("approve", "deny", "answer", "finalize", "block", "lift", "attest", "close", "tests"):
            assert why_off(key, facts), key
        for name in ("gate", "scope", "log", "request"):
            assert not [row for row in screen.rows(name).rows if row.selectable]


async def test_a_folder_that_has_changed_shows_its_name_alone(disk: Disk) -> None:
    await disk.session()
    disk.change("search-api")
    async with disk.unread() as (screen, _):
        assert line(screen, "search-api") == "· search-api"
        assert line(screen, "fix-typo") == "· fix-typo was done"


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"\xff", b"[]", b'{"version": 1, "rows": {"search-api": [1, 2]}}', b"[" * 100_000],
    ids=["empty", "cut", "no text", "list", "no rows", "deep"],
)
async def test_a_broken_file_is_as_none_and_is_replaced(disk: Disk, data: bytes) -> None:
    await disk.session()
    good = disk.file.read_bytes()
    disk.file.write_bytes(data)
    async with disk.unread() as (screen, go_on):
        assert "was" not in screen.text("tasks")
        assert line(screen, "search-api") == "· search-api"
        go_on.set()
        await screen.until(lambda: screen.app.state.assessment is not None)
    assert disk.file.read_bytes() == good


async def test_a_start_that_finds_all_as_it_was_writes_nothing(disk: Disk) -> None:
    await disk.session()
    before = disk.file.stat()
    await disk.session()
    assert (disk.file.stat().st_ino, disk.file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


async def test_the_file_holds_what_was_shown_at_the_end(disk: Disk) -> None:
    behind = driver.door()
    async with driver.app(behind, disk.clock, memory=disk.memory).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        snapshot, assessment = scenes.busy()
        kept = tuple(task for task in assessment.tasks if task.task_id != "search-api")
        await screen.shows((snapshot, replace(assessment, tasks=kept)))
    async with disk.unread() as (screen, _):
        assert line(screen, "search-api") == "· search-api"
        assert line(screen, "fix-typo") == "· fix-typo was done"


class Memory:
    """A memory that counts."""

    def __init__(self, count: int = 0, *, complete: bool = True) -> None:
        self.rows = {f"t{number:03}": ({"word": "gate"}, True) for number in range(count)}
        self.looks: list[int | None] = []
        self.kept: list[dict[str, float]] = []
        self.complete = complete

    def shown(self, most: int | None = None):
        self.looks.append(most)
        cut = len(self.rows) if most is None else most
        return {name: (row, number < cut) for number, (name, (row, _)) in enumerate(self.rows.items())}

    def keep(self, rows, now: float) -> bool:
        self.kept.append({name: since for name, (_, since) in rows.items()})
        return self.complete


def rows_of(memory: Memory) -> tuple[LastRows, driver.Clock]:
    clock = driver.Clock()
    return LastRows(memory, clock.wall), clock


def test_only_a_screenful_is_looked_into_before_the_first_frame_and_the_rest_once() -> None:
    memory = Memory(FIRST + 10)
    rows, _ = rows_of(memory)
    first = rows.first()
    assert [bool(last.word) for last in first.values()] == [True] * FIRST + [False] * 10
    rest = rows.rest()
    assert rest is not None
    assert all(last.word == "gate" for last in rest.values())
    assert rows.rest() is None
    assert memory.looks == [FIRST, None]

    few, _ = rows_of(Memory(FIRST))
    few.first()
    assert few.rest() is None


def test_readings_in_a_row_are_written_once_and_the_last_of_them_at_the_end() -> None:
    memory = Memory()
    rows, clock = rows_of(memory)
    one, two = make.task_assessment(), make.task_assessment()
    assert one.task is not two.task
    _, scene = scenes.scene(one)
    _, other = scenes.scene(two)
    for number in range(5):
        rows.note((scene, other)[number % 2], 100.0 + number)
    assert [list(kept.values()) for kept in memory.kept] == [[100.0]]
    rows.close()
    assert [list(kept.values()) for kept in memory.kept] == [[100.0], [104.0]]
    rows.close()
    assert len(memory.kept) == 2

    clock.now += timedelta(seconds=EVERY)
    rows.note(other, 200.0)
    assert len(memory.kept) == 3


def test_a_reading_that_changes_nothing_writes_nothing_and_keeps_its_time() -> None:
    memory = Memory()
    rows, clock = rows_of(memory)
    _, scene = scenes.scene(make.task_assessment())
    for number in range(3):
        clock.now += timedelta(seconds=EVERY)
        rows.note(scene, 100.0 + number)
    rows.close()
    assert [list(kept.values()) for kept in memory.kept] == [[100.0]]


def test_what_could_not_be_kept_yet_is_tried_again() -> None:
    memory = Memory(complete=False)
    rows, clock = rows_of(memory)
    _, scene = scenes.scene(make.task_assessment())
    rows.note(scene, 100.0)
    clock.now += timedelta(seconds=EVERY)
    rows.note(scene, 101.0)
    rows.close()
    assert len(memory.kept) == 3


def test_foreign_words_of_the_file_are_inert_and_short() -> None:
    hostile = from_row({"word": "\x1b[31m" + "x" * 200, "frozen": 1, "waiting": "yes"}, same=True)
    assert "\x1b" not in hostile.word
    assert len(hostile.word) <= LONGEST
    assert not hostile.frozen
    assert from_row({"word": ["gate"]}, same=True) == LastShown()
    assert from_row({"word": "gate", "frozen": True}, same=False) == LastShown(frozen=True)


def test_rows_are_those_of_the_folders_that_there_are() -> None:
    shown = {"gone": LastShown("gate"), "b": LastShown("done", frozen=True), "a": LastShown("plan")}
    rows = last_rows(("a", "b", "new"), shown, 40, UNICODE)
    assert [" ".join(row.text.split()) for row in rows] == ["· a was plan", "· new", "· b was done"]


async def test_without_a_memory_names_alone_are_there() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        assert screen.app.state.last_shown == {}
    assert ShellState().last_shown == {}
