"""The log of a task as a timeline, newest first, and one entry in full."""

from collections.abc import Iterator, Mapping
from datetime import tzinfo
from types import MappingProxyType
from typing import TYPE_CHECKING

from ags_tui.core.checks.findings import Outcome
from ags_tui.view.about import about
from ags_tui.view.events import ended_words, observed_words
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.rows import Row, fitted, heading, paragraph, spread, wrapped
from ags_tui.view.text import Line, Span, cell_len, clip_line, line_len, printable

if TYPE_CHECKING:
    from ags_tui.core.log_state import LoggedEntry, LogState


_LONGEST_NAME = 16
"""Cells of a name that is shown beside what it is about."""

_WORTH = 16
"""Fewest cells for which the first line holds the beginning of a text."""

_MOST_LINES = 2
"""Lines that what an entry is about may take below the first."""


def entry_key(sequence: int) -> str:
    """Give the identity of an entry row."""
    return f"entry:{sequence}"


def timeline_rows(
    log: "LogState", width: int, glyphs: Glyphs, zone: tzinfo, known: Mapping[str, str] = MappingProxyType({})
) -> tuple[Row, ...]:
    """Make the rows of a log.

    Args:
        log: The replayed log.
        width: Cells of a line.
        glyphs: Symbols.
        zone: Zone in which times are shown.
        known: What entries are about, see ``view.about.subjects_of``.
    """
    rows = [heading("log", Span("LOG  ", "title"), *_integrity(log, glyphs))]
    for index, finding in enumerate(log.findings):
        rows.append(
            paragraph(f"log:finding:{index}", f"{finding.code}: {finding.message}", width, style="error")
        )
    for number in log.torn:
        text = f"Entry {number:06d} is torn: it was never fully written and decides nothing."
        rows.append(paragraph(f"log:torn:{number}", text, width, style="warn"))
    rows += [_entry_row(logged, width, glyphs, zone, known) for logged in reversed(log.entries)]
    if not log.entries:
        rows.append(paragraph("log:empty", "Nothing was recorded yet.", width, style="muted"))
    return fitted(rows, width)


def _integrity(log: "LogState", glyphs: Glyphs) -> Line:
    """Draw whether the chain holds."""
    if log.integrity is Outcome.PASSED:
        return (Span(f"{glyphs.ok} intact", "ok"), Span(f"  {len(log.entries)} entries", "muted"))
    if log.integrity is Outcome.UNKNOWN:
        return (Span(f"{glyphs.unknown} signed by a key that is not trusted here", "warn"),)
    return (Span(f"{glyphs.fail} not intact", "error"),)


def _entry_row(
    logged: "LoggedEntry", width: int, glyphs: Glyphs, zone: tzinfo, known: Mapping[str, str]
) -> Row:
    """Draw one entry: when, who, what, on what, and the words if there are any."""
    entry = logged.entry
    human = entry.actor.source == "human"
    counted = logged.counted or not human
    time = entry.decided_at.astimezone(zone).strftime("%m-%d %H:%M" if width >= 60 else "%H:%M")
    what, name, more = _parts(logged, known)
    left: Line = (
        Span(f"{glyphs.human if human else glyphs.log} ", "accent" if human else "muted"),
        Span(f"{time}  ", "muted"),
        Span(what, _verdict_style(entry.verdict) if human and counted else "" if more else "muted"),
        Span(f"  {name}" if name else "", "" if human else "muted"),
    )
    number: Line = (Span(f"{entry.sequence:06d}", "muted"),)
    room = width - 8
    lines: list[Line] = []
    if line_len((*left, Span(f"  {more}"))) <= room:
        lines.append(spread((*left, Span(f"  {more}" if more else "", "muted")), number, width))
    else:
        first = left if line_len(left) <= room else left[:-1]
        begun, rest = _broken(
            more if first is left else f"{name}  {more}".strip(), room - line_len(first) - 2
        )
        lines.append(spread((*first, Span(f"  {begun}" if begun else "", "muted")), number, width))
        lines += [(Span("    "), Span(line, "muted")) for line in wrapped(rest, width - 4, limit=_MOST_LINES)]
    if not counted:
        lines.append(clip_line((Span("    does not count: not signed by a human key", "warn"),), width))
    said = entry.reason or ended_words(entry)[1]
    if said:
        lines.append(clip_line((Span(f"    {printable(said)}", "muted"),), width))
    return Row(entry_key(entry.sequence), tuple(lines))


def _broken(text: str, room: int) -> tuple[str, str]:
    """Break an inert text at a blank: its beginning stands on the first line where that is worth it."""
    if room < _WORTH or cell_len(text.partition(" ")[0]) > room:
        return "", text
    begun = wrapped(text, room)[0]
    return begun, text[len(begun) :].strip()


def _parts(logged: "LoggedEntry", known: Mapping[str, str]) -> tuple[str, str, str]:
    """Give what happened, to what, and what that is about, all inert.

    The made-up id of a request says nothing to a human where it is known what the request is about.
    """
    entry = logged.entry
    seen = observed_words(entry)
    if seen is not None:
        return (
            f"{printable(seen[0])}:" if seen[1] else f"{printable(seen[0])} observed",
            "",
            printable(seen[1]),
        )
    what, more = f"{entry.kind} {printable(ended_words(entry)[0])}", about(entry, known)
    name = printable(entry.subject.id)
    return what, "" if more and cell_len(name) > _LONGEST_NAME else name, more


def _verdict_style(verdict: str) -> str:
    """Give the style of a human verdict."""
    if verdict in ("denied", "blocked", "distrusted", "revoked"):
        return "error"
    return "ok" if verdict in ("approved", "answered", "attested", "finalized", "accepted", "amended") else ""


def entry_rows(logged: "LoggedEntry", width: int, zone: tzinfo) -> tuple[Row, ...]:
    """Make the rows of one entry in full: every field, with the digests it is bound to."""
    return tuple(
        paragraph(
            f"field:{index}", f"{name:<10} {value}", width, style="" if name != "signature" else "muted"
        )
        for index, (name, value) in enumerate(_fields(logged, zone))
    )


def _fields(logged: "LoggedEntry", zone: tzinfo) -> Iterator[tuple[str, str]]:
    """Yield the fields of an entry as name and text."""
    entry = logged.entry
    yield "entry", f"{entry.sequence:06d}  {logged.digest}"
    yield "follows", entry.previous_digest or "nothing: it is the first"
    yield "decided", entry.decided_at.astimezone(zone).isoformat(timespec="seconds")
    yield "what", f"{entry.kind} {entry.verdict}"
    yield "subject", f"{entry.subject.id}  {entry.subject.digest}"
    yield "by", f"{entry.actor.source} {entry.actor.name} via {entry.actor.via}"
    yield "signed", f"{logged.signer}{'' if logged.counted else ', not counted'}"
    if entry.reason:
        yield "reason", entry.reason
    for name, digest in (
        ("request", entry.bound.request), ("plan", entry.bound.plan), ("policy", entry.bound.policy),
    ):  # fmt: skip
        if digest:
            yield f"bound {name}", digest
    for file in entry.bound.files:
        yield "bound file", f"{file.path}  {file.digest}"
    if entry.expires_at is not None:
        yield "expires", entry.expires_at.astimezone(zone).isoformat(timespec="seconds")
    for name, value in entry.data.items():
        yield name, str(value)
    yield "signature", entry.signature or "none"
