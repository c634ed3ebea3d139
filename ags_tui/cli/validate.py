"""``validate``: contract files of the repository, of given paths, or of a folder of fixtures."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.contract_files import FileRead, contract_files, read_contract_file
from ags_tui.cli.failures import FAILED, OK, UsageProblem
from ags_tui.cli.fixtures import check_fixtures
from ags_tui.core.contracts.self_checks import contradictions
from ags_tui.core.snapshot import LoadProblem
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
        rows += [_row(read) for read in _reads(call, paths or [])]
    valid = all(row["valid"] for row in rows)
    for row in rows:
        _say(call, row)
    if not rows:
        call.out.line(Span("no contract files here", "muted"))
    call.out.document({"valid": valid, "files": rows})
    return OK if valid else FAILED


def _reads(call: Call, paths: list[Path]) -> list[FileRead]:
    given = [(call.path(path), str(path)) for path in paths]
    if not given:
        root = _root(call)
        given = [(root / "tasks", "tasks")] if (root / "tasks").is_dir() else []
    for path, shown in given:
        if not path.exists() and not path.is_symlink():
            raise UsageProblem(f"{shown}: no such file or folder")
    return [read_contract_file(*found) for path, shown in given for found in contract_files(path, shown)]


def _root(call: Call) -> Path:
    from ags_tui.cli.init import root_for

    root = root_for(call)
    if not root.is_dir():
        raise UsageProblem(f"{root}: no such folder; run ags-tui init, or name files to check")
    return root


def _row(read: FileRead) -> dict[str, Any]:
    row: dict[str, Any] = {"path": read.shown}
    if isinstance(read.result, LoadProblem):
        problem = read.result
        listed = [{"field": name, "message": said} for name, said in problem.fields]
        found = {
            "code": problem.code,
            "message": problem.message,
            "line": problem.line,
            "field": problem.field,
        }
        return {
            **row,
            "valid": False,
            "findings": [{**found, "fields": listed, "nextStep": problem.next_step}],
        }
    document = read.result.document
    findings = [
        {"code": found.code, "message": found.message, "field": found.field, "nextStep": ""}
        for found in contradictions(document)
    ]
    return {
        **row,
        "valid": not findings,
        "contract": document.contract_name,
        "version": read.result.version,
        "notes": list(read.result.notes),
        "findings": findings,
    }


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
