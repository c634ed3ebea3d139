"""Hangul layout: committed jamo and syllables, taken apart into the letters of the two-set keyboard.

While a Hangul layout is on, ``j`` commits ``ㅓ`` and ``gk`` commits ``하``. Only letters that move are used;
whatever opens or decides has a Ctrl or unshifted way.
"""

import unicodedata
from collections.abc import Collection, Iterator, Sequence

_JAMO = {
    "ㅂ": "q", "ㅈ": "w", "ㄷ": "e", "ㄱ": "r", "ㅅ": "t", "ㅛ": "y", "ㅕ": "u", "ㅑ": "i", "ㅐ": "o",
    "ㅔ": "p",
    "ㅁ": "a", "ㄴ": "s", "ㅇ": "d", "ㄹ": "f", "ㅎ": "g", "ㅗ": "h", "ㅓ": "j", "ㅏ": "k", "ㅣ": "l",
    "ㅋ": "z", "ㅌ": "x", "ㅊ": "c", "ㅍ": "v", "ㅠ": "b", "ㅜ": "n", "ㅡ": "m",
    "ㅃ": "Q", "ㅉ": "W", "ㄸ": "E", "ㄲ": "R", "ㅆ": "T", "ㅒ": "O", "ㅖ": "P",
    "ㅘ": "hk", "ㅙ": "ho", "ㅚ": "hl", "ㅝ": "nj", "ㅞ": "np", "ㅟ": "nl", "ㅢ": "ml",
    "ㄳ": "rt", "ㄵ": "sw", "ㄶ": "sg", "ㄺ": "fr", "ㄻ": "fa", "ㄼ": "fq", "ㄽ": "ft", "ㄾ": "fx",
    "ㄿ": "fv", "ㅀ": "fg", "ㅄ": "qt",
}  # fmt: skip
"""Compatibility jamo to the letters that type them."""

_LEADS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_TAILS = ("", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")


def is_hangul(text: str) -> bool:
    """Tell whether a committed text holds any Hangul jamo or syllable."""
    return any(_letters(character) for character in unicodedata.normalize("NFC", text))


def letters(text: str) -> str:
    """Give the keyboard letters behind a committed text, in order; what is no Hangul is dropped."""
    return "".join(_letters(character) for character in unicodedata.normalize("NFC", text))


def navigation(text: str, allowed: Collection[str]) -> Iterator[str]:
    """Yield the letters behind a committed text that only move, in order.

    Args:
        text: What the input method committed.
        allowed: Letters of the navigation keys.
    """
    yield from (letter for letter in letters(text) if letter in allowed)


def hint(ways: Sequence[tuple[str, str]]) -> str:
    """Say that letters wait for the input method, and which keys do not.

    Args:
        ways: Keys that a Hangul layout can reach and what each does now, the most useful first.
    """
    named = ", ".join(f"{key} {label.rstrip('…')}" for key, label in ways[:MOST_WAYS])
    works = "works" if len(ways) == 1 else "work"
    return f"Hangul layout: letters wait for the IME. {named or 'Enter and Ctrl keys'} {works}."


MOST_WAYS = 4
"""Keys that the hint names at most."""


def _letters(character: str) -> str:
    """Take one character apart; empty where it is no Hangul."""
    code = ord(character)
    if 0xAC00 <= code <= 0xD7A3:
        index = code - 0xAC00
        parts = (_LEADS[index // 588], _VOWELS[index % 588 // 28], _TAILS[index % 28])
        return "".join(_JAMO.get(part, "") for part in parts)
    if 0x1100 <= code <= 0x1112:
        return _JAMO[_LEADS[code - 0x1100]]
    if 0x1161 <= code <= 0x1175:
        return _JAMO[_VOWELS[code - 0x1161]]
    if 0x11A8 <= code <= 0x11C2:
        return _JAMO[_TAILS[code - 0x11A7]]
    if 0xFFA1 <= code <= 0xFFDC:
        return "".join(_letters(part) for part in unicodedata.normalize("NFKC", character))
    return _JAMO.get(character, "")
