"""What checking contract files found, as plain JSON data: one row a file."""

from collections.abc import Iterable
from typing import Any

from ags_tui.core.contracts.parse import Parsed
from ags_tui.core.contracts.self_checks import contradictions
from ags_tui.core.layout import TASKS
from ags_tui.core.snapshot import LoadProblem, TaskFiles
from ags_tui.view.documents import safe


def root_rows(tasks: Iterable[TaskFiles], problems: Iterable[LoadProblem]) -> list[dict[str, Any]]:
    """Return a row for each contract file of all task folders.

    Args:
        tasks: The folders.
        problems: What is wrong beside them.
    """
    rows = [_problem_row(problem.artifact, problem) for problem in problems]
    for task in tasks:
        here = f"{TASKS}/{task.task_id}"
        rows += [
            _document_row(f"{here}/{path}", Parsed(artifact.document, artifact.version, artifact.notes))
            for path, artifact in sorted(task.artifacts.items())
        ]
        rows += [_problem_row(f"{here}/{problem.artifact}", problem) for problem in task.problems]
    return rows


def file_row(shown: str, result: Parsed | LoadProblem) -> dict[str, Any]:
    """Return the row of one file.

    Args:
        shown: Its path as the user would write it.
        result: The document, or why there is none.
    """
    if isinstance(result, LoadProblem):
        return _problem_row(shown, result)
    return _document_row(shown, result)


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
