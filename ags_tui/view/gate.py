"""The gate ladder: every condition with its reason and what it rests on, and the sentences to attest."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ags_tui.core.assessment import Condition, GateReport, Prose
from ags_tui.core.checks.findings import Basis, Outcome, Severity
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

YOU, AGENTS, OTHERS = "you", "agents", "others"
"""Who must act next on an open condition."""

_LATER = "Nothing to press yet: asked once all else holds."
"""What to do about paths of another task, and when."""

_NOT_THERE = frozenset({"MISSING_ARTIFACT", "NOT_RUN", "REQUIRED_EVIDENCE_MISSING"})
"""Codes of what has not come yet; anything else that agents must mend is wrong."""

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


def who_acts(condition: Condition, waits_for: str = "") -> str:
    """Say who must act next on an open condition.

    Args:
        condition: The condition.
        waits_for: The other task whose paths are all that holds the scope; empty for none.

    Returns:
        ``you`` where a human has something to decide, else ``agents``, or ``others`` for another task; empty
        where the condition holds nothing.
    """
    if condition.outcome not in (Outcome.FAILED, Outcome.UNKNOWN):
        return ""
    if condition.name == "scope" and waits_for:
        return OTHERS
    held = [one for one in condition.findings if one.unknown or one.severity is Severity.ERROR]
    if not held:
        return YOU if condition.basis is Basis.HUMAN else AGENTS
    if condition.name == "evidence":  # a sentence that is computed waits for what is not there yet
        return YOU if any(one.basis is Basis.HUMAN for one in held) else AGENTS
    return YOU if any(one.next_action in ("human", "stop") for one in held) else AGENTS


def condition_look(condition: Condition, who: str, glyphs: Glyphs) -> tuple[str, str]:
    """Give glyph and style of a condition: what waits for the human differs from what waits for agents."""
    glyph, style = outcome_look(condition.outcome, glyphs)
    if not who:
        return glyph, style
    if condition.outcome is Outcome.UNKNOWN:
        return glyph, "warn" if who == YOU else "muted"
    if who == YOU:
        return glyphs.warn, "warn"
    held = [one for one in condition.findings if one.unknown or one.severity is Severity.ERROR]
    if who == AGENTS and any(one.code not in _NOT_THERE for one in held):
        return glyph, style
    return glyphs.waits, "muted"


def gate_rows(
    report: GateReport, width: int, glyphs: Glyphs, *, compact: bool = False, waits_for: str = ""
) -> tuple[Row, ...]:
    """Make the rows of the ladder.

    Args:
        report: The gate.
        width: Cells of a line.
        glyphs: Symbols.
        compact: Put neighbouring conditions that hold nothing on one line.
        waits_for: The other task whose paths are all that holds the scope; empty for none.
    """
    rows: list[Row] = [_title(report, glyphs, waits_for)]
    quiet: list[Condition] = []
    for condition in report.conditions:
        if compact and condition.outcome in (Outcome.PASSED, Outcome.NOT_APPLICABLE):
            quiet.append(condition)
            continue
        rows += _quiet_rows(quiet, width, glyphs)
        quiet = []
        rows.append(_condition_row(condition, waits_for, width, glyphs))
    rows += _quiet_rows(quiet, width, glyphs)
    if report.prose:
        if not compact:
            rows.append(blank("prose:gap"))
        rows.append(heading("prose", Span("ATTEST  ", "title"), Span("Space opens", "muted")))
        rows += [_prose_row(prose, width, glyphs) for prose in report.prose]
    rows.append(paragraph("gate:not-checked", f"Not checked: {report.not_checked}.", width, style="muted"))
    return fitted(rows, width)


def _title(report: GateReport, glyphs: Glyphs, waits_for: str) -> Row:
    """Draw the heading: how the gate stands, and how much of what is open is for the human."""
    mine = sum(who_acts(one, waits_for) == YOU for one in report.conditions)
    yours = (Span(f" {glyphs.dot} {mine} for you", "warn" if mine else "muted"),)
    line = gate_line(report, glyphs)
    return heading("gate", Span("GATE   ", "title"), *line, *(yours if report.open_conditions else ()))


def _condition_row(condition: Condition, waits_for: str, width: int, glyphs: Glyphs) -> Row:
    """Draw one condition: glyph, name, who must act, basis, and below it the reason if it is open."""
    who = who_acts(condition, waits_for)
    glyph, style = condition_look(condition, who, glyphs)
    still = condition.outcome in (Outcome.FAILED, Outcome.UNKNOWN)
    name = Span(f"{condition.name:<10}", "" if still else "muted")
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
    if who == OTHERS:
        reason = f"waits for task {printable(waits_for)}: its paths. {_LATER}"
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
        part: Line = (Span(f"{glyph} ", style), Span(f"{condition.name}{basis}", "muted"))
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
    if prose.outcome is Outcome.FAILED:
        box, style = glyphs.fail, "error"
    stale = "attested for another tree" if prose.stale else printable(prose.reason)
    basis = Span(f"{prose.basis.value}: {stale}", "muted")
    text = printable(prose.text)
    if width >= 60 and cell_len(text) + cell_len(basis.text) + 5 <= width:
        left = (Span(f"{box} ", style), Span(text, "muted" if done else ""))
        return Row(prose_key(prose.prose_id), (spread(left, (basis,), width),))
    texts = wrapped(text, width - 2, limit=3)
    lines: list[Line] = [(Span(f"{box} ", style), Span(texts[0], "muted" if done else ""))]
    lines += [(Span("  "), Span(text, "muted" if done else "")) for text in texts[1:]]
    lines.append(clip_line((Span("  "), basis), width))
    return Row(prose_key(prose.prose_id), tuple(lines))
