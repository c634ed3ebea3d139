"""Whether a newer plan allows more, or a newer task or plan demands less, than an older one.

The comparison errs to one side only: what it cannot show to be covered by the
old version is named as loosened.
"""

from collections.abc import Iterable, Mapping

from ags_tui.core.checks.coverage import Coverage
from ags_tui.core.checks.risk import rank
from ags_tui.core.contracts.plan import AgentPlan, AgentPlanV2, Operation
from ags_tui.core.contracts.task import AgentTask
from ags_tui.core.globs import compile_patterns

EVERY_OPERATION: tuple[Operation, ...] = ("create", "update", "delete", "rename")
"""What a plan without ``allowedOperations`` allows."""

_POLICIES = ("none", "plan", "each-edit")


def operations_of(plan: AgentPlan) -> tuple[Operation, ...]:
    """Operations that a plan allows; a plan before 2.0.0 does not limit them."""
    return plan.allowed_operations if isinstance(plan, AgentPlanV2) else EVERY_OPERATION


def policy_of(plan: AgentPlan) -> str:
    """What a plan says a human must approve: ``none``, ``plan`` or ``each-edit``."""
    return plan.approval_policy if isinstance(plan, AgentPlanV2) else "none"


def loosened_plan(
    old: AgentPlan,
    new: AgentPlan,
    *,
    ignore_case: bool = False,
    resolved: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """Say what a newer plan allows more or demands less.

    Args:
        old: The version in force.
        new: The version on disk.
        ignore_case: ``core.ignoreCase``.
        resolved: Paths that bare names of the old plan stand for.

    Returns:
        Short phrases such as ``filesToEdit adds src/x.py``; empty where nothing was loosened.
    """
    if old.task_id != new.task_id:
        return (f"taskId becomes {new.task_id}",)
    reasons = [f"filesToEdit adds {one}" for one in _added(old, new, ignore_case, resolved or {})]
    reasons += [f"filesNotToEdit drops {one}" for one in _dropped(old, new, ignore_case)]
    reasons += [f"testsToRun drops {one}" for one in _missing(old.tests_to_run, new.tests_to_run)]
    reasons += [f"stopConditions drops {one}" for one in _missing(old.stop_conditions, new.stop_conditions)]
    if rank(new.risk_level) < rank(old.risk_level):
        reasons.append(f"riskLevel falls from {old.risk_level} to {new.risk_level}")
    if old.requires_human_approval and not new.requires_human_approval:
        reasons.append("requiresHumanApproval becomes false")
    reasons += [f"allowedOperations adds {one}" for one in _missing(operations_of(new), operations_of(old))]
    if _POLICIES.index(policy_of(new)) < _POLICIES.index(policy_of(old)):
        reasons.append(f"approvalPolicy falls from {policy_of(old)} to {policy_of(new)}")
    return (*reasons, *_steps(old, new))


def loosened_task(old: AgentTask, new: AgentTask) -> tuple[str, ...]:
    """Say what a newer task demands less.

    Title, description and category are the human's words: no rule can say whether another wording
    demands as much.

    Returns:
        Short phrases; empty where nothing was loosened.
    """
    reasons = [
        f"{name} becomes another text"
        for name, one, other in (
            ("id", old.id, new.id),
            ("title", old.title, new.title),
            ("description", old.description, new.description),
            ("category", old.category, new.category),
        )
        if one != other
    ]
    for name, one, other in (
        ("expectedBehavior", old.expected_behavior, new.expected_behavior),
        ("forbiddenChanges", old.forbidden_changes, new.forbidden_changes),
        ("requiredEvidence", old.required_evidence, new.required_evidence),
    ):
        reasons += [f"{name} drops {text}" for text in _missing(one, other)]
    if rank(new.risk_level) < rank(old.risk_level):
        reasons.append(f"riskLevel falls from {old.risk_level} to {new.risk_level}")
    return tuple(reasons)


def _missing(wanted: Iterable[str], held: Iterable[str]) -> list[str]:
    kept = set(held)
    return [one for one in wanted if one not in kept]


def _steps(old: AgentPlan, new: AgentPlan) -> list[str]:
    kept = {step.id: step for step in new.steps}
    reasons: list[str] = []
    for step in old.steps:
        if step.id not in kept:
            reasons.append(f"steps drops {step.id}")
        elif kept[step.id].validation != step.validation:
            reasons.append(f"steps {step.id} has another validation")
    return reasons


def _added(old: AgentPlan, new: AgentPlan, ignore_case: bool, resolved: Mapping[str, str]) -> list[str]:
    """Patterns of the new allow list that no pattern of the old one covers."""
    before = Coverage(old.files_to_edit, side="allow", ignore_case=ignore_case, resolved=resolved)
    after = compile_patterns(new.files_to_edit, side="allow", ignore_case=ignore_case)
    useless = {problem.index for problem in after.problems}
    return [
        pattern
        for index, pattern in enumerate(new.files_to_edit)
        if index not in useless and not before.covers(pattern)
    ]


def _dropped(old: AgentPlan, new: AgentPlan, ignore_case: bool) -> list[str]:
    """Patterns of the old deny list that no pattern of the new one covers."""
    after = Coverage(new.files_not_to_edit, side="deny", ignore_case=ignore_case)
    return [one for one in old.files_not_to_edit if not after.covers(one)]
