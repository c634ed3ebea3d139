"""The gate ladder: every condition with its reason and what it rests on, and the sentences to attest."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ags_tui.core.assessment import Condition, GateReport, Prose
from ags_tui.core.checks.findings import Basis, Outcome, Severity
from ags_tui.core.next_actor import AGENTS, LATER, YOU, who_acts
from ags_tui.core.wording import condition_label
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.rows import Row, blank, fitted, heading, paragraph, spread, wrapped
from ags_tui.view.text import Line, Span, cell_len, clip_line, line_len, printable

_WORDS: Mapping[Outcome, str] = MappingProxyType(
    {
        Outcome.PASSED: "passed",
        Outcome.FAILED: "failed",
        Outcome.UNKNOWN: "unknown",
        Outcome.NOT_APPLICABLE: "not applicable",
    }
)

_NOT_THERE = frozenset(
    {
        "MISSING_ARTIFACT", "NOT_RUN", "REQUIRED_EVIDENCE_MISSING", "STALE_EVIDENCE", "UNOBSERVED_EVIDENCE",
        "UNRESOLVED_ISSUE", "FIX_MISSING",
    }
)  # fmt: skip
"""Codes of what has not come yet, or must come again; anything else that agents must mend is wrong."""

_MOST_LINES = 6
"""Lines of a reason; its end names the next step, which must not be cut off."""


def condition_key(condition: Condition) -> str:
    """Give the identity of a condition row."""
    return f"gate:{condition.name}"


def prose_key(prose_id: str) -> str:
    """Give the identity of the row of a sentence to attest."""
    return f"prose:{prose_id}"


def outcome_look(outcome: Outcome, glyphs: Glyphs) -> tuple[str, str]:
    """Give glyph and style of an outcome."""
    return {
        Outcome.PASSED: (glyphs.ok, "ok"),
        Outcome.FAILED: (glyphs.fail, "error"),
        Outcome.UNKNOWN: (glyphs.unknown, "warn"),
        Outcome.NOT_APPLICABLE: (glyphs.none, "muted"),
    }[outcome]


def gate_word(report: GateReport) -> str:
    """Say in two words how the gate stands."""
    still = len(report.open_conditions)
    if still:
        return f"{still} open"
    return "passed" if report.outcome is Outcome.PASSED else _WORDS[report.outcome]


def gate_line(report: GateReport, glyphs: Glyphs) -> Line:
    """Draw the gate in short: glyph and ``4 open`` or ``passed``."""
    glyph, style = outcome_look(report.outcome, glyphs)
    return (Span(f"{glyph} {gate_word(report)}", style),)


def condition_look(condition: Condition, who: str, glyphs: Glyphs) -> tuple[str, str]:
    """Give glyph and style of a condition: what waits for the human differs from what waits for agents."""
    glyph, style = outcome_look(condition.outcome, glyphs)
    if not who:
        return glyph, style
    if who == LATER:
        return glyphs.waits, "muted"
    if condition.name == "evidence":  # whether one of its sentences is unknown or missing is all the same
        return (glyphs.warn, "warn") if who == YOU else (glyphs.waits, "muted")
    if condition.outcome is Outcome.UNKNOWN:
        return glyph, "warn" if who == YOU else "muted"
    if who == YOU:
        return glyphs.warn, "warn"
    held = [one for one in condition.findings if one.unknown or one.severity is Severity.ERROR]
    if who == AGENTS and any(one.code not in _NOT_THERE for one in held):
        return glyph, style
    return glyphs.waits, "muted"


def gate_rows(report: GateReport, width: int, glyphs: Glyphs, *, compact: bool = False) -> tuple[Row, ...]:
    """Make the rows of the ladder.

    Args:
        report: The gate.
        width: Cells of a line.
        glyphs: Symbols.
        compact: Put neighbouring conditions that hold nothing on one line.
    """
    rows: list[Row] = [_title(report, glyphs)]
    quiet: list[Condition] = []
    for condition in report.conditions:
        if compact and condition.outcome in (Outcome.PASSED, Outcome.NOT_APPLICABLE):
            quiet.append(condition)
            continue
        rows += _quiet_rows(quiet, width, glyphs)
        quiet = []
        rows.append(_condition_row(condition, width, glyphs))
    rows += _quiet_rows(quiet, width, glyphs)
    if report.prose:
        if not compact:
            rows.append(blank("prose:gap"))
        rows.append(heading("prose", Span("ATTEST  ", "title"), Span("Space opens", "muted")))
        rows += [_prose_row(prose, width, glyphs) for prose in report.prose]
    rows.append(paragraph("gate:not-checked", f"Not checked: {report.not_checked}.", width, style="muted"))
    return fitted(rows, width)


def _title(report: GateReport, glyphs: Glyphs) -> Row:
    """Draw the heading: how the gate stands, and how much of what is open is for the human."""
    mine = sum(who_acts(one) == YOU for one in report.conditions)
    yours = (Span(f" {glyphs.dot} {mine} for you", "warn" if mine else "muted"),)
    line = gate_line(report, glyphs)
    return heading("gate", Span("GATE   ", "title"), *line, *(yours if report.open_conditions else ()))


def _condition_row(condition: Condition, width: int, glyphs: Glyphs) -> Row:
    """Draw one condition: glyph, name, who must act, basis, and below it the reason if it is open."""
    who = who_acts(condition)
    glyph, style = condition_look(condition, who, glyphs)
    still = condition.outcome in (Outcome.FAILED, Outcome.UNKNOWN)
    name = Span(f"{condition_label(condition.name):<10}", "" if still else "muted")
    if not still:
        word = (
            f"{_WORDS[condition.outcome]}"
            if condition.outcome is Outcome.NOT_APPLICABLE
            else condition.basis.value
        )
        why = Span(f" {printable(condition.reason)}" if width >= 60 else "", "muted")
        line = spread((Span(f"{glyph} ", style), name, why), (Span(word, "muted"),), width)
        return Row(condition_key(condition), (line,))
    basis: Line = (
        Span(who, "warn" if who == YOU else ""),
        Span(f" {glyphs.dot} {condition.basis.value}", "muted"),
    )
    reason = printable(condition.reason)
    if width >= 60 and cell_len(reason) <= width - 15 - line_len(basis):
        return Row(
            condition_key(condition),
            (spread((Span(f"{glyph} ", style), name, Span(f" {reason}")), basis, width),),
        )
    head = spread((Span(f"{glyph} ", style), name), basis, width)
    reasons = wrapped(reason, width - 2, limit=_MOST_LINES)
    return Row(condition_key(condition), (head, *((Span("  "), Span(text)) for text in reasons if text)))


def _quiet_rows(conditions: Sequence[Condition], width: int, glyphs: Glyphs) -> list[Row]:
    """Put conditions that hold nothing side by side, as many as fit on a line."""
    rows: list[Row] = []
    line: Line = ()
    first = ""
    for condition in conditions:
        glyph, style = outcome_look(condition.outcome, glyphs)
        basis = "" if condition.basis is Basis.OBSERVED else f" {condition.basis.value}"
        if condition.outcome is Outcome.NOT_APPLICABLE:
            basis = ""
        part: Line = (Span(f"{glyph} ", style), Span(f"{condition_label(condition.name)}{basis}", "muted"))
        gap: Line = (Span("  "),) if line else ()
        if line and line_len(line) + line_len(gap) + line_len(part) > width:
            rows.append(Row(first, (line,)))
            line, gap = (), ()
        if not line:
            first = condition_key(condition)
        line = (*line, *gap, *part)
    if line:
        rows.append(Row(first, (clip_line(line, width),)))
    return rows


def _prose_row(prose: Prose, width: int, glyphs: Glyphs) -> Row:
    """Draw a sentence to attest with its box, its basis and what it rests on."""
    done = prose.outcome is Outcome.PASSED
    box, style = (glyphs.ticked, "ok") if done else (glyphs.open, "warn")
    if prose.outcome is Outcome.FAILED:  # computed, and what it is computed from is not there yet
        box, style = glyphs.waits, "muted"
    basis = Span(f"{prose.basis.value}: {printable(prose.reason)}", "muted")
    text = printable(prose.text)
    if width >= 60 and cell_len(text) + cell_len(basis.text) + 5 <= width:
        left = (Span(f"{box} ", style), Span(text, "muted" if done else ""))
        return Row(prose_key(prose.prose_id), (spread(left, (basis,), width),))
    texts = wrapped(text, width - 2, limit=3)
    lines: list[Line] = [(Span(f"{box} ", style), Span(texts[0], "muted" if done else ""))]
    lines += [(Span("  "), Span(text, "muted" if done else "")) for text in texts[1:]]
    lines += [(Span("  "), Span(part, "muted")) for part in wrapped(basis.text, width - 2, limit=3)]
    return Row(prose_key(prose.prose_id), tuple(lines))
