"""``block``: the safe direction for a whole task."""

from dataclasses import replace
from typing import Annotated

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import OK
from ags_tui.cli.reason import Reason, given_reason
from ags_tui.cli.tasks import task_of
from ags_tui.core.checks.assess import assess
from ags_tui.core.drafts import block as blocking
from ags_tui.view.documents import entry_document
from ags_tui.view.text import Span

app = new_app()


@command(app)
def block(
    call: Call,
    task: Annotated[str, typer.Argument(metavar="TASK", help="A task.")],
    reason: Reason,
) -> int:
    """Block the finalization of a task; only a human in the TUI lifts it."""
    words = given_reason(reason)
    workspace = call.workspace()
    found = task_of(assess(workspace.read(), call.now()), task)
    row = workspace.record(replace(blocking(found, words), via="cli"))
    call.out.line(Span("blocked  ", "warn"), task, Span(f"  entry {row.entry.sequence}", "muted"))
    call.out.document({"taskId": task, "verdict": "blocked", "entry": entry_document(row)})
    return OK
