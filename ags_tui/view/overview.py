"""A task in the centre: what is wanted, what is planned, what was asked, and everything that is wrong."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, cast

from ags_tui.core.assessment import RequestState, RequestStatus, TaskAssessment
from ags_tui.core.checks.findings import Finding, Severity
from ags_tui.core.promotion import may_promote
from ags_tui.core.snapshot import LoadProblem, Snapshot
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.rows import Row, blank, fitted, heading, paragraph, spread
from ags_tui.view.said_once import untold
from ags_tui.view.text import Span, printable

if TYPE_CHECKING:
    from ags_tui.core.contracts.plan import AgentPlan
    from ags_tui.core.contracts.task import AgentTask

_STATES = {
    RequestState.PENDING: ("need", "warn"),
    RequestState.APPROVED: ("ok", "ok"),
    RequestState.ANSWERED: ("ok", "ok"),
    RequestState.CONSUMED: ("ok", "muted"),
    RequestState.DENIED: ("fail", "muted"),
    RequestState.CHANGED: ("warn", "warn"),
}

_MOST_LINES = 8
"""Lines of a finding; its end names the next step, which must not be cut off."""


def overview_rows(task: TaskAssessment, width: int, glyphs: Glyphs, *, promote: str = "") -> tuple[Row, ...]:
    """Make the rows of a task: problems first, then task, plan, requests and findings.

    Args:
        task: The task.
        width: Cells of a line.
        glyphs: Symbols.
        promote: Key that makes a session a planned task; empty where it is not at hand.
    """
    rows: list[Row] = []
    rows += problem_rows(task.task.files.problems, width, glyphs)
    rows += _writing_rows(task.task.files.being_written, width)
    rows += _task_rows(task, width, promote)
    rows += _plan_rows(task, width)
    rows += _request_rows(task.requests, width, glyphs)
    rows += _finding_rows(untold(task.findings, task.task.files.problems), width, glyphs)
    return fitted(rows, width)


def problem_rows(problems: Iterable[LoadProblem], width: int, glyphs: Glyphs) -> Iterator[Row]:
    """Make the rows of files that could not be read as what they should be."""
    found = tuple(problems)
    if found:
        yield heading("problems", Span("CANNOT BE READ", "title"))
    for index, problem in enumerate(found):
        place = f" line {problem.line}" if problem.line else ""
        place += f" {problem.field}" if problem.field else ""
        head = (
            Span(f"{glyphs.fail} ", "error"),
            Span(printable(problem.artifact)),
            Span(printable(place), "muted"),
        )
        yield Row(f"problem:{index}", (spread(head, (Span(printable(problem.code), "muted"),), width),))
        yield paragraph(
            f"problem:{index}:text", problem.message, width, style="muted", indent=2, limit=_MOST_LINES
        )
        if problem.next_step:
            text = f"Next: {problem.next_step}"
            yield paragraph(f"problem:{index}:next", text, width, indent=2, limit=_MOST_LINES)
    if found:
        yield blank("problems:end")


def root_rows(snapshot: Snapshot, findings: Iterable[Finding], width: int, glyphs: Glyphs) -> tuple[Row, ...]:
    """Make the rows of what is wrong with the root, the policy and the repository."""
    problems = (*snapshot.problems, *snapshot.policy.problems)
    rows = list(problem_rows(problems, width, glyphs))
    rows += _finding_rows(untold(findings, problems), width, glyphs)
    return fitted(rows, width)


def _writing_rows(paths: Iterable[str], width: int) -> Iterator[Row]:
    """Say what an agent is writing at this moment; it is not an error yet."""
    for path in paths:
        yield paragraph(f"writing:{path}", f"being written: {path}", width, style="muted")


def _task_rows(task: TaskAssessment, width: int, promote: str) -> Iterator[Row]:
    """Show the task contract."""
    artifact = task.task.files.artifacts.get("task.json")
    if artifact is None:
        text = "There is no task.json: this is a session without a task."
        yield paragraph("task:none", text, width, style="muted")
        if promote and not may_promote(task.task):
            text = f"{promote} makes it a planned task, by a plan drawn from what it touched."
            yield paragraph("task:promote", text, width)
        yield blank("task:end")
        return
    document = cast("AgentTask", artifact.document)
    yield heading(
        "task", Span("TASK", "title"), Span(f"  {document.category} · risk {document.risk_level}", "muted")
    )
    yield paragraph("task:text", document.description, width, limit=6)
    yield from _list("expects", document.expected_behavior, width)
    yield from _list("forbids", document.forbidden_changes, width)
    yield from _list("evidence", document.required_evidence, width)
    yield blank("task:end")


def _plan_rows(task: TaskAssessment, width: int) -> Iterator[Row]:
    """Show the plan contract in short."""
    artifact = task.task.files.artifacts.get("plan.json")
    if artifact is None:
        yield heading("plan", Span("PLAN", "title"), Span("  none yet: nothing is in scope", "muted"))
        yield blank("plan:end")
        return
    document = cast("AgentPlan", artifact.document)
    yield heading(
        "plan", Span("PLAN", "title"), Span(f"  {artifact.version} · risk {document.risk_level}", "muted")
    )
    yield paragraph("plan:text", document.summary, width, limit=4)
    yield from _list("edits", document.files_to_edit, width)
    yield from _list("never", document.files_not_to_edit, width)
    yield from _list("stops", document.stop_conditions, width)
    yield from _list("tests", document.tests_to_run, width)
    for index, note in enumerate(artifact.notes):
        yield paragraph(f"plan:note:{index}", note, width, style="warn")
    yield blank("plan:end")


def _list(name: str, items: Iterable[str], width: int) -> Iterator[Row]:
    """Show a list with its name in front of the first item."""
    for index, item in enumerate(items):
        label = name if not index else ""
        body = paragraph(f"{name}:{index}", item, width - 10, limit=3)
        first, *rest = body.lines
        lines = ((Span(f"{label:<10}", "muted"), *first), *((Span(" " * 10), *line) for line in rest))
        yield Row(body.key, tuple(lines), selectable=False)


def _request_rows(requests: Iterable[RequestStatus], width: int, glyphs: Glyphs) -> Iterator[Row]:
    """Show every request with where it stands."""
    shown = [request for request in requests if request.state is not RequestState.NOT_NEEDED]
    if not shown:
        return
    yield heading("requests", Span("REQUESTS", "title"))
    for request in shown:
        name, style = _STATES.get(request.state, ("none", "muted"))
        left = (
            Span(f"{getattr(glyphs, name)} ", style),
            Span(f"{printable(request.item_id)}  "),
            Span(request.state.value, style),
            Span(f"  {printable(request.reason)}", "muted"),
        )
        yield Row(f"request:{request.item_id}", (spread(left, (Span(request.kind.value, "muted"),), width),))
    yield blank("requests:end")


def _finding_rows(findings: Iterable[Finding], width: int, glyphs: Glyphs) -> Iterator[Row]:
    """Show findings, errors first."""
    order = (Severity.ERROR, Severity.WARNING, Severity.INFO)
    ordered = sorted(findings, key=lambda finding: order.index(finding.severity))
    if ordered:
        yield heading("findings", Span("FINDINGS", "title"), Span(f"  {len(ordered)}", "muted"))
    for index, finding in enumerate(ordered):
        glyph, style = {
            Severity.ERROR: (glyphs.unknown if finding.unknown else glyphs.fail, "error"),
            Severity.WARNING: (glyphs.warn, "warn"),
            Severity.INFO: (glyphs.idle, "muted"),
        }[finding.severity]
        place = finding.path or finding.artifact
        right = (Span(printable(place), "muted"),) if place else ()
        head = spread((Span(f"{glyph} ", style), Span(finding.code, style)), right, width)
        body = paragraph("", printable(finding.message), width, indent=2, limit=_MOST_LINES)
        yield Row(f"finding:{index}", (head, *body.lines), selectable=False)
