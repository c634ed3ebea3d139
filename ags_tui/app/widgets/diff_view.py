"""The diff view: a content view that knows hunks and files, and which hunks the human marked as reviewed."""

from dataclasses import dataclass

from rich.style import Style
from textual.message import Message

from ags_tui.app.widgets.content_view import ContentView
from ags_tui.app.widgets.paint import looks_of
from ags_tui.view.content import Document
from ags_tui.view.diff import DiffDocument
from ags_tui.view.text import Line, Span


class DiffView(ContentView):
    """Plain unified diff with line numbers. Added and removed lines differ by sign, colour and ground."""

    @dataclass(eq=False)
    class HunkMarked(Message):
        """A hunk was marked as reviewed, or the mark was taken away."""

        view: "DiffView"
        """Which view."""
        hunk: int
        """Number of the hunk in the document, from 0."""
        marked: bool
        """Whether it is marked now."""

    def __init__(self, *, id: str | None = None, wrap: bool = False, ascii_only: bool = False) -> None:
        """Make an empty view; long lines scroll sideways at first.

        Args:
            id: Id in the screen.
            wrap: Whether long lines wrap.
            ascii_only: Draw the marks of cut lines in ASCII; the text itself is never replaced.
        """
        super().__init__(id=id, wrap=wrap, ascii_only=ascii_only)
        self.marks: set[int] = set()

    @property
    def diff(self) -> DiffDocument | None:
        """The document, where it is a diff."""
        return self.document if isinstance(self.document, DiffDocument) else None

    def show(self, document: Document, *, keep_place: bool = False) -> None:
        """Show another document; marks do not outlive the content that they were set on."""
        self.marks.clear()
        super().show(document, keep_place=keep_place)

    # -- moving --------------------------------------------------------------------------------------

    def move_hunk(self, step: int) -> bool:
        """Go to the next or previous hunk; False where there is none."""
        return self._move_among(self.diff.hunk_starts if self.diff else (), step)

    def move_file(self, step: int) -> bool:
        """Go to the next or previous file; False where there is none."""
        return self._move_among(self.diff.file_starts if self.diff else (), step)

    def _move_among(self, starts: tuple[int, ...], step: int) -> bool:
        here = self.top_line
        beyond = [start for start in starts if (start > here if step > 0 else start < here)]
        if not beyond:
            return False
        self.move_to_line(beyond[0] if step > 0 else beyond[-1])
        return True

    # -- marks ---------------------------------------------------------------------------------------

    @property
    def current_hunk(self) -> int | None:
        """The hunk in sight: the first unmarked one in the upper half of the view, else the next one."""
        if self.diff is None or not self.diff.hunk_count:
            return None
        first, last, _ = self.place
        spans = [self.diff.hunk_span(hunk) for hunk in range(self.diff.hunk_count)]
        middle = (first + last) // 2
        inside = [hunk for hunk, (start, end) in enumerate(spans) if start < middle and end > first - 1]
        unmarked = [hunk for hunk in inside if hunk not in self.marks]
        if unmarked or inside:
            return (unmarked or inside)[0]
        return next((hunk for hunk, (start, _) in enumerate(spans) if start >= first - 1), len(spans) - 1)

    def toggle_mark(self) -> bool:
        """Mark the hunk in sight as reviewed, or take its mark away; only a hunk that was seen to its end.

        Returns:
            False where there is no hunk, or its end was not on the screen yet.
        """
        hunk = self.current_hunk
        if hunk is None or not self.hunk_seen(hunk):
            return False
        marked = hunk not in self.marks
        if marked:
            self.marks.add(hunk)
        else:
            self.marks.discard(hunk)
        self.refresh()
        self.post_message(self.HunkMarked(self, hunk, marked))
        return True

    def hunk_seen(self, hunk: int) -> bool:
        """Whether every line of a hunk was painted to its end."""
        if self.diff is None:
            return False
        start, end = self.diff.hunk_span(hunk)
        return 0 not in self._seen[start:end]

    @property
    def all_marked(self) -> bool:
        """Whether there are hunks, all are marked, and every line outside of the diff was painted."""
        if self.diff is None or not 0 < self.diff.hunk_count == len(self.marks):
            return False
        outside = (block for block in self.diff.blocks if block.kind in ("facts", "note"))
        return all(0 not in self._seen[block.start : block.start + block.size] for block in outside)

    # -- painting ------------------------------------------------------------------------------------

    def gutter_line(self, index: int, *, first: bool) -> Line:
        """Numbers and sign, or glyph and word at the header of a marked hunk."""
        if first and self.diff is not None and self.is_marked(index):
            return (Span(f"{self.diff.glyphs.seen} reviewed", "ok"),)
        return super().gutter_line(index, first=first)

    def is_marked(self, index: int) -> bool:
        """Whether a line is the header of a marked hunk."""
        if self.diff is None or not self.marks:
            return False
        block = self.diff.block_at(index)
        return block.kind == "hunk" and block.hunk in self.marks

    def row_style(self, index: int) -> Style:
        """Ground of added and removed lines and of file headers."""
        base = super().row_style(index)
        if self.diff is None:
            return base
        block = self.diff.block_at(index)
        if block.kind == "file":
            return base + looks_of(self)["ground-file"]
        sign = self.diff.gutter(index, first=False)[-1:] if block.kind == "lines" else ()
        style = sign[0].style if sign else ""
        return base + looks_of(self)[f"ground-{style}"] if style in ("added", "removed") else base
