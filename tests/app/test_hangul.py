"""Hangul layout: from committed text to the keys that were meant."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ags_tui.app.hangul import is_hangul, letters, navigation


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("ㅓ", "j"), ("ㅏ", "k"), ("ㅎ", "g"), ("ㅜ", "n"), ("하", "gk"), ("머", "aj"), ("각", "rkr"),
        ("값", "rkqt"), ("과", "rhk"), ("뷁", "qnpfr"), ("ㄳ", "rt"), ("ㅘ", "hk"), ("안녕", "dkssud"),
        ("ᄒ", "g"), ("ᅥ", "j"), ("ᆨ", "r"), ("ﾡ", "r"), ("ㄲ", "R"), ("", ""), ("j", ""), ("日本", ""),
    ],
)  # fmt: skip
def test_letters_of_the_two_set_keyboard(text: str, typed: str) -> None:
    assert letters(text) == typed
    assert is_hangul(text) == bool(typed)


def test_decomposed_syllables_give_the_same_letters() -> None:
    assert letters(unicodedata.normalize("NFD", "각하")) == "rkrgk"


def test_only_navigation_comes_out_and_in_order() -> None:
    assert list(navigation("ㅓㅓㅏ", "jkgn")) == ["j", "j", "k"]
    assert list(navigation("머하", "jkgn")) == ["j", "g", "k"]


@pytest.mark.parametrize("text", ["ㅁ", "ㅇ", "ㄱ", "ㅠ", "ㅕ", "ㅌ", "ㅅ", "ㅂ", "ㅡ"])
def test_letters_that_open_or_decide_never_come_out(text: str) -> None:
    assert list(navigation(text, "jkgn")) == []


@given(st.text(alphabet=st.characters(min_codepoint=0x1100, max_codepoint=0xFFFF)))
def test_nothing_else_than_allowed_letters_ever_comes_out(text: str) -> None:
    assert set(navigation(text, "jkgn")) <= set("jkgn")
    assert all(letter.isascii() and letter.isalpha() for letter in letters(text))


@given(st.integers(0xAC00, 0xD7A3))
def test_every_syllable_is_two_to_five_letters(code: int) -> None:
    assert 2 <= len(letters(chr(code))) <= 5
