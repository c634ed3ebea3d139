"""``gate``: all conditions for finalization, as the screen shows them."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ags_tui.cli.base import Base, apart, held_against, with_altered
from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import FAILED, OK, UNKNOWN
from ags_tui.cli.render import say_around, say_gate
from ags_tui.cli.target import WORK_TREE, Index, Tree, chosen_target
from ags_tui.cli.tasks import task_of
from ags_tui.core.assessment import Assessment
from ags_tui.core.checks.assess import assess
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.checks.gate_answer import GateAnswer, gate_answer, standing
from ags_tui.core.snapshot import Snapshot
from ags_tui.io import observing
from ags_tui.io.observing import settled
from ags_tui.io.workspace import Workspace
from ags_tui.view.documents import gate_answer_document
from ags_tui.view.text import Span

app = new_app()

CODES = {
    Outcome.PASSED: OK,
    Outcome.NOT_APPLICABLE: OK,
    Outcome.FAILED: FAILED,
    Outcome.UNKNOWN: UNKNOWN,
}
"""Exit codes by outcome."""


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
    chosen = named if wanted else standing(assessment, finalized=finalized)
    lost = apart(altered, {task.task_id for task in chosen})
    answer = gate_answer(assessment, chosen, named=bool(wanted), finalized=finalized, lost=lost)
    _say(call, snapshot, replace(assessment, findings=answer.findings), answer, finalized=finalized)
    call.out.document(gate_answer_document(answer, snapshot, target))
    return CODES[answer.outcome]


def observe_young(call: Call, workspace: Workspace, snapshot: Snapshot) -> int:
    """Record what was written a moment ago, and say what could not be; returns the entries written."""
    return observing.observe_young(workspace, snapshot, via="cli", say=call.out.note)


def _say(
    call: Call,
    snapshot: Snapshot,
    assessment: Assessment,
    answer: GateAnswer,
    *,
    finalized: bool,
) -> None:
    say_around(call.out, snapshot, assessment)
    for row in answer.rows:
        call.out.line(Span(row.task.task_id, "title"), Span(f"  {row.task.title}", "muted"))
        say_gate(call.out, row.report)
    if not answer.rows and not assessment.findings:
        none = "no task is finalized, so there is nothing to compare; name the task that must be"
        call.out.line(Span(none if finalized else "no open tasks: nothing holds", "muted"))
