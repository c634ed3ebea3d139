"""A request in the centre: who asks for what and why, what the plan says to it, every field of its file."""

from collections.abc import Iterator
from datetime import datetime

from ags_tui.core.assessment import Pending, PendingKind, RequestState, RequestStatus, TaskAssessment
from ags_tui.core.snapshot import Artifact
from ags_tui.view.asker import asker_words
from ags_tui.view.fields import field_rows
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.inbox import WORDS, loosened_words, plan_word, risk_style, risk_word
from ags_tui.view.passed import why_withdrawn
from ags_tui.view.rows import Row, fitted, heading, paragraph, spread
from ags_tui.view.scope import WORDS as CLASS_WORDS
from ags_tui.view.scope import class_look
from ags_tui.view.text import Line, Span, age, cell_len, hidden, line_len, printable

NEXT: dict[PendingKind, str] = {
    PendingKind.TOOL_REQUEST: "a opens the decision · d denies with a reason",
    PendingKind.PLAN: "a opens the decision · d denies with a reason",
    PendingKind.EDIT: "a opens the decision · d denies with a reason",
    PendingKind.SPEC: "a opens the decision · d denies with a reason",
    PendingKind.ESCALATION: "r answers",
    PendingKind.FINALIZATION: "F shows every condition · b blocks with a reason",
    PendingKind.BASELINE: "a opens the decision · b blocks the task",
}
"""The next key for each kind of item."""


def asking_rows(
    item: Pending, task: TaskAssessment | None, width: int, glyphs: Glyphs, now: datetime,
    *, diff_key: str = "",
) -> tuple[Row, ...]:  # fmt: skip
    """Make the rows of an inbox item.

    Args:
        item: What waits.
        task: Its task, for the file that holds it.
        width: Cells of a line.
        glyphs: Symbols.
        now: For age and time to expiry.
        diff_key: Key of the tab with its diff; empty where the diff stands below.
    """
    rows = [_title_row(item, width, now), _who_row(item, task, width, glyphs, now)]
    rows += _subject_rows(item, width, glyphs)
    artifact = None if task is None else task.task.files.artifacts.get(item.artifact)
    if item.reason and item.reason != _source(artifact):
        rows.append(paragraph("asking:reason", f"“{item.reason}”", width, limit=6))
    rows += _warning_rows(item, width, glyphs)
    rows += _choice_rows(item, width)
    diff = f" {glyphs.dot} {diff_key} shows the diff" if diff_key and item.path is not None else ""
    rows.append(paragraph("asking:next", NEXT[item.kind] + diff, width, style="accent"))
    if artifact is not None:
        rows += field_rows(artifact, width, item=item)
    return fitted(rows, width)


def _source(artifact: Artifact | None) -> str:
    """Give where an escalation comes from: what stands for its reason, and in its file below."""
    from ags_tui.core.contracts.human import Escalation  # not before the first frame: models take long

    document = None if artifact is None else artifact.document
    return f"{document.source.system} {document.source.ref}" if isinstance(document, Escalation) else ""


def passed_rows(status: RequestStatus, task: TaskAssessment | None, width: int) -> tuple[Row, ...]:
    """Make the rows of a request that is over without a decision."""
    withdrawn = status.state is RequestState.WITHDRAWN
    why = "It was taken back before anybody decided it." if withdrawn else "Nobody decided it in time."
    told = why_withdrawn(task, status) if withdrawn and task is not None else ""
    note = "Nothing of it runs; the agent may ask again."
    if not withdrawn:
        note = "Expired is not denied: the agent may ask again."
    rows = [
        heading("passed", Span(f"{status.state.value.upper()} ", "title"), Span(printable(status.item_id))),
        paragraph("passed:reason", status.reason or told or why, width, style="muted"),
        paragraph("passed:note", note, width, style="muted"),
        heading("passed:next", Span("x puts it away", "accent")),
    ]
    artifacts = () if task is None else task.task.files.artifacts.values()
    match = next((artifact for artifact in artifacts if artifact.digest == status.digest), None)
    if match is not None:
        rows += field_rows(match, width)
    return fitted(rows, width)


def _title_row(item: Pending, width: int, now: datetime) -> Row:
    """Draw kind and risk, and the time to expiry."""
    risk = f"{item.risk} risk"
    if item.claimed_risk != item.risk:
        risk += f", {risk_word(item)} {item.claimed_risk}"
    more = loosened_words(item)
    word = (plan_word(item) or WORDS[item.kind]).upper() + (f": {more}" if more else "")
    left = (Span(f"{word}  ", "title"), Span(printable(risk), risk_style(item.risk)))
    ends = "" if item.expires_at is None else f"ends in {age(item.expires_at - now)}"
    return Row("asking", (spread(left, (Span(ends, "muted"),), width),), selectable=False)


def _who_row(item: Pending, task: TaskAssessment | None, width: int, glyphs: Glyphs, now: datetime) -> Row:
    """Draw who asks, since when, and under which id."""
    who = asker_words(item, task)
    text = f"{who} {glyphs.dot} {age(now - item.first_seen)} ago {glyphs.dot} {item.item_id}"
    return paragraph("asking:who", text, width, style="muted", limit=3)


def _subject_rows(item: Pending, width: int, glyphs: Glyphs) -> Iterator[Row]:
    """Draw what it is about: the path with its class, the command in full, or the title."""
    if item.path is not None:
        right: Line = ()
        if item.path_class is not None:
            glyph, style = class_look(item.path_class, glyphs)
            right = (Span(f"{glyph} {CLASS_WORDS[item.path_class]}", style),)
        path = printable(item.path)
        if cell_len(path) + line_len(right) + 2 <= width:
            yield Row("asking:path", (spread((Span(path, "title"),), right, width),), selectable=False)
        else:
            yield paragraph("asking:path", path, width, style="title", limit=4)
            if right:
                yield heading("asking:class", *right)
    if item.command is not None:
        yield paragraph("asking:command", f"$ {item.command}", width, style="title")
    if item.path is None and item.command is None:
        yield paragraph("asking:title", item.title, width, style="title")


def _warning_rows(item: Pending, width: int, glyphs: Glyphs) -> Iterator[Row]:
    """Draw what the human should know before deciding."""
    if item.malformed:
        yield paragraph(
            "asking:malformed", f"{glyphs.fail} can only be denied: {item.malformed}", width, style="error"
        )
    found = hidden(f"{item.title}{item.command or ''}{item.path or ''}{item.reason}")
    warnings = list(item.warnings)
    if found and not any("invisible" in warning for warning in warnings):
        warnings.append(f"invisible or control characters: {', '.join(found)}")
    for index, warning in enumerate(warnings):
        text = f"{glyphs.warn} {printable(warning)}"
        yield paragraph(f"asking:warning:{index}", text, width, style="warn", limit=3)


def _choice_rows(item: Pending, width: int) -> Iterator[Row]:
    """Draw the answers of an escalation with what happens then."""
    for index, choice in enumerate(item.options):
        line = (Span(f"  {index + 1} ", "muted"), Span(printable(choice.label), "title"))
        yield Row(
            f"choice:{choice.id}",
            (spread(line, (Span(printable(choice.id), "muted"),), width),),
            selectable=False,
        )
        yield paragraph(
            f"choice:{choice.id}:then", choice.consequence, width, style="muted", indent=4, limit=3
        )
    if item.allow_free_text:
        yield paragraph("choice:free", "  or an answer in your own words", width, style="muted")
