"""Log entries in words, and what stands under the inbox."""

from dataclasses import replace
from datetime import UTC, timedelta
from typing import Any

from ags_tui.core.seen import OUTSIDE_PLAN, SAYS
from ags_tui.view.events import MOST_SAID, lately_rows, words
from ags_tui.view.glyphs import UNICODE
from ags_tui.view.rows import plain
from ags_tui.view.text import line_len
from ags_tui.view.timeline import timeline_rows
from tests import builders as make

LONG = "tool-requests/tool-20261201T014349-cd7081b3.json"


def named(*paths: str) -> dict[str, Any]:
    return {"paths": list(paths), "count": len(paths)}


def outside(left: tuple[str, ...] = (), back: tuple[str, ...] = (), now: tuple[str, ...] = (), how=()):
    facts = {"now": named(*now), "left": named(*left), "back": named(*back), "how": list(how)}
    return {OUTSIDE_PLAN: facts, "valid": True}


def seen(path: str, sequence: int, **data: Any):
    return make.entry(
        "observation", "recorded", path, sequence=sequence, source="system", data={"valid": True, **data}
    )


def texts(rows) -> list[str]:
    return [" ".join(plain(line).split()) for row in rows for line in row.lines]


ROWS = (
    seen("plan.json", 1, **{SAYS: "version 2: adds login/messages.py"}),
    seen("review-result.json", 2, **{SAYS: "needs_changes, 1 issue"}),
    seen("test-result.json", 3, **{SAYS: "claimed passed, no evidence"}),
    seen(LONG, 4, **{SAYS: "implementer asks for edit_file login/repository.py"}),
    seen("review-result.json", 5, valid=False, contract="ReviewResult"),
    seen("x", 6, **outside(left=("login/repository.py",), now=("login/repository.py",))),
    seen("x", 7, **outside(back=("login/repository.py",), how=("taken back",))),
    seen("test-run/1", 8, testRun=True, exitCode=1, command="make test"),
)


def test_the_log_gives_verdicts_in_words() -> None:
    shown = texts(timeline_rows(make.log_state(ROWS), 110, UNICODE, UTC))[1:]
    assert [line.split(" ", 3)[3] for line in shown] == [
        "tests run here: exit code 1, make test 000008",
        "outside the plan: login/repository.py taken back 000007",
        "outside the plan: login/repository.py changed 000006",
        "reviewer: cannot be read as ReviewResult 000005",
        "request: implementer asks for edit_file login/repository.py 000004",
        "tester: claimed passed, no evidence 000003",
        "reviewer: needs_changes, 1 issue 000002",
        "planner's plan: version 2: adds login/messages.py 000001",
    ]


def test_a_narrow_log_breaks_at_words_and_cuts_nothing() -> None:
    for width in (30, 44, 52):
        rows = timeline_rows(make.log_state(ROWS), width, UNICODE, UTC)
        assert all(line_len(line) <= width for row in rows for line in row.lines)
    shown = " ".join(texts(timeline_rows(make.log_state(ROWS), 52, UNICODE, UTC)))
    assert "…" not in shown
    assert "login/repository.py" in shown


def test_words_of_others_are_inert() -> None:
    four = seen("x", 1, **outside(left=("a", "b", "c", "d")))
    told = [
        seen("plan.json", 1, **{SAYS: "edits \x1b[2J"}),
        four,
        make.entry("attest", "attested", "task#x/0", reason="It works."),
        make.entry("tool-request", "denied", "tool-1"),
    ]
    assert [words(row.entry) for row in told] == [
        "planner's plan: edits \\x1b[2J",
        "outside the plan: a, b, c and 1 more changed",
        "attested: “It works.”",
        "request denied",
    ]


def task(*entries, **fields: Any):
    log = make.log_state(entries)
    data = [
        make.observation("x", "", data=row.entry.data, observed_at=row.entry.decided_at) for row in entries
    ]
    out = tuple(one for one in data if OUTSIDE_PLAN in one.data)
    return make.task_assessment(replace(make.task_snapshot(), log=replace(log, outside=out)), **fields)


def at(row, seconds: int):
    moment = make.NOW - timedelta(seconds=seconds)
    return replace(row, entry=row.entry.model_copy(update={"decided_at": moment}))


def test_what_was_taken_back_is_told_for_a_while() -> None:
    one = task(at(ROWS[5], 34), at(ROWS[6], 14))
    shown = " ".join(texts(lately_rows([one], 90, UNICODE, make.NOW, quiet=False))).strip()
    assert shown == "· login/repository.py changed outside the plan 34s ago, taken back 14s ago"
    later = make.NOW + timedelta(minutes=2)
    assert texts(lately_rows([one], 90, UNICODE, later, quiet=False)) == []


def test_what_is_outside_now_is_loud() -> None:
    rows = list(lately_rows([task(at(ROWS[5], 3))], 90, UNICODE, make.NOW, quiet=False))
    assert texts(rows)[-1] == f"{UNICODE.warn} login/repository.py changed outside the plan 3s ago"


def test_the_last_words_of_agents_leave_room_for_the_rest() -> None:
    aside = tuple(f"agent {number}: {'word ' * 12}" for number in range(4))
    rows = [row for row in lately_rows([], 30, UNICODE, make.NOW, quiet=False, aside=aside) if row.lines]
    shown = " ".join(texts(rows))
    assert "agent 3" in shown
    assert "agent 0" not in shown
    assert sum(len(row.lines) for row in rows if row.key.startswith("lately:aside")) <= MOST_SAID
    alone = texts(lately_rows([], 20, UNICODE, make.NOW, quiet=False, aside=("word " * 60,)))
    assert sum("word" in line for line in alone) > MOST_SAID, "the newest words are whole"


def test_an_empty_inbox_tells_what_happened_last() -> None:
    one = task(at(ROWS[1], 9), at(ROWS[2], 3))
    shown = texts(
        lately_rows([one], 90, UNICODE, make.NOW, quiet=True, aside=("tester: begins", "tester: claims"))
    )
    assert [line for line in shown if line] == [
        "tester: begins",
        "tester: claims",
        "LATELY",
        "· tester: claimed passed, no evidence · 3s ago",
        "· reviewer: needs_changes, 1 issue · 9s ago",
    ]
    assert "LATELY" not in texts(lately_rows([one], 90, UNICODE, make.NOW, quiet=False))


def test_a_name_with_a_line_break_writes_no_line_of_its_own() -> None:
    name = "a.py\n✔ nothing to do"
    row = seen("x", 9, **outside(left=(name,), now=(name,)))
    rows = list(lately_rows([task(at(row, 3))], 90, UNICODE, make.NOW, quiet=False))
    assert texts(rows)[-1] == f"{UNICODE.warn} a.py\\n✔ nothing to do changed outside the plan 3s ago"
