"""Which call past the gate a key means: the one under the cursor, or the next one of the selected task."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ags_tui.app.state import ShellState, task_of
from ags_tui.app.widgets.row_list import RowList
from ags_tui.core.assessment import TaskAssessment
from ags_tui.core.session_calls import UNGATED_PREFIX
from ags_tui.core.snapshot import CallRecord
from ags_tui.view.sessions import call_key, call_of_key, calls_of

if TYPE_CHECKING:
    from ags_tui.app.screens.main import MainScreen
    from ags_tui.core.decisions import Draft

CODES = frozenset({"UNGATED_CALL", "DENIED_BUT_APPLIED"})
"""Findings that hold a gate until a human has looked at the call."""


@dataclass(frozen=True, slots=True)
class PastGate:
    """A call that ran past the gate and that nobody has put away."""

    task_id: str
    """Task whose gate it holds."""
    call: CallRecord
    """The call."""

    def draft(self) -> "Draft":
        """Draft that a human has looked at it."""
        from ags_tui.core import drafts

        return drafts.dismiss(self.task_id, UNGATED_PREFIX + self.call.call_id, self.call.digest)


def open_calls(task: TaskAssessment) -> tuple[PastGate, ...]:
    """Give the calls past the gate that hold a task's gate.

    Args:
        task: The task.
    """
    held = {one.artifact for one in task.findings if one.code in CODES}
    return tuple(PastGate(task.task_id, call) for call in task.task.ungated if call.call_id in held)


def call_under(state: ShellState, key: str) -> PastGate | None:
    """Give the call of a row of the calls pane, where it holds a gate.

    Args:
        state: What is shown.
        key: Of the row.
    """
    found = call_of_key(state.sessions, key)
    if found is None:
        return None
    open_now = (one for task in state.tasks.values() for one in open_calls(task))
    mine = (found.session, found.call_id)
    return next((one for one in open_now if (one.call.session, one.call.call_id) == mine), None)


def meant(screen: "MainScreen") -> PastGate | None:
    """Give the call that is meant: under the cursor of the calls, or of the selected task at its gate.

    Args:
        screen: The main screen.
    """
    pane = screen.moves.focused_pane()
    if pane == "calls":
        return call_under(screen.state, screen.query_one("#calls", RowList).cursor or "")
    task = task_of(screen.state, screen.selection)
    if pane != "gate" or task is None:
        return None
    on_row = screen.query_one("#gate", RowList).cursor == "gate:requests"
    return next(iter(open_calls(task)), None) if on_row else None


def row_of(state: ShellState, past: PastGate) -> str:
    """Give the key of a call's row in the calls pane; empty where it is too long ago to be shown.

    Args:
        state: What is shown.
        past: The call.
    """
    seen = next((one for one in state.sessions if one.record.session == past.call.session), None)
    calls = () if seen is None else calls_of(seen.lines)
    return next((call_key(call) for call in calls if call.call_id == past.call.call_id), "")
