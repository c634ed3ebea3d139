"""A scripted human: reads the screen of the real TUI and presses keys, through Textual's pilot.

It knows only what a viewer knows: what waits in the inbox, which screen is open, and what that screen still
asks for. It decides nothing but by keys, so the guards hold for it as for everybody.
"""

import asyncio
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from ags_tui.app.screens.decision import DecisionScreen
from ags_tui.app.screens.escalation import EscalationScreen
from ags_tui.app.screens.finalize import FinalizeScreen
from ags_tui.app.screens.reason import ReasonScreen
from ags_tui.app.widgets.row_list import RowList
from ags_tui.cli.demo import program, project
from ags_tui.cli.demo.texts import Texts
from ags_tui.core.assessment import Pending, PendingKind
from ags_tui.core.failures import AgsError
from ags_tui.view.inbox import item_key, task_key

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from ags_tui.app.app import AgsApp

S = TypeVar("S")

SIZE = (120, 36)
"""Columns and rows of the terminal that is played."""

BREATH_S = 0.35
"""Seconds between two keys: faster is a burst, and a burst decides nothing."""

MOVES = frozenset({"1", "g", "G", "j", "enter"})
"""Keys that only move: nothing is decided by them, so they may come in a burst."""

PATIENCE_S = 60.0
"""Seconds after which a screen that does not do what it should ends the play."""

WHOLE_S = 600.0
"""Seconds after which the play ends in any case."""


class PlayStopped(AgsError):
    """The piece did not go on; the message says where."""


@dataclass(slots=True)
class Story:
    """What happened."""

    lines: list[str] = field(default_factory=list[str])
    """One sentence each, in order."""
    finished: bool = False
    """The task was finalized and the agents have ended."""


def drive(app: "AgsApp", director: "subprocess.Popen[bytes]", texts: Texts) -> Story:
    """Play the human until the task is finalized.

    Args:
        app: The TUI on the demo's repository.
        director: The process that plays the agents.
        texts: Language in which reasons are typed.
    """
    story = Story()
    try:
        asyncio.run(_play(app, director, story, texts))
    except PlayStopped as stopped:
        story.lines.append(f"stopped: {stopped}")
    return story


async def _play(app: "AgsApp", director: "subprocess.Popen[bytes]", story: Story, texts: Texts) -> None:
    async with app.run_test(size=SIZE) as pilot:
        human = Human(app, pilot, story, texts)
        ends = time.monotonic() + WHOLE_S
        while not human.has_finalized() or director.poll() is None:
            if director.poll() not in (None, 0):
                raise PlayStopped(f"an agent ended with exit code {director.returncode}")
            if time.monotonic() > ends:
                raise PlayStopped(f"no end after {WHOLE_S:.0f} s")
            item = human.next_item()
            if item is not None:
                await human.decide(item)
            elif director.poll() == 0 and human.may_finalize():
                await human.finalize()
            else:
                await pilot.pause(0.05)
        story.finished = True


class Human:
    """Sits at the terminal."""

    def __init__(self, app: "AgsApp", pilot: "Pilot[str]", story: Story, texts: Texts) -> None:
        """Sit down.

        Args:
            app: The TUI.
            pilot: Presses keys in it.
            story: Where each decision is told.
            texts: Language in which reasons are typed.
        """
        self.texts = texts
        self.app = app
        self.pilot = pilot
        self.story = story

    def next_item(self) -> Pending | None:
        """The first thing that waits, finalizations aside."""
        return next((item for item in self.app.state.pending if not self._leaves(item)), None)

    @staticmethod
    def _leaves(item: Pending) -> bool:
        """Whether an item can wait: finalizations, and the stray that the agent will take back by itself."""
        strayed = item.kind is PendingKind.EDIT and item.path == program.STRAYED
        return strayed or item.kind is PendingKind.FINALIZATION

    def may_finalize(self) -> bool:
        """Whether nothing is open in the main task but sentences to attest."""
        task = self.app.state.tasks.get(project.TASK_ID)
        if task is None or task.task.log.finalized is not None:
            return False
        return {condition.name for condition in task.gate.open_conditions} <= {"evidence"}

    def has_finalized(self) -> bool:
        """Whether the screen shows the main task as finalized."""
        task = self.app.state.tasks.get(project.TASK_ID)
        return task is not None and task.task.log.finalized is not None

    async def decide(self, item: Pending) -> None:
        """Go to an item, read it, decide."""
        if not await self._go_to(item):
            return  # it left the inbox meanwhile
        if item.kind is PendingKind.ESCALATION:
            told = await self._answer()
        elif item.path == program.STRAYED:
            told = await self._deny(self.texts.deny)
        else:
            told = await self._approve()
        await self._until(lambda: not self._waits(item), f"the end of {item.task_id}/{item.item_id}")
        self.story.lines.append(f"{told}: {item.task_id}/{item.item_id}")

    # -- deciding ------------------------------------------------------------------------------------

    async def _approve(self) -> str:
        await self._press("a")
        screen = await self._screen(DecisionScreen)
        await self._press("G")
        await self._commit(screen)
        return "approved"

    async def _deny(self, reason: str) -> str:
        await self._press("d")
        screen = await self._screen(ReasonScreen)
        for character in reason:
            await self.pilot.press("space" if character == " " else character)
        await self._press("enter")
        await self._until(lambda: screen.committing, "the reason")
        await self._guard_over(screen)
        await self._press("ctrl+o")
        return f"denied, “{reason}”"

    async def _answer(self) -> str:
        await self._press("r")
        screen = await self._screen(EscalationScreen)
        await self._press("G")
        await self.pilot.pause(BREATH_S)
        await self._press("1")
        await self._commit(screen)
        return "answered with the first option"

    async def finalize(self) -> None:
        """Attest what no rule can read, look at every rung, finalize."""
        await self._press("1")
        tasks = self.app.main_screen.query_one("#tasks", RowList)
        tasks.focus()
        await self._move_to(tasks, lambda cursor: cursor == task_key(project.TASK_ID))
        await self._press("enter")
        await self._until(lambda: self.app.main_screen.selection.key == task_key(project.TASK_ID), "the task")
        screen = await self._open_finalize()
        while waiting := [prose for prose in screen.shown.gate.prose if prose.outcome.value == "unknown"]:
            await self._attest(screen, waiting[0].prose_id, len(waiting))
            self.story.lines.append(f"attested: “{waiting[0].text}”")
        await self._press("G")
        await self._commit(screen)
        await self._until(self.has_finalized, "the finalization in the log")
        self.story.lines.append(f"finalized: {project.TASK_ID}")

    async def _open_finalize(self) -> FinalizeScreen:
        """Press F, and again where it did nothing: a decision may still be on its way to the log."""
        ends = time.monotonic() + PATIENCE_S
        while not isinstance(self.app.screen, FinalizeScreen) and time.monotonic() < ends:
            await self._press("F")
            await self.pilot.pause(BREATH_S)
        return await self._screen(FinalizeScreen)

    async def _attest(self, screen: FinalizeScreen, prose_id: str, left: int) -> None:
        """Put the cursor on a sentence and attest it; wait until the log has it."""

        def fewer() -> bool:
            prose = screen.shown.gate.prose
            return sum(1 for one in prose if one.outcome.value == "unknown") < left

        await self._move_to(screen.rows, lambda cursor: prose_id in cursor)
        await self._guard_over(screen)
        await self._press("space")
        await self._until(fewer, f"the attestation of {prose_id}")

    async def _commit(self, screen: "DecisionScreen | EscalationScreen | FinalizeScreen") -> None:
        """Do what the screen still asks for, then press the key that commits."""
        await self._guard_over(screen)
        while (missing := screen.missing()).code and missing.typed < len(missing.code):
            await self._press(missing.code[missing.typed])
        await self._until(lambda: screen.missing().done, "what the screen asks for")
        await self._press("ctrl+o")
        await self._until(lambda: self.app.screen is not screen, "the screen to close")

    # -- looking and moving --------------------------------------------------------------------------

    async def _go_to(self, item: Pending) -> bool:
        """Put the cursor of the inbox on an item and select it."""
        key = item_key(item.task_id, item.item_id, item.place)
        await self._press("1")
        inbox = self.app.main_screen.query_one("#inbox", RowList)
        if not inbox.has(key):
            return False
        await self._move_to(inbox, lambda cursor: cursor == key)
        if self.app.main_screen.selection.key != key:
            await self._press("enter")
        return True

    async def _move_to(self, rows: RowList, there: Callable[[str], bool]) -> None:
        await self._press("g")
        for _ in range(200):
            if there(rows.cursor or ""):
                return
            await self._press("j")
        raise PlayStopped("the cursor does not reach the line")

    async def _screen(self, kind: type[S]) -> S:
        await self._until(lambda: isinstance(self.app.screen, kind), kind.__name__)
        screen: Any = self.app.screen
        return screen

    async def _guard_over(self, screen: Any) -> None:  # noqa: ANN401 (four kinds of screens)
        guard, ticks = screen.guard, self.app.look.ticks
        await self._until(lambda: guard.left(ticks()) <= 0, "the guard time")
        await self.pilot.pause(BREATH_S)

    async def _press(self, key: str) -> None:
        """Press a key; all but those that only move come after a breath."""
        if key not in MOVES:
            await self.pilot.pause(BREATH_S)
        await self.pilot.press(key)

    async def _until(self, fact: Callable[[], bool], what: str) -> None:
        ends = time.monotonic() + PATIENCE_S
        while not fact():
            if time.monotonic() > ends:
                raise PlayStopped(f"waited in vain for {what} on {type(self.app.screen).__name__}")
            await self.pilot.pause(0.05)

    def _waits(self, item: Pending) -> bool:
        """Whether the screen still shows an item as it was."""
        key = (item.task_id, item.item_id, item.place, item.digest)
        return any((one.task_id, one.item_id, one.place, one.digest) == key for one in self.app.state.pending)
