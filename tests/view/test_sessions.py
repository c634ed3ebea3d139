"""Rows of sessions, calls, heartbeats and alarms; and of requests that their waiters took back."""

from datetime import timedelta

import pytest

from ags_tui.core.activity import ALARM, APPLIED, FAILED, STOP, UNGATED, ActivityLine
from ags_tui.core.assessment import RequestState
from ags_tui.core.session_calls import Alarm, alarms_of
from ags_tui.view import alarms, asking, sessions
from ags_tui.view.glyphs import ASCII, UNICODE
from ags_tui.view.passed import passed_items
from ags_tui.view.rows import Row, plain
from ags_tui.view.text import line_len
from tests import builders as make
from tests.app.beside import SESSION, TOP, line, session

NOW = make.NOW


def text(rows: tuple[Row, ...]) -> str:
    return "\n".join(row.text for row in rows)


@pytest.mark.parametrize(
    ("last", "words"),
    [
        (line("allow"), "runs Bash npm test"),
        (line("ask"), "waits for you: Bash npm test"),
        (line("deny"), "was denied Bash npm test"),
        (line("defer"), "asks at its own prompt: Bash npm test"),
        (line(event=APPLIED), "thinks; last Bash npm test"),
        (line(event=FAILED), "failed: Bash npm test"),
        (line(event=UNGATED), "ran past the gate: Bash npm test"),
        (line("deny", event=STOP, reason="tests fail"), "was held at the end of its turn  tests fail"),
        (line("allow", event=STOP, reason=""), "ended its turn"),
        (line(event=ALARM), "its settings were changed"),
    ],
)
def test_what_a_session_does_now(last: ActivityLine, words: str) -> None:
    assert plain(sessions.doing(session(last))).strip() == words


def test_a_session_says_who_where_since_when_and_what_waits() -> None:
    edit = line("allow", "c0", tool="edit_file", command="", paths=(f"{TOP}/src/a.py",), ago=90)
    seen = session(edit, line("ask", request="tool-001", ago=65))
    rows = sessions.session_rows((seen,), [make.pending("tool-001")], 80, UNICODE, now=NOW, top=TOP)
    shown = text(rows)
    for words in ("SESSIONS  1 of 1 active", f"codex gpt-9  {SESSION[:8]}  in web", "1 call waits", "1m ago",
                  "touched src/a.py"):  # fmt: skip
        assert words in shown
    assert "0 of 1 active" in text(
        sessions.session_rows((session(ended_at="2026-07-21T08:00:00Z"),), (), 80, UNICODE, now=NOW)
    )


@pytest.mark.parametrize("width", [30, 50, 80, 200])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_no_line_is_longer_than_the_pane(width: int, glyphs: object) -> None:
    long = line(
        "deny", command="x" * 500, reason="y" * 500, paths=("p/" * 200,), source="user", rule_id="r" * 90
    )
    seen = session(long, model="m" * 200, cwd=f"{TOP}/" + "d" * 200)
    told = (Alarm(NOW, "z" * 400, past_gate=True),)
    rows = (
        *sessions.session_rows((seen, seen), (), width, glyphs, now=NOW, top=TOP),  # type: ignore[arg-type]
        *sessions.call_rows((seen, seen), width, glyphs, now=NOW, top=TOP),  # type: ignore[arg-type]
        *alarms.alarm_rows(told, width, glyphs, NOW),  # type: ignore[arg-type]
    )
    lines = [one for row in rows for one in row.lines]
    lines.append(alarms.alarm_line(told, 1, width, glyphs))  # type: ignore[arg-type]
    assert [plain(one) for one in lines if line_len(one) > width] == []


def test_heartbeats_take_the_room_that_there_is() -> None:
    beats = sessions.heartbeats([session(line())], {"gemini": NOW - timedelta(seconds=9)}, NOW)
    shown = [plain(sessions.heartbeat_spans(beats, room, UNICODE)).strip() for room in (99, 40, 22, 5)]
    assert shown == [
        "codex: last call 3s ago, gated   gemini: last call 9s ago, gated",
        "codex 3s gated  gemini 9s gated",
        "codex 3s  gemini 9s",
        "",
    ]


def test_an_agent_that_is_silent_for_long_has_no_heartbeat() -> None:
    assert sessions.heartbeats([session(line(ago=3600))], {}, NOW) == ()


def test_a_newer_question_does_not_hide_a_call_past_the_gate() -> None:
    past = session(line(event=UNGATED, decision="", ago=60))
    assert sessions.heartbeats([past], {"codex": NOW}, NOW)[0][2] is False


def test_a_call_past_the_gate_is_loud_until_it_was_put_away() -> None:
    rows = (line(ago=90), line("", "past", event=UNGATED, command="make deploy", ago=60))
    seen, away = session(*rows), frozenset({(session(*rows).record.task, "past")})
    (alarm,) = alarms_of([seen], NOW)
    assert alarm.past_gate
    banner = plain(alarms.alarm_line([alarm], 1, 120, UNICODE))
    assert "7 shows it, x puts it away" in banner
    assert "make deploy" in banner
    assert alarms.NEXT_PAST in text(alarms.alarm_rows([alarm], 90, UNICODE, NOW))
    assert "PAST THE GATE" in text(sessions.call_rows([seen], 80, UNICODE, now=NOW))

    assert alarms_of([seen], NOW, away) == ()
    assert sessions.heartbeats([seen], {}, NOW, away)[0][2] is True, "the gated call before it"
    assert sessions.heartbeats([session(rows[1])], {}, NOW, away) == ()
    shown = sessions.call_rows([seen], 80, UNICODE, now=NOW, away=away)
    assert "past the gate, put away" in text(shown)
    assert "1 allowed, 1 put away" in text(shown)
    drawn = [*shown, *sessions.session_rows([seen], (), 80, UNICODE, now=NOW, away=away)]
    assert "error" not in {span.style for row in drawn for one in row.lines for span in one}


def test_withdrawn_and_expired_are_states_of_their_own() -> None:
    digest = make.digests.digest(b"x")

    def over(state: RequestState, why: str, item: str, sequence: int):
        entry = make.entry("request", state.value, item, digest, sequence=sequence, data={"why": why})
        return make.request_status(item, state=state, sequence=sequence), entry

    rows = [
        over(RequestState.WITHDRAWN, "the client went away", "call-1", 3),
        over(RequestState.WITHDRAWN, "settled otherwise: npm ci: remembered", "call-2", 4),
        over(RequestState.EXPIRED, "", "call-3", 5),
    ]
    snapshot = make.task_snapshot(attested=False, entries=tuple(entry for _, entry in rows))
    task = make.task_assessment(snapshot, pending=(), requests=tuple(status for status, _ in rows))
    shown = passed_items(make.assessment(task))
    assert [(one.status.item_id, one.status.state) for one in shown] == [
        ("call-3", RequestState.EXPIRED),
        ("call-1", RequestState.WITHDRAWN),
    ]
    texts = [text(asking.passed_rows(one.status, task, 80)) for one in shown]
    assert "EXPIRED call-3" in texts[0]
    assert "WITHDRAWN call-1" in texts[1]
    assert "the client went away" in texts[1]


def test_an_alarm_with_a_line_break_writes_no_line_of_its_own() -> None:
    rows = alarms.alarm_rows([Alarm(NOW, "sh x\n✔ nothing to do")], 90, UNICODE, NOW)
    assert "sh x\\n✔ nothing to do" in text(rows)
