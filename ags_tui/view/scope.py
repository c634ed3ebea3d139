"""The scope check: verdict, classes with counts, and the paths that cause it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from ags_tui.core.assessment import PathClass, PathVerdict, ScopeReport, TaskAssessment, Verdict
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

_QUIET = (PathClass.IN_SCOPE, PathClass.PREEXISTING_UNTOUCHED)
_LAST_RUNGS = frozenset({"scope", "evidence"})
"""Conditions that only the human can settle: once no other is open, paths of other tasks are asked about."""
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


def not_asked_yet(task: TaskAssessment) -> frozenset[str]:
    """Give the changed paths of other tasks that are asked about only once all else holds."""
    asked = {item.path for item in task.pending}
    foreign = [one for one in _held(task.scope) if one.owner and one.change and one.path not in asked]
    if not foreign or {condition.name for condition in task.gate.open_conditions} <= _LAST_RUNGS:
        return frozenset()
    return frozenset(one.path for one in foreign)


def waits_for(task: TaskAssessment) -> str:
    """Give the other task whose paths are all that needs an approval, while nobody is asked about them."""
    held = _held(task.scope)
    if not held or any(not one.owner for one in held):
        return ""
    later = not_asked_yet(task)
    return held[0].owner if all(one.path in later for one in held) else ""


def _held(report: ScopeReport) -> list[PathVerdict]:
    """Paths that need an approval; none where the verdict is another one."""
    if report.verdict is not Verdict.NEEDS_APPROVAL:
        return []
    return [one for one in report.paths if one.path_class not in _QUIET and not one.approved]


def scope_rows(
    report: ScopeReport, reviewed: Collection[str], width: int, glyphs: Glyphs, *, later: Collection[str] = ()
) -> tuple[Row, ...]:
    """Make the rows of a scope report: the verdict, its reason, then the paths by class.

    Args:
        report: The scope check.
        reviewed: Paths that the human marked as reviewed at their present content.
        width: Cells of a line.
        glyphs: Symbols.
        later: Paths of other tasks that are not asked about yet, see :func:`not_asked_yet`.
    """
    rows: list[Row] = [heading("scope", Span("SCOPE  ", "title"), *verdict_line(report.verdict, glyphs))]
    if report.reason:
        rows.append(paragraph("scope:reason", report.reason, width, style="muted", limit=3))
    for path_class in ORDER:
        verdicts = [verdict for verdict in report.paths if verdict.path_class is path_class]
        if verdicts or path_class in (PathClass.IN_SCOPE, PathClass.UNPLANNED, PathClass.EXCLUDED):
            rows.append(_class_row(path_class, len(verdicts), glyphs))
        rows += [
            _path_row(verdict, verdict.path in reviewed, width, glyphs, later=verdict.path in later)
            for verdict in verdicts
        ]
        rows += _later_rows([verdict for verdict in verdicts if verdict.path in later], width)
    seen = sum(verdict.path in reviewed for verdict in report.paths)
    if seen:
        rows.append(
            heading("scope:seen", Span(f"{glyphs.seen} {seen} of {len(report.paths)} reviewed", "muted"))
        )
    return fitted(rows, width)


def _later_rows(verdicts: Sequence[PathVerdict], width: int) -> Iterator[Row]:
    """Say why nothing is to be pressed for paths of another task, and what frees them."""
    for owner in dict.fromkeys(one.owner for one in verdicts):
        text = (
            f"waits for task {owner}: its paths. Nothing to press yet: the inbox asks once all else here "
            "holds."
        )
        yield paragraph(f"scope:waits:{owner}", text, width, indent=4, limit=6)


def _class_row(path_class: PathClass, count: int, glyphs: Glyphs) -> Row:
    """Draw a class with its count; one that holds nothing stays grey."""
    glyph, style = class_look(path_class, glyphs)
    if not count:
        glyph, style = glyphs.idle, "muted"
    text = f" {count} {WORDS[path_class]}"
    return heading(f"class:{path_class.value}", Span(glyph, style), Span(text, "" if count else "muted"))


def _path_row(verdict: PathVerdict, seen: bool, width: int, glyphs: Glyphs, *, later: bool) -> Row:
    """Draw a path; one that holds the task says why in a second line, or below all that wait alike."""
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
    if verdict.path_class not in _QUIET and not verdict.approved and verdict.why and not later:
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
