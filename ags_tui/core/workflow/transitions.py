"""The life of a run: start, record a stage result, finalize, abort. Each refuses in a fixed order of checks.

Pure: a receipt comes in, the next one comes out, and whoever stores it compares and swaps.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from ags_tui.core.contracts.strict_json import MAX_BYTES
from ags_tui.core.contracts.workflow import StageResult, WorkflowReceipt
from ags_tui.core.contracts.workflow_plan import ExecutionContext, PlannedStage, WorkflowPlan, WorkflowState
from ags_tui.core.digests import is_digest
from ags_tui.core.log_state import LogState
from ags_tui.core.workflow.assurance import check_assurance, check_observation, check_unused
from ags_tui.core.workflow.deliberation import check_deliberation
from ags_tui.core.workflow.documents import file_bytes, is_genuine, read_bytes, read_document
from ags_tui.core.workflow.failures import WorkflowRefused, stale
from ags_tui.core.workflow.gates import (
    audit_target,
    check_artifacts,
    check_audit,
    check_evaluation,
    check_inputs,
)
from ags_tui.core.workflow.mapping import check_mapping
from ags_tui.core.workflow.output_files import OutputSource, no_files, with_output
from ags_tui.core.workflow.planning import SchemaSource
from ags_tui.core.workflow.providers import policy_problem
from ags_tui.core.workflow.receipt_policy import check_receipt_policy

ABORTED = "aborted-by-caller"
"""What an aborted run is blocked by."""
ABORTABLE = frozenset({"running", "needs-input", "needs-approval", "needs-redesign"})
"""States that can be left by aborting."""
NEEDS = frozenset({"needs-input", "needs-approval", "needs-redesign"})
"""States that wait for somebody."""
_STRICT_FIELD = "executionContext"


@dataclass(frozen=True, slots=True)
class World:
    """What the rules need beside the documents."""

    schemas: SchemaSource
    """Schema files as they are now."""
    files: OutputSource = no_files
    """Reads the files that hold outputs."""
    strict: bool = False
    """Whether a host must have seen what ran a passed stage."""
    observation: ExecutionContext | None = None
    """What the host saw, where it did."""
    now: datetime = datetime(1970, 1, 1, tzinfo=UTC)
    """The wall clock, UTC; for observations only."""
    replaying: bool = False
    """Whether results are applied again: an output that lies in a file was judged then and may be gone."""


# -- start -----------------------------------------------------------------------------------------------


def check_plan(plan: WorkflowPlan, secret: bytes) -> None:
    """Make sure that a plan may be started.

    Args:
        plan: The plan.
        secret: Secret of the store that must have signed it.

    Raises:
        WorkflowRefused: INVALID_INPUT, INVALID_TRANSITION or MCP_UNAVAILABLE.
    """
    if not is_genuine(plan, secret):
        raise WorkflowRefused("INVALID_INPUT", "The plan is not as it was made here: plan again.")
    for stage in plan.stages:
        wrong = policy_problem(stage.receipt_policy)
        if wrong:
            raise WorkflowRefused("INVALID_INPUT", f"{stage.stage_id}: {wrong}.", {"stageId": stage.stage_id})
    if plan.execution_mode == "direct":
        message = "A direct plan is carried out by its caller and never started."
        raise WorkflowRefused("INVALID_TRANSITION", message, {"executionMode": "direct"})
    if any(error.code == "MCP_UNAVAILABLE" for error in plan.errors):
        raise WorkflowRefused("MCP_UNAVAILABLE", "The plan was made without a server.")
    if plan.state != "ready":
        raise WorkflowRefused("INVALID_TRANSITION", "Only a ready plan is started.", {"state": plan.state})


def start(plan: WorkflowPlan, run_id: str) -> WorkflowReceipt:
    """Return the first receipt of a run.

    Args:
        plan: A plan that ``check_plan`` has taken.
        run_id: Id of the run.
    """
    return WorkflowReceipt(
        schema_version="1.0.0",
        run_id=run_id,
        revision=0,
        state="running",
        plan=_pointed(plan.model_copy(update={"state": "running"})),
        stage_results=(),
        blockers=(),
        unresolved=(),
        error=None,
    )


def _pointed(plan: WorkflowPlan) -> WorkflowPlan:
    """A running plan with its pointers: the first two stages without a result."""
    ready = [stage.stage_id for stage in plan.stages if stage.state == "ready"]
    current, following = [*ready, None, None][:2]
    return plan.model_copy(update={"current_stage_id": current, "next_stage_id": following})


# -- record ----------------------------------------------------------------------------------------------


def read_result(value: object, *, strict: bool = False) -> StageResult:
    """Read a stage result as a caller gives it (checks 0-2).

    Args:
        value: JSON data.
        strict: Whether the server alone says what ran a stage.

    Raises:
        WorkflowRefused: BINDING_INVALID or INVALID_INPUT.
    """
    if strict and isinstance(value, dict) and _STRICT_FIELD in value:
        raise WorkflowRefused("BINDING_INVALID", "A caller cannot say what ran the stage.")
    result = read_document(StageResult, cast("object", value))
    if result.output_file is not None and result.output.output is not None:
        raise WorkflowRefused("INVALID_INPUT", "An output stands in the result or in a file, not in both.")
    return result


def record(receipt: WorkflowReceipt, result: StageResult, world: World) -> WorkflowReceipt:
    """Return the receipt after a stage result (checks 4-16).

    Args:
        receipt: The run as it is.
        result: The result.
        world: Schemas, files, host.

    Raises:
        WorkflowRefused: The first check that fails.
    """
    check_revision(receipt, result.expected_revision)
    if receipt.state != "running":
        raise _not_running(receipt)
    stage = _stage_to_record(receipt.plan.stages, result.stage_id)
    if world.replaying and result.output_file is not None:
        return _recorded(receipt, stage, result, world)
    judged = with_output(stage, result, world.files)
    context = result.execution_context
    if world.strict and result.state == "passed":
        context = check_observation(receipt, stage, world.observation, world.now)
        if context is not None:
            judged = judged.model_copy(update={"execution_context": context})
    check_inputs(receipt, stage)
    check_mapping(stage, judged, world.schemas)
    check_receipt_policy(receipt, stage, judged, world.schemas)
    if result.state == "passed":
        check_artifacts(stage, judged)
        check_deliberation(stage, judged, world.schemas)
        check_audit(stage, judged.output.output)
        check_evaluation(stage, judged.output.output)
    check_unused(receipt, context if world.strict else None)
    if judged.execution_context is not None:
        result = result.model_copy(update={"execution_context": judged.execution_context})
    return _recorded(receipt, stage, result, world)


def check_revision(receipt: WorkflowReceipt, expected: object) -> None:
    """Make sure that a caller saw the run as it is.

    Raises:
        WorkflowRefused: STALE_REVISION, also for what is no whole number.
    """
    if not isinstance(expected, int) or isinstance(expected, bool) or expected != receipt.revision:
        raise stale(expected, receipt.revision)


def _not_running(receipt: WorkflowReceipt) -> WorkflowRefused:
    message = f"{receipt.run_id} is {receipt.state}, not running."
    return WorkflowRefused("INVALID_TRANSITION", message, {"state": receipt.state})


def _stage_to_record(stages: Iterable[PlannedStage], stage_id: str) -> PlannedStage:
    stages = tuple(stages)
    stage = next((one for one in stages if one.stage_id == stage_id), None)
    if stage is None:
        message = f"The plan has no stage {stage_id}."
        raise WorkflowRefused("INVALID_INPUT", message, {"stageId": stage_id})
    if stage.state != "ready":
        message = f"{stage_id} has a result already."
        details = {"stageId": stage_id, "stageState": stage.state}
        raise WorkflowRefused("INVALID_TRANSITION", message, details)
    earlier = next((one for one in stages if one.order < stage.order and one.state != "passed"), None)
    if earlier is not None:
        message = f"{earlier.stage_id} comes before {stage_id}."
        details = {"requiredStageId": earlier.stage_id, "requestedStageId": stage_id}
        raise WorkflowRefused("INVALID_TRANSITION", message, details)
    return stage


def _recorded(
    receipt: WorkflowReceipt, stage: PlannedStage, result: StageResult, world: World
) -> WorkflowReceipt:
    stages = tuple(
        one.model_copy(update={"state": result.state}) if one is stage else one for one in receipt.plan.stages
    )
    plan = receipt.plan.model_copy(update={"stages": stages})
    update: dict[str, object] = {
        "stage_results": (*receipt.stage_results, result),
        "blockers": _joined(receipt.blockers, result.blockers),
    }
    left = [*result.blockers]
    if result.state == "passed":
        plan = _pointed(plan)
    else:
        left.append(f"{stage.stage_id}:{result.state}")
        current = stage.stage_id if result.state in NEEDS else None
        plan = plan.model_copy(
            update={"state": result.state, "current_stage_id": current, "next_stage_id": None}
        )
        update |= {"state": result.state, "error": result.error}
    update |= {"plan": plan, "unresolved": _joined(receipt.unresolved, left)}
    return _next(receipt, update, checked=not world.replaying)


def _joined(old: Iterable[str], new: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*old, *new)))


def _next(receipt: WorkflowReceipt, update: dict[str, object], *, checked: bool = True) -> WorkflowReceipt:
    """The receipt of the next revision, read again from its bytes as everybody else will read it.

    Args:
        receipt: The receipt before.
        update: What is new in it.
        checked: Whether it is read again; a replay compares its bytes with those that were.

    Raises:
        WorkflowRefused: INVALID_INPUT: it cannot be read.
    """
    made = receipt.model_copy(update={**update, "revision": receipt.revision + 1})
    if not checked:
        return made
    data = file_bytes(made)
    if len(data) > MAX_BYTES:
        errors = [{"path": "", "message": "the receipt would be longer than 16 MiB: keep outputs in files"}]
        raise WorkflowRefused("INVALID_INPUT", "The receipt grows too long.", {"validationErrors": errors})
    return read_bytes(WorkflowReceipt, data)


# -- finalize and abort ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Supervision:
    """What the supervisor knows that AGS does not ask for; all of it can only refuse."""

    log: LogState | None = None
    """Log of the task: a human block in it refuses. None where nobody looked."""
    tree: str | None = None
    """Digest of the tree as it is: an audit of another one refuses. None where nobody looked."""


UNSUPERVISED = Supervision()
"""Nobody looked: the checks of AGS alone."""


def finalize(
    receipt: WorkflowReceipt,
    expected_revision: object,
    world: World,
    supervision: Supervision = UNSUPERVISED,
) -> WorkflowReceipt:
    """Return the receipt of a run that is done (F1-F7, then what the supervisor adds).

    Args:
        receipt: The run as it is.
        expected_revision: Revision that the caller saw, whatever it sent.
        world: Schemas.
        supervision: What else may refuse.

    Raises:
        WorkflowRefused: The first check that fails.
    """
    check_revision(receipt, expected_revision)
    check_finalizable(receipt, world)
    check_block(supervision.log)
    check_audit_target(receipt, supervision.tree)
    return _next(receipt, {"state": "passed", "plan": _ended(receipt.plan, "passed"), "error": None})


def check_finalizable(receipt: WorkflowReceipt, world: World) -> None:
    """Make sure that a run is done by the rules of AGS (F2-F5).

    Raises:
        WorkflowRefused: The first check that fails.
    """
    if receipt.state != "running":
        raise _not_running(receipt)
    if receipt.blockers or receipt.unresolved:
        details = {"blockers": list(receipt.blockers), "unresolved": list(receipt.unresolved)}
        raise WorkflowRefused("GATE_FAILED", "The run has blockers or open points.", details)
    results = {one.stage_id: one for one in receipt.stage_results}
    for stage in receipt.plan.stages:
        result = results.get(stage.stage_id)
        if result is None or result.state != "passed":
            state = result.state if result else "ready"
            details = {"stageId": stage.stage_id, "stageState": state}
            raise WorkflowRefused("GATE_FAILED", f"{stage.stage_id} has not passed.", details)
        check_artifacts(stage, result)
        check_assurance(stage, result)
        check_receipt_policy(receipt, stage, result, world.schemas)
        check_evaluation(stage, result.output.output)
    audit = next((stage for stage in receipt.plan.stages if stage.risk_gate == "mandatory"), None)
    if audit is not None and audit.state != "passed":
        message = f"The mandatory audit {audit.stage_id} has not passed."
        raise WorkflowRefused("GATE_FAILED", message, {"stageId": audit.stage_id})


def check_block(log: LogState | None) -> None:
    """Refuse while a human blocks the task (ours, not AGS's).

    Raises:
        WorkflowRefused: GATE_FAILED.
    """
    if log is None or not log.blocks:
        return
    reasons = [row.entry.reason for row in log.blocks]
    message = f"A human blocks this task: {reasons[0] or 'no reason given'}."
    raise WorkflowRefused("GATE_FAILED", message, {"humanBlock": reasons})


def check_audit_target(receipt: WorkflowReceipt, tree: str | None) -> None:
    """Refuse an audit of another tree than today's (ours, not AGS's).

    Args:
        receipt: The run.
        tree: Tree digest now; None where nobody looked.

    Raises:
        WorkflowRefused: GATE_FAILED.
    """
    found = audit_target(receipt) if tree is not None else None
    if found is None or found[1] == tree:
        return
    stage_id, target = found
    why = "was of another tree" if is_digest(target) and tree else "cannot be compared with the tree"
    details = {"stageId": stage_id, "auditTarget": target, "currentTarget": tree}
    raise WorkflowRefused("GATE_FAILED", f"The audit {why}: audit the tree digest of now.", details)


def abort(receipt: WorkflowReceipt, expected_revision: object) -> WorkflowReceipt:
    """Return the receipt of a run that its caller gives up.

    Args:
        receipt: The run as it is.
        expected_revision: Revision that the caller saw, whatever it sent.

    Raises:
        WorkflowRefused: STALE_REVISION or INVALID_TRANSITION.
    """
    check_revision(receipt, expected_revision)
    if receipt.state not in ABORTABLE:
        raise WorkflowRefused(
            "INVALID_TRANSITION", f"{receipt.run_id} is over: {receipt.state}.", {"state": receipt.state}
        )
    update: dict[str, object] = {
        "state": "blocked",
        "plan": _ended(receipt.plan, "blocked"),
        "blockers": _joined(receipt.blockers, (ABORTED,)),
        "unresolved": _joined(receipt.unresolved, (ABORTED,)),
        "error": None,
    }
    return _next(receipt, update)


def _ended(plan: WorkflowPlan, state: WorkflowState) -> WorkflowPlan:
    return plan.model_copy(update={"state": state, "current_stage_id": None, "next_stage_id": None})


Change = Callable[[WorkflowReceipt], WorkflowReceipt]
"""What one write does to a receipt."""
