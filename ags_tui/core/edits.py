"""What files would hold after an edit that a client proposes, worked out in memory.

The rules are those of the clients as measured (Claude Code 2.1.332, Gemini CLI 0.61.0); where the bytes
cannot be known, the answer says so instead of guessing: what a human approves must be what runs.
``core.edits_notebook`` and ``core.edits_patch`` hold the larger formats.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Reader = Callable[[str], bytes | None]
"""The bytes that a path, as given, has now; None where there is no file."""

BOM = b"\xef\xbb\xbf"
"""UTF-8 byte order mark."""

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_HEAD = 4096
"""Claude Code counts line ends in the first part of a file only; a longer mixed file is not judged."""


@dataclass(frozen=True, slots=True)
class ProposedEdit:
    """One file before and after."""

    path: str
    """As the client gave it: absolute, or relative to the call's folder."""
    before: bytes | None
    """Its bytes now; None where it does not exist."""
    after: bytes | None
    """Its bytes afterwards; None where it is deleted."""


@dataclass(frozen=True, slots=True)
class NotComputed:
    """Why the result of an edit is not known beforehand."""

    reason: str
    """In one clause, as it goes into a sentence. Raw text."""
    refused: bool = False
    """Whether the client itself will refuse the edit, so that nothing changes."""


Proposed = tuple[ProposedEdit, ...] | NotComputed
"""The files of an edit, in the client's order, or why they are not known."""


class CannotCompute(Exception):
    """Raised inside the ``edits`` modules, where a result cannot be known; becomes ``NotComputed``."""

    def __init__(self, reason: str, *, refused: bool = False) -> None:
        """Take the reason and whether the client itself will refuse."""
        super().__init__(reason)
        self.result = NotComputed(reason, refused)


@dataclass(frozen=True, slots=True)
class Replacement:
    """One replacement of Claude Code's Edit."""

    old: str
    """What is replaced; empty to make a file."""
    new: str
    """What comes in its place."""
    every: bool = False
    """Whether all places are meant."""


def replace_strings(path: str, replacements: Sequence[Replacement], read: Reader) -> Proposed:
    """Apply Claude Code's Edit (one replacement) or the former MultiEdit (several, one after another).

    Args:
        path: The file, as given.
        replacements: In their order.
        read: Reads the file as it is.
    """
    before = read(path)
    try:
        if not replacements:
            raise CannotCompute("it holds no replacement", refused=True)
        text, unix = _lines_of(before)
        for one in replacements:
            text = _replaced(text, one, exists=before is not None)
        after = (text if unix else windows_text(text)).encode("utf-8")
    except CannotCompute as why:
        return why.result
    return (ProposedEdit(path, before, after),)


def write_text(path: str, content: str, read: Reader) -> Proposed:
    """Apply Claude Code's Write: the content as it is, behind the byte order mark that the file had."""
    before = read(path)
    try:
        after = content.encode("utf-8")
        if before is not None:
            decoded(before)
            if before.startswith(BOM) and not after.startswith(BOM):
                after = BOM + after
    except CannotCompute as why:
        return why.result
    return (ProposedEdit(path, before, after),)


def replace_expected(path: str, old: str, new: str, read: Reader, *, expected: int | None = 1) -> Proposed:
    """Apply Gemini CLI's ``replace``.

    Bytes that are no UTF-8 are lost in it, and every line end becomes CRLF where the file has one.

    Args:
        path: The file, as given.
        old: What is replaced; empty to make a file.
        new: What comes in its place.
        read: Reads the file as it is.
        expected: How often ``old`` must be found; None = as often as it is there, but once at least.
    """
    before = read(path)
    old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    try:
        if before is None:
            if old:
                raise CannotCompute("there is no such file", refused=True)
            return (ProposedEdit(path, None, new.encode("utf-8")),)
        if not old:
            raise CannotCompute("the file to be made exists already", refused=True)
        text = _expected(_not_utf16(before).decode("utf-8", "replace"), old, new, expected)
    except CannotCompute as why:
        return why.result
    return (ProposedEdit(path, before, text.encode("utf-8")),)


def write_like_before(path: str, content: str, read: Reader) -> Proposed:
    """Apply Gemini CLI's ``write_file``: the content with CRLF where the file has one, as it is otherwise."""
    before = read(path)
    if before is not None and b"\r\n" in before:
        content = windows_text(content)
    return (ProposedEdit(path, before, content.encode("utf-8")),)


def decoded(data: bytes) -> str:
    """Return a file's text, with its byte order mark as the first character.

    Raises:
        CannotCompute: It is not UTF-8.
    """
    try:
        return _not_utf16(data).decode("utf-8")
    except UnicodeDecodeError as error:
        raise CannotCompute(
            "the file is not UTF-8, and the client refuses such files", refused=True
        ) from error


def unix_text(data: bytes) -> tuple[str, bool]:
    """Return a file's text with LF only, and whether Claude Code writes it back with LF.

    Raises:
        CannotCompute: It is not UTF-8, or which line ends it will have is not known.
    """
    text = decoded(data)
    pairs = text.count("\r\n")
    single = text.count("\n") - pairs
    if pairs and single and len(data) > _HEAD:
        raise CannotCompute("the file mixes LF and CRLF, and which of them the client keeps is not known")
    return text.replace("\r\n", "\n"), pairs <= single


def windows_text(text: str) -> str:
    """Return a text with CRLF only."""
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _not_utf16(data: bytes) -> bytes:
    if data.startswith(_UTF16):
        raise CannotCompute("the file is UTF-16, which a request cannot show")
    return data


def _lines_of(before: bytes | None) -> tuple[str, bool]:
    return ("", True) if before is None else unix_text(before)


def _replaced(text: str, one: Replacement, *, exists: bool) -> str:
    if one.old == one.new:
        raise CannotCompute("old and new text are the same", refused=True)
    if not one.old:
        if exists and text.strip():
            raise CannotCompute("the file to be made exists already", refused=True)
        if text:
            raise CannotCompute("the file holds blanks only, and what the client makes of them is not known")
        return one.new
    if not exists:
        raise CannotCompute("there is no such file", refused=True)
    count = text.count(one.old)
    if count == 0:
        # the client then tries typographic quotes and \u escapes, and may find what is not written there
        raise CannotCompute("the text to be replaced is not in the file as it is written")
    if count > 1 and not one.every:
        raise CannotCompute(f"the text to be replaced is there {count} times, not once", refused=True)
    old = one.old
    if not one.new and not old.endswith("\n") and f"{old}\n" in text:
        old = f"{old}\n"  # a removed line leaves no empty one behind
    return text.replace(old, one.new) if one.every else text.replace(old, one.new, 1)


def _expected(text: str, old: str, new: str, expected: int | None) -> str:
    windows = "\r\n" in text
    text = text.replace("\r\n", "\n")
    count = text.count(old)
    if count == 0:
        # the client then ignores indentation, and may have a model correct the text
        raise CannotCompute("the text to be replaced is not in the file as it is written")
    if expected is not None and count != expected:
        raise CannotCompute(f"the text to be replaced is there {count} times, not {expected}", refused=True)
    if old == new:
        raise CannotCompute("old and new text are the same", refused=True)
    after = text.replace(old, new)
    if text.endswith("\n") and not after.endswith("\n"):
        after += "\n"
    elif not text.endswith("\n"):
        after = after.removesuffix("\n")
    if after == text:
        raise CannotCompute("it would change nothing", refused=True)
    return after.replace("\n", "\r\n") if windows else after
