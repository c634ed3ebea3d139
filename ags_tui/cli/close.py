"""``close``: headless for sessions only."""

from dataclasses import replace
from typing import Annotated

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import OK, CommandFailed
from ags_tui.cli.tasks import task_of
from ags_tui.core.checks.assess import assess
from ags_tui.core.drafts import close as closing
from ags_tui.core.log_authority import SESSION_PREFIX
from ags_tui.core.promotion import was_promoted
from ags_tui.view.documents import entry_document
from ags_tui.view.text import Span

app = new_app()


@command(app)
def close(call: Call, task: Annotated[str, typer.Argument(metavar="TASK", help="A session task.")]) -> int:
    """Close a session task (session-…). Any other task is closed by a human in the TUI."""
    workspace = call.workspace()
    found = task_of(assess(workspace.read(), call.now()), task)
    if found.task.log.frozen:
        call.out.line(Span(f"{task} is closed already", "muted"))
        call.out.document({"taskId": task, "verdict": "closed", "entry": None})
        return OK
    if not task.startswith(SESSION_PREFIX) or was_promoted(found.task):
        raise CommandFailed(
            f"{task}: only a human closes a task with contracts; open ags-tui and close it there"
        )
    row = workspace.record(replace(closing(found, "closed from the command line"), via="cli"))
    call.out.line(Span("closed  ", "ok"), task, Span(f"  entry {row.entry.sequence}", "muted"))
    call.out.document({"taskId": task, "verdict": "closed", "entry": entry_document(row)})
    return OK
