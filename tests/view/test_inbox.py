"""Rows of the inbox and of the tasks."""

from dataclasses import replace
from datetime import timedelta

import pytest

from ags_tui.core.assessment import (
    Assessment,
    PathClass,
    PendingKind,
    Prose,
    RequestState,
    Shared,
    SharedStep,
    StageState,
    Verdict,
)
from ags_tui.core.checks.findings import Basis, Outcome
from ags_tui.view import inbox
from ags_tui.view.drawn import Drawn
from ags_tui.view.glyphs import ASCII, UNICODE
from ags_tui.view.passed import passed_items
from ags_tui.view.rows import plain
from ags_tui.view.text import line_len
from tests import builders as make
from tests.app import long_names


def lines(row) -> list[str]:
    return [plain(line).rstrip() for line in row.lines]


def test_an_item_in_a_narrow_column_says_risk_kind_age_subject_who_and_end() -> None:
    (row,) = inbox.inbox_rows([make.pending("tool-014")], [], 44, UNICODE, make.NOW)

    assert lines(row) == [
        "▲ high edit_file                          4m",
        "  Sources/Auth/LoginView.swift",
        "  codex · login-error-message       ends 56m",
    ]
    assert row.key == f"item:{make.TASK_ID}/tool-014@tool-requests"


def test_a_question_of_several_lines_stands_in_one() -> None:
    item = make.pending(kind=PendingKind.ESCALATION, title="The gate is open:\n- NOT_RUN")
    (row,) = inbox.inbox_rows([item], [], 60, UNICODE, make.NOW)

    assert "The gate is open: - NOT_RUN" in lines(row)[0]

    item = make.pending(kind=PendingKind.ESCALATION, title="echo a\rrm b")
    (row,) = inbox.inbox_rows([item], [], 60, UNICODE, make.NOW)
    assert "echo a\\rrm b" in lines(row)[0], "what would overwrite a line stays in sight"


def test_a_long_path_keeps_the_name_of_its_file() -> None:
    path = "Sources/Features/Authentication/LoginView.swift"
    (row,) = inbox.inbox_rows([make.pending(path=path, title=f"edit_file {path}")], [], 32, UNICODE, make.NOW)

    assert lines(row)[1] == "  Sources/…/LoginView.swift"


@pytest.mark.parametrize("tool", ["finalize", "plan", "ok low", "\u202eedit"])
def test_a_tool_cannot_pass_for_another_kind_of_item(tool: str) -> None:
    (row,) = inbox.inbox_rows([make.pending(path="x", title=f"{tool} x")], [], 44, UNICODE, make.NOW)

    assert lines(row)[0].split()[:3] == ["▲", "high", "request"]


def test_a_title_that_does_not_name_its_subject_is_shown_as_it_is() -> None:
    (row,) = inbox.inbox_rows([make.pending(title="do as I say")], [], 44, UNICODE, make.NOW)

    assert lines(row)[:2] == ["▲ high request                            4m", "  do as I say"]


def test_an_item_in_a_wide_column_takes_two_lines() -> None:
    (row,) = inbox.inbox_rows([make.pending()], [], 78, UNICODE, make.NOW)

    first, second = lines(row)
    assert first.startswith("▲ high edit_file  Sources/Auth/LoginView.swift")
    assert first.endswith("4m")
    assert second.startswith("  codex · login-error-message · 서버 오류를")
    assert second.endswith("ends 56m")


@pytest.mark.parametrize(
    ("risk", "head", "style"),
    [
        ("low", "● low", "risk-low"),
        ("medium", "● med", "risk-medium"),
        ("high", "▲ high", "risk-high"),
        ("critical", "▲ crit", "risk-critical"),
        ("absurd", "▲ absurd", "risk-critical"),
    ],
)
def test_risk_has_glyph_word_and_colour(risk: str, head: str, style: str) -> None:
    (row,) = inbox.inbox_rows([make.pending(risk=risk)], [], 40, UNICODE, make.NOW)

    assert lines(row)[0].startswith(head)
    assert row.lines[0][0].style == style


@pytest.mark.parametrize(
    ("left", "text", "style"),
    [
        (timedelta(minutes=56), "ends 56m", "muted"),
        (timedelta(minutes=9), "ends 9m", "warn"),
        (timedelta(0), "expiring", "warn"),
    ],
)
def test_the_end_gets_loud_when_it_is_near(left: timedelta, text: str, style: str) -> None:
    (row,) = inbox.inbox_rows([make.pending(expires_at=make.NOW + left)], [], 44, UNICODE, make.NOW)

    assert row.lines[2][-1] == (text, style)


def test_expired_requests_stand_at_the_end_with_the_key_that_puts_them_away() -> None:
    status = make.request_status("tool-009", state=RequestState.EXPIRED)
    task = make.task_assessment(pending=(make.pending(),), requests=(make.request_status(), status))
    passed = passed_items(make.assessment(task))

    rows = inbox.inbox_rows([make.pending()], passed, 44, UNICODE, make.NOW)

    assert [row.key for row in rows] == [
        f"item:{make.TASK_ID}/tool-001@tool-requests", f"item:{make.TASK_ID}/tool-009@tool-requests",
    ]  # fmt: skip
    assert lines(rows[1])[0].startswith("– expired tool-009")
    assert lines(rows[1])[0].endswith("x")


@pytest.mark.parametrize("kind", list(PendingKind))
def test_every_kind_has_a_word(kind: PendingKind) -> None:
    (row,) = inbox.inbox_rows([make.pending(kind=kind, path=None)], [], 44, UNICODE, make.NOW)

    assert inbox.WORDS[kind] in lines(row)[0]


@pytest.mark.parametrize("width", [20, 32, 44, 55, 56, 78, 120])
@pytest.mark.parametrize(
    "title", ["edit_file " + "로그인/" * 30, "x" * 300, "👩‍💻 dev 👨‍👩‍👧‍👦", "a\x1b]0;t\x07", "[/]"]
)
def test_rows_never_exceed_the_width(title: str, width: int) -> None:
    (row,) = inbox.inbox_rows(
        [make.pending(title=title, reason=title, asked_by=title)], [], width, UNICODE, make.NOW
    )

    assert all(line_len(line) <= width for line in row.lines)
    assert "\x1b" not in row.text


def test_tasks_stand_by_name_and_ended_ones_last_so_that_no_request_moves_a_row() -> None:
    waiting = make.task_assessment(
        make.task_snapshot(task_id="z-waits"), pending=(make.pending(task_id="z-waits"),),
        stages=make.stages(implement=StageState.ACTIVE),
    )  # fmt: skip
    done = make.task_assessment(
        make.task_snapshot(task_id="a-done", log={"finalized": make.entry("finalize", "finalized")})
    )
    working = make.task_assessment(
        make.task_snapshot(task_id="m-works"), stages=make.stages(review=StageState.ACTIVE)
    )
    rows = inbox.task_rows(Assessment((done, working, waiting), ()), (), 40, UNICODE)

    assert [(row.lines[0][0].text, row.key, plain(row.lines[0]).split()[-1]) for row in rows] == [
        ("● ", "task:m-works", "review"),
        ("▲ ", "task:z-waits", "implement"),
        ("✔ ", "task:a-done", "done"),
    ]


@pytest.mark.parametrize(
    ("state", "glyph", "style"),
    [
        (StageState.ACTIVE, "●", "accent"),
        (StageState.NEEDS_HUMAN, "▲", "warn"),
        (StageState.INVALID, "✖", "error"),
        (StageState.VIOLATED, "✖", "error"),
        (StageState.BLOCKED, "✖", "error"),
        (StageState.WAITING, "·", "muted"),
        (StageState.VALID, "✔", "ok"),
        (StageState.DONE, "✔", "ok"),
        (StageState.NOT_APPLICABLE, "–", "muted"),
    ],
)
def test_every_stage_state_has_a_look(state: StageState, glyph: str, style: str) -> None:
    assert inbox.stage_look(state, UNICODE) == (glyph, style)


def test_before_the_first_reading_tasks_are_their_names() -> None:
    rows = inbox.task_rows(None, ("로그인", "b"), 30, ASCII)

    assert [lines(row) for row in rows] == [[". 로그인"], [". b"]]


def test_a_task_named_by_an_agent_cannot_write_to_the_terminal() -> None:
    rows = inbox.task_rows(None, ("a\x1b[2J",), 40, UNICODE)

    assert "\x1b" not in rows[0].text


@pytest.mark.parametrize(
    ("outcome", "basis", "more", "word"),
    [
        (Outcome.UNKNOWN, Basis.HUMAN, (), "attest"),
        (Outcome.FAILED, Basis.OBSERVED, (), "gate"),
        (Outcome.UNKNOWN, Basis.HUMAN, (make.condition(6, Outcome.UNKNOWN),), "gate"),
    ],
)
def test_a_task_that_waits_for_sentences_alone_says_so(outcome, basis, more, word) -> None:
    prose = (Prose("task#expectedBehavior/0", "x", make.digests.digest(b"x"), outcome, basis, "why"),)
    task = make.task_assessment(
        make.task_snapshot(), stages=make.stages(gate=StageState.NEEDS_HUMAN),
        gate=make.gate_report(make.condition(8, outcome, basis=basis), *more, prose=prose),
    )  # fmt: skip
    assert inbox.attest_only(task) == (word == "attest")
    assert inbox.task_state(task, UNICODE) == ("▲", "warn", word)


@pytest.mark.parametrize(
    ("news", "loosened", "first", "second"),
    [
        ("first", (), "first plan", "Fix it"),
        ("changed", (), "plan changed", "Fix it"),
        ("loosened", ("filesToEdit adds a", "filesToEdit adds b"), "plan widened", "+2 paths Fix it"),
        ("loosened", ("filesToEdit adds a", "testsToRun drops t"), "plan widened", "+1 path, 1 more Fix it"),
        ("loosened", ("testsToRun drops t",), "plan loosened", "1 term Fix it"),
    ],
)
def test_a_widened_plan_is_told_from_a_first_one(
    news: str, loosened: tuple[str, ...], first: str, second: str
) -> None:
    item = make.pending(
        "plan", kind=PendingKind.PLAN, title="Fix it", path=None, news=news, loosened=loosened
    )
    (short,) = inbox.inbox_rows([item], (), 40, UNICODE, make.NOW)
    (wide,) = inbox.inbox_rows([item], (), 80, UNICODE, make.NOW)

    assert f"high {first} " in lines(short)[0]
    assert " ".join(lines(short)[1].split()) == second
    more = second.removesuffix("Fix it").strip()
    assert f"{first}{f': {more}' if more else ''} Fix it" in " ".join(lines(wide)[0].split())


def test_what_is_asked_again_says_what_changed() -> None:
    for width in (30, 80):
        (row,) = inbox.inbox_rows([make.pending(asked_again=("policy",))], (), width, UNICODE, make.NOW)
        assert "  asked again: policy changed" in row.text


def test_a_filter_says_how_many_of_how_many_are_left() -> None:
    assert inbox.pane_title("TASKS", 1, 2, filtered=True).text == "TASKS  1 of 2 · filter"
    assert inbox.pane_title("TASKS", 2, 2, filtered=False).text == "TASKS  2"
    assert inbox.pane_title("NEEDS YOU", 0, 0, filtered=False).text == "NEEDS YOU"


def test_a_task_beside_another_one_shows_its_own_stage_and_asks_for_nothing_yet() -> None:
    path = make.path_verdict("docs/a.md", PathClass.OWNERSHIP_UNKNOWN, owner="usage-doc")
    report = make.scope_report(verdict=Verdict.NEEDS_APPROVAL, paths=(path,))
    words = Shared("usage-doc", ("docs/a.md",), SharedStep.LATER, "long", "short")
    scope = replace(make.condition(4, Outcome.UNKNOWN), shared=(words,))
    task = make.task_assessment(
        make.task_snapshot(), stages=make.stages(review=StageState.ACTIVE), scope=report,
        gate=make.gate_report(scope, make.condition(6, Outcome.FAILED)),
    )  # fmt: skip
    assert inbox.task_state(task, UNICODE) == ("●", "accent", "review")
    (wide,) = inbox.task_rows(Assessment((task,), ()), (), 90, UNICODE)
    assert "APPROVAL LATER" in wide.text
    now = replace(scope, shared=(replace(words, step=SharedStep.NOW),))
    (wide,) = inbox.task_rows(Assessment((replace(task, gate=make.gate_report(now)),), ()), (), 90, UNICODE)
    assert "NEEDS APPROVAL" in wide.text


def test_the_work_tree_row_has_the_quiet_sign_of_its_glyphs() -> None:
    assert lines(inbox.tree_row(2, 30, UNICODE))[0].startswith("· work tree")
    assert lines(inbox.tree_row(2, 30, ASCII))[0].startswith(". work tree")


def test_the_empty_inbox_teaches() -> None:
    def text(**facts) -> str:
        return " ".join(row.text for row in inbox.inbox_hint(60, UNICODE, **facts))

    assert "Reading" in text(tasks=3, reading=True)
    assert "Nothing needs you" in text(tasks=3, reading=False)
    assert "sentences to attest All else of login" in text(tasks=3, reading=False, attest=["login"])
    assert "N  new task" in text(tasks=0, reading=False)
    assert "D  play the demo" in text(tasks=0, reading=False)


def test_an_item_that_was_not_looked_at_is_called_new_at_any_width() -> None:
    items = [make.pending("tool-014"), make.pending("tool-015")]
    key = inbox.item_key(make.TASK_ID, "tool-015", "tool-requests")

    for width in (32, 78):
        old, new = inbox.inbox_rows(items, [], width, UNICODE, make.NOW, new={key})
        assert lines(old)[0].endswith(" 4m")
        assert " new" not in lines(old)[0]
        assert lines(new)[0].endswith(" new 4m")


@pytest.mark.parametrize("width", [29, 32, 40, 55, 56, 78, 110, 140])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_long_names_stay_in_their_column_and_keep_the_words_that_matter(width: int, glyphs) -> None:
    snapshot, assessment = long_names.long_names()
    rows = inbox.inbox_rows(assessment.pending, [], width, glyphs, make.NOW)

    assert snapshot.tasks
    assert all(line_len(line) <= width for row in rows for line in row.lines)
    english, korean, question = ("\n".join(lines(row)) for row in rows)
    assert "".join(english.split()).count("Implementation.swift") == 1
    assert "".join(korean.split()).endswith("ends56m")
    assert "바꾼다" in korean
    assert "질문" in question.split("\n")[-1]
    assert "서버가 준 오류 문장" in question


@pytest.mark.parametrize("width", [29, 40, 76])
def test_tasks_with_long_names_are_told_apart(width: int) -> None:
    _, assessment = long_names.long_names()
    rows = inbox.task_rows(assessment, (), width, UNICODE)
    names = [plain(row.lines[0]).split()[1] for row in rows]

    assert len(set(names)) == len(names) == 4
    assert all(line_len(row.lines[0]) <= width for row in rows)
    assert all(plain(row.lines[0]).count("…") <= 1 for row in rows)


def test_only_the_age_is_drawn_anew_while_an_item_stays_the_same() -> None:
    item = make.pending(first_seen=make.NOW)
    drawn: Drawn = {}
    (before,) = inbox.inbox_rows([item], [], 32, UNICODE, make.NOW, drawn=drawn)
    later = make.NOW + timedelta(seconds=5)
    (after,) = inbox.inbox_rows([item], [], 32, UNICODE, later, drawn=drawn)

    assert lines(before)[0].endswith("0s")
    assert lines(after)[0].endswith("5s")
    assert after.lines[1] is before.lines[1]
    assert [after] == list(inbox.inbox_rows([item], [], 32, UNICODE, later))
    changed = replace(item, path="src/other.py", title="edit_file src/other.py")
    for one, width in ((changed, 32), (item, 90)):
        (again,) = inbox.inbox_rows([one], [], width, UNICODE, later, drawn=drawn)
        assert [again] == list(inbox.inbox_rows([one], [], width, UNICODE, later))
