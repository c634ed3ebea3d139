"""Codex's ``apply_patch``: its grammar read, and applied in memory (as Codex CLI 0.171.0 does it).

A patch is lines between ``*** Begin Patch`` and ``*** End Patch``. ``*** Add File:`` is followed by ``+``
lines, ``*** Delete File:`` by nothing, ``*** Update File:`` by an optional ``*** Move to:`` and chunks:
``@@`` or ``@@ ANCHOR``, then lines with a mark (space, ``-``, ``+``), then perhaps ``*** End of File``.
Codex looks for the old lines of a chunk with falling strictness; so does this. A patch that can be read in
two ways is not computed.
"""

import posixpath
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from ags_tui.core.edits import CannotCompute, Proposed, ProposedEdit, Reader, decoded

BEGIN = "*** Begin Patch"
"""First line of a patch."""
END = "*** End Patch"
"""Last line of a patch."""

_ADD, _DELETE, _UPDATE = "*** Add File: ", "*** Delete File: ", "*** Update File: "
_MOVE, _EOF = "*** Move to: ", "*** End of File"
FILE_STARTS = (_ADD, _DELETE, _UPDATE)
"""How the lines begin with which each file of a patch begins."""
REMOVING = (_DELETE.rstrip(), _MOVE.rstrip())
"""Marks of what deletes a file or moves it away."""
_FILE_MARKS = (_ADD, _DELETE, _UPDATE, _MOVE)
_HEREDOCS = ("<<EOF", "<<'EOF'", '<<"EOF"')
_BLANKS = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""What Codex trims: Unicode white space, which is less than what ``str.strip`` takes."""
_PLAIN = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u2018\u2019\u201a\u201b", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f", '"')
    | dict.fromkeys("\xa0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " ")
)


@dataclass(slots=True)
class Chunk:
    """One place of an updated file."""

    anchor: str | None = None
    """Line after which it is; None = after the chunk before."""
    lines: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Mark (space, ``-``, ``+``) and text of each line. What has a space stays as the file has it."""
    at_end: bool = False
    """Whether the old lines end the file."""

    @property
    def old(self) -> list[str]:
        """Lines that are there."""
        return [text for mark, text in self.lines if mark != "+"]

    def without_last(self) -> list[tuple[str, str]]:
        """The lines without the empty one that stands for the end of the last line, old and new alike."""
        lines = list(self.lines)
        in_new = [at for at, (mark, _) in enumerate(lines) if mark != "-"]
        last = max(at for at, (mark, _) in enumerate(lines) if mark != "+")
        both = lines[last][0] == " " and in_new[-1] == last
        if in_new and not lines[in_new[-1]][1] and not both:
            del lines[in_new[-1]]
            last -= in_new[-1] < last
        if both or lines[last][0] == "-":
            del lines[last]
        else:
            lines[last] = ("+", "")
        return lines


@dataclass(slots=True)
class FilePatch:
    """One file of a patch."""

    action: str
    """``add``, ``delete``, ``update``."""
    path: str
    """As written."""
    move_to: str | None = None
    """New path of an updated file."""
    added: list[str] = field(default_factory=list[str])
    """Lines of an added file."""
    chunks: list[Chunk] = field(default_factory=list[Chunk])
    """Chunks of an updated file."""


def patch_paths(patch: str) -> tuple[str, ...]:
    """All paths that a patch could be understood to touch, in their order; rather too many than too few.

    Args:
        patch: Any text.
    """
    found: dict[str, None] = {}
    for line in patch.split("\n"):
        head = line.strip()
        for mark in _FILE_MARKS:
            if head.startswith(mark):
                kept = line.lstrip().removesuffix("\r")
                for form in (kept.strip(_BLANKS), head, kept):
                    found[form.removeprefix(mark)] = None
    return tuple(found)


def apply_patch(patch: str, read: Reader, *, cwd: str = "/") -> Proposed:
    """Apply a patch in memory.

    Args:
        patch: The patch.
        read: Reads a path as written in the patch.
        cwd: Absolute folder from which its relative paths count.

    Returns:
        Its files in their order (a move is the old path deleted and the new one written), or why that is not
        known. All or nothing.
    """
    try:
        files = parse_patch(patch)
        _check_once(files, cwd)
        return tuple(edit for one in files for edit in _applied(one, read))
    except CannotCompute as why:
        return why.result


def parse_patch(patch: str) -> list[FilePatch]:
    """Read a patch.

    Raises:
        CannotCompute: It is no patch, or one that could be read in two ways.
    """
    lines = [line.removesuffix("\r") for line in patch.strip(_BLANKS).split("\n")]
    if len(lines) >= 4 and lines[0] in _HEREDOCS and lines[-1].endswith("EOF"):
        lines = lines[1:-1]
    if lines[0].strip(_BLANKS) != BEGIN or lines[-1].strip(_BLANKS) != END or len(lines) < 2:
        raise CannotCompute(f"the patch is not between {BEGIN} and {END}", refused=True)
    files: list[FilePatch] = []
    for number, line in enumerate(lines[1:-1], 2):
        head = line.strip(_BLANKS)
        mark = next((mark for mark in FILE_STARTS if head.startswith(mark)), None)
        if mark is not None and line.startswith("*"):
            files.append(
                FilePatch({_ADD: "add", _DELETE: "delete", _UPDATE: "update"}[mark], head[len(mark) :])
            )
        elif not files:
            raise CannotCompute(f"line {number} of the patch begins no file", refused=True)
        else:
            _take(files[-1], line, head, number)
    if not files:
        raise CannotCompute("the patch names no file", refused=True)
    for one in files:
        if not one.path.strip(_BLANKS) or (
            one.action == "update" and not (one.chunks and one.chunks[-1].lines)
        ):
            raise CannotCompute(
                f"the patch has nothing for {one.path or 'a file without a name'}", refused=True
            )
    return files


def _take(one: FilePatch, line: str, head: str, number: int) -> None:
    if one.action == "add" and line.startswith("+"):
        one.added.append(line[1:])
        return
    if one.action != "update":
        raise CannotCompute(f"line {number} of the patch belongs to no file", refused=True)
    if head.startswith(_MOVE) and not one.chunks and one.move_to is None and head == line:
        one.move_to = head.removeprefix(_MOVE)
        return
    if head == "@@" or (head.startswith("@@ ") and line.startswith("@@ ")):
        if not line.startswith("@@"):
            raise CannotCompute(f"line {number} of the patch can be read in two ways")
        if one.chunks and not one.chunks[-1].lines:
            raise CannotCompute(f"line {number} of the patch follows an empty chunk")
        one.chunks.append(Chunk(None if head == "@@" else head[3:]))
        return
    if head.startswith((*_FILE_MARKS, "@@", _EOF, BEGIN, END)) and (line != _EOF or not one.chunks):
        # some versions trim lines before they look at them, others take this for a line of the file
        raise CannotCompute(f"line {number} of the patch can be read in two ways")
    _take_line(one, line, number)


def _take_line(one: FilePatch, line: str, number: int) -> None:
    if one.chunks and one.chunks[-1].at_end:
        if line.strip(_BLANKS):
            raise CannotCompute(f"line {number} of the patch comes after the end of its file", refused=True)
        raise CannotCompute(f"line {number} of the patch can be read in two ways")
    if line == _EOF:
        one.chunks[-1].at_end = True
        return
    if not one.chunks:
        if not line:
            raise CannotCompute(f"line {number} of the patch can be read in two ways")
        one.chunks.append(Chunk())
    if line and line[0] not in " +-":
        raise CannotCompute(f"line {number} of the patch has no mark", refused=True)
    one.chunks[-1].lines.append((line[0], line[1:]) if line else (" ", ""))


def _check_once(files: Sequence[FilePatch], cwd: str) -> None:
    """A file that is named twice has no one result, nor have names that some file systems take for one."""
    seen: set[str] = set()
    for path in (path for one in files for path in (one.path, one.move_to) if path is not None):
        if "\0" in path:
            raise CannotCompute("the patch names a path with a NUL", refused=True)
        key = posixpath.normpath(posixpath.join(cwd, path))
        if not key.isascii():
            from unicodedata import normalize  # rare

            key = normalize("NFC", key)
        key = key.casefold()
        if key in seen:
            raise CannotCompute(f"the patch names {path} twice, or under two names that may be one file")
        seen.add(key)


def _applied(one: FilePatch, read: Reader) -> tuple[ProposedEdit, ...]:
    before = read(one.path)
    if one.action == "add":
        after = "".join(f"{line}\n" for line in one.added).encode("utf-8")
        return (ProposedEdit(one.path, before, after),)
    if before is None:
        raise CannotCompute(f"there is no file {one.path}", refused=True)
    text = decoded(before)
    if one.action == "delete":
        return (ProposedEdit(one.path, before, None),)
    after = _updated(text, one).encode("utf-8")
    if one.move_to is None:
        return (ProposedEdit(one.path, before, after),)
    return (ProposedEdit(one.path, before, None), ProposedEdit(one.move_to, read(one.move_to), after))


def _updated(text: str, one: FilePatch) -> str:
    """New lines take the file's first line end; all lines are ended."""
    raw = text.split("\n")
    unended = raw.pop()
    pairs = [(line[:-1], "\r\n") if line.endswith("\r") else (line, "\n") for line in raw]
    preferred = pairs[0][1] if pairs else "\n"
    if unended:
        pairs.append((unended, preferred))
    result: list[str] = []
    done = 0
    for start, removed, added in sorted(_changes([line for line, _ in pairs], one), key=itemgetter(0)):
        if start < done:
            raise CannotCompute(f"two chunks for {one.path} meet in the same lines")
        result += [line + end for line, end in pairs[done:start]]
        result += [line + preferred for line in added]
        done = start + removed
    result += [line + end for line, end in pairs[done:]]
    return "".join(result)


_Change = tuple[int, int, list[str]]
"""First line, how many go, what comes there."""


def _changes(lines: list[str], one: FilePatch) -> list[_Change]:
    """Where each change goes; what a chunk shows around it stays as the file has it."""
    changes: list[_Change] = []
    search = _Search(lines)
    at = 0
    for chunk in one.chunks:
        if chunk.anchor is not None:
            found = search.find([chunk.anchor], at)
            if found is None:
                raise CannotCompute(f"{one.path} has no line {chunk.anchor!r} to start from", refused=True)
            at = found + 1
        marked, old = chunk.lines, chunk.old
        if not old:
            changes += _runs(len(lines), marked)
            continue
        found = search.find(old, at, at_end=chunk.at_end)
        if found is None and not old[-1]:
            marked, old = chunk.without_last(), old[:-1]
            found = search.find(old, at, at_end=chunk.at_end) if old else at
        if found is None:
            raise CannotCompute(f"{one.path} has not the lines that the patch replaces", refused=True)
        changes += _runs(found, marked)
        at = found + len(old)
    return changes


def _runs(start: int, marked: list[tuple[str, str]]) -> list[_Change]:
    """The changes of one chunk that begins at a line: each run of lines that are not context."""
    runs: list[_Change] = []
    fresh = True
    for mark, text in marked:
        if mark == " ":
            start, fresh = start + 1, True
            continue
        first, removed, added = (start, 0, list[str]()) if fresh else runs.pop()
        if mark == "+":
            added.append(text)
        runs.append((first, removed + (mark == "-"), added))
        start, fresh = start + (mark == "-"), False
    return runs


class _Search:
    """Looks for lines as they are, without trailing blanks, without blanks around, with plain punctuation."""

    def __init__(self, lines: list[str]) -> None:
        self._forms: dict[Callable[[str], str], list[str]] = {str: lines}

    def find(self, wanted: list[str], start: int, *, at_end: bool = False) -> int | None:
        """First place at or after ``start``; with ``at_end`` the last lines alone."""
        size = len(wanted)
        last = len(self._forms[str]) - size
        first = max(last, start) if at_end else start
        if last < 0:
            return None
        for form in (str, _end_trimmed, _trimmed, _plain):
            if form not in self._forms:
                self._forms[form] = [form(line) for line in self._forms[str]]
            lines, pattern = self._forms[form], [form(line) for line in wanted]
            at = first
            while at <= last:
                try:
                    at = lines.index(pattern[0], at, last + 1)
                except ValueError:
                    break
                if lines[at : at + size] == pattern:
                    return at
                at += 1
        return None


def _end_trimmed(line: str) -> str:
    return line.rstrip(_BLANKS)


def _trimmed(line: str) -> str:
    return line.strip(_BLANKS)


def _plain(line: str) -> str:
    return line.strip(_BLANKS).translate(_PLAIN)
