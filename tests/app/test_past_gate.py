"""A call past the gate holds the gate of its task until a human has looked at it: ``x`` puts it away."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from ags_tui.app.past_gate import call_under, open_calls, row_of
from ags_tui.app.state import ShellState
from ags_tui.core.activity import APPLIED, UNGATED
from ags_tui.core.assessment import Assessment
from ags_tui.core.checks.assess import assess
from ags_tui.core.session_calls import PUT_AWAY, calls_seen
from ags_tui.core.snapshot import CallRecord, Snapshot
from tests import builders as make
from tests.app import beside, driver
from tests.app.beside import FakeBeside, line, session

WIDE, NARROW = (120, 36), (80, 24)
DIGEST = f"sha256:{'a' * 64}"


def record(call_id: str, denied: str | None = None) -> CallRecord:
    return CallRecord(call_id, beside.SESSION, "codex", "Bash", "touch made", denied, DIGEST)


def scene(*calls: CallRecord, put_away: Sequence[str] = ()) -> tuple[Snapshot, Assessment]:
    entries = [make.entry("request", "dismissed", one, sequence=90 + n) for n, one in enumerate(put_away)]
    task = make.task_snapshot(ungated=calls, entries=entries)
    snapshot = make.snapshot(task)
    return snapshot, assess(snapshot, make.NOW)


def lines(*call_ids: str) -> FakeBeside:
    rows: list[Any] = []
    for call_id in call_ids:
        rows += [line("", call_id, event=event, command="touch made", ago=60) for event in (APPLIED, UNGATED)]
    return FakeBeside((session(*rows, line(call_id="fine")),))


@asynccontextmanager
async def shown(
    behind: FakeBeside, *calls: CallRecord, size: tuple[int, int] = WIDE
) -> AsyncGenerator[tuple[driver.Screen, driver.FakeDoor]]:
    door = driver.door(scene(*calls))
    async with driver.app(door, beside=behind).run_test(size=size) as pilot:
        screen = await driver.opened(pilot, door)
        await screen.until(lambda: screen.app.state.sessions == behind.seen)
        await screen.settle()
        yield screen, door


def test_what_was_put_away_holds_nothing_any_more():
    (task,) = scene(record("c1"), record("c2", "no"))[1].tasks
    assert [one.call.call_id for one in open_calls(task)] == ["c1", "c2"]
    assert task.gate.conditions[4].outcome.value == "failed"
    (task,) = scene(record("c1"), put_away=("ungated-c1",))[1].tasks
    assert open_calls(task) == ()
    assert task.gate.conditions[4].outcome.value == "passed"


def test_a_row_stands_for_the_call_of_its_session_alone():
    snapshot, assessment = scene(record("c1"))
    (task,) = assessment.tasks
    state = ShellState(snapshot=snapshot, tasks={task.task_id: task}, sessions=lines("c1").seen)
    (past,) = open_calls(task)
    key = row_of(state, past)
    assert call_under(state, key) == past
    assert call_under(state, key.replace("c1", "fine")) is None
    assert call_under(state, "") is None
    assert row_of(ShellState(), past) == ""


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_x_on_the_call_puts_it_away(size: tuple[int, int]):
    async with shown(lines("c1"), record("c1"), size=size) as (screen, door):
        await screen.press("7", "g", "x")
        assert "Only expired or withdrawn" in screen.text("status"), "the newest call is fine"
        await screen.press("j")
        assert "x dismiss" in screen.text("keys")
        await screen.press("x")
        await screen.until(lambda: bool(door.recorded))
        (draft,) = door.recorded
        assert (draft.kind, draft.verdict, draft.subject_id) == ("request", "dismissed", "ungated-c1")
        assert draft.subject_digest == DIGEST
        assert screen.focused == "calls"


async def test_x_at_the_gate_shows_the_call_first():
    async with shown(lines("c1"), record("c1")) as (screen, door):
        await screen.press("5")
        gate = screen.main.query_one("#gate", driver.RowList)
        assert gate.select("gate:requests", by_human=True)
        await screen.press("x")
        calls = screen.main.query_one("#calls", driver.RowList)
        await screen.until(lambda: screen.focused == "calls" and (calls.cursor or "").endswith("/c1"))
        assert "Look at what it did" in screen.text("status")
        assert door.recorded == []
        await screen.press("x")
        await screen.until(lambda: bool(door.recorded))


async def test_x_at_the_gate_puts_away_what_is_too_long_ago_to_be_shown():
    async with shown(FakeBeside((session(line()),)), record("old", "no")) as (screen, door):
        await screen.press("5")
        gate = screen.main.query_one("#gate", driver.RowList)
        assert gate.select("gate:requests", by_human=True)
        await screen.press("x")
        await screen.until(lambda: bool(door.recorded))
        assert door.recorded[0].subject_id == "ungated-old"


async def test_what_was_put_away_is_calm_everywhere():
    past = (line("", name, event=UNGATED, command=f"touch {name}", ago=60) for name in ("c1", "c2"))
    behind = FakeBeside((session(*past),))
    calls = (record("c1"), record("c2"))
    async with shown(behind, *calls) as (screen, _):
        await screen.until(lambda: screen.app.state.unread == 2)
        assert "not gated" in screen.text("header")
        assert "7 shows it, x puts it away" in screen.text("alarm")
        await screen.shows(scene(*calls, put_away=("ungated-c2",)))
        await screen.until(lambda: screen.app.state.unread == 1)
        await screen.shows(scene(*calls, put_away=("ungated-c1", "ungated-c2")))
        await screen.until(lambda: screen.app.state.alarms == ())
        assert screen.app.state.unread == 0
        await screen.press("7")
        await screen.settle()
        assert "not gated" not in screen.text("header")
        assert [call.state for call in calls_seen(behind.seen[0], screen.app.state.away)] == [PUT_AWAY] * 2
