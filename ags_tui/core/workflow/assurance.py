"""Execution assurance: what must run a stage, and whether it did."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, get_args

from ags_tui.core.contracts.workflow import StageResult, WorkflowReceipt
from ags_tui.core.contracts.workflow_plan import (
    ExecutionContext,
    ExecutionRequirement,
    ModelClass,
    PlannedStage,
    ReasoningEffort,
    TaskEnvelope,
)
from ags_tui.core.workflow.documents import data_of
from ags_tui.core.workflow.failures import WorkflowRefused

POLICY = "semantic-execution-assurance-v1"
"""The one policy."""
HIGH_ASSURANCE = frozenset({
    "independent-deliberation", "independent-audit", "evaluation-validity-audit", "blocker-diagnosis",
    "recovery-strategy-selection", "iteration-frame-audit", "korean-prose-selection",
    "korean-prose-verification", "acceptance-evidence-validation", "mutation-risk-preflight",
})  # fmt: skip
"""Capabilities that need a deep model at high effort."""
LONGEST = timedelta(minutes=5)
"""Most age and validity of an observation."""
SKEW = timedelta(seconds=5)
"""How far clocks may be apart."""

_CLASSES: tuple[str, ...] = get_args(ModelClass)
_EFFORTS: tuple[str, ...] = get_args(ReasoningEffort)
_SOURCES = ("runtime", "spawn-result")
_DETERMINISTIC = "korean-prose-finalization"


def _requirement(model: ModelClass, effort: ReasoningEffort) -> ExecutionRequirement:
    return ExecutionRequirement(
        policy_id=POLICY,
        kind="semantic",
        minimum_model_class=model,
        minimum_reasoning_effort=effort,
        observation_required=True,
    )


def bootstrap_requirement(task: TaskEnvelope) -> ExecutionRequirement:
    """Return what must plan a task."""
    hard = task.risk_level in ("high", "critical") or task.decision.complexity == "complex"
    return _requirement("deep" if hard else "general", "high")


def stage_requirement(
    capability: str, capabilities: Iterable[str], risk: str, risk_gate: str
) -> ExecutionRequirement:
    """Return what must run a stage.

    Args:
        capability: Capability of the stage.
        capabilities: All capabilities of its provider.
        risk: Risk of the task.
        risk_gate: Policy of the stage's gate.
    """
    if capability == _DETERMINISTIC:
        return ExecutionRequirement(
            policy_id=POLICY,
            kind="deterministic",
            minimum_model_class=None,
            minimum_reasoning_effort=None,
            observation_required=False,
        )
    if risk == "critical" or risk_gate == "mandatory" or HIGH_ASSURANCE & {capability, *capabilities}:
        return _requirement("deep", "high")
    return _requirement("general", "high" if risk == "high" else "medium")


def check_assurance(stage: PlannedStage, result: StageResult) -> None:
    """Make sure that what ran a stage was good enough.

    Raises:
        WorkflowRefused: BINDING_REQUIRED, BINDING_INVALID or INVALID_INPUT.
    """
    wanted = stage.execution_requirement
    if wanted is None or wanted.kind == "deterministic":
        return
    context = result.execution_context
    if context is None:
        message = f"{stage.stage_id} must say what ran it."
        raise WorkflowRefused("BINDING_REQUIRED", message, {"requirement": data_of(wanted)})
    if not _is_sound(context):
        message = f"What ran {stage.stage_id} is not described as it must be."
        raise WorkflowRefused("BINDING_INVALID", message, {"context": data_of(context)})
    if wanted.minimum_model_class is None or wanted.minimum_reasoning_effort is None:
        message = f"{stage.stage_id} names no lowest model class and effort."
        raise WorkflowRefused("INVALID_INPUT", message, {"requirement": data_of(wanted)})
    if not (
        _reaches(context.model_class, wanted.minimum_model_class, _CLASSES)
        and _reaches(context.reasoning_effort, wanted.minimum_reasoning_effort, _EFFORTS)
    ):
        details = {
            "model": context.model,
            "modelClass": context.model_class,
            "reasoningEffort": context.reasoning_effort,
            "minimumModelClass": wanted.minimum_model_class,
            "minimumReasoningEffort": wanted.minimum_reasoning_effort,
        }
        message = f"What ran {stage.stage_id} is below what it needs."
        raise WorkflowRefused("BINDING_INVALID", message, details)


def _reaches(found: str, least: str, ranks: tuple[str, ...]) -> bool:
    return found in ranks and ranks.index(found) >= ranks.index(least)


def _is_sound(context: ExecutionContext) -> bool:
    return (
        context.schema_version == "1.0.0"
        and bool(context.model)
        and context.source in _SOURCES
        and _time(context.observed_at) is not None
    )


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo is not None else None


def check_observation(
    receipt: WorkflowReceipt,
    stage: PlannedStage,
    observation: ExecutionContext | None,
    now: datetime,
) -> ExecutionContext | None:
    """Hold a host's observation against the stage that it is to vouch for (strict callers, passed stages).

    Args:
        receipt: The run.
        stage: The stage.
        observation: What the host saw; None where it saw nothing.
        now: The wall clock, UTC.

    Returns:
        The observation, or None for a stage that needs none.

    Raises:
        WorkflowRefused: BINDING_REQUIRED or BINDING_INVALID.
    """
    wanted = stage.execution_requirement
    if wanted is None:
        raise WorkflowRefused("BINDING_REQUIRED", f"{stage.stage_id} was planned without a requirement.")
    if wanted.kind == "deterministic":
        return None
    binding: dict[str, Any] = {
        "taskId": receipt.plan.task_id,
        "runId": receipt.run_id,
        "stageId": stage.stage_id,
        "revision": receipt.revision,
    }
    if observation is None:
        message = f"No host has seen what ran {stage.stage_id}."
        raise WorkflowRefused("BINDING_REQUIRED", message, {"binding": binding})
    found = data_of(observation)
    if observation.observation_id is None or observation.actor_id is None:
        message = "The observation is not complete."
        raise WorkflowRefused("BINDING_INVALID", message, {"binding": binding, "context": found})
    if any(found.get(name) != value for name, value in binding.items()):
        message = "The observation is bound to something else."
        raise WorkflowRefused("BINDING_INVALID", message, {"binding": binding, "context": found})
    seen, until = _time(observation.observed_at), _time(observation.expires_at)
    if seen is None or until is None or not _is_current(seen, until, now):
        details = {"observedAt": observation.observed_at, "expiresAt": observation.expires_at}
        raise WorkflowRefused("BINDING_INVALID", "The observation is not of this moment.", details)
    return observation


def _is_current(seen: datetime, until: datetime, now: datetime) -> bool:
    return seen - SKEW <= now <= until + SKEW and now - seen <= LONGEST + SKEW and until - seen <= LONGEST


def check_unused(receipt: WorkflowReceipt, context: ExecutionContext | None) -> None:
    """Make sure that an observation vouches once.

    Raises:
        WorkflowRefused: BINDING_INVALID.
    """
    if context is None or context.observation_id is None:
        return
    for earlier in receipt.stage_results:
        used = earlier.execution_context
        if used is not None and used.observation_id == context.observation_id:
            details = {"observationId": context.observation_id}
            raise WorkflowRefused("BINDING_INVALID", "The observation was used before.", details)
