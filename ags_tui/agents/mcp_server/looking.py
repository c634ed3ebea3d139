"""The tools that look: validate_contract and gate_status."""

import json
from pathlib import Path

from ags_tui.agents.mcp_server.answers import Data
from ags_tui.agents.mcp_server.desk import Desk
from ags_tui.agents.mcp_server.inputs import GateInput, ValidateInput
from ags_tui.core.assessment import Assessment, TaskAssessment
from ags_tui.core.checks.assess import assess
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.checks.gate_answer import GateAnswer, JudgedTask, gate_answer, standing
from ags_tui.core.contracts import registry
from ags_tui.core.contracts.parse import parse_any, parse_contract
from ags_tui.core.subjects import inside
from ags_tui.core.workflow.documents import read_document
from ags_tui.core.workflow.failures import WorkflowRefused
from ags_tui.io.contract_files import contract_files, read_contract_file, read_whole
from ags_tui.io.observing import observe_young, settled
from ags_tui.io.workspace import Workspace
from ags_tui.view.contract_rows import file_row, root_rows
from ags_tui.view.documents import gate_answer_document, moment, safe

TARGET = "work-tree"
"""The tree that is judged."""
_OPEN = (Outcome.FAILED, Outcome.UNKNOWN)


def validate_contract(desk: Desk, arguments: Data) -> Data:
    """Check a document, files, or all task folders; what is wrong stands in the answer.

    Args:
        desk: Where.
        arguments: A ValidateInput.

    Raises:
        WorkflowRefused: INVALID_INPUT: it was not said what to check.
    """
    asked = read_document(ValidateInput, arguments)
    if "document" in arguments:
        if asked.paths is not None:
            raise WorkflowRefused("INVALID_INPUT", "Give a document or paths, not both.", {"field": "paths"})
        rows = [_document_row(arguments["document"], asked.contract)]
    elif asked.contract is not None:
        raise WorkflowRefused("INVALID_INPUT", "contract is for a document.", {"field": "contract"})
    else:
        workspace = desk.workspace()
        rows = _rows_of_root(desk, workspace) if asked.paths is None else _rows(workspace, asked.paths)
    return {"valid": all(row["valid"] for row in rows), "files": rows}


def _document_row(document: object, contract: str | None) -> Data:
    if contract is not None and contract not in registry.names():
        details = {"contract": contract, "known": list(registry.names())}
        raise WorkflowRefused("INVALID_INPUT", f"There is no contract {contract}.", details)
    data = json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")
    if contract is None:
        return file_row("document", parse_any(data, "document"))
    return file_row("document", parse_contract(data, contract=contract, artifact="document"))


def _rows_of_root(desk: Desk, workspace: Workspace) -> list[Data]:
    if not workspace.root.is_dir():
        details = {"root": str(workspace.root)}
        raise WorkflowRefused("INVALID_INPUT", "There are no task folders here.", details)
    read = read_whole(workspace.root, workspace.top, desk.now)
    return root_rows(read.tasks, read.problems)


def _rows(workspace: Workspace, paths: tuple[str, ...]) -> list[Data]:
    found = [
        read_contract_file(*one)
        for shown in paths
        for one in contract_files(_below(workspace.top, shown), shown)
    ]
    return [file_row(read.shown, read.result) for read in found]


def _below(top: Path, given: str) -> Path:
    """A file or folder of the work tree; what lies elsewhere is none of an agent's business here.

    Raises:
        WorkflowRefused: INVALID_INPUT: there is none, or it lies elsewhere.
    """
    relative = inside(given.rstrip("/"))
    path = top / relative if relative is not None else None
    if path is None or not path.exists() or not path.resolve().is_relative_to(top.resolve()):
        message = f"{given[:200]}: no such file or folder below the work tree."
        raise WorkflowRefused("INVALID_INPUT", message, {"path": given})
    return path


def gate_status(desk: Desk, arguments: Data) -> Data:
    """Judge tasks exactly as ``ags-tui gate`` does.

    Args:
        desk: Where.
        arguments: A GateInput.

    Raises:
        WorkflowRefused: INVALID_INPUT: there is no such task.
    """
    asked, workspace = read_document(GateInput, arguments), desk.workspace()
    snapshot = workspace.read()
    if observe_young(workspace, snapshot, via="mcp", say=desk.say):
        snapshot = workspace.read()
    snapshot = settled(workspace, snapshot, TARGET)
    assessment = assess(snapshot, desk.now())
    wanted = tuple(dict.fromkeys(asked.task_ids))
    chosen = _named(assessment, wanted) if wanted else standing(assessment, finalized=asked.finalized)
    answer = gate_answer(assessment, chosen, named=bool(wanted), finalized=asked.finalized)
    if asked.detail == "full":
        return gate_answer_document(answer, snapshot, TARGET)
    return _compact(answer) | {"target": TARGET, "takenAt": moment(snapshot.taken_at)}


def _named(assessment: Assessment, wanted: tuple[str, ...]) -> tuple[TaskAssessment, ...]:
    here = {task.task_id: task for task in assessment.tasks}
    missing = [task_id for task_id in wanted if task_id not in here]
    if missing:
        details = {"taskIds": missing, "known": [safe(name) for name in here]}
        raise WorkflowRefused("INVALID_INPUT", "There is no such task.", details)
    return tuple(here[task_id] for task_id in wanted)


def _compact(answer: GateAnswer) -> Data:
    return {
        "outcome": answer.outcome.value,
        "tasks": [_compact_task(row) for row in answer.rows],
        "findingCodes": sorted({finding.code for finding in answer.findings}),
    }


def _compact_task(row: JudgedTask) -> Data:
    report = row.report
    return {
        "taskId": safe(row.task.task_id),
        "outcome": report.outcome.value,
        "headline": safe(report.headline),
        "open": [
            {
                "number": condition.number,
                "name": condition.name,
                "outcome": condition.outcome.value,
                "reason": safe(condition.reason),
            }
            for condition in report.conditions
            if condition.outcome in _OPEN
        ],
        "pending": [f"{safe(one.task_id)}/{one.item_id}" for one in row.task.pending],
    }
