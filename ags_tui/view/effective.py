"""A request whose input a human has changed: what was proposed beside what takes effect."""

from collections.abc import Iterator, Sequence

from ags_tui.core.diffs import FileDiff, between
from ags_tui.core.effective import Effective
from ags_tui.view.content import Fact, text_lines
from ags_tui.view.diff import DiffDocument
from ags_tui.view.facts import BLANK, heading, labelled
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.text import Span

LABEL = 12
"""Cells of the labels."""


def effective_document(effective: Effective, files: Sequence[FileDiff], glyphs: Glyphs) -> DiffDocument:
    """Make the content of a decision about what a human wrote.

    Args:
        effective: What is to run.
        files: Of an edit, the diff from the file as it is to what is to be written.
        glyphs: Symbols.
    """
    facts = [heading("YOU CHANGED WHAT RUNS"), BLANK]
    if effective.path:
        facts += labelled("file", effective.path, "title")
        own = between(
            _bytes(effective.proposed), _bytes(effective.text), "proposed, and effective as you wrote it"
        )
        return DiffDocument([own, *files], facts=[*facts, BLANK], glyphs=glyphs)
    facts += _both(effective)
    own = between(
        _bytes(effective.proposed), _bytes(effective.text), "proposed, and effective as you wrote it"
    )
    return DiffDocument([own], facts=[*facts, BLANK], glyphs=glyphs)


def _both(effective: Effective) -> Iterator[Fact]:
    for label, text, style in (
        ("proposed", effective.proposed, "muted"),
        ("effective", effective.text, "title"),
    ):
        for index, line in enumerate(text_lines(text, style)):
            yield Fact(line, "" if index else label, LABEL)
    yield BLANK
    note = "The agent's client runs the effective line; the log keeps both."
    yield Fact((Span(note, "muted"),))


def _bytes(text: str) -> bytes:
    return (text if text.endswith("\n") else f"{text}\n").encode("utf-8", "surrogateescape")
