"""What the lines of a session say together: its calls with what became of them, and what it touched. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ags_tui.core.activity import ALARM, APPLIED, FAILED, UNGATED, VERDICT, WITHDRAWN, ActivityLine
from ags_tui.core.sessions import SessionRecord

if TYPE_CHECKING:
    from ags_tui.core.snapshot import TaskSnapshot

UNGATED_PREFIX = "ungated-"
"""How the subject begins of a ``request dismissed`` entry by which a human puts a past call away."""
PUT_AWAY = "put-away"
"""State of a call past the gate that a human has looked at."""
Away = frozenset[tuple[str, str]]
"""Task and id of each call past the gate that a human put away."""
NONE_AWAY: Away = frozenset()
"""Nobody has put a call away."""

ALARMING = timedelta(hours=24)
"""How long what went wrong in a session is shown as an alarm."""


@dataclass(frozen=True, slots=True, eq=False)
class SessionSeen:
    """A session and its last events; compared by identity."""

    record: SessionRecord
    """What is remembered of it."""
    lines: tuple[ActivityLine, ...] = ()
    """Its last events, oldest first."""

    @property
    def last(self) -> ActivityLine | None:
        """Its newest event; None where none was seen."""
        return self.lines[-1] if self.lines else None


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool, with what became of it."""

    session: str
    """Session of the client."""
    call_id: str
    """Its id."""
    asked: ActivityLine
    """The line that says most about it: its last verdict, else the line that says that it happened."""
    state: str
    """``allow``, ``ask`` (a human is asked), ``deny``, ``defer``, ``ungated`` or ``put-away``."""
    at: datetime
    """When it was first seen, UTC."""
    effect: str = ""
    """``applied`` or ``failed``, as the client says; empty while it says nothing."""

    @property
    def what(self) -> str:
        """The shell line or the paths. Raw text."""
        return self.asked.command or " ".join(self.asked.paths) or self.asked.name

    @property
    def source(self) -> str:
        """Who decided, as the activity log names it."""
        return "" if self.state in ("ask", "ungated", PUT_AWAY) else self.asked.source


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something that a human must look at."""

    at: datetime
    """When, UTC."""
    text: str
    """What, in one sentence. Raw text."""
    past_gate: bool = False
    """Whether it is about a call past the gate, which holds a gate until a human puts it away."""


def calls_of(lines: Iterable[ActivityLine]) -> tuple[Call, ...]:
    """Join the lines of each call, newest call first.

    Args:
        lines: Events of one session, oldest first.
    """
    by_call: dict[str, list[ActivityLine]] = {}
    for line in lines:
        if line.call_id and line.event in (VERDICT, APPLIED, FAILED, UNGATED):
            by_call.setdefault(line.call_id, []).append(line)
    found = [_call(call_id, rows) for call_id, rows in by_call.items()]
    return tuple(sorted(found, key=lambda call: call.at, reverse=True))


def _call(call_id: str, rows: Sequence[ActivityLine]) -> Call:
    verdicts = [row for row in rows if row.event == VERDICT]
    ungated = any(row.event == UNGATED for row in rows) and not any(row.lets() for row in verdicts)
    effect = next((row.event for row in reversed(rows) if row.event in (APPLIED, FAILED)), "")
    shown = verdicts[-1] if verdicts else rows[0]
    state = "ungated" if ungated or not verdicts else shown.decision
    return Call(shown.session, call_id, shown, state, rows[0].at, effect)


def touched(seen: SessionSeen) -> tuple[str, ...]:
    """Paths of the edits of a session that were let through, newest first, each once. Raw text.

    Args:
        seen: The session; only its last events are looked at.
    """
    return tuple(dict.fromkeys(path for call in edits_let(seen) for path in call.asked.paths))


def edits_let(seen: SessionSeen) -> tuple[Call, ...]:
    """Edits of a session that were let through and did not fail, newest first.

    Args:
        seen: The session; only its last events are looked at.
    """
    edits = (call for call in calls_of(seen.lines) if call.asked.tool == "edit_file")
    return tuple(
        call for call in edits if call.state in ("allow", "defer", "ungated") and call.effect != FAILED
    )


def waiting(seen: SessionSeen) -> tuple[Call, ...]:
    """Calls of a session about which a human is asked, newest first.

    Args:
        seen: The session.
    """
    return tuple(call for call in calls_of(seen.lines) if call.state == "ask")


def put_away(task: "TaskSnapshot") -> frozenset[str]:
    """Ids of the calls past the gate of a task that a human put away, as its log says.

    Args:
        task: The task.
    """
    if not task.ungated:
        return frozenset()
    dismissed = {
        row.entry.subject.id
        for row in task.log.entries
        if row.counted and (row.entry.kind, row.entry.verdict) == ("request", "dismissed")
    }
    return frozenset(call.call_id for call in task.ungated if UNGATED_PREFIX + call.call_id in dismissed)


def away_of(tasks: Iterable["TaskSnapshot"]) -> Away:
    """Task and id of each call past the gate that a human put away.

    Args:
        tasks: All tasks.
    """
    return frozenset((task.task_id, call_id) for task in tasks for call_id in put_away(task))


def calls_seen(seen: SessionSeen, away: Away = NONE_AWAY) -> tuple[Call, ...]:
    """Calls of a session, newest first; of those past the gate it is known whether a human put them away.

    Args:
        seen: The session.
        away: What a human put away.
    """
    return tuple(
        replace(call, state=PUT_AWAY)
        if call.state == "ungated" and (call.asked.task or seen.record.task, call.call_id) in away
        else call
        for call in calls_of(seen.lines)
    )


def alarms_of(sessions: Iterable[SessionSeen], now: datetime, away: Away = NONE_AWAY) -> tuple[Alarm, ...]:
    """What went wrong in sessions lately: settings changed under a running client, calls past the gate.

    Args:
        sessions: All sessions.
        now: The wall clock, UTC.
        away: Calls past the gate that a human put away; they are no alarm any more.
    """
    found: list[Alarm] = []
    for seen in sessions:
        agent = seen.record.agent or "an agent"
        for line in seen.lines:
            if line.event == ALARM and now - line.at < ALARMING:
                found.append(Alarm(line.at, line.reason or f"{agent}: its settings changed while it ran"))
        for call in calls_seen(seen, away):
            if call.state == "ungated" and now - call.at < ALARMING:
                text = f"{agent}: {call.asked.name} ran past the gate: {call.what}"
                found.append(Alarm(call.at, text, past_gate=True))
    return tuple(sorted(found, key=lambda alarm: alarm.at))


def past_gate(sessions: Iterable[SessionSeen]) -> frozenset[tuple[str, str]]:
    """Task and id of each call that ran past the gate.

    Args:
        sessions: All sessions.
    """
    return frozenset(
        (call.asked.task or seen.record.task, call.call_id)
        for seen in sessions
        for call in calls_of(seen.lines)
        if call.state == "ungated"
    )


def is_withdrawn(call: Call) -> bool:
    """Whether the question about a call was taken back before anybody decided it."""
    return call.asked.source == WITHDRAWN
