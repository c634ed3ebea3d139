"""AGS before a run: TaskEnvelope, PlanWorkflowRequest and WorkflowPlan 1.0.0, with what they are made of.

Field names, values and bounds are those of the Agent Governance Suite 2.x.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StringConstraints

from ags_tui.core.contracts.base import Absent, Contract, Digest, FullRisk, SomeNames, Text, UniqueNames

WorkflowState = Literal[
    "ready", "running", "needs-input", "needs-approval", "needs-redesign", "failed", "passed", "blocked"
]
"""State of a receipt, a plan or a stage."""

ExecutionMode = Literal["direct", "orchestrated"]
"""Whether a plan is run by its caller or through the server."""

RiskGate = Literal["none", "conditional", "mandatory"]
"""Policy of a gate."""

StageClass = Literal["workflow", "recovery"]
"""Execution class of a planned stage."""

ModelClass = Literal["lightweight", "general", "deep", "frontier"]
"""Classes of models, lowest first."""

ReasoningEffort = Literal["low", "medium", "high", "xhigh", "max", "ultra"]
"""Efforts, lowest first."""

AuditPurpose = Literal["design-readiness", "quality-or-release"]
"""What an evaluation audit is for."""

ErrorCode = Literal[
    "INVALID_INPUT", "RUN_NOT_FOUND", "STALE_REVISION", "INVALID_TRANSITION", "MISSING_EVIDENCE",
    "GATE_FAILED", "MCP_UNAVAILABLE", "LEASE_REQUIRED", "LEASE_CONFLICT", "FRAME_REVIEW_REQUIRED",
    "ATTEMPT_BUDGET_EXHAUSTED", "NEW_EVIDENCE_REQUIRED", "ROOT_CONFLICT", "BINDING_REQUIRED",
    "BINDING_INVALID", "INTEGRITY_FAILED", "CONTINUITY_UNAVAILABLE", "SNAPSHOT_NOT_FOUND",
    "SNAPSHOT_CONFLICT", "REQUEST_CONFLICT",
]  # fmt: skip
"""Codes of refusals."""

Pointer = Annotated[str, StringConstraints(pattern=r"^/")]
"""A JSON pointer to something in a document."""

Token = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$")]
"""HMAC-SHA256 in base64url without padding."""


class ErrorBody(Contract):
    """Why something was refused or failed."""

    code: ErrorCode
    """Stable code."""
    message: Text
    """A sentence."""
    details: dict[str, Any] | None
    """Facts behind it."""


class TaskScope(Contract):
    """Areas of a task."""

    included: UniqueNames
    """What may change."""
    excluded: UniqueNames
    """What may not."""


class WorkUnit(Contract):
    """A part of a task."""

    id: Text
    """Id, unique in the task."""
    objective: Text
    """What it is to reach."""
    dependencies: UniqueNames
    """Units that come before it."""
    write_targets: UniqueNames
    """What it writes."""


class Authorization(Contract):
    """The stated permission boundary of a task."""

    allowed_actions: UniqueNames
    """What may be done."""
    prohibited_actions: UniqueNames
    """What may not."""
    approval_required: UniqueNames
    """What a human must approve first."""


class TaskDecision(Contract):
    """How hard the task is to decide."""

    complexity: Literal["simple", "complex"]
    """How complex it is."""
    has_conflicts: bool
    """Whether its demands contradict each other."""


class Orchestration(Contract):
    """Whether the task is run through a server."""

    requested: bool
    """Whether that is asked for."""
    mcp_available: bool
    """Whether there is one."""


class TaskEnvelope(Contract):
    """What is to be done, and within which bounds."""

    contract_name: ClassVar[str] = "TaskEnvelope"

    schema_version: Literal["1.0.0"]
    """Version of the model."""
    task_id: Text
    """Task that it belongs to."""
    objective: Text
    """What is to be reached."""
    scope: TaskScope
    """Areas."""
    acceptance_criteria: SomeNames
    """When it is done."""
    risk_level: FullRisk
    """Risk; high and critical force an independent audit."""
    work_units: tuple[WorkUnit, ...]
    """Its parts."""
    required_capabilities: UniqueNames
    """Capabilities to plan."""
    constraints: UniqueNames
    """What binds it."""
    authorization: Authorization
    """Permission boundary."""
    decision: TaskDecision
    """How hard it is to decide."""
    orchestration: Orchestration
    """How it is run."""


class PlanWorkflowRequest(Contract):
    """A task to plan, with the purpose of its evaluation audit."""

    contract_name: ClassVar[str] = "PlanWorkflowRequest"

    schema_version: Literal["1.0.0"]
    """Version of the model."""
    task_envelope: TaskEnvelope
    """The task."""
    evaluation_audit_purpose: Absent[AuditPurpose] = None
    """Needed where the task requires ``evaluation-validity-audit``."""


class ExecutionRequirement(Contract):
    """What must run a stage."""

    policy_id: Literal["semantic-execution-assurance-v1"]
    """Policy behind it."""
    kind: Literal["deterministic", "semantic"]
    """Whether a model is needed at all."""
    minimum_model_class: ModelClass | None
    """Lowest class of model."""
    minimum_reasoning_effort: ReasoningEffort | None
    """Lowest effort."""
    observation_required: bool
    """Whether a host must have seen it."""


class ExecutionContext(Contract):
    """What ran a stage, as a host saw it."""

    schema_version: Text
    """Version of the model."""
    model: str
    """Model that ran."""
    model_class: str
    """Its class."""
    reasoning_effort: str
    """Its effort."""
    source: str
    """``runtime`` or ``spawn-result``."""
    observed_at: str
    """When, ISO 8601; read by the rules, which refuse what is no time."""
    observation_id: Absent[Annotated[str, StringConstraints(min_length=16)]] = None
    """Id of the observation, used once."""
    task_id: Absent[Text] = None
    """Task that it is bound to."""
    run_id: str | None = None
    """Run that it is bound to."""
    stage_id: str | None = None
    """Stage that it is bound to."""
    revision: int | None = None
    """Revision that it is bound to."""
    actor_id: Absent[Text] = None
    """Who acted."""
    expires_at: Absent[Text] = None
    """Until when it may be used."""


class BootstrapExecution(Contract):
    """What planned the workflow, and what had to."""

    requirement: ExecutionRequirement
    """What had to."""
    context: ExecutionContext
    """What did."""


class InputBinding(Contract):
    """Where an input of a stage comes from."""

    target_artifact: Text
    """The input."""
    sources: SomeNames
    """Artifacts that it is made of."""
    operation: Literal["select", "collect", "combine", "require-external"]
    """How."""
    optional: Absent[bool] = None
    """Whether it may be missing."""


class SchemaRef(Contract):
    """A schema file, frozen by its digest."""

    path: Text
    """Where it is."""
    digest: Digest
    """Digest of its bytes when the plan was made."""


class StateRule(Contract):
    """What one verdict of a provider makes of a stage."""

    state: Literal["needs-input", "needs-approval", "needs-redesign", "failed", "passed", "blocked"]
    """State of the stage."""
    error_required: bool
    """Whether the provider must give an error."""
    allowed_error_codes: Absent[tuple[ErrorCode, ...]] = None
    """Codes that it may have; any where this is missing."""


class StateMapping(Contract):
    """How the output of a provider becomes a state."""

    selector: Absent[Pointer] = None
    """Pointer into the ProviderResult to the verdict."""
    values: Absent[dict[str, StateRule]] = None
    """Rule of each verdict."""
    default: Literal["reject"] | StateRule
    """Rule of everything that is no text, or ``reject``."""
    adapter_errors: tuple[ErrorCode, ...]
    """Codes that a failure around the provider may have."""


class StageGate(Contract):
    """What a stage guards."""

    kind: Literal["none", "precondition", "completion"]
    """When it is passed."""
    policy: RiskGate
    """How strictly."""
    validator: str | None = None
    """Name of a further check."""
    validator_schema: SchemaRef | None = None
    """Schema of what that check reads."""


class ReceiptPolicy(Contract):
    """What a receipt may hold of a stage: references only."""

    mode: Literal["reference-only"]
    """The one mode."""
    actor_id_pointer: Absent[Pointer] = None
    """Pointer into the output to who acted."""
    uniqueness: Absent[Literal["run"]] = None
    """No other stage of the run has the same actor."""
    actor_ids_pointer: Absent[Pointer] = None
    """Pointer into the output to all who acted before."""
    actor_ids_match: Absent[Literal["prior-policy-actors"]] = None
    """What that list must equal."""


class PlannedStage(Contract):
    """One stage of a plan."""

    stage_id: Text
    """``stage-NN-CAPABILITY``."""
    order: Annotated[int, Field(ge=1)]
    """Place in the plan, from 1."""
    required_capability: Text
    """Capability that chose the provider."""
    evaluation_audit_purpose: Absent[AuditPurpose] = None
    """Of an evaluation audit: what it is for."""
    satisfied_capabilities: SomeNames
    """Capabilities that the stage covers."""
    skill_id: Text
    """Skill that does it."""
    phase: Text
    """Phase of the skill."""
    selection_reason: Text
    """Why this provider."""
    provider_key: Text
    """The provider."""
    state: WorkflowState
    """``ready`` until its result is recorded."""
    execution_requirement: Absent[ExecutionRequirement] = None
    """What must run it, where the plan was made with an execution context."""
    required_artifacts: UniqueNames
    """What a passed result must hold."""
    risk_gate: RiskGate
    """Policy of its gate."""
    execution_class: StageClass
    """Class."""
    phase_order: Annotated[int, Field(ge=0)]
    """Order of its phase among all providers."""
    required_input_artifacts: UniqueNames
    """What it needs."""
    input_bindings: tuple[InputBinding, ...]
    """Where that comes from."""
    produced_artifacts: UniqueNames
    """What it makes."""
    output_schema: SchemaRef
    """Schema of the provider's output."""
    result_schema: SchemaRef
    """Schema of the ProviderResult."""
    state_mapping: StateMapping
    """How the output becomes a state."""
    gate: StageGate
    """What it guards."""
    receipt_policy: Absent[ReceiptPolicy] = None
    """What the receipt may hold."""


class WorkflowPlan(Contract):
    """The stages of a task in order, signed by the planner."""

    contract_name: ClassVar[str] = "WorkflowPlan"

    schema_version: Literal["1.0.0"]
    """Version of the model."""
    task_id: Text
    """Task."""
    task_digest: Absent[Digest] = None
    """Digest of the whole TaskEnvelope in canonical JSON."""
    integrity_token: Token
    """HMAC over the canonical JSON of the plan without this field."""
    execution_mode: ExecutionMode
    """How it is run."""
    bootstrap_execution: BootstrapExecution | None = None
    """What planned it."""
    state: WorkflowState
    """``ready``, or ``blocked`` where there are errors; the state of the run afterwards."""
    selected_skills: UniqueNames
    """Skills, each once."""
    stages: tuple[PlannedStage, ...]
    """In order; may be empty."""
    current_stage_id: str | None
    """Stage whose turn it is."""
    next_stage_id: str | None
    """The one after it."""
    errors: tuple[ErrorBody, ...]
    """Why it cannot be run."""
