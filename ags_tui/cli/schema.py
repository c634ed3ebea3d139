"""``schema``: the JSON Schemas of all contracts."""

from pathlib import Path
from typing import Annotated

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import OK, CommandFailed, UsageProblem
from ags_tui.io.resources import schemas

app = new_app()


@command(app)
def schema(
    call: Call, out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where to write.")]
) -> int:
    """Write the JSON Schemas of all contracts as NAME/VERSION.schema.json."""
    folder = call.path(out)
    if folder.exists() and not folder.is_dir():
        raise UsageProblem(f"--out {out}: is not a folder")
    written: list[str] = []
    try:
        for found in schemas():
            target = folder / found.name / found.path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(found.path.read_bytes())
            written.append(f"{found.name}/{found.path.name}")
    except OSError as error:
        raise CommandFailed(f"{error.filename or folder}: {error.strerror or error}") from error
    for name in written:
        call.out.line(name)
    call.out.document({"folder": str(folder), "files": written})
    return OK
