"""``scope``: classes of the changed paths and the verdict."""

from typing import Annotated

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import UNKNOWN
from ags_tui.cli.render import say_scope
from ags_tui.cli.target import Index, Tree, chosen_target
from ags_tui.cli.tasks import task_of
from ags_tui.core.assessment import TaskAssessment, Verdict
from ags_tui.core.checks.assess import assess
from ags_tui.core.sharing import scope_said
from ags_tui.io.observing import settled
from ags_tui.view.documents import scope_document
from ags_tui.view.text import Span

app = new_app()

CODES = {
    Verdict.PASS: 0,
    Verdict.NEEDS_APPROVAL: 10,
    Verdict.BLOCKED: 1,
    Verdict.INCONCLUSIVE: 3,
    Verdict.NOT_APPLICABLE: 4,
}
"""Exit codes by verdict."""

WORST = (
    Verdict.BLOCKED, Verdict.INCONCLUSIVE, Verdict.NEEDS_APPROVAL, Verdict.PASS, Verdict.NOT_APPLICABLE,
)  # fmt: skip
"""Which verdict speaks for several tasks: the first of these that one of them has."""


@command(app, cannot=UNKNOWN)
def scope(
    call: Call,
    task: Annotated[
        str | None, typer.Argument(metavar="[TASK]", help="A task; default: all open ones.")
    ] = None,
    tree: Tree = None,
    index: Index = False,
) -> int:
    """Show what the plan makes of every changed path.

    Exit codes: 0 pass, 10 needs approval, 1 blocked, 3 inconclusive, 4 not applicable; of several tasks the
    worst.
    """
    target = chosen_target(tree, index)
    workspace = call.workspace()
    snapshot = settled(workspace, workspace.read(target=target), target)
    assessment = assess(snapshot, call.now())
    if task is not None:
        found = task_of(assessment, task)
        say_scope(call.out, found)
        call.out.document({"taskId": task, "target": target, "scope": scope_document(scope_said(found))})
        return CODES[found.scope.verdict]
    standing = [one for one in assessment.tasks if not one.task.log.frozen]
    _say(call, standing)
    verdicts = {one.scope.verdict for one in standing}
    worst = next((one for one in WORST if one in verdicts), Verdict.NOT_APPLICABLE)
    call.out.document({
        "verdict": worst.value,
        "target": target,
        "tasks": [{"taskId": one.task_id, "scope": scope_document(scope_said(one))} for one in standing],
    })  # fmt: skip
    return CODES[worst]


def _say(call: Call, standing: list[TaskAssessment]) -> None:
    for one in standing:
        call.out.line(Span(one.task_id, "title"), Span(f"  {one.title}", "muted"))
        say_scope(call.out, one)
    if not standing:
        call.out.line(Span("no open tasks: nothing is in a scope", "muted"))
