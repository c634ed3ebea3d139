"""Header, tabs, status line and key bar."""

from datetime import timedelta

import pytest

from ags_tui.core.assessment import Assessment
from ags_tui.view import status
from ags_tui.view.glyphs import UNICODE
from ags_tui.view.rows import plain
from ags_tui.view.status import KeyHint, Watching
from ags_tui.view.text import Span, line_len
from tests import builders as make
from tests.app import scenes


def header(width: int = 120, **repo) -> str:
    _, assessment = scenes.busy()
    line = status.header_line(
        make.repo(**repo), assessment, (".ai/tasks", "work tree"), width=width, glyphs=UNICODE, now=make.NOW
    )
    assert line_len(line) <= width
    return " ".join(plain(line).split())


def test_the_header_names_repository_branch_folders_count_and_age() -> None:
    assert header() == (
        "ags-tui app ⎇ fix/login-error watching .ai/tasks, work tree ● 2 need you · oldest 4m"
    )


def test_the_folders_leave_before_anything_else() -> None:
    assert header(80) == "ags-tui app ⎇ fix/login-error ● 2 need you · oldest 4m"


@pytest.mark.parametrize(
    ("repo", "text"),
    [
        ({"branch": None}, "⎇ detached cccccccc"),
        ({"operation": "rebase"}, "rebase in progress"),
        ({"conflicts": (("a", "UU"), ("b", "AA"))}, "2 in conflict"),
        ({"unknown": "index is damaged"}, "? git: index is damaged"),
        ({"branch": "a\x1b[2J"}, "⎇ a\\x1b[2J"),
        ({"top": "/w/[x]"}, "ags-tui [x] ⎇"),
    ],
)
def test_the_header_says_what_is_odd_about_the_repository(repo: dict[str, object], text: str) -> None:
    assert text in header(120, **repo)


def test_the_header_says_why_git_cannot_tell_the_changes() -> None:
    line = status.header_line(
        make.repo(), None, (), width=120, glyphs=UNICODE, now=make.NOW, unknown="missing blob a1b2"
    )
    assert "? git: missing blob a1b2" in plain(line)


def test_one_item_needs_and_none_is_quiet() -> None:
    assert plain(status.need_line([make.pending()], UNICODE, make.NOW)) == "● 1 needs you · oldest 4m"
    assert plain(status.need_line([], UNICODE, make.NOW)) == "✔ nothing needs you"


def test_the_oldest_counts_not_the_first() -> None:
    items = [make.pending("a"), make.pending("b", first_seen=make.NOW - timedelta(hours=3))]

    assert plain(status.need_line(items, UNICODE, make.NOW)).endswith("oldest 3h")


@pytest.mark.parametrize(
    ("count", "where", "title"),
    [
        (0, "payments-api", "ags-tui payments-api"),
        (1, "payments-api", "● 1 needs you — ags-tui"),
        (2, "x", "● 2 need you — ags-tui"),
        (0, "a\x1b]0;evil\x07", "ags-tui a\\x1b]0;evil\\x07"),
    ],
)
def test_the_title_counts_and_is_inert(count: int, where: str, title: str) -> None:
    assert status.title_text(count, where) == title


def test_tabs_mark_the_active_one_by_more_than_colour() -> None:
    tabs = ("Needs you", "Request", "Diff")

    assert plain(status.tab_line(tabs, 1, 80)) == " 1 Needs you [2 Request] 3 Diff "
    assert plain(status.tab_line(tabs, 1, 24)) == " 1 [2 Request] 3 "


def test_verdict_and_open_rungs_stay_whatever_is_said() -> None:
    task = scenes.login_task()
    left = status.verdict_status(task, UNICODE)
    said = (Span("x" * 200, "warn"),)
    for width in (60, 80, 200):
        line = plain(status.status_line(left, said, Watching("events"), width, UNICODE))
        assert "▲ NEEDS APPROVAL" in line
        assert "✖ 5 open" in line


@pytest.mark.parametrize(
    ("watching", "text"),
    [
        (Watching(), "starting to watch…"),
        (Watching("events"), "watching by events"),
        (Watching("polling", "inotify limit reached"), "▲ polling: inotify limit reached"),
        (Watching("stopped", "root is gone"), "▲ stopped: root is gone"),
    ],
)
def test_the_watch_mode_is_said(watching: Watching, text: str) -> None:
    line = status.status_line((), (), watching, 60, UNICODE)

    assert plain(line).strip() == text


HINTS = [
    KeyHint("a", "approve…", True, 1), KeyHint("d", "deny…", False, 2), KeyHint("e", "editor", True, 3),
    KeyHint("?", "help", True, 0),
]  # fmt: skip


def test_the_key_bar_keeps_the_pinned_and_drops_the_dead_first() -> None:
    assert " ".join(plain(status.key_line(HINTS, 80)).split()) == "a approve… d deny… e editor ? help"
    assert " ".join(plain(status.key_line(HINTS, 34)).split()) == "a approve… e editor ? help"
    assert " ".join(plain(status.key_line(HINTS, 21)).split()) == "a approve… ? help"


def test_a_dead_key_is_drawn_as_off() -> None:
    styles = {span.text.strip(): span.style for span in status.key_line(HINTS, 80)}

    assert styles["a"] == "key"
    assert styles["d"] == "off"


def test_while_reading_the_header_says_so() -> None:
    line = status.header_line(None, None, (), width=60, glyphs=UNICODE, now=make.NOW)

    assert plain(line).split() == ["ags-tui", "reading…"]


def test_an_empty_assessment_is_quiet() -> None:
    line = status.header_line(make.repo(), Assessment((), ()), (), width=60, glyphs=UNICODE, now=make.NOW)

    assert "nothing needs you" in plain(line)


def test_the_quiet_watch_mode_is_whole_or_not_there() -> None:
    left = (Span("x" * 30),)
    whole = plain(status.status_line(left, (), Watching("events"), 52, UNICODE))
    gone = plain(status.status_line(left, (), Watching("events"), 44, UNICODE))
    loud = plain(status.status_line(left, (), Watching("polling", "inotify is full"), 44, UNICODE))

    assert whole.rstrip().endswith("watching by events")
    assert gone.strip() == "x" * 30
    assert "polling" in loud


def test_what_is_left_to_attest_is_said_with_its_key() -> None:
    def left(*tasks: str) -> str:
        return plain(status.need_line([], UNICODE, make.NOW, attest=tasks))

    assert left("login") == "▲ attest and finalize login: F"
    assert left("login", "search") == "▲ attest and finalize 2 tasks: F"
    assert plain(status.need_line([make.pending()], UNICODE, make.NOW, attest=["x"])).startswith("● 1 needs")


def test_the_header_tells_the_demo_and_how_to_leave_it() -> None:
    def shown(width: int) -> str:
        line = status.header_line(
            make.repo(), None, ("shop/.ai",), width=width, glyphs=UNICODE, now=make.NOW, demo="/tmp/x/demo-1"
        )
        assert line_len(line) <= width
        return " ".join(plain(line).split())

    assert shown(120) == "ags-tui demo app ⎇ fix/login-error /tmp/x/demo-1 · q leaves reading…"
    assert shown(50).startswith("ags-tui demo app")
