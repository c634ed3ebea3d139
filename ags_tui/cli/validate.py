"""``validate``: contract files of the repository, of given paths, or of a folder of fixtures."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.contract_files import FileRead, contract_files, read_contract_file
from ags_tui.cli.documents import safe
from ags_tui.cli.failures import FAILED, OK, UsageProblem
from ags_tui.cli.fixtures import check_fixtures
from ags_tui.cli.init import root_for
from ags_tui.core.contracts.parse import Parsed
from ags_tui.core.contracts.self_checks import contradictions
from ags_tui.core.layout import TASKS
from ags_tui.core.snapshot import LoadProblem
from ags_tui.io.tasks import TaskReader
from ags_tui.view.text import Span

app = new_app()

PATIENCE_S = 10.0
"""Seconds that a file which is being written gets to be finished."""

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
    return [
        _row(read_contract_file(*found)) for path, shown in given for found in contract_files(path, shown)
    ]


def _rows_of_root(call: Call) -> list[dict[str, Any]]:
    """Every task folder, as the screen reads it; what is being written gets a moment to be finished."""
    root = root_for(call)
    if not root.is_dir():
        raise UsageProblem(f"{root}: no such folder; run ags-tui init, or name files to check")
    reader = TaskReader(root, call.directory)
    end = time.monotonic() + PATIENCE_S
    read = reader.read(now=call.now().timestamp())
    while read.looks_again is not None and time.monotonic() < end:
        time.sleep(min(max(read.looks_again - call.now().timestamp(), 0.05), 0.5))
        read = reader.read(now=call.now().timestamp())
    rows = [_problem_row(problem.artifact, problem) for problem in read.problems]
    for task in read.tasks:
        here = f"{TASKS}/{task.task_id}"
        rows += [
            _document_row(f"{here}/{path}", Parsed(artifact.document, artifact.version, artifact.notes))
            for path, artifact in sorted(task.artifacts.items())
        ]
        rows += [_problem_row(f"{here}/{problem.artifact}", problem) for problem in task.problems]
    return rows


def _row(read: FileRead) -> dict[str, Any]:
    if isinstance(read.result, LoadProblem):
        return _problem_row(read.shown, read.result)
    return _document_row(read.shown, read.result)


def _problem_row(shown: str, problem: LoadProblem) -> dict[str, Any]:
    finding = {
        "code": problem.code,
        "message": safe(problem.message),
        "line": problem.line,
        "field": safe(problem.field),
        "fields": [{"field": safe(name), "message": safe(said)} for name, said in problem.fields],
        "nextStep": problem.next_step,
    }
    return {"path": safe(shown), "valid": False, "findings": [finding]}


def _document_row(shown: str, parsed: Parsed) -> dict[str, Any]:
    findings: list[dict[str, Any]] = [
        {
            "code": found.code,
            "message": found.message,
            "line": None,
            "field": found.field,
            "fields": [],
            "nextStep": "",
        }
        for found in contradictions(parsed.document)
    ]
    return {
        "path": safe(shown),
        "valid": not findings,
        "contract": parsed.document.contract_name,
        "version": parsed.version,
        "notes": list(parsed.notes),
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
