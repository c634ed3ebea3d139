"""A diff as a document: facts above it, then file headers, notes, hunk headers and numbered lines.

Plain and unified. Lines are made when they come into sight, so the size of a diff costs next to nothing
before.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from ags_tui.core.diffs import DiffLine, FileDiff, Hunk, iterate_lines
from ags_tui.view.content import Fact
from ags_tui.view.glyphs import UNICODE, Glyphs
from ags_tui.view.text import Line, Span, cell_len, line_len, printable, spans

BlockKind = Literal["facts", "file", "note", "hunk", "lines"]
"""Parts of the document."""

_STYLES = {"+": "added", "-": "removed", "\\": "muted", " ": ""}
_KIND_WORDS = {
    "modified": "", "added": "new", "deleted": "deleted", "renamed": "renamed", "copied": "copied",
    "mode": "mode", "unmerged": "unmerged", "same": "unchanged",
}  # fmt: skip
_MODE_WORDS = {"100644": "file", "100755": "executable", "120000": "link", "160000": "submodule"}
_CHUNK = 2048


class Block(NamedTuple):
    """A run of lines of one kind; there are two a hunk, so they are of the cheapest sort of object."""

    kind: BlockKind
    """What it is."""
    start: int
    """First line in the document."""
    size: int
    """Number of lines."""
    file: int = -1
    """Index of the file; -1 outside of files."""
    hunk: int = -1
    """Index of the hunk in the whole document; -1 outside of hunks."""
    fact: int = -1
    """Index of the first fact; -1 outside of facts."""


class _Lines:
    """The lines of one hunk, made up to the furthest that was asked for."""

    def __init__(self, hunk: Hunk) -> None:
        self._source: Iterator[DiffLine] = iterate_lines(hunk)
        self._made: list[DiffLine] = []

    def __getitem__(self, index: int) -> DiffLine:
        while index >= len(self._made):
            before = len(self._made)
            for line in self._source:
                self._made.append(line)
                if len(self._made) - before >= _CHUNK:
                    break
            if len(self._made) == before:
                raise IndexError(index)
        return self._made[index]


class DiffDocument:
    """Files of a diff, with facts above them."""

    def __init__(
        self,
        files: Sequence[FileDiff],
        *,
        facts: Iterable[Fact] = (),
        rest: Iterable[Fact] = (),
        glyphs: Glyphs = UNICODE,
    ) -> None:
        """Lay out the blocks.

        Args:
            files: Parsed diff.
            facts: Lines above the diff, such as the reason of a request.
            rest: Lines below it, such as its other fields.
            glyphs: Symbols.
        """
        self.files = tuple(files)
        self.glyphs = glyphs
        above = tuple(facts)
        self._facts = (*above, *rest)
        self._notes = [_notes(file) for file in self.files]
        self._crlf = [_all_crlf(file) for file in self.files]
        self._hunks = [hunk for file in self.files for hunk in file.hunks]
        self._lines: dict[int, _Lines] = {}
        self.blocks = tuple(self._lay_out(len(above)))
        self._starts = [block.start for block in self.blocks]
        self._size = self.blocks[-1].start + self.blocks[-1].size if self.blocks else 0
        ends = [
            file.hunks[-1] for file in self.files if file.hunks
        ]  # hunks stand in the order of their lines
        last = [max(h.old_start + h.old_count, h.new_start + h.new_count) for h in ends]
        self._digits = max(3, len(str(max(last, default=0))))

    def _lay_out(self, above: int) -> Iterator[Block]:
        start, hunk_index = above, 0
        if above:
            yield Block("facts", 0, above, fact=0)
        for index, file in enumerate(self.files):
            yield Block("file", start, 1, index)
            start += 1
            if self._notes[index]:
                yield Block("note", start, len(self._notes[index]), index)
                start += len(self._notes[index])
            for hunk in file.hunks:
                size = hunk.size
                yield Block("hunk", start, 1, index, hunk_index)
                yield Block("lines", start + 1, size, index, hunk_index)
                start += 1 + size
                hunk_index += 1
        if len(self._facts) > above:
            yield Block("facts", start, len(self._facts) - above, fact=above)

    # -- where things are ----------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """Number of lines."""
        return self._size

    @property
    def hunk_count(self) -> int:
        """Number of hunks in all files."""
        return len(self._hunks)

    @property
    def hunk_starts(self) -> tuple[int, ...]:
        """Lines of the hunk headers."""
        return tuple(block.start for block in self.blocks if block.kind == "hunk")

    @property
    def file_starts(self) -> tuple[int, ...]:
        """Lines of the file headers."""
        return tuple(block.start for block in self.blocks if block.kind == "file")

    def block_at(self, index: int) -> Block:
        """The block that holds a line."""
        return self.blocks[bisect_right(self._starts, index) - 1]

    def _fact(self, index: int) -> Fact | None:
        """The fact that a line shows; None where it is one of the diff."""
        block = self.block_at(index)
        return self._facts[block.fact + index - block.start] if block.kind == "facts" else None

    def hunk_span(self, hunk: int) -> tuple[int, int]:
        """First line of a hunk, its header, and the line behind it."""
        header = next(block for block in self.blocks if block.hunk == hunk)
        return header.start, header.start + 1 + self._hunks[hunk].size

    # -- lines ---------------------------------------------------------------------------------------

    def _line_at(self, block: Block, index: int) -> DiffLine:
        """A line of a hunk; hunks that were never in sight cost nothing."""
        if block.hunk not in self._lines:
            self._lines[block.hunk] = _Lines(self._hunks[block.hunk])
        return self._lines[block.hunk][index - block.start]

    @property
    def gutter_width(self) -> int:
        """Cells left of a line of a diff: both numbers and the sign."""
        return 2 * self._digits + 5

    def indent(self, index: int) -> int:
        """Cells left of a line."""
        fact = self._fact(index)
        return self.gutter_width if fact is None else fact.indent

    def gutter(self, index: int, *, first: bool) -> Line:
        """Old and new number and the sign, for lines of hunks; the label of a fact."""
        fact = self._fact(index)
        if fact is not None:
            return fact.gutter if first else ()
        block = self.block_at(index)
        if block.kind == "file" and first:
            return self._counts(block.file)
        if block.kind != "lines":
            return ()
        line = self._line_at(block, index)
        sign = "" if line.kind == "\\" else line.kind
        if not first:
            return (Span(" " * (2 * self._digits + 3)), Span(sign, _STYLES[line.kind]))
        numbers = f"{line.old_no or '':>{self._digits}} {line.new_no or '':>{self._digits}}  "
        return (Span(numbers, "muted"), Span(sign, _STYLES[line.kind]))

    def line(self, index: int) -> Line:
        """The line itself, inert."""
        fact = self._fact(index)
        if fact is not None:
            return fact.line
        block = self.block_at(index)
        if block.kind == "file":
            return self._file_line(block.file)
        if block.kind == "note":
            return self._notes[block.file][index - block.start]
        if block.kind == "hunk":
            return spans(_decoded(self._hunks[block.hunk].header), "accent")
        line, text = self._text(block, index)
        if line.kind == "\\":
            return spans(f"\\{text}", "muted")
        return spans(text, _STYLES[line.kind])

    def width(self, index: int) -> int:
        """Cells of the line."""
        block = self.block_at(index)
        if block.kind != "lines":
            return line_len(self.line(index))
        line, text = self._text(block, index)
        return cell_len(printable(text)) + (line.kind == "\\")

    def _text(self, block: Block, index: int) -> tuple[DiffLine, str]:
        """A line of a hunk with its text; a carriage return that every line of the file has is left out."""
        line = self._line_at(block, index)
        raw = line.text.removesuffix(b"\r") if self._crlf[block.file] else line.text
        return line, _decoded(raw)

    def _file_line(self, index: int) -> Line:
        file = self.files[index]
        parts: list[Span] = [*spans(file.path, "title")]
        if file.kind in ("renamed", "copied") and file.old_path:
            parts += [Span(f"  {self.glyphs.dot} {file.kind} from ", "muted"), *spans(file.old_path, "muted")]
        elif _KIND_WORDS[file.kind]:
            parts.append(Span(f"  {self.glyphs.dot} {_KIND_WORDS[file.kind]}", "warn"))
        return tuple(parts)

    def _counts(self, index: int) -> Line:
        """Added and removed lines of a file; they stand in the gutter, where no long path can cut them."""
        added, removed = self.files[index].counts
        parts = (Span(f"+{_short(added)}", "added"), Span(f"-{_short(removed)}", "removed"))
        shown = tuple(part for part, count in zip(parts, (added, removed), strict=True) if count)
        return tuple(piece for part in shown for piece in (Span(" "), part))


def _short(count: int) -> str:
    """A count in at most four cells."""
    return str(count) if count < 10_000 else f"{min(count // 1000, 999)}k"


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _notes(file: FileDiff) -> tuple[Line, ...]:
    """What the human should know about a file beside its lines."""
    notes: list[Line] = []
    if file.old_mode and file.new_mode and file.old_mode != file.new_mode:
        words = [_MODE_WORDS.get(mode, mode) for mode in (file.old_mode, file.new_mode)]
        notes.append(
            (Span(f"mode {words[0]} ({file.old_mode}) becomes {words[1]} ({file.new_mode})", "warn"),)
        )
    elif (file.new_mode or file.old_mode) not in ("", "100644"):
        mode = file.new_mode or file.old_mode
        notes.append((Span(f"mode {_MODE_WORDS.get(mode, mode)} ({mode})", "warn"),))
    if file.binary:
        notes.append((Span("binary: its contents are not shown", "warn"),))
    if file.combined:
        notes.append((Span("conflict: compared with both sides", "warn"),))
    if file.kind == "unmerged":
        notes.append((Span("not merged: the index holds several versions", "warn"),))
    if _all_crlf(file):
        notes.append((Span("line ends are CRLF", "muted"),))
    if not file.hunks and not file.binary and file.kind in ("added", "deleted"):
        notes.append((Span("empty file", "muted"),))
    return tuple(notes)


def _all_crlf(file: FileDiff) -> bool:
    """Whether every line of the diff ends with a carriage return."""
    if not file.hunks:
        return False
    for hunk in file.hunks:
        remarks = hunk.body.count(b"\n\\ ")
        ends = hunk.body.count(b"\r\n") + hunk.body.endswith(b"\r")
        if ends + remarks != hunk.size:
            return False
    return True
