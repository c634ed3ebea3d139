"""``migrate``: a contract in a newer version, written beside the old file."""

from pathlib import Path
from typing import Annotated

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import OK, CommandFailed
from ags_tui.core.contracts.migrations import Circumstances
from ags_tui.core.contracts.write import migrate as migrated
from ags_tui.core.snapshot import LoadProblem
from ags_tui.io.contract_files import contract_of, read_bytes, task_of
from ags_tui.io.plain_files import open_folder, write_new
from ags_tui.view.text import Span

app = new_app()


@command(app)
def migrate(
    call: Call,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A contract file.")],
    to: Annotated[str | None, typer.Option("--to", metavar="V", help="Version; default: the newest.")] = None,
) -> int:
    """Write a contract in a newer version beside the old file; the old file stays."""
    path = call.path(file)
    around = Circumstances(task_of(path), call.now())
    result = migrated(
        read_bytes(path, str(file)), contract=contract_of(path), artifact=str(file), to=to, around=around
    )
    if isinstance(result, LoadProblem):
        raise CommandFailed(f"{file}: {result.code}: {result.message}; {result.next_step}")
    target = path.with_name(f"{path.name.removesuffix('.json')}.{result.version}.json")
    with open_folder(path.parent) as folder:
        if not write_new(folder, target.name, result.data):
            raise CommandFailed(f"{target}: exists already; move it away first")
    for note in result.notes:
        call.out.line(Span(note, "muted"))
    call.out.line(str(target))
    if around.task_id:
        call.out.note(
            f"{target.name} has no place in a task folder: look at it, then put it over {path.name}"
        )
    call.out.document({
        "contract": result.contract,
        "to": result.version,
        "written": str(target),
        "notes": list(result.notes),
    })  # fmt: skip
    return OK
