"""AGS at run time: StageResult, ProviderResult and WorkflowReceipt 1.0.0, with what they are made of.

Field names, values and bounds are those of the Agent Governance Suite 2.x.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StringConstraints

from ags_tui.core.contracts.base import Absent, Contract, Digest, Text, UniqueNames
from ags_tui.core.contracts.workflow_plan import (
    ErrorBody,
    ExecutionContext,
    WorkflowPlan,
    WorkflowState,
)

ResultState = Literal["needs-input", "needs-approval", "needs-redesign", "failed", "passed", "blocked"]
"""How a stage can end."""

EvidenceKind = Literal["user-input", "file", "test", "document", "tool"]
"""What a piece of evidence is."""

AnyDigest = Annotated[str, StringConstraints(pattern=r"^(sha256:)?[0-9a-f]{64}$")]
"""64 hex digits, with or without ``sha256:``; kept as the caller wrote it."""


class Evidence(Contract):
    """What shows that a stage did what it says."""

    artifact_id: Text
    """Artifact that it is about."""
    kind: EvidenceKind
    """What it is."""
    locator: Text
    """Where it is."""
    verified: bool
    """Whether its giver declares that it was checked."""
    note: str
    """A remark; may be empty."""


class ProviderArtifact(Contract):
    """One artifact that a provider made."""

    artifact_id: Text
    """Which."""
    schema_id: Text
    """Schema of its content."""
    locator: Text
    """Where it is."""
    digest: AnyDigest
    """SHA-256 of its content."""
    target_digest: Text
    """Digest of what it speaks of."""
    verified: bool
    """Whether its giver declares that it was checked."""


class ProviderResult(Contract):
    """What a provider gave back."""

    contract_name: ClassVar[str] = "ProviderResult"

    schema_version: Literal["1.0.0"]
    """Version of the model."""
    kind: Literal["output", "adapter-error"]
    """An output of the provider, or a failure around it."""
    output: dict[str, Any] | None
    """The output, in the provider's own schema; null for an adapter error or where a file holds it."""
    artifacts: tuple[ProviderArtifact, ...]
    """What it made."""
    error: ErrorBody | None
    """Why it failed."""


class OutputFile(Contract):
    """A file that holds the output of a provider."""

    locator: Text
    """Absolute path."""
    digest: Digest
    """Digest of its bytes."""


class StageResult(Contract):
    """The result of one stage, given once."""

    contract_name: ClassVar[str] = "StageResult"

    schema_version: Literal["1.0.0"]
    """Version of the model."""
    run_id: Text
    """Run that it belongs to."""
    stage_id: Text
    """Stage of the plan."""
    expected_revision: Annotated[int, Field(ge=0)]
    """Revision of the receipt that its giver saw."""
    state: ResultState
    """How the stage ended; must be what the plan makes of the output."""
    execution_context: ExecutionContext | None = None
    """What ran it, as the host saw it."""
    output_file: Absent[OutputFile] = None
    """File with the output, in place of ``output.output``."""
    output: ProviderResult
    """What the provider gave back."""
    evidence: tuple[Evidence, ...]
    """What shows it."""
    findings: UniqueNames
    """What was noticed; holds nothing."""
    blockers: UniqueNames
    """What holds the run, for good."""
    error: ErrorBody | None
    """Why it failed; same code as ``output.error``."""


class WorkflowReceipt(Contract):
    """Where a run stands at one revision."""

    contract_name: ClassVar[str] = "WorkflowReceipt"

    schema_version: Literal["1.0.0"]
    """Version of the model."""
    run_id: Text
    """``run-TASK-N``."""
    revision: Annotated[int, Field(ge=0)]
    """Number of changes since the start."""
    state: WorkflowState
    """State of the run."""
    plan: WorkflowPlan
    """The plan with the states of its stages."""
    stage_results: tuple[StageResult, ...]
    """All results, in the order of their recording."""
    blockers: UniqueNames
    """What holds the run; never taken back."""
    unresolved: UniqueNames
    """What is left open; never taken back."""
    error: ErrorBody | None
    """Error of the result that ended it."""


class WorkflowStatus(Contract):
    """A receipt in a line: the compact answer of the tools."""

    schema_version: Literal["1.0.0"]
    """Version of the model."""
    run_id: Text
    """The run."""
    revision: int
    """Its revision."""
    state: WorkflowState
    """Its state."""
    current_stage_id: str | None
    """Stage whose turn it is."""
    next_stage_id: str | None
    """The one after it."""
    last_recorded_stage_id: str | None
    """Stage of the last result."""
    completed_stage_count: int
    """Stages that passed."""
    total_stage_count: int
    """Stages of the plan."""
    blocker_count: int
    """Entries of ``blockers``."""
    unresolved_count: int
    """Entries of ``unresolved``."""
    error_code: str | None
    """Code of the receipt's error."""
    receipt_digest: Digest
    """Digest of the receipt file's bytes."""
