"""Unified diffs: git's output read into files, hunks and lines, and a diff of two contents.

Everything stays bytes except paths (``str`` with surrogate escapes). Files and hunks are found by searching,
the lines of a hunk are made when asked for: a diff of a million lines costs what its hunks cost.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from ags_tui.core.line_match import matching_blocks

FileKind = Literal["modified", "added", "deleted", "renamed", "copied", "mode", "unmerged", "same"]
"""What happened to a file; ``mode`` where nothing but the mode changed."""

LineKind = Literal[" ", "+", "-", "\\"]
"""Context, added, removed, or the remark that the line before has no newline."""

CONTEXT = 3
"""Lines of context around a change, as in git."""

_STARTS = (b"\ndiff --git ", b"\ndiff --cc ", b"\ndiff --combined ", b"\n* Unmerged path ")
_PLAIN = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_RANGE = re.compile(rb"[-+](\d+)(?:,(\d+))?")
_QUOTED = re.compile(rb'"(?:[^"\\]|\\.)*"')
_ESCAPES = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}
_KINDS: dict[int, LineKind] = {32: " ", 43: "+", 45: "-", 92: "\\"}


class DiffLine(NamedTuple):
    """One line of a hunk."""

    kind: LineKind
    """What it is."""
    old_no: int | None
    """Its number in the old file, from 1; None where it is not in it."""
    new_no: int | None
    """Its number in the new file, from 1; None where it is not in it."""
    text: bytes
    """Raw text without the mark and without the line feed; a carriage return stays."""


class Hunk(NamedTuple):
    """One hunk."""

    header: bytes
    """The ``@@`` line as written, with the function behind it."""
    old_start: int
    """First line in the old file (of the first parent)."""
    old_count: int
    """Lines in the old file."""
    new_start: int
    """First line in the new file."""
    new_count: int
    """Lines in the new file."""
    body: bytes
    """The lines as written, with marks, without the last line feed."""
    parents: int = 1
    """Columns of marks: more than one in a combined diff."""

    @property
    def lines(self) -> tuple[DiffLine, ...]:
        """The lines, made on use and kept for a while."""
        return _kept_lines(self)

    @property
    def size(self) -> int:
        """Number of lines, without making them."""
        return self.body.count(b"\n") + 1 if self.body else 0


@dataclass(frozen=True, eq=False)
class FileDiff:
    """All that a diff says about one file."""

    old_path: str | None
    """Path before; None where the file is new."""
    new_path: str | None
    """Path after; None where the file is gone."""
    kind: FileKind
    """What happened."""
    hunks: tuple[Hunk, ...] = ()
    """In order; none for binary, mode-only, empty and unmerged files."""
    old_mode: str = ""
    """git mode before, where the diff says it."""
    new_mode: str = ""
    """git mode after, where the diff says it."""
    old_blob: str = ""
    """Object id before (abbreviated as written)."""
    new_blob: str = ""
    """Object id after (abbreviated as written)."""
    binary: bool = False
    """Contents are not text, so nothing of them is shown."""
    combined: bool = False
    """Against several parents (a conflict or a merge)."""
    similarity: int | None = None
    """Percent, for renames and copies."""

    @property
    def path(self) -> str:
        """The path after, or before where the file is gone."""
        return self.new_path if self.new_path is not None else self.old_path or ""

    @property
    def submodule(self) -> bool:
        """Whether it is a submodule: the lines name commits."""
        return "160000" in (self.old_mode, self.new_mode)

    @cached_property
    def counts(self) -> tuple[int, int]:
        """Added and removed lines."""
        if self.combined:
            kinds = [line.kind for hunk in self.hunks for line in hunk.lines]
            return kinds.count("+"), kinds.count("-")
        bodies = [b"\n" + hunk.body for hunk in self.hunks]
        return sum(body.count(b"\n+") for body in bodies), sum(body.count(b"\n-") for body in bodies)


@lru_cache(maxsize=256)
def _kept_lines(hunk: Hunk) -> tuple[DiffLine, ...]:
    return tuple(iterate_lines(hunk))


def iterate_lines(hunk: Hunk) -> Iterator[DiffLine]:
    """Make the lines of a hunk one after the other, for a reader that needs only the first ones."""
    return _combined(hunk) if hunk.parents > 1 else _lines(hunk)


def _lines(hunk: Hunk) -> Iterator[DiffLine]:
    old, new = hunk.old_start, hunk.new_start
    for raw in hunk.body.split(b"\n") if hunk.body else ():
        kind = _KINDS.get(raw[0]) if raw else " "
        if kind == " ":
            yield DiffLine(" ", old, new, raw[1:])
            old += 1
            new += 1
        elif kind == "+":
            yield DiffLine("+", None, new, raw[1:])
            new += 1
        elif kind == "-":
            yield DiffLine("-", old, None, raw[1:])
            old += 1
        else:
            yield DiffLine("\\", None, None, raw[1:] if kind else raw)


def _combined(hunk: Hunk) -> Iterator[DiffLine]:
    new = hunk.new_start
    for raw in hunk.body.split(b"\n") if hunk.body else ():
        marks, text = raw[: hunk.parents], raw[hunk.parents :]
        if raw.startswith(b"\\"):
            yield DiffLine("\\", None, None, raw[1:])
        elif b"-" in marks:
            yield DiffLine("-", None, None, text)
        else:
            yield DiffLine("+" if b"+" in marks else " ", None, new, text)
            new += 1


def parse(data: bytes) -> tuple[FileDiff, ...]:
    """Read the output of ``git diff`` (``a/`` and ``b/`` prefixes, ``--cc`` too); anything before it is
    skipped.

    Never raises: what cannot be read is left out of a file's facts, its lines are kept.
    """
    data = b"\n" + data
    starts = sorted(start for mark in _STARTS for start in _find_all(data, mark))
    return tuple(_file(part.removesuffix(b"\n")) for part in _cut(data, starts))


def _find_all(data: bytes, mark: bytes, start: int = 0) -> Iterator[int]:
    position = data.find(mark, start)
    while position >= 0:
        yield position
        position = data.find(mark, position + 1)


def _cut(data: bytes, starts: list[int]) -> Iterator[bytes]:
    """The parts that begin behind the line feeds at ``starts``."""
    for start, end in zip(starts, [*starts[1:], len(data)], strict=False):
        yield data[start + 1 : end]


def _file(text: bytes) -> FileDiff:
    if text.startswith(b"* Unmerged path "):
        path = _name(text.split(b"\n")[0].removeprefix(b"* Unmerged path "))
        return FileDiff(path, path, "unmerged")
    starts = list(_find_all(text, b"\n@@"))
    head = text[: starts[0]] if starts else text
    return _Header(head).file(tuple(_hunk(part) for part in _cut(text, starts)))


def _hunk(text: bytes) -> Hunk:
    header, _, body = text.partition(b"\n")
    plain = _PLAIN.match(header)
    if plain:
        old_start, old_count, new_start, new_count = plain.groups(b"1")
        return Hunk(header, int(old_start), int(old_count), int(new_start), int(new_count), body)
    marks = len(header) - len(header.lstrip(b"@"))
    ranges = [
        (int(start), int(count or b"1")) for start, count in _RANGE.findall(header.split(b"@" * marks)[1])
    ]
    old, new = (ranges[0], ranges[-1]) if len(ranges) > 1 else ((0, 0), (0, 0))
    return Hunk(header, *old, *new, body, max(1, marks - 1))


class _Header:
    """The lines of one file above its hunks."""

    def __init__(self, head: bytes) -> None:
        first, *rest = head.split(b"\n")
        self.fields: dict[bytes, bytes] = {}
        for line in rest:
            for key in (
                b"--- ", b"+++ ", b"index ", b"old mode ", b"new mode ", b"mode ", b"new file mode ",
                b"deleted file mode ", b"rename from ", b"rename to ", b"copy from ", b"copy to ",
                b"similarity index ", b"Binary files ", b"GIT binary patch",
            ):  # fmt: skip
                if line.startswith(key):
                    self.fields.setdefault(key.strip(), line[len(key) :])
        self.combined = not first.startswith(b"diff --git ")
        self.old, self.new = self._paths(first)

    def _paths(self, first: bytes) -> tuple[str | None, str | None]:
        fields = self.fields
        if self.combined:
            path = _name(first.split(b" ", 2)[2])
            old, new = path, path
        else:
            old, new = _pair(first.removeprefix(b"diff --git "))
        if b"---" in fields:
            old, new = _side(fields[b"---"]), _side(fields.get(b"+++", b""))
        for verb in (b"rename", b"copy"):
            if verb + b" from" in fields:
                old, new = _name(fields[verb + b" from"]), _name(fields.get(verb + b" to", b""))
        if b"new file mode" in fields:
            old = None
        if b"deleted file mode" in fields:
            new = None
        return old, new

    def _kind(self) -> FileKind:
        fields = self.fields
        if b"rename from" in fields:
            return "renamed"
        if b"copy from" in fields:
            return "copied"
        if self.old is None:
            return "added"
        if self.new is None:
            return "deleted"
        return "mode" if b"old mode" in fields and b"index" not in fields else "modified"

    def file(self, hunks: tuple[Hunk, ...]) -> FileDiff:
        """The file with its hunks."""
        fields = self.fields
        blobs, _, mode = fields.get(b"index", b"").partition(b" ")
        old_blob, _, new_blob = blobs.partition(b"..")
        old_mode = fields.get(b"old mode") or fields.get(b"deleted file mode") or mode
        new_mode = fields.get(b"new mode") or fields.get(b"new file mode") or mode
        similarity = fields.get(b"similarity index", b"").rstrip(b"%")
        return FileDiff(
            old_path=self.old,
            new_path=self.new,
            kind=self._kind(),
            hunks=hunks,
            old_mode="" if self.old is None else old_mode.decode("ascii", "replace"),
            new_mode="" if self.new is None else new_mode.decode("ascii", "replace"),
            old_blob=old_blob.split(b",")[0].decode("ascii", "replace"),
            new_blob=new_blob.decode("ascii", "replace"),
            binary=b"Binary files" in fields or b"GIT binary patch" in fields,
            combined=self.combined,
            similarity=int(similarity) if similarity.isdigit() else None,
        )


def _name(raw: bytes) -> str:
    """A path as git writes it: quoted in C style, or plain with a tab behind where it holds a blank."""
    if raw.startswith(b'"'):
        raw = re.sub(rb"\\([0-7]{3}|.)", _unescape, raw.strip(b"\t")[1:-1], flags=re.DOTALL)
    else:
        raw = raw.removesuffix(b"\t")
    return raw.decode("utf-8", "surrogateescape")


def _unescape(found: re.Match[bytes]) -> bytes:
    code = found.group(1)
    if len(code) == 3:
        return bytes([int(code, 8) & 255])
    return bytes([_ESCAPES.get(code, code[0])])


def _side(raw: bytes) -> str | None:
    """The path of a ``---`` or ``+++`` line; None for ``/dev/null``."""
    name = _name(raw)
    return None if name == "/dev/null" else name[2:] if name[:2] in {"a/", "b/"} else name


def _pair(text: bytes) -> tuple[str | None, str | None]:
    """Both paths of a ``diff --git`` line: only needed where they are equal (mode, binary, empty files)."""
    quoted = _QUOTED.findall(text)
    if len(quoted) == 2:
        return _side(quoted[0]), _side(quoted[1])
    if quoted:
        name = _side(quoted[0])
        return name, name
    half = len(text) // 2
    return _side(text[:half]), _side(text[half + 1 :])


def between(old: bytes | None, new: bytes | None, path: str) -> FileDiff:
    """The diff of two contents, in the shape of :func:`parse`; None = the file does not exist.

    Args:
        old: Contents before.
        new: Contents after.
        path: Path of both.
    """
    kind: FileKind = (
        "same" if old == new else "added" if old is None else "deleted" if new is None else "modified"
    )
    old_path, new_path = (None if old is None else path), (None if new is None else path)
    if b"\0" in (old or b"")[:8000] or b"\0" in (new or b"")[:8000]:
        return FileDiff(old_path, new_path, kind, binary=True)
    before, after = _split(old or b""), _split(new or b"")
    return FileDiff(old_path, new_path, kind, tuple(_hunks(before, after)) if old != new else ())


def _split(data: bytes) -> list[bytes]:
    """Lines with their line feeds; a carriage return ends no line."""
    *whole, rest = data.split(b"\n")
    return [line + b"\n" for line in whole] + ([rest] if rest else [])


def _hunks(before: list[bytes], after: list[bytes]) -> Iterator[Hunk]:
    """Group the changes between matching blocks, with context."""
    blocks = matching_blocks(before, after)
    edits: list[tuple[int, int, int, int]] = []
    old_at = new_at = 0
    for old, new, size in [*blocks, (len(before), len(after), 0)]:
        if old > old_at or new > new_at:
            edits.append((old_at, old, new_at, new))
        old_at, new_at = old + size, new + size
    group: list[tuple[int, int, int, int]] = []
    for edit in edits:
        if group and edit[0] - group[-1][1] > 2 * CONTEXT:
            yield _make_hunk(before, after, group)
            group = []
        group.append(edit)
    if group:
        yield _make_hunk(before, after, group)


def _make_hunk(before: list[bytes], after: list[bytes], edits: list[tuple[int, int, int, int]]) -> Hunk:
    lead = min(CONTEXT, edits[0][0])
    old_start, new_start = edits[0][0] - lead, edits[0][2] - lead
    old_end = min(len(before), edits[-1][1] + CONTEXT)
    rows: list[tuple[bytes, bytes]] = []
    position = old_start
    for old_from, old_to, new_from, new_to in edits:
        rows += [(b" ", line) for line in before[position:old_from]]
        rows += [(b"-", line) for line in before[old_from:old_to]]
        rows += [(b"+", line) for line in after[new_from:new_to]]
        position = old_to
    rows += [(b" ", line) for line in before[position:old_end]]
    old_count = sum(mark != b"+" for mark, _ in rows)
    new_count = sum(mark != b"-" for mark, _ in rows)
    remark = b"\n\\ No newline at end of file\n"
    body = b"".join(mark + line + (b"" if line.endswith(b"\n") else remark) for mark, line in rows)
    first = old_start + (old_count > 0), new_start + (new_count > 0)
    header = b"@@ -%d,%d +%d,%d @@" % (first[0], old_count, first[1], new_count)
    return Hunk(header, first[0], old_count, first[1], new_count, body.removesuffix(b"\n"))
