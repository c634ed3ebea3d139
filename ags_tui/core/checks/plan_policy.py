"""What a plan may not say, whatever its form: the task's prohibitions, risk, tests and approval."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from ags_tui.core.checks.coverage import Coverage
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Basis, Finding, Outcome, Severity, outcome_of
from ags_tui.core.checks.loosening import policy_of
from ags_tui.core.checks.plan_paths import PlanPaths, dependency_rule, plan_paths
from ags_tui.core.checks.reported import check_reported_steps
from ags_tui.core.checks.risk import rank
from ags_tui.core.checks.stops import StopHit, stop_hits
from ags_tui.core.checks.terms import PLAN, Term, check_terms
from ags_tui.core.contracts.plan import AgentPlan
from ags_tui.core.contracts.task import AgentTask
from ags_tui.core.globs import PatternSet, normalise
from ags_tui.core.pattern_walk import WILD
from ags_tui.core.prose import is_dependency_file
from ags_tui.core.wording import not_there, refused

ACCEPTABLE = frozenset(
    {"MISSING_APPROVAL", "MISSING_TEST_PLAN", "RISK_LOWERED", "FORBIDDEN_TEXT_MATCH", "DEPENDENCY_CHANGE"}
)
"""Codes that a human accepts by approving exactly this plan: they were shown with it."""


@dataclass(frozen=True, slots=True)
class PlanReport:
    """The plan of one task, held against the task."""

    outcome: Outcome
    """How it stands."""
    reason: str
    """In a few words."""
    findings: tuple[Finding, ...]
    """What is wrong."""
    asks: tuple[str, ...]
    """Why a human must approve it; empty where nobody asks."""
    approved: bool
    """A human approved exactly the plan in force."""
    acceptable: bool = False
    """The inbox asks a human, who may accept what is wrong with it."""

    @property
    def violated(self) -> bool:
        """Whether the plan must be written again."""
        return any(
            one.severity is Severity.ERROR and one.next_action == "planner" and not one.unknown
            for one in self.findings
        )


def check_plan(facts: Facts, paths: PlanPaths | None, stops: tuple[StopHit, ...]) -> PlanReport:
    """Judge the plan in force, what waits to replace it, and whether a human approved it where one must."""
    terms = facts.terms
    approved = terms.plan_term.approved
    findings = list(check_terms(terms))
    asks: tuple[str, ...] = ()
    if paths is None:
        message = not_there(PLAN, "plan", "planner", facts.task.files.problems)
        wrong = refused(PLAN, facts.task.files.problems)
        code = wrong.code if wrong is not None else "MISSING_ARTIFACT"
        findings.append(Finding(code, message, artifact=PLAN, next_action="planner"))
    else:
        asks = approval_reasons(terms.task, paths.plan)
        policy = (*policy_findings(facts, paths), *_stops(stops))
        findings += (_accepted(one) if approved else one for one in policy)
        if asks and not approved and terms.plan_term.denied is None:
            message = f"A human must approve the plan: {' and '.join(asks)}. Open it (a) to decide."
            findings.append(Finding("MISSING_APPROVAL", message, artifact=PLAN, next_action="human"))
        findings += check_reported_steps(facts)
    outcome = outcome_of(findings)
    how = "approved by a human" if approved else "nobody must approve it"
    return PlanReport(
        outcome=outcome,
        reason=next((f.message for f in findings if f.severity is Severity.ERROR or f.unknown), how),
        findings=tuple(findings),
        asks=asks,
        approved=approved,
        acceptable=_acceptable(terms.plan_term, findings),
    )


def _acceptable(term: Term, findings: list[Finding]) -> bool:
    """Whether something is wrong with the plan on disk that a human may accept, and may be asked to."""
    if term.approved or term.waits or term.denied is not None or not isinstance(term.current, AgentPlan):
        return False
    return any(
        one.code in ACCEPTABLE and one.severity is Severity.ERROR and one.artifact == PLAN for one in findings
    )


def approval_reasons(task: AgentTask | None, plan: AgentPlan) -> tuple[str, ...]:
    """Why a plan must be approved by a human, a widening aside."""
    reasons: list[str] = []
    if task is not None and task.risk_level == "high":
        reasons.append("the task has high risk")
    if plan.risk_level == "high":
        reasons.append("the plan has high risk")
    if plan.requires_human_approval or policy_of(plan) != "none":
        reasons.append("the plan itself asks for it")
    return tuple(reasons)


def policy_findings(facts: Facts, paths: PlanPaths) -> tuple[Finding, ...]:
    """Judge a plan by itself, without the approvals that may have accepted it."""
    return (*paths.findings, *_against_task(facts, paths.plan), *_files(facts, paths))


def waiting_plan_findings(facts: Facts) -> tuple[Finding, ...]:
    """What is wrong with the plan on disk that waits to replace the one in force."""
    current = facts.terms.plan_term.current
    if not facts.terms.plan_term.waits or not isinstance(current, AgentPlan):
        return ()
    paths = plan_paths(facts, current)
    return () if paths is None else (*policy_findings(facts, paths), *_stops(stop_hits(facts, paths)))


def _against_task(facts: Facts, plan: AgentPlan) -> Iterator[Finding]:
    if plan.task_id != facts.task_id:
        message = (
            f"The plan is for task {plan.task_id}, in the folder of {facts.task_id}. Write the right id."
        )
        yield _error("ID_MISMATCH", message, "taskId")
    task = facts.terms.task
    if task is not None and task.risk_level == "high" and not plan.requires_human_approval:
        yield _error("MISSING_APPROVAL", "High-risk tasks require human approval.", "requiresHumanApproval")
    if task is not None and rank(plan.risk_level) < rank(task.risk_level):
        message = f"The plan says {plan.risk_level} risk, the task says {task.risk_level}. Use the task's."
        yield _error("RISK_LOWERED", message, "riskLevel")
    if not any(command.strip() for command in plan.tests_to_run):
        yield _error("MISSING_TEST_PLAN", "At least one validation command is required.", "testsToRun")


def _files(facts: Facts, paths: PlanPaths) -> Iterator[Finding]:
    """Planned files that the task forbids, by path or in prose."""
    task = facts.terms.task
    dependencies = dependency_rule(task, paths.plan)
    for index, pattern in enumerate(paths.plan.files_to_edit):
        field = f"filesToEdit.{index}"
        path = paths.resolved.get(normalise(pattern), pattern)
        if _within(paths, paths.forbidden, path) or (task is not None and pattern in task.forbidden_changes):
            yield _error(
                "FORBIDDEN_FILE", f"Forbidden file included: {pattern}. Plan without it.", field, path
            )
        elif _within(paths, paths.deny, path):
            message = f"{pattern} is in filesToEdit and excluded by filesNotToEdit. Plan it or exclude it."
            yield _error("FORBIDDEN_FILE", message, field, path)
        hit = paths.forbidden_by(path)
        if hit is not None:
            message = f"{pattern} may be what the task forbids: {hit[1]}. Plan without it or ask a human."
            yield _error("FORBIDDEN_TEXT_MATCH", message, field, path)
        if dependencies is not None and is_dependency_file(path):
            message = f"{pattern} holds dependencies ({dependencies}). Plan without it or ask a human."
            yield _error("DEPENDENCY_CHANGE", message, field, path)


def _within(paths: PlanPaths, deny: PatternSet, planned: str) -> bool:
    """Whether all that a planned path or pattern stands for is in a deny list."""
    if not deny.patterns:
        return False
    if WILD.search(planned) or planned.endswith("/"):
        return _coverage(deny.patterns, paths.ignore_case).covers(planned)
    return deny.match(planned) is not None


@lru_cache(maxsize=64)
def _coverage(patterns: tuple[str, ...], ignore_case: bool) -> Coverage:
    return Coverage(patterns, side="deny", ignore_case=ignore_case)


def _stops(stops: tuple[StopHit, ...]) -> Iterator[Finding]:
    for hit in stops:
        message = f"A stop condition has come true for {hit.paths[0]}: {hit.sentence}"
        if hit.settled:
            yield Finding("STOP_CONDITION", message, Severity.WARNING, PLAN, f"stopConditions.{hit.index}",
                          basis=Basis.HUMAN)  # fmt: skip
        else:
            action = "stop" if hit.answer is not None else "human"
            yield Finding("STOP_CONDITION", message, Severity.ERROR, PLAN, f"stopConditions.{hit.index}",
                          next_action=action, basis=Basis.DECLARED)  # fmt: skip


def _accepted(finding: Finding) -> Finding:
    """A finding that a human saw and took with the plan stays visible and holds nothing."""
    if finding.code not in ACCEPTABLE or finding.severity is not Severity.ERROR:
        return finding
    return replace(finding, severity=Severity.WARNING, basis=Basis.HUMAN, next_action="")


def _error(code: str, message: str, field: str, path: str | None = None) -> Finding:
    return Finding(code, message, Severity.ERROR, PLAN, field, path, "planner", Basis.DECLARED)
