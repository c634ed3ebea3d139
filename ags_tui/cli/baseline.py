"""``baseline``: the state of the work tree from which a task is measured."""

from typing import Annotated

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import OK
from ags_tui.cli.tasks import snapshot_of
from ags_tui.view.documents import entry_document
from ags_tui.view.text import Span

app = new_app()


@command(app)
def baseline(
    call: Call,
    task: Annotated[str, typer.Argument(metavar="TASK", help="A task.")],
    again: Annotated[
        bool, typer.Option("--again", help="Record a new one, which a human accepts in the TUI.")
    ] = False,
) -> int:
    """Record HEAD, dirty files and hiding rules as they are now.

    Without a key that can be reached (a sandbox) the baseline is unsigned until a human accepts it.
    """
    workspace = call.workspace()
    snapshot_of(workspace.read(), task)
    row = workspace.record_baseline(task, again=again, via="cli")
    if again:
        call.out.note(f"{task}: the new baseline waits for a human; accept it in the inbox of ags-tui")
    elif row.signer == "none":
        call.out.note(f"{task}: the baseline is unsigned (no key can be reached); accept it in the TUI")
    head = str(row.entry.data.get("head") or "no commit yet")
    call.out.line(
        Span("recorded  ", "ok"), task, Span(f"  entry {row.entry.sequence}, HEAD {head[:12]}", "muted")
    )
    call.out.document({"taskId": task, "signed": row.signer != "none", "entry": entry_document(row)})
    return OK
