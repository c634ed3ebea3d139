"""A page object over the running app: a door that can be told what it reads, and sentences for tests."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from ags_tui.app.app import AgsApp
from ags_tui.app.look import Look
from ags_tui.app.shell import Outside
from ags_tui.app.widgets.line_bar import LineBar
from ags_tui.app.widgets.row_list import RowList
from ags_tui.core.assessment import Assessment
from ags_tui.core.contracts.task import AgentTask
from ags_tui.core.decisions import Draft
from ags_tui.core.failures import AgsError
from ags_tui.core.hints import EVERYTHING, Hint, WatchState
from ags_tui.core.log_state import LoggedEntry
from ags_tui.core.promotion import Promotion
from ags_tui.core.snapshot import Snapshot
from tests import builders as make
from tests.app import scenes


@dataclass
class Run:
    """How a run of tests ended."""

    passed: bool = True
    summary: str = "1 passed in 0.2 s"


@dataclass
class FakeDoor:
    """A workspace that reads what it is told; everything it was asked for is kept."""

    snapshot: Snapshot
    assessment: Assessment
    recorded: list[Draft] = field(default_factory=list[Draft])
    created: list[AgentTask] = field(default_factory=list[AgentTask])
    promoted: list[Promotion] = field(default_factory=list[Promotion])
    refusal: AgsError | None = None
    diff_data: bytes = scenes.DIFF
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    blobs: dict[str, bytes] = field(default_factory=dict[str, bytes])
    run: Run = field(default_factory=Run)
    lines: tuple[str, ...] = ("collected 1 item", "tests/test_login.py .", "1 passed")
    hints: "asyncio.Queue[Hint]" = field(default_factory=asyncio.Queue[Hint])
    watch_state: WatchState = field(default_factory=WatchState)
    reads: list[Hint] = field(default_factory=list[Hint])
    read_error: Exception | None = None
    observed: frozenset[str] | None = None
    record_gate: threading.Event = field(default_factory=threading.Event)
    run_gate: threading.Event = field(default_factory=threading.Event)
    cancelled: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.record_gate.set()
        self.run_gate.set()

    def task_names(self) -> tuple[str, ...]:
        return tuple(task.task_id for task in self.snapshot.tasks)

    def read(self, hint: Hint) -> Snapshot:
        self.reads.append(hint)
        if self.read_error is not None:
            raise self.read_error
        return self.snapshot

    def assess(self, snapshot: Snapshot, now: datetime) -> Assessment:
        return self.assessment

    async def watch(self) -> AsyncIterator[Hint]:
        while True:
            yield await self.hints.get()

    def observe(self, snapshot: Snapshot, now: datetime, more: Sequence[Draft] = ()) -> int:
        return 0

    def record(self, draft: Draft) -> LoggedEntry:
        self.record_gate.wait(10)
        if self.refusal is not None:
            raise self.refusal
        self.recorded.append(draft)
        return make.entry(draft.kind, draft.verdict, draft.subject_id, sequence=7)

    def diff(self, task_id: str | None, path: str) -> bytes:
        return self.diff_data

    def evidence(self, task_id: str, ref: str) -> str:
        return f"{task_id} {ref}"

    def blob(self, oid: str) -> bytes:
        return self.blobs.get(oid, b"")

    def work_file(self, path: str) -> bytes | None:
        return self.files.get(path)

    def new_task(self, task: AgentTask) -> Path:
        if self.refusal is not None:
            raise self.refusal
        self.created.append(task)
        return Path(task.id)

    def promote(self, promotion: Promotion) -> Path:
        if self.refusal is not None:
            raise self.refusal
        self.promoted.append(promotion)
        return Path(promotion.task.id)

    def run_checks(self, task_id: str, *, on_line: Callable[[str], None], cancel: threading.Event) -> Run:
        for line in self.lines:
            on_line(line)
        while not self.run_gate.wait(0.02):
            if cancel.is_set():
                self.cancelled.set()
                return Run(False, "cancelled")
        return self.run


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = make.NOW
        self.seconds = 1000.0
        self.step = 1.0

    def wall(self) -> datetime:
        return self.now

    def ticks(self) -> float:
        self.seconds += self.step  # every look comes long after the one before
        return self.seconds


def door(scene: tuple[Snapshot, Assessment] | None = None, **fields: Any) -> FakeDoor:
    """A door with a scene behind it."""
    snapshot, assessment = scene or scenes.busy()
    return FakeDoor(snapshot, assessment, **fields)


def app(
    behind: FakeDoor, clock: Clock | None = None, look: dict[str, Any] | None = None, **outside: Any
) -> AgsApp:
    """The app on a door, with frozen clocks."""
    clock = clock or Clock()
    wanted = Look(clock=clock.wall, ticks=clock.ticks, zone=UTC)
    defaults: dict[str, Any] = {"watched": (".ai/tasks", "work tree"), "environment": {}}
    given = Outside(assess=behind.assess, **{**defaults, **outside})
    return AgsApp(behind, replace(wanted, **(look or {})), given)


class Screen:
    """What a test says about the running app."""

    def __init__(self, pilot: Pilot[str], behind: FakeDoor) -> None:
        self.pilot = pilot
        self.app: AgsApp = pilot.app  # type: ignore[assignment]
        self.door = behind

    @property
    def main(self) -> Any:
        return self.app.main_screen

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.settle()

    async def press_soon(self, *keys: str) -> None:
        """Press without waiting for what the keys start."""
        await self.pilot.press(*keys)

    async def settle(self) -> None:
        """Wait until nothing is under way: workers but the watch, messages, paint."""
        for _ in range(50):
            await self.pilot.pause()
            busy = [w for w in self.app.workers if not w.is_finished and w.name != "watch"]
            if not busy:
                break
            await self.app.workers.wait_for_complete(busy)
        await self.pilot.pause()

    async def until(self, fact: Callable[[], bool], seconds: float = 5.0) -> None:
        """Wait for a fact."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not fact():
            assert loop.time() < end, "the fact did not come true"
            await self.pilot.pause(0.01)

    async def shows(self, scene: tuple[Snapshot, Assessment]) -> None:
        """Let something change on disk, and wait until the screen has it."""
        self.door.snapshot, self.door.assessment = scene
        self.door.hints.put_nowait(EVERYTHING)
        await self.until(lambda: self.app.state.assessment is scene[1])
        await self.settle()

    def text(self, name: str) -> str:
        """All text of a pane or bar."""
        widget = self.app.screen.query_one(f"#{name}")
        assert isinstance(widget, RowList | LineBar)
        return widget.text

    def rows(self, name: str) -> RowList:
        """A list."""
        return self.app.screen.query_one(f"#{name}", RowList)

    @property
    def focused(self) -> str:
        """Id of what has the focus."""
        return "" if self.app.focused is None else self.app.focused.id or ""


class Live(Screen):
    """The app on a real workspace."""

    def __init__(self, pilot: Pilot[str]) -> None:
        super().__init__(pilot, door())

    async def until(self, fact: Callable[[], bool], seconds: float = 20.0) -> None:
        """Wait for a fact; disks and git take their time."""
        await super().until(fact, seconds)

    def text(self, name: str) -> str:
        """All text of a pane of the main screen, whatever lies over it."""
        widget = self.app.main_screen.query_one(f"#{name}")
        assert isinstance(widget, RowList | LineBar)
        return widget.text

    async def quiet(self) -> None:
        """Wait until deciding keys are no longer taken for repeats of the one that closed a dialog."""
        main = self.app.main_screen
        await self.until(lambda: main.look.ticks() >= main.dispatch._quiet_until)

    async def commit(self, key: str) -> None:
        """Press a deciding key until the guard takes it: it wants quiet before and after."""
        top = self.app.screen
        loop = asyncio.get_running_loop()
        end = loop.time() + 20
        while self.app.screen is top:
            assert loop.time() < end, "the decision was not taken"
            await self.pilot.pause(0.4)
            await self.pilot.press(key)
            await self.pilot.pause(0.4)


async def opened(pilot: Pilot[str], behind: FakeDoor) -> Screen:
    """Wait until the first assessment is on the screen."""
    screen = Screen(pilot, behind)
    await screen.until(lambda: screen.app.state.assessment is not None)
    await screen.settle()
    return screen
