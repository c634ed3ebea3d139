"""Geometry of lines: in cells, for wide text, cut visibly."""

import pytest

from ags_tui.view import rows
from ags_tui.view.text import Span, cell_len, line_len


@pytest.mark.parametrize("width", [1, 2, 7, 12, 20, 40])
@pytest.mark.parametrize(
    "text", ["implement the parser", "로그인 실패 메시지를 안전하게 변경한다", "a" * 30, "", "x\ny"]
)
def test_wrapped_keeps_every_word_within_the_width(text: str, width: int) -> None:
    lines = rows.wrapped(text, width)

    assert all(cell_len(line) <= max(2, width) for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_wrapped_breaks_at_blanks_and_shows_that_more_was_cut() -> None:
    assert rows.wrapped("one two three four", 9) == ("one two", "three", "four")
    assert rows.wrapped("one two three four", 9, limit=2) == ("one two", "three fo…")


def test_spread_gives_the_right_end_its_place() -> None:
    line = rows.spread((Span("a very long name"),), (Span("4m", "muted"),), 12)

    assert rows.plain(line) == "a very l… 4m"
    assert line_len(line) == 12


def test_spread_pads_wide_text_by_cells() -> None:
    assert rows.plain(rows.spread((Span("로그인"),), (Span("1m"),), 10)) == "로그인  1m"


@pytest.mark.parametrize(
    ("path", "width", "shown"),
    [
        ("Sources/Auth/AuthRepository.swift", 40, "Sources/Auth/AuthRepository.swift"),
        ("Sources/Auth/AuthRepository.swift", 31, "Sources/…/AuthRepository.swift"),
        ("Sources/Auth/AuthRepository.swift", 25, "…/AuthRepository.swift"),
        ("Sources/Auth/AuthRepository.swift", 10, "AuthR…wift"),
        ("notes.md", 4, "no…d"),
    ],
)
def test_middle_keeps_the_name_of_the_file(path: str, width: int, shown: str) -> None:
    assert rows.middle(path, width) == shown


@pytest.mark.parametrize("width", range(1, 40))
@pytest.mark.parametrize(
    "name",
    ["make-the-login-error-message-harmless", "로그인실패메시지를-안전하게-바꾼다", "a", "e\u0301" * 30],
)
@pytest.mark.parametrize("more", ["…", "..."])
def test_a_name_that_is_cut_keeps_both_ends_and_its_room(name: str, width: int, more: str) -> None:
    shown = rows.both_ends(name, width, more)

    assert cell_len(shown) <= width
    assert shown == name or more in shown or width < cell_len(more) + 2
    assert width < 8 or (shown[0], shown[-1]) == (name[0], name[-1])


@pytest.mark.parametrize(
    ("word", "lines"),
    [
        ("contracts/ReviewResult/1.0.0.schema.json", ("contracts/ReviewResult/", "1.0.0.schema.json")),
        ("make-the-login-error-message-harmless", ("make-the-login-error-", "message-harmless")),
        ("x" * 50, ("x" * 24, "x" * 24, "xx")),
        ("로그인" * 5, ("로그인" * 4, "로그인")),
    ],
)
def test_a_long_word_breaks_behind_a_sign_where_there_is_one(word: str, lines: tuple[str, ...]) -> None:
    assert rows.wrapped(word, 24) == lines


@pytest.mark.parametrize("width", [1, 2, 3, 10])
def test_nothing_of_a_broken_word_is_lost(width: int) -> None:
    word = "소스/기능/a-b_c.d/" * 9

    assert "".join(rows.wrapped(word, width)) == word


def test_matching_keeps_headings_and_ignores_case() -> None:
    made = (
        rows.heading("h", Span("NEEDS YOU")),
        rows.Row("a", ((Span("edit AuthRepository"),),)),
        rows.Row("b", ((Span("escalation"),),)),
    )

    assert [row.key for row in rows.matching(made, "authREPO")] == ["h", "a"]


def test_paragraph_makes_foreign_text_inert() -> None:
    made = rows.paragraph("p", "a\x1b[2Jb\x07", 40)

    assert made.text == "a\\x1b[2Jb\\x07"
