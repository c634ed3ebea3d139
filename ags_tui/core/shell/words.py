"""Values of words: quotes, escapes, ``$'…'``, and what only the shell can compute."""

import re
from typing import NamedTuple

from ags_tui.core.shell.marks import CWD, HOME, UNKNOWN
from ags_tui.core.shell.model import Word

_ANSI = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c(.))",
    re.DOTALL,
)
_ANSI_LETTERS = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_BARE = re.compile(r"\\(.)|([*?\[])|([{}])", re.DOTALL)
_IN_QUOTES = re.compile(r"\\([$`\"\\\n])")
_TILDE = re.compile(r"~([+-]?|[A-Za-z0-9_.-]*)(?=/|$)")
_ASSIGNING_TILDE = re.compile(r"[A-Za-z_]\w*\+?=(?:.*:)?~")
_HOME_BEHIND = re.compile(r"(?<=[=:])~(?=[/:]|\Z)")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_KNOWN = {"HOME": HOME, "PWD": CWD}


class Piece(NamedTuple):
    """A part of a word."""

    value: str | None
    """Its literal value; None where computed."""
    shape: str
    """Its shape."""


def bare(text: str, *, first: bool, braces: bool) -> Piece:
    """The value of unquoted text.

    Args:
        text: as written.
        first: whether it begins the word, where a tilde means a home folder.
        braces: whether braces in it may be a list; ``{}`` and ``{x}`` are none.
    """
    computed = False
    head = ""
    if first and text.startswith("~"):
        tilde = _TILDE.match(text)
        computed = True
        if tilde:
            head = {"": HOME, "+": CWD}.get(tilde[1], UNKNOWN)
            text = text[tilde.end() :]
    elif first and text.startswith("="):
        computed = True  # zsh puts the path of a program in its place
    elif first and _ASSIGNING_TILDE.match(text):
        computed = True  # bash reads an argument that looks like an assignment as one
        text = _HOME_BEHIND.sub(HOME, text)

    def replaced(match: "re.Match[str]") -> str:
        nonlocal computed
        if match[1] is not None:
            return "" if match[1] == "\n" else match[1]
        if match[3] is not None and not braces:
            return match[3]
        computed = True
        return match[2] if match[2] is not None else UNKNOWN

    shape = head + _BARE.sub(replaced, text)
    return Piece(None if computed else shape, shape)


def single_quoted(text: str) -> Piece:
    """The value of ``'…'``."""
    return Piece(text[1:-1], text[1:-1])


def double_quoted(text: str, *, computed: bool) -> Piece:
    """The value of ``"…"``.

    Args:
        text: as written, with its quotes.
        computed: whether an expansion or substitution stands in it.
    """
    inner = text[1:-1]
    value = _IN_QUOTES.sub(lambda m: "" if m[1] == "\n" else m[1], inner)
    if not computed:
        return Piece(value, value)
    return Piece(None, expanded_shape(inner))


def ansi_quoted(text: str) -> Piece:
    """The value of ``$'…'``."""
    value = _ANSI.sub(_ansi_character, text[2:-1])
    return Piece(value, value)


def _ansi_character(match: "re.Match[str]") -> str:
    if match[1]:
        return _ANSI_LETTERS[match[1]]
    if match[6]:
        return chr(ord(match[6]) & 0x1F)
    code = int(match[2], 8) & 0xFF if match[2] else int(match[3] or match[4] or match[5], 16)
    return chr(code) if 0 < code < 0x110000 else ""


def expanded_shape(text: str) -> str:
    """The shape of text in which variables and substitutions are expanded."""
    shape = _VARIABLE.sub(lambda m: _KNOWN.get(m[1] or m[2], UNKNOWN), text)
    cut = re.search(r"[$`]", shape)
    return shape[: cut.start()] + UNKNOWN if cut else shape


def variable(text: str) -> Piece:
    """The value of ``$NAME`` or ``${NAME}``: always computed."""
    return Piece(None, expanded_shape(text))


def join(text: str, pieces: list[Piece]) -> Word:
    """Put a word together.

    Args:
        text: the whole word as written.
        pieces: its parts in order.
    """
    values = [piece.value for piece in pieces]
    shape = "".join(piece.shape for piece in pieces)
    known = [value for value in values if value is not None]
    return Word(text, "".join(known) if len(known) == len(values) else None, shape)


def literal(text: str) -> Word:
    """A word whose value is its text."""
    return Word(text, text, text)
