"""``validate``: contract files of the repository, of given paths, or of a folder of fixtures."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import FAILED, OK, UsageProblem
from ags_tui.cli.fixtures import check_fixtures
from ags_tui.cli.init import root_for
from ags_tui.io.contract_files import contract_files, read_contract_file, read_whole
from ags_tui.view.contract_rows import file_row, root_rows
from ags_tui.view.text import Span

app = new_app()

Paths = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[PATH]...", help="Files or folders; default: all task folders."),
]
Fixtures = Annotated[
    Path | None,
    typer.Option("--fixtures", metavar="DIR", help="A folder with valid/ and invalid/ CONTRACT--case.json."),
]


@command(app)
def validate(call: Call, paths: Paths = None, fixtures: Fixtures = None) -> int:
    """Check contract files: form, fields, versions and ids.

    Without a path every task folder of this repository is checked.
    """
    rows: list[dict[str, Any]] = []
    if fixtures is not None:
        rows += check_fixtures(call.path(fixtures), str(fixtures))
    if paths or fixtures is None:
        rows += _rows(call, paths or [])
    valid = all(row["valid"] for row in rows)
    for row in rows:
        _say(call, row)
    if not rows:
        call.out.line(Span("no contract files here", "muted"))
    call.out.document({"valid": valid, "files": rows})
    return OK if valid else FAILED


def _rows(call: Call, paths: list[Path]) -> list[dict[str, Any]]:
    if not paths:
        return _rows_of_root(call)
    given = [(call.path(path), str(path)) for path in paths]
    for path, shown in given:
        if not path.exists() and not path.is_symlink():
            raise UsageProblem(f"{shown}: no such file or folder")
    found = [read_contract_file(*one) for path, shown in given for one in contract_files(path, shown)]
    return [file_row(read.shown, read.result) for read in found]


def _rows_of_root(call: Call) -> list[dict[str, Any]]:
    """Every task folder, as the screen reads it; what is being written gets a moment to be finished."""
    root = root_for(call)
    if not root.is_dir():
        raise UsageProblem(f"{root}: no such folder; run ags-tui init, or name files to check")
    read = read_whole(root, call.directory, call.now)
    return root_rows(read.tasks, read.problems)


def _say(call: Call, row: dict[str, Any]) -> None:
    if row["valid"]:
        what = f"{row.get('contract', '')} {row.get('version', '')}".strip()
        call.out.line(Span("ok      ", "ok"), row["path"], Span(f"  {what}", "muted"))
        for note in row.get("notes", []):
            call.out.line(Span(f"          {note}", "muted"))
        return
    for found in row["findings"]:
        line = f":{found['line']}" if found.get("line") else ""
        call.out.line(Span("invalid ", "error"), f"{row['path']}{line}  {found['code']}")
        listed = found.get("fields") or [{"field": found.get("field", ""), "message": found["message"]}]
        for item in listed:
            where = f"{item['field']}: " if item["field"] else ""
            call.out.line(f"          {where}{item['message']}")
        if found.get("nextStep"):
            call.out.line(Span(f"          {found['nextStep']}", "muted"))
