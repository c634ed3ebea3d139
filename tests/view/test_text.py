"""Inert text: what a terminal could act on or a human cannot see never passes; widths are as in Textual."""

import json
import time
import unicodedata
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len as rich_cell_len

from ags_tui.view.text import (
    Span,
    age,
    cell_len,
    clip,
    clip_line,
    hidden,
    line_len,
    lookalikes,
    pad,
    printable,
    spans,
    wrap,
)

CASES = Path(__file__).parent.parent / "cases"


def command(case: str) -> str:
    return json.loads((CASES / case / "hook-stdin.json").read_text())["tool_input"]["command"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("plain text", "plain text"),
        ("로그인 실패", "로그인 실패"),
        ("a\tb", "a»   b"),
        ("a\nb", "a\\nb"),
        ("a\rb", "a\\rb"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\x00\x07\x7f\x9b", "\\x00\\x07\\x7f\\x9b"),
        ("con\u200bfig", "con\\u{200b}fig"),
        ("\u2060\ufeff\u200e\u202e\u2066\u061c", "\\u{2060}\\u{feff}\\u{200e}\\u{202e}\\u{2066}\\u{61c}"),
        ("a\u00adb\u00a0c\u3000d", "a\\xadb\\xa0c\\u{3000}d"),
        ("a\u2028b\u2029c\u0085d", "a\\u{2028}b\\u{2029}c\\x85d"),
        ("\U000e0041\U000e0101", "\\u{e0041}\\u{e0101}"),
        ("\u115f\u1160\u3164\uffa0\u2800\u034f", "\\u{115f}\\u{1160}\\u{3164}\\u{ffa0}\\u{2800}\\u{34f}"),
        ("x\ufe0ex", "x\\u{fe0e}x"),
        ("❤\ufe0f", "❤\ufe0f"),
        ("a\ufe0fb", "a\\u{fe0f}b"),
        ("\ufe0f", "\\u{fe0f}"),
        ("\udc80\udcff", "\\x80\\xff"),
        ("\ud800", "\\u{d800}"),
        ("\ue000\uffff\u0378", "\\u{e000}\\u{ffff}\\u{378}"),
        ("cafe\u0301", "caf\u00e9"),
        ("\u1112\u1161\u11ab", "한"),
        ("\u037e\u212a", "\\u{37e}\\u{212a}"),
        ("\u0301x", "\\u{301}x"),
        ("a\u0300\u0301\u0302\u0303\u0304\u0305", "à\u0301\u0302\u0303\u0304\\u{305}"),
    ],
)
def test_printable(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert "".join(span.text for span in spans(text)) == shown


def test_newlines_can_be_kept() -> None:
    assert printable("a\r\n\x1b\tb\n\u0301c", newline=True) == "a\\r\n\\x1b»   b\n\\u{301}c"


@pytest.mark.parametrize(
    ("case", "count", "named"),
    [
        ("009-zero-width", 3, "U+200B ZERO WIDTH SPACE"),
        ("012-esc-osc", 2, "U+001B ESC"),
        ("014-carriage-return", 1, "U+000D CR"),
        ("020-markup-swallow", 0, ""),
    ],
)
def test_reported_commands(case: str, count: int, named: str) -> None:
    text = command(case)
    shown = printable(text)
    assert shown.isprintable()
    assert "\x1b" not in shown
    assert all(word in shown for word in text.split() if word.isalnum())
    assert len(hidden(text)) == count
    assert named in " ".join(hidden(text))


def test_markup_is_text() -> None:
    for text in json.loads((CASES / "119-markup-crash/strings.json").read_text()):
        assert printable(text) == text
        assert spans(text, "muted") == (Span(text, "muted"),)


def test_a_written_escape_is_told_from_a_real_one() -> None:
    assert spans("\\x1b") == (Span("\\x1b"),)
    assert spans("\x1b") == (Span("\\x1b", "escape"),)
    assert spans("a\u200b\u200bb\\x1b", "added") == (
        Span("a", "added"),
        Span("\\u{200b}\\u{200b}", "escape"),
        Span("b\\x1b", "added"),
    )


def test_hidden_is_quiet_about_ordinary_text() -> None:
    for text in ("a\n\tb", "한글 ❤️ 🇩🇪", "हिन्दी", "العربية", "日本語"):
        assert hidden(text) == ()


def test_hidden_names_each_once_in_order() -> None:
    assert hidden("a\u202eb\u200bc\u202e\udc80\x7f") == (
        "U+202E RIGHT-TO-LEFT OVERRIDE",
        "U+200B ZERO WIDTH SPACE",
        "byte 0x80 that is not UTF-8",
        "U+007F DEL",
    )
    assert hidden("cafe\u0301") == ("text is not composed (NFC)",)
    assert hidden("a\ufe0f") == ("U+FE0F VARIATION SELECTOR-16",)


def test_lookalikes() -> None:
    assert lookalikes("src/p\u0430yment.py")[0].startswith("CYRILLIC SMALL LETTER A (U+0430)")
    assert lookalikes("src/결제 payment платёж") == ()
    assert lookalikes("a/\u05d0/b")


@given(st.text(alphabet=st.characters(), max_size=60))
@example("\u1112\u1161\u11ab\u0301\ufe0f\u200d")
@example("\ufe0f\u0301")
def test_what_is_shown_is_inert_and_measured(text: str) -> None:
    for shown in (printable(text), "".join(span.text for span in spans(text))):
        for character in shown:
            assert character == "\ufe0f" or character.isprintable()
            assert unicodedata.category(character)[0] not in "C"
            assert unicodedata.bidirectional(character) not in {
                "RLO",
                "LRO",
                "RLE",
                "LRE",
                "PDF",
                "RLI",
                "LRI",
                "FSI",
                "PDI",
            }
        assert cell_len(shown) == rich_cell_len(shown)


def test_every_character_is_measured_like_textual_does() -> None:
    wrong = [c for c in map(chr, range(0x110000)) if cell_len(printable(c)) != rich_cell_len(printable(c))]
    assert wrong == []


def test_every_format_and_control_character_is_escaped() -> None:
    for code in range(0x110000):
        if unicodedata.category(chr(code)) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} and code not in {
            9,
            10,
            13,
        }:
            shown = printable(chr(code))
            assert shown.startswith(("\\x", "\\u{")), hex(code)
            assert shown.isascii()


WIDE = json.loads((CASES / "122-wide-text/names.json").read_text())


@pytest.mark.parametrize("name", WIDE)
def test_wide_text_keeps_borders_straight(name: str) -> None:
    shown = printable(name)
    for width in range(1, 40):
        assert rich_cell_len(pad(shown, width)) == width
        assert rich_cell_len(clip(shown, width, keep_end=True)) <= width
        line = clip_line((Span("x"), *spans(name)), width)
        assert line_len(line) <= width
        rows = wrap(shown, width)
        assert "".join(rows) == shown
        assert all(rich_cell_len(row) <= max(2, width) for row in rows)


@given(st.text(alphabet="ab한é\u0301❤\ufe0f日", max_size=30), st.integers(-1, 20))
def test_clipping(text: str, width: int) -> None:
    shown = printable(text)
    for cut in (clip(shown, width), clip(shown, width, keep_end=True)):
        assert cell_len(cut) <= max(0, width)
        assert cut == shown or cut.strip("…") in shown
    if width >= cell_len(shown):
        assert clip(shown, width) == shown
    assert "".join(wrap(shown, width)) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(-5, "0s"), (0, "0s"), (59, "59s"), (60, "1m"), (3599, "59m"), (7200, "2h"), (200000, "2d")],
)
def test_age(seconds: int, shown: str) -> None:
    assert age(timedelta(seconds=seconds)) == shown


def test_a_line_of_megabytes_is_wrapped_in_linear_time() -> None:
    for unit in ("a", "한", "e\u0e31", "❤\ufe0f", "\x1b", "\u200b x"):
        text = printable(unit * 300_000)
        started = time.process_time()
        rows = wrap(text, 77)
        assert "".join(rows) == text
        assert max(map(cell_len, rows)) <= 77
        assert len(spans(unit * 300_000)) >= 1
        assert cell_len(clip(text, 50, keep_end=True)) <= 50
        hidden(text)
        lookalikes(unit * 300_000)
        assert time.process_time() - started < 8, "a quadratic loop needs minutes here"
