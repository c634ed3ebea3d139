"""AgentPlan: the boundary of the work, in three versions (article §2, §5, §8, §17)."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ags_tui.core.contracts.base import Contract, Risk, Text, UniqueTexts

Operation = Literal["create", "update", "delete", "rename"]
"""What a plan may allow to be done to a file."""


class PlanStep(Contract):
    """One step with its inputs and outputs."""

    id: str
    """Name of the step; results refer to it."""
    action: str
    """What is done."""
    input_files: tuple[str, ...]
    """Files that the step starts from."""
    expected_output: str
    """What exists afterwards."""
    validation: str
    """How one sees that the step succeeded."""


class AgentPlan(Contract):
    """AgentPlan 1.0.0, exactly the schema of the article's §8."""

    contract_name: ClassVar[str] = "AgentPlan"

    task_id: Text
    """Task that is planned."""
    summary: Text
    """What will be done, in a sentence or two."""
    risk_level: Risk
    """Risk as the planner sees it; may not be lower than the task's."""
    files_to_read: UniqueTexts
    """Paths or patterns that the work looks at."""
    files_to_edit: UniqueTexts
    """Paths or patterns that may change; all else is unplanned."""
    files_not_to_edit: UniqueTexts
    """Paths or patterns that must not change."""
    steps: Annotated[tuple[PlanStep, ...], Field(min_length=1)]
    """The steps in order."""
    tests_to_run: tuple[str, ...]
    """Commands that prove the result."""
    requires_human_approval: bool
    """Whether a human must approve the plan before work begins."""
    stop_conditions: tuple[str, ...]
    """When to stop and ask; matched against plan and change."""


class AgentPlanV2(AgentPlan):
    """AgentPlan 2.0.0: 1.0.0 with operations and an approval policy."""

    contract_version: ClassVar[str] = "2.0.0"

    allowed_operations: tuple[Operation, ...]
    """What may be done to the files to edit."""
    approval_policy: Literal["none", "plan", "each-edit"]
    """What a human must approve: nothing, the plan, or each edit."""


class AgentPlanV01(Contract):
    """AgentPlan 0.1.0: only the files; read by migration to 1.0.0."""

    contract_name: ClassVar[str] = "AgentPlan"
    contract_version: ClassVar[str] = "0.1.0"

    task_id: Text
    """Task that is planned."""
    files_to_edit: tuple[str, ...]
    """Paths or patterns that may change."""
