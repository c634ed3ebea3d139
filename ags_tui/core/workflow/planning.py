"""Planning: the capabilities that a task needs become stages in order, signed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import cast

from ags_tui.core.contracts.workflow_plan import (
    AuditPurpose,
    BootstrapExecution,
    ErrorBody,
    ExecutionContext,
    PlannedStage,
    PlanWorkflowRequest,
    SchemaRef,
    StageClass,
    StageGate,
    TaskEnvelope,
    WorkflowPlan,
)
from ags_tui.core.digests import digest
from ags_tui.core.workflow.assurance import bootstrap_requirement, stage_requirement
from ags_tui.core.workflow.documents import UNSIGNED_TOKEN, document_digest, read_document, signed
from ags_tui.core.workflow.failures import WorkflowRefused
from ags_tui.core.workflow.order import Chosen, in_order
from ags_tui.core.workflow.providers import (
    AUDIT,
    EVALUATION_AUDIT,
    GATE_VERDICT,
    PROSE,
    RESULT_SCHEMA,
    Provider,
    Registry,
)

SchemaSource = Callable[[str], bytes | None]
"""Gives the bytes of a schema file by its path; None where there is none."""


@dataclass(frozen=True, slots=True)
class Planner:
    """What planning needs beside the task."""

    registry: Registry
    """Providers."""
    schemas: SchemaSource
    """Schema files."""
    secret: bytes
    """Secret that signs plans."""


def read_request(value: object) -> PlanWorkflowRequest:
    """Read a request to plan: a bare TaskEnvelope, or one with the purpose of its evaluation audit.

    Args:
        value: JSON data.

    Raises:
        WorkflowRefused: INVALID_INPUT.
    """
    if isinstance(value, dict) and "taskEnvelope" in value:
        return read_document(PlanWorkflowRequest, cast("dict[str, object]", value))
    task = read_document(TaskEnvelope, cast("object", value))
    return PlanWorkflowRequest(schema_version="1.0.0", task_envelope=task)


def plan_workflow(
    request: PlanWorkflowRequest, planner: Planner, context: ExecutionContext | None = None
) -> WorkflowPlan:
    """Plan a task; nothing is stored.

    Args:
        request: The task.
        planner: Providers, schemas, secret.
        context: What plans, where a host saw it: then each stage says what must run it.

    Returns:
        A signed plan, ``ready``, or ``blocked`` with errors.

    Raises:
        WorkflowRefused: INVALID_INPUT: the work units or artifacts contradict each other, a purpose or a
            schema is missing.
    """
    task, purpose = request.task_envelope, request.evaluation_audit_purpose
    check_work_units(task)
    wanted = capabilities_of(task, planner.registry)
    if EVALUATION_AUDIT in wanted and purpose is None:
        message = f"{EVALUATION_AUDIT} needs evaluationAuditPurpose."
        raise WorkflowRefused("INVALID_INPUT", message, {"capability": EVALUATION_AUDIT})
    chosen, covered, errors = _choose(wanted, planner.registry)
    ordered = in_order(chosen)
    errors += _clashes(chosen)
    if task.orchestration.requested and not task.orchestration.mcp_available:
        message = "The task is to be run through a server, and there is none."
        errors.insert(0, ErrorBody(code="MCP_UNAVAILABLE", message=message, details=None))
    stages = tuple(
        _stage(number, capability, provider, covered[provider.key], planner)
        for number, (capability, provider) in enumerate(ordered, 1)
    )
    stages = tuple(_with_purpose(stage, purpose) for stage in stages)
    if context is not None:
        stages = tuple(_with_requirement(stage, task, planner.registry) for stage in stages)
    return signed(_plan(task, stages, errors, context), planner.secret)


def _plan(
    task: TaskEnvelope,
    stages: tuple[PlannedStage, ...],
    errors: list[ErrorBody],
    context: ExecutionContext | None,
) -> WorkflowPlan:
    plan = WorkflowPlan(
        schema_version="1.0.0",
        task_id=task.task_id,
        task_digest=document_digest(task),
        integrity_token=UNSIGNED_TOKEN,
        execution_mode="orchestrated" if task.orchestration.requested else "direct",
        state="blocked" if errors else "ready",
        selected_skills=tuple(dict.fromkeys(stage.skill_id for stage in stages)),
        stages=stages,
        current_stage_id=None,
        next_stage_id=stages[0].stage_id if stages and not errors else None,
        errors=tuple(errors),
    )
    if context is None:
        return plan
    bootstrap = BootstrapExecution(requirement=bootstrap_requirement(task), context=context)
    return plan.model_copy(update={"bootstrap_execution": bootstrap})


def check_work_units(task: TaskEnvelope) -> None:
    """Make sure that work units have ids of their own, know each other and do not wait in a circle.

    Raises:
        WorkflowRefused: INVALID_INPUT.
    """
    units = {unit.id: set(unit.dependencies) for unit in task.work_units}
    if len(units) < len(task.work_units):
        raise WorkflowRefused("INVALID_INPUT", "Two work units have the same id.", {"workUnits": list(units)})
    for name, before in units.items():
        unknown = sorted(before - units.keys())
        if unknown:
            details = {"workUnitId": name, "unknownDependencies": unknown}
            raise WorkflowRefused("INVALID_INPUT", f"{name} depends on what is no work unit.", details)
    while units:
        free = [name for name, before in units.items() if not before & units.keys()]
        if not free:
            details = {"workUnits": sorted(units)}
            raise WorkflowRefused("INVALID_INPUT", "Work units wait for each other.", details)
        for name in free:
            del units[name]


def capabilities_of(task: TaskEnvelope, registry: Registry) -> list[str]:
    """Return the capabilities to plan, in order, each once, the independent audit last."""
    wanted: dict[str, None] = {}
    for capability in task.required_capabilities:
        if capability == AUDIT:
            continue
        wanted[capability] = None
        if capability.startswith(PROSE):
            wanted.update(dict.fromkeys(name for name in registry.capabilities if name.startswith(PROSE)))
    if AUDIT in task.required_capabilities or task.risk_level in ("high", "critical"):
        wanted[AUDIT] = None
    return list(wanted)


def _choose(
    wanted: Iterable[str], registry: Registry
) -> tuple[list[Chosen], dict[str, list[str]], list[ErrorBody]]:
    """Choose a provider for each capability, each provider once."""
    chosen: list[Chosen] = []
    covered: dict[str, list[str]] = {}
    errors: list[ErrorBody] = []
    for capability in wanted:
        provider = registry.provider_for(capability)
        if provider is None:
            details: dict[str, object] = {"capability": capability}
            errors.append(_error("GATE_FAILED", f"Nobody provides {capability}.", details))
        elif provider.execution_class == "bootstrap":
            details = {"capability": capability, "providerKey": provider.key}
            errors.append(_error("GATE_FAILED", f"{capability} runs before any plan.", details))
        elif provider.key in covered:
            covered[provider.key].append(capability)
        else:
            covered[provider.key] = [capability]
            chosen.append((capability, provider))
    return chosen, covered, errors


def _error(code: str, message: str, details: dict[str, object]) -> ErrorBody:
    return WorkflowRefused(code, message, details).body()  # type: ignore[arg-type]


def _clashes(chosen: Iterable[Chosen]) -> list[ErrorBody]:
    """What keeps chosen providers from being in one plan."""
    providers = [provider for _, provider in chosen]
    errors: list[ErrorBody] = []
    classes = sorted({provider.execution_class for provider in providers})
    if len(classes) > 1:
        message = "A plan is of one class: workflow or recovery."
        errors.append(_error("INVALID_TRANSITION", message, {"executionClasses": classes}))
    made = {artifact: provider for provider in providers for artifact in provider.produces}
    for consumer in providers:
        for binding in consumer.bindings:
            if binding.operation != "require-external":
                continue
            for source in binding.sources:
                if source in made:
                    details: dict[str, object] = {
                        "consumerProviderKey": consumer.key,
                        "producerProviderKey": made[source].key,
                    }
                    message = f"{consumer.key} takes {source} from outside, and the plan makes it."
                    errors.append(_error("INVALID_TRANSITION", message, details))
    return errors


def _stage(
    number: int, capability: str, provider: Provider, covered: list[str], planner: Planner
) -> PlannedStage:
    required = [*provider.produces]
    if provider.gate.policy == "mandatory" and GATE_VERDICT not in required:
        required.append(GATE_VERDICT)
    stage = PlannedStage(
        stage_id=f"stage-{number:02}-{capability}",
        order=number,
        required_capability=capability,
        satisfied_capabilities=tuple(covered),
        skill_id=provider.skill,
        phase=provider.phase,
        selection_reason=f"{provider.key} provides {', '.join(covered)} with priority {provider.priority}.",
        provider_key=provider.key,
        state="ready",
        required_artifacts=tuple(required),
        risk_gate=provider.gate.policy,
        execution_class=cast("StageClass", provider.execution_class),
        phase_order=provider.phase_order,
        required_input_artifacts=provider.requires,
        input_bindings=provider.bindings,
        produced_artifacts=provider.produces,
        output_schema=_frozen(provider.output_schema, planner.schemas),
        result_schema=_frozen(RESULT_SCHEMA, planner.schemas),
        state_mapping=provider.state_mapping,
        gate=_gate(provider, planner.schemas),
    )
    if provider.receipt_policy is None:
        return stage
    return stage.model_copy(update={"receipt_policy": provider.receipt_policy})


def _gate(provider: Provider, schemas: SchemaSource) -> StageGate:
    gate = StageGate(kind=provider.gate.kind, policy=provider.gate.policy)
    update: dict[str, object] = {}
    if provider.gate.validator is not None:
        update["validator"] = provider.gate.validator
    if provider.gate.validator_schema is not None:
        update["validator_schema"] = _frozen(provider.gate.validator_schema, schemas)
    return gate.model_copy(update=update)


def _frozen(path: str, schemas: SchemaSource) -> SchemaRef:
    """Name a schema file with its digest as it is now."""
    data = schemas(path)
    if data is None:
        raise WorkflowRefused("INVALID_INPUT", f"The schema {path} does not exist.", {"schemaPath": path})
    return SchemaRef(path=path, digest=digest(data))


def _with_purpose(stage: PlannedStage, purpose: AuditPurpose | None) -> PlannedStage:
    if stage.required_capability != EVALUATION_AUDIT or purpose is None:
        return stage
    return stage.model_copy(update={"evaluation_audit_purpose": purpose})


def _with_requirement(stage: PlannedStage, task: TaskEnvelope, registry: Registry) -> PlannedStage:
    provider = registry.provider_for(stage.required_capability)
    every = provider.capabilities if provider is not None else ()
    wanted = stage_requirement(stage.required_capability, every, task.risk_level, stage.risk_gate)
    return stage.model_copy(update={"execution_requirement": wanted})
