"""``scope``: classes of the changed paths and the verdict."""

from typing import Annotated

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.documents import scope_document
from ags_tui.cli.failures import UNKNOWN
from ags_tui.cli.render import say_scope
from ags_tui.cli.target import Index, Tree, chosen_target
from ags_tui.cli.tasks import settled, task_of
from ags_tui.core.assessment import Verdict
from ags_tui.core.checks.assess import assess

app = new_app()

CODES = {
    Verdict.PASS: 0,
    Verdict.NEEDS_APPROVAL: 10,
    Verdict.BLOCKED: 1,
    Verdict.INCONCLUSIVE: 3,
    Verdict.NOT_APPLICABLE: 4,
}
"""Exit codes by verdict."""


@command(app, cannot=UNKNOWN)
def scope(
    call: Call,
    task: Annotated[str, typer.Argument(metavar="TASK", help="A task.")],
    tree: Tree = None,
    index: Index = False,
) -> int:
    """Show what the plan makes of every changed path.

    Exit codes: 0 pass, 10 needs approval, 1 blocked, 3 inconclusive, 4 not applicable.
    """
    target = chosen_target(tree, index)
    workspace = call.workspace()
    snapshot = settled(workspace, workspace.read(target=target), target)
    found = task_of(assess(snapshot, call.now()), task)
    say_scope(call.out, found.scope)
    call.out.document({"taskId": task, "target": target, "scope": scope_document(found.scope)})
    return CODES[found.scope.verdict]
