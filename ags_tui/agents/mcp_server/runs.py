"""The tools of AGS runs: plan, start, record, status, finalize, abort."""

from typing import get_args

from ags_tui.agents.mcp_server.answers import Data
from ags_tui.agents.mcp_server.desk import Desk
from ags_tui.agents.mcp_server.inputs import ChangeInput, Mode, StatusInput
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.contracts.workflow import WorkflowReceipt
from ags_tui.core.layout import task_of_run
from ags_tui.core.snapshot import TaskSnapshot
from ags_tui.core.workflow.documents import data_of, read_document
from ags_tui.core.workflow.failures import WorkflowRefused
from ags_tui.core.workflow.replay import status_of
from ags_tui.core.workflow.transitions import Supervision, check_revision, finalize, read_result
from ags_tui.io.workflow_store import Stored

MODE = "responseMode"
"""Field beside those of a contract that says how much is answered."""


def plan_workflow(desk: Desk, arguments: Data) -> Data:
    """Plan a task; nothing is stored.

    Args:
        desk: Where.
        arguments: A TaskEnvelope or PlanWorkflowRequest.

    Raises:
        WorkflowRefused: The plan cannot be made.
    """
    return data_of(desk.store().plan(arguments))


def start_workflow(desk: Desk, arguments: Data) -> Data:
    """Start a run of an orchestrated plan, directly: without lease and convergence root.

    Args:
        desk: Where.
        arguments: The WorkflowPlan, with ``responseMode``.

    Raises:
        WorkflowRefused: The plan is not started.
    """
    plan, mode = _moded(arguments)
    return _answered(desk.store().start(plan), mode)


def record_stage_result(desk: Desk, arguments: Data) -> Data:
    """Record the result of one stage.

    Args:
        desk: Where.
        arguments: The StageResult, with ``responseMode``.

    Raises:
        WorkflowRefused: The first check that fails; nothing has changed.
    """
    result, mode = _moded(arguments)
    read_result(result, strict=True)  # what ran a stage is for a host to say, never for the caller
    return _answered(desk.store().record(result), mode)


def get_workflow_status(desk: Desk, arguments: Data) -> Data:
    """Return where a run stands.

    Args:
        desk: Where.
        arguments: ``runId`` and ``detail``.

    Raises:
        WorkflowRefused: There is no such run.
    """
    asked = read_document(StatusInput, arguments)
    return _answered(desk.store().status(asked.run_id), asked.detail)


def finalize_workflow(desk: Desk, arguments: Data) -> Data:
    """Finalize a run; a human block, a log that is not intact and an audit of another tree refuse.

    Args:
        desk: Where.
        arguments: ``runId``, ``expectedRevision`` and ``responseMode``.

    Raises:
        WorkflowRefused: The first check that fails; nothing has changed.
    """
    asked = read_document(ChangeInput, arguments)
    store, expected = desk.store(), asked.expected_revision

    def change(receipt: WorkflowReceipt) -> WorkflowReceipt:
        check_revision(receipt, expected)
        task = _task(desk, receipt.run_id)
        after = finalize(receipt, expected, store.world, _supervision(task))
        _check_log(task)
        return after

    return _answered(store.change(asked.run_id, expected, change), asked.response_mode)


def abort_workflow(desk: Desk, arguments: Data) -> Data:
    """Give a run up.

    Args:
        desk: Where.
        arguments: ``runId``, ``expectedRevision`` and ``responseMode``.

    Raises:
        WorkflowRefused: The run is over or has moved on.
    """
    asked = read_document(ChangeInput, arguments)
    return _answered(desk.store().abort(asked.run_id, asked.expected_revision), asked.response_mode)


def _task(desk: Desk, run_id: str) -> TaskSnapshot | None:
    task_id = task_of_run(run_id)
    return next((one for one in desk.workspace().read().tasks if one.task_id == task_id), None)


def _supervision(task: TaskSnapshot | None) -> Supervision:
    """What the supervisor knows of a task; where its tree cannot be told, no audit is of it."""
    changes = task.changes if task is not None else None
    tree = changes.tree_digest if changes is not None and not changes.unknown else ""
    return Supervision(log=task.log if task is not None else None, tree=tree)


def _check_log(task: TaskSnapshot | None) -> None:
    """Refuse where a log was tampered with: a block could be gone.

    Raises:
        WorkflowRefused: GATE_FAILED.
    """
    if task is None or task.log.integrity is not Outcome.FAILED:
        return
    details = {"taskId": task.task_id, "log": [finding.code for finding in task.log.findings]}
    raise WorkflowRefused("GATE_FAILED", "The log of this task is not intact.", details)


def _moded(arguments: Data) -> tuple[Data, Mode]:
    """The contract in the arguments, and how much is answered.

    Raises:
        WorkflowRefused: INVALID_INPUT: there is no such mode.
    """
    mode = arguments.get(MODE, "full")
    if mode not in get_args(Mode):
        errors = [{"path": MODE, "message": "must be compact or full"}]
        raise WorkflowRefused(
            "INVALID_INPUT", f"{MODE} must be compact or full.", {"validationErrors": errors}
        )
    return {name: value for name, value in arguments.items() if name != MODE}, mode


def _answered(stored: Stored, mode: Mode) -> Data:
    if mode == "full":
        return data_of(stored.receipt)
    return data_of(status_of(stored.receipt, stored.data))
