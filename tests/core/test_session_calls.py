"""Calls joined from the lines of a session: what each got, from whom, what was touched, what alarms."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ags_tui.core.activity import ALARM, APPLIED, FAILED, UNGATED, VERDICT, ActivityLine
from ags_tui.core.session_calls import SessionSeen, alarms_of, calls_of, touched, waiting
from ags_tui.core.sessions import SessionRecord

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
RECORD = SessionRecord("s1", "session-s1", "/w", agent="codex")


def line(event: str = VERDICT, decision: str = "", call_id: str = "c1", *, ago: int = 0, **more: Any):
    made = ActivityLine(
        NOW - timedelta(seconds=ago), event, "s1", "codex", call_id=call_id, tool="shell", name="Bash",
        command="npm test", decision=decision,
    )  # fmt: skip
    return replace(made, **more)


@pytest.mark.parametrize(
    ("lines", "state", "source", "effect"),
    [
        ([line(decision="allow", source="built-in")], "allow", "built-in", ""),
        ([line(decision="ask"), line(decision="allow", source="human")], "allow", "human", ""),
        ([line(decision="ask", source="built-in")], "ask", "", ""),
        ([line(decision="ask"), line(decision="deny", source="timeout")], "deny", "timeout", ""),
        ([line(decision="ask"), line(decision="deny", source="withdrawn")], "deny", "withdrawn", ""),
        ([line(decision="allow", source="plan"), line(APPLIED)], "allow", "plan", "applied"),
        ([line(decision="allow", source="plan"), line(FAILED)], "allow", "plan", "failed"),
        ([line(APPLIED), line(UNGATED)], "ungated", "", "applied"),
        ([line(decision="deny"), line(APPLIED), line(UNGATED)], "ungated", "", "applied"),
        ([line(UNGATED), line(decision="allow", source="user")], "allow", "user", ""),
    ],
)
def test_what_became_of_a_call(lines: list[ActivityLine], state: str, source: str, effect: str) -> None:
    (call,) = calls_of(lines)
    assert (call.state, call.source, call.effect) == (state, source, effect)


def test_calls_stand_newest_first_and_keep_the_moment_at_which_they_were_asked() -> None:
    lines = [
        line(decision="ask", ago=50), line(decision="allow", call_id="c2", ago=20),
        line(decision="allow", ago=1),
    ]  # fmt: skip
    assert [(call.call_id, call.at) for call in calls_of(lines)] == [
        ("c2", NOW - timedelta(seconds=20)),
        ("c1", NOW - timedelta(seconds=50)),
    ]


def test_touched_are_files_of_edits_that_were_let_through() -> None:
    def edit(call_id: str, decision: str, path: str, **more: Any) -> ActivityLine:
        return line(decision=decision, call_id=call_id, tool="edit_file", command="", paths=(path,), **more)

    lines = (
        edit("1", "allow", "a.py", ago=9), edit("2", "deny", "b.py", ago=8),
        edit("3", "allow", "c.py", ago=7),
        line(FAILED, call_id="3", ago=6), edit("4", "allow", "a.py", ago=5), edit("5", "ask", "d.py", ago=4),
    )  # fmt: skip
    seen = SessionSeen(RECORD, lines)
    assert touched(seen) == ("a.py",)
    assert [call.call_id for call in waiting(seen)] == ["5"]


def test_alarms_are_changed_settings_and_calls_past_the_gate_of_the_last_day() -> None:
    lines = (
        line(ALARM, call_id="", reason="old", ago=90_000), line(ALARM, call_id="", reason="its settings"),
        line(UNGATED, call_id="c9"), line(decision="deny", call_id="c8"),
    )  # fmt: skip
    texts = [alarm.text for alarm in alarms_of([SessionSeen(RECORD, lines)], NOW)]
    assert texts == ["its settings", "codex: Bash ran past the gate: npm test"]
