"""A task, a request and what cannot be read, in the centre."""

from datetime import timedelta

import pytest

from ags_tui.core.assessment import Choice, PendingKind, RequestState
from ags_tui.core.snapshot import PolicyState
from ags_tui.view import asking, overview
from ags_tui.view.glyphs import UNICODE
from ags_tui.view.text import line_len
from tests import builders as make
from tests.app import scenes


def text(rows) -> str:
    return "\n".join(" ".join(row.text.split()) for row in rows)


def test_a_task_shows_what_is_wanted_planned_asked_and_wrong() -> None:
    shown = text(overview.overview_rows(scenes.login_task(), 80, UNICODE))

    for part in (
        "TASK bug_fix · risk medium",
        "expects 인증 실패와 네트워크 실패가 구분된다.",
        "forbids NetworkClient 수정",
        "PLAN 1.0.0",
        "✔ tool-013 approved 한 번만",
        "● tool-014 pending",
        "✖ UNPLANNED_FILE",
    ):
        assert part in shown


def test_a_session_says_how_it_becomes_a_planned_task() -> None:
    files = {"artifacts": {}, "problems": ()}
    session = make.task_assessment(make.task_snapshot(task_id="session-1", files=files))
    words = "p makes it a planned task"
    assert words in text(overview.overview_rows(session, 80, UNICODE, promote="p"))
    assert words not in text(overview.overview_rows(session, 80, UNICODE))
    other = make.task_assessment(make.task_snapshot(task_id="other", files=files))
    assert words not in text(overview.overview_rows(other, 80, UNICODE, promote="p"))


def test_files_that_cannot_be_read_come_first_with_place_and_next_step() -> None:
    problem = make.load_problem(line=3, next_step="fix the file and save it")
    task = make.task_assessment(make.task_snapshot(files={"problems": (problem,)}))
    shown = text(overview.overview_rows(task, 80, UNICODE)).splitlines()

    assert shown[0] == "CANNOT BE READ"
    assert shown[1] == "✖ plan.json line 3 filesToEdit INVALID_CONTRACT"
    assert shown[2] == "filesToEdit is missing"
    assert shown[3] == "Next: fix the file and save it"


def test_a_file_that_is_being_written_is_not_an_error() -> None:
    task = make.task_assessment(make.task_snapshot(files={"being_written": ("plan.json",)}))
    shown = text(overview.overview_rows(task, 80, UNICODE))

    assert "being written: plan.json" in shown
    assert "CANNOT BE READ" not in shown


def test_problems_of_root_and_policy_have_their_own_page() -> None:
    snapshot = make.snapshot(
        problems=(make.load_problem("tasks/Bad name"),),
        policy=PolicyState(
            "sha256:0", problems=(make.load_problem("policy.toml", message="line 4: no such key"),)
        ),
    )
    shown = text(
        overview.root_rows(snapshot, (make.finding("LINK_ESCAPES", "a link leads out"),), 80, UNICODE)
    )

    for part in ("tasks/Bad name", "policy.toml", "line 4: no such key", "LINK_ESCAPES", "a link leads out"):
        assert part in shown


def test_a_session_without_a_task_says_so() -> None:
    task = make.task_assessment(make.task_snapshot(task=None, plan=None))
    shown = text(overview.overview_rows(task, 80, UNICODE))

    assert "There is no task.json" in shown
    assert "none yet: nothing is in scope" in shown


def test_a_request_shows_risk_who_path_reason_next_key_and_the_rest_of_its_file() -> None:
    item = scenes.edit_request()
    shown = text(asking.asking_rows(item, scenes.login_task(), 80, UNICODE, make.NOW))

    for part in (
        "REQUEST high risk, claimed medium ends in 56m",
        "by codex · 4m ago · tool-014",
        "▲ unplanned",
        "“서버 오류를 사용자 메시지로 변환하기 위해 수정한다.”",
        "a opens the decision",
        "FILE tool-requests/tool-014.json",
        "from codex, session s-1, in /w/app",
        "input text: new text",
    ):
        assert part in shown
    assert "requestId" not in shown
    assert shown.count(scenes.UNPLANNED) == 1


def test_a_command_is_shown_whole() -> None:
    command = "npm test\n\n\ntouch /tmp/AGS_MARK " + "x" * 400
    item = make.pending(path=None, path_class=None, command=command, title="shell npm test")
    shown = text(asking.asking_rows(item, None, 60, UNICODE, make.NOW))

    assert "touch /tmp/AGS_MARK" in shown
    assert "".join(shown.split()).count("x" * 400) == 1


def test_hidden_characters_and_warnings_are_said() -> None:
    item = make.pending(title="rm a\u200bb", warnings=("outside the plan",), malformed="empty command")
    shown = text(asking.asking_rows(item, None, 80, UNICODE, make.NOW))

    assert "can only be denied: empty command" in shown
    assert "▲ outside the plan" in shown
    assert "U+200B" in shown
    assert "\u200b" not in shown


def test_no_warning_or_finding_with_a_line_break_writes_a_line_of_its_own() -> None:
    item = make.pending(path="a.py\n✔ y" + "z" * 60, warnings=("a\n✔ x",))
    shown = text(asking.asking_rows(item, None, 80, UNICODE, make.NOW))
    assert "▲ a\\n✔ x" in shown
    assert "a.py\\n✔ y" in shown
    rows = overview.root_rows(make.snapshot(), (make.finding("LINK_ESCAPES", "a\n✔ x"),), 80, UNICODE)
    assert "a\\n✔ x" in text(rows)


def test_an_escalation_shows_its_options_with_consequences() -> None:
    item = make.pending(
        kind=PendingKind.ESCALATION, path=None, path_class=None, title="어디까지?", allow_free_text=True,
        options=(Choice("narrow", "이번 화면만", "한 파일만 바뀐다"),),
    )  # fmt: skip
    shown = text(asking.asking_rows(item, None, 80, UNICODE, make.NOW))

    for part in ("어디까지?", "1 이번 화면만 narrow", "한 파일만 바뀐다", "in your own words", "r answers"):
        assert part in shown


@pytest.mark.parametrize("kind", list(PendingKind))
def test_every_kind_names_its_next_key(kind: PendingKind) -> None:
    assert asking.NEXT[kind]


def test_an_expired_request_is_not_called_denied() -> None:
    status = make.request_status("tool-009", state=RequestState.EXPIRED)
    shown = text(asking.passed_rows(status, None, 80))

    assert "EXPIRED tool-009" in shown
    assert "Expired is not denied" in shown
    assert "x puts it away" in shown


@pytest.mark.parametrize("width", [24, 40, 79])
def test_rows_never_exceed_the_width(width: int) -> None:
    item = make.pending(
        "tool-014", title="\x1b]52;c;x\x07" * 9, reason="[/" * 50, path="a/" * 90 + "\u202e.py",
        expires_at=make.NOW + timedelta(days=1),
    )  # fmt: skip
    task = scenes.login_task()
    rows = (
        *asking.asking_rows(item, task, width, UNICODE, make.NOW),
        *overview.overview_rows(task, width, UNICODE),
    )  # fmt: skip

    assert [row.key for row in rows for line in row.lines if line_len(line) > width] == []
    assert "\x1b" not in "".join(row.text for row in rows)


def test_the_next_step_at_the_end_of_a_finding_is_not_cut_off() -> None:
    message = "login/errors.py: nobody can say whose change it is (the plan of a task names it too). "
    finding = make.finding(message=message + "Approve or restore it.", path="login/errors.py")
    task = make.task_assessment(make.task_snapshot(), findings=(finding,))
    shown = " ".join(" ".join(row.text for row in overview.overview_rows(task, 34, UNICODE)).split())
    assert "Approve or restore it." in shown
