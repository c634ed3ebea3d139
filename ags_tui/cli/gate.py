"""``gate``: all conditions for finalization, as the screen shows them."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ags_tui.cli.base import Base, apart, held_against, with_altered
from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.documents import finding_document, gate_document, moment, problem_document
from ags_tui.cli.failures import FAILED, OK, UNKNOWN
from ags_tui.cli.finalized import finalized_report
from ags_tui.cli.render import say_around, say_gate
from ags_tui.cli.target import WORK_TREE, Index, Tree, chosen_target
from ags_tui.cli.tasks import settled, task_of
from ags_tui.core.assessment import Assessment, GateReport, TaskAssessment
from ags_tui.core.checks.assess import assess
from ags_tui.core.checks.findings import Outcome, join_outcomes, outcome_of
from ags_tui.core.decisions import Draft
from ags_tui.core.failures import AgsError
from ags_tui.core.observations import due, is_young
from ags_tui.core.snapshot import Snapshot, TaskSnapshot
from ags_tui.io.workspace import Workspace
from ags_tui.view.text import Span

app = new_app()

CODES = {
    Outcome.PASSED: OK,
    Outcome.NOT_APPLICABLE: OK,
    Outcome.FAILED: FAILED,
    Outcome.UNKNOWN: UNKNOWN,
}
"""Exit codes by outcome."""

OBSERVED = 64
"""Most entries that one call writes: a thousand new requests must not hold up a verdict."""


@command(app, cannot=UNKNOWN)
def gate(
    call: Call,
    tasks: Annotated[
        list[str] | None, typer.Argument(metavar="[TASK]...", help="Tasks; default: all open ones.")
    ] = None,
    *,
    finalized: Annotated[
        bool, typer.Option("--finalized", help="Ask for a valid finalization of exactly this tree.")
    ] = False,
    tree: Tree = None,
    index: Index = False,
    trust: Annotated[
        Path | None, typer.Option("--trust", metavar="FILE", help="Trusted public keys; default: the user's.")
    ] = None,
    base: Base = None,
) -> int:
    """Show all conditions for finalization; 0 passed, 1 failed, 3 unknown."""
    target = chosen_target(tree, index)
    workspace = call.workspace(trust)
    snapshot = workspace.read(target=target)
    if target == WORK_TREE and trust is None and observe_young(call, workspace, snapshot):
        snapshot = workspace.read()
    wanted = dict.fromkeys(tasks or [])
    altered = held_against(workspace, base, target, wanted)
    snapshot = with_altered(settled(workspace, snapshot, target), altered)
    assessment = assess(snapshot, call.now())
    here = {task.task_id for task in assessment.tasks}
    named = [task_of(assessment, task_id) for task_id in wanted if task_id in here or task_id not in altered]
    chosen = named if wanted else _standing(assessment, finalized)
    rows = [_judged(task, finalized) for task in chosen]
    lost = apart(altered, {task.task_id for task in chosen})
    around = [] if wanted else [_around(assessment)]
    outcome = join_outcomes(
        [*(Outcome.FAILED for _ in lost), *around, *(report.outcome for _, report in rows)]
    )
    assessment = replace(assessment, findings=(*lost, *assessment.findings))
    _say(call, snapshot, assessment, rows, finalized=finalized)
    call.out.document({
        "outcome": outcome.value,
        "target": target,
        "takenAt": moment(snapshot.taken_at),
        "tasks": [_task_row(task, report) for task, report in rows],
        "findings": [finding_document(finding) for finding in assessment.findings],
        "problems": [problem_document(p) for p in (*snapshot.problems, *snapshot.policy.problems)],
    })  # fmt: skip
    return CODES[outcome]


def observe_young(call: Call, workspace: Workspace, snapshot: Snapshot) -> int:
    """Record what was written a moment ago together with the tree of this moment.

    Older files say nothing about the tree that they were written on, so they stay unobserved.

    Args:
        call: where to say that something could not be recorded.
        workspace: the repository.
        snapshot: what was just read.

    Returns:
        Entries written.
    """
    fresh = [draft for task in snapshot.tasks for draft in _young(task, snapshot)]
    fresh.sort(key=lambda draft: "/" in draft.subject_id)  # results first: their tree is a matter of seconds
    refused: set[str] = set()
    written = 0
    for draft in fresh[:OBSERVED]:
        if draft.task_id in refused:
            continue
        try:
            workspace.record(draft)
            written += 1
        except AgsError as error:
            refused.add(draft.task_id)
            call.out.note(f"{draft.task_id}: not observed: {error}")
    return written


def _young(task: TaskSnapshot, snapshot: Snapshot) -> list[Draft]:
    """Observations that are due for files of this moment; none in a log that is not intact for us."""
    young = {path for path, file in task.files.artifacts.items() if is_young(file, snapshot)}
    if not young or task.log.integrity is not Outcome.PASSED:
        return []
    drafts = due(task, snapshot, snapshot.taken_at, via="cli")
    return [draft for draft in drafts if draft.kind == "observation" and draft.subject_id in young]


def _standing(assessment: Assessment, finalized: bool) -> list[TaskAssessment]:
    """Tasks that a bare ``gate`` looks at: the open ones, or with ``--finalized`` the finalized ones."""
    if finalized:
        return [task for task in assessment.tasks if task.task.log.finalized is not None]
    return [task for task in assessment.tasks if not task.task.log.frozen]


def _judged(task: TaskAssessment, finalized: bool) -> tuple[TaskAssessment, GateReport]:
    if finalized:
        return task, finalized_report(task)
    log = task.task.log
    if log.frozen:
        way = (
            f"is finalized and not judged again: gate --finalized {task.task_id} compares it with this tree"
            if log.finalized is not None
            else "is closed and not judged: reopen it (C in the TUI) first"
        )
        return task, GateReport(Outcome.FAILED, (), headline=way)
    return task, task.gate


def _around(assessment: Assessment) -> Outcome:
    """Unknown where repository, root or policy could not be read: nothing passes as a whole then."""
    outcome = outcome_of(assessment.findings)
    return Outcome.NOT_APPLICABLE if outcome is Outcome.PASSED else Outcome.UNKNOWN


def _task_row(task: TaskAssessment, report: GateReport) -> dict[str, Any]:
    return {
        "taskId": task.task_id,
        "gate": gate_document(report),
        "assessmentDigest": task.digest,
        "treeDigest": task.task.changes.tree_digest if task.task.changes is not None else None,
    }


def _say(
    call: Call,
    snapshot: Snapshot,
    assessment: Assessment,
    rows: list[tuple[TaskAssessment, GateReport]],
    *,
    finalized: bool,
) -> None:
    say_around(call.out, snapshot, assessment)
    for task, report in rows:
        call.out.line(Span(task.task_id, "title"), Span(f"  {task.title}", "muted"))
        say_gate(call.out, report)
    if not rows and not assessment.findings:
        none = "no task is finalized, so there is nothing to compare; name the task that must be"
        call.out.line(Span(none if finalized else "no open tasks: nothing holds", "muted"))
