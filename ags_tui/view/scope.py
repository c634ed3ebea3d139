"""The scope check: verdict, classes with counts, and the paths that cause it."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from ags_tui.core.assessment import PathClass, PathVerdict, ScopeReport, Shared, TaskAssessment, Verdict
from ags_tui.core.sharing import asked_later, shared_of
from ags_tui.core.signed import signed_changes, signed_words
from ags_tui.core.snapshot import Change, Changes
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.rows import Row, fitted, heading, middle, paragraph, spread, wrapped
from ags_tui.view.text import Line, Span, printable

ORDER: tuple[PathClass, ...] = (
    PathClass.EXCLUDED,
    PathClass.OWNERSHIP_UNKNOWN,
    PathClass.PREEXISTING_OVERLAP,
    PathClass.UNPLANNED,
    PathClass.IN_SCOPE,
    PathClass.PREEXISTING_UNTOUCHED,
)
"""Classes, what holds the task first."""

WORDS: Mapping[PathClass, str] = MappingProxyType(
    {
        PathClass.EXCLUDED: "excluded",
        PathClass.OWNERSHIP_UNKNOWN: "of another task, or unknown",
        PathClass.PREEXISTING_OVERLAP: "dirty before and changed",
        PathClass.UNPLANNED: "unplanned",
        PathClass.IN_SCOPE: "in plan",
        PathClass.PREEXISTING_UNTOUCHED: "dirty before start",
    }
)
"""What a class is called on the screen."""

APPROVAL_LATER = "APPROVAL LATER"
"""The verdict in words while all that needs an approval belongs to other tasks and is not asked about yet."""

_QUIET = (PathClass.IN_SCOPE, PathClass.PREEXISTING_UNTOUCHED)
_MARKS = MappingProxyType({"create": "A", "update": "M", "delete": "D", "rename": "R"})


def path_key(path: str) -> str:
    """Give the identity of a path row."""
    return f"path:{path}"


def verdict_look(verdict: Verdict, glyphs: Glyphs) -> tuple[str, str]:
    """Give glyph and style of a verdict."""
    return {
        Verdict.PASS: (glyphs.ok, "ok"),
        Verdict.NEEDS_APPROVAL: (glyphs.warn, "warn"),
        Verdict.BLOCKED: (glyphs.fail, "error"),
        Verdict.INCONCLUSIVE: (glyphs.unknown, "warn"),
        Verdict.NOT_APPLICABLE: (glyphs.none, "muted"),
    }[verdict]


def verdict_line(verdict: Verdict, glyphs: Glyphs) -> Line:
    """Draw the verdict: glyph and word."""
    glyph, style = verdict_look(verdict, glyphs)
    return (Span(f"{glyph} {verdict.value.replace('_', ' ')}", style),)


def class_look(path_class: PathClass, glyphs: Glyphs) -> tuple[str, str]:
    """Give glyph and style of a path class."""
    return {
        PathClass.EXCLUDED: (glyphs.fail, "error"),
        PathClass.OWNERSHIP_UNKNOWN: (glyphs.unknown, "warn"),
        PathClass.PREEXISTING_OVERLAP: (glyphs.warn, "warn"),
        PathClass.UNPLANNED: (glyphs.warn, "warn"),
        PathClass.IN_SCOPE: (glyphs.ok, "ok"),
        PathClass.PREEXISTING_UNTOUCHED: (glyphs.dirty, "muted"),
    }[path_class]


def task_verdict_line(task: TaskAssessment, glyphs: Glyphs) -> Line:
    """Draw the verdict of a task: where an approval is asked for later only, or all is signed, it says so."""
    if task.task.log.finalized is not None:
        return (Span(f"{glyphs.ok} SIGNED", "ok"),)
    if task.scope.verdict is Verdict.NEEDS_APPROVAL and asked_later(task):
        return (Span(f"{glyphs.waits} {APPROVAL_LATER}", "muted"),)
    return verdict_line(task.scope.verdict, glyphs)


def task_scope_rows(
    task: TaskAssessment, reviewed: Collection[str], width: int, glyphs: Glyphs
) -> tuple[Row, ...]:
    """Make the rows of a task's scope; of a finalized one what was signed.

    Args:
        task: The task.
        reviewed: Paths that the human marked as reviewed at their present content.
        width: Cells of a line.
        glyphs: Symbols.
    """
    verdict = task_verdict_line(task, glyphs)
    if task.task.log.finalized is not None:
        return _signed_rows(task, verdict, width, glyphs)
    return scope_rows(task.scope, reviewed, width, glyphs, verdict=verdict, shared=shared_of(task))


def _signed_rows(task: TaskAssessment, verdict: Line, width: int, glyphs: Glyphs) -> tuple[Row, ...]:
    """Show what a finalization signed: the words, and the files while the tree is still that one."""
    rows = [heading("scope", Span("SCOPE  ", "title"), *verdict)]
    rows += [
        paragraph(f"scope:signed:{index}", text, width, style="" if not index else "muted", limit=4)
        for index, text in enumerate(signed_words(task.task))
    ]
    for change in signed_changes(task.task):
        path = middle(printable(change.path), width - 4, glyphs.more)
        rows.append(Row(path_key(change.path), ((Span(f"  {_mark(change, glyphs)} ", "muted"), Span(path)),)))
    return fitted(rows, width)


def scope_rows(
    report: ScopeReport, reviewed: Collection[str], width: int, glyphs: Glyphs, *, verdict: Line = (),
    shared: Sequence[Shared] = (),
) -> tuple[Row, ...]:  # fmt: skip
    """Make the rows of a scope report: the verdict, its reason, then the paths by class.

    Args:
        report: The scope check.
        reviewed: Paths that the human marked as reviewed at their present content.
        width: Cells of a line.
        glyphs: Symbols.
        verdict: The verdict as drawn; that of the report where not given.
        shared: Changes of other tasks that hold this one, in words.
    """
    verdict = verdict or verdict_line(report.verdict, glyphs)
    said = {path for one in shared for path in one.paths}
    rows: list[Row] = [heading("scope", Span("SCOPE  ", "title"), *verdict)]
    if report.reason:
        rows.append(paragraph("scope:reason", report.reason, width, style="muted", limit=3))
    for path_class in ORDER:
        verdicts = [verdict for verdict in report.paths if verdict.path_class is path_class]
        if verdicts or path_class in (PathClass.IN_SCOPE, PathClass.UNPLANNED, PathClass.EXCLUDED):
            rows.append(_class_row(path_class, len(verdicts), glyphs))
        rows += [
            _path_row(one, one.path in reviewed, width, glyphs, said=one.path in said) for one in verdicts
        ]
        if path_class is PathClass.OWNERSHIP_UNKNOWN:
            rows += [
                paragraph(f"scope:shared:{index}", one.text, width, indent=4, limit=10)
                for index, one in enumerate(shared)
            ]
    seen = sum(verdict.path in reviewed for verdict in report.paths)
    if seen:
        rows.append(
            heading("scope:seen", Span(f"{glyphs.seen} {seen} of {len(report.paths)} reviewed", "muted"))
        )
    return fitted(rows, width)


def _class_row(path_class: PathClass, count: int, glyphs: Glyphs) -> Row:
    """Draw a class with its count; one that holds nothing stays grey."""
    glyph, style = class_look(path_class, glyphs)
    if not count:
        glyph, style = glyphs.idle, "muted"
    text = f" {count} {WORDS[path_class]}"
    return heading(f"class:{path_class.value}", Span(glyph, style), Span(text, "" if count else "muted"))


def _path_row(verdict: PathVerdict, seen: bool, width: int, glyphs: Glyphs, *, said: bool) -> Row:
    """Draw a path; one that holds the task says why in a second line, or below all that are held alike."""
    mark = _mark(verdict.change, glyphs)
    flags = f" {glyphs.seen}" if seen else ""
    if verdict.approved:
        flags = f" approved{flags}"
    room = width - 4 - len(flags)
    first = spread(
        (Span(f"  {mark} ", "muted"), Span(middle(printable(verdict.path), room, glyphs.more))),
        (Span(flags, "ok"),) if flags else (),
        width,
    )
    lines: list[Line] = [first]
    if verdict.path_class not in _QUIET and not verdict.approved and verdict.why and not said:
        why = wrapped(printable(verdict.why), width - 4, limit=2)
        lines += [(Span(f"    {part}", "muted"),) for part in why]
    return Row(path_key(verdict.path), tuple(lines))


def _mark(change: Change | None, glyphs: Glyphs) -> str:
    """Give the letter of an operation, as git writes it."""
    if change is None:
        return glyphs.dirty
    return "U" if change.conflict else _MARKS[change.operation]


def tree_rows(changes: Changes | None, width: int, glyphs: Glyphs) -> tuple[Row, ...]:
    """Make the rows of the work tree against HEAD, for the screen without any task."""
    if changes is None or changes.unknown:
        reason = "Git has not answered yet." if changes is None else changes.unknown
        return (
            heading("tree:title", Span("WORK TREE  ", "title"), Span(f"{glyphs.unknown} unknown", "warn")),
            paragraph("tree:reason", reason, width, style="muted", limit=4),
        )
    count = len(changes.entries)
    word = "nothing changed" if not count else f"{count} changed since HEAD"
    rows = [heading("tree:title", Span("WORK TREE  ", "title"), Span(word, "muted"))]
    for change in changes.entries:
        flags = " new" if change.untracked else ""
        path = middle(printable(change.path), width - 4 - len(flags), glyphs.more)
        line = spread(
            (Span(f"  {_mark(change, glyphs)} ", "muted"), Span(path)), (Span(flags, "muted"),), width
        )
        rows.append(Row(path_key(change.path), (line,)))
    return tuple(rows)
