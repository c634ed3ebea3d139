"""The order of the stages: nothing counts that was built on an earlier contract which does not hold."""

from ags_tui.core.checks.evidence import TEST_RESULT
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Basis, Finding, Severity
from ags_tui.core.checks.fixes import FIX, REVIEW
from ags_tui.core.checks.plan_policy import PlanReport
from ags_tui.core.checks.reported import IMPLEMENTATION
from ags_tui.core.checks.terms import PLAN, TASK
from ags_tui.core.contracts.report import FinalReport
from ags_tui.core.contracts.results import ImplementationResult

REPORT = "final-report.json"
"""Artifact of the final report."""

_BEFORE = (
    (PLAN, TASK),
    (IMPLEMENTATION, PLAN),
    (REVIEW, IMPLEMENTATION),
    (FIX, REVIEW),
    (TEST_RESULT, IMPLEMENTATION),
)
"""Which artifact needs which other one to be valid before it."""


def check_order(facts: Facts, plan: PlanReport) -> tuple[Finding, ...]:
    """OUT_OF_ORDER for each artifact on one that is missing, invalid or not approved, NOT_COMPLETED."""
    artifacts = facts.task.files.artifacts
    findings: list[Finding] = []
    for later, earlier in _BEFORE:
        if later in artifacts and earlier not in artifacts:
            findings.append(_missing(facts, later, earlier))
    if IMPLEMENTATION in artifacts and PLAN in artifacts:
        if plan.violated:
            message = f"{IMPLEMENTATION} stands on a plan that breaks the rules. Plan again first."
            findings.append(_out_of_order(IMPLEMENTATION, message, "planner"))
        elif plan.asks and not plan.approved:
            message = f"{IMPLEMENTATION} stands on a plan that no human approved. Approve the plan first."
            findings.append(_out_of_order(IMPLEMENTATION, message, "human"))
    findings += _unfinished(facts)
    report = facts.held(REPORT, FinalReport)
    if report is not None and report.verdict == "completed":
        findings += [
            _missing(facts, REPORT, earlier)
            for earlier in (IMPLEMENTATION, REVIEW)
            if earlier not in artifacts
        ]
    return tuple(findings)


def _unfinished(facts: Facts) -> list[Finding]:
    """NOT_COMPLETED: a result that says itself that the work did not come to its end."""
    results = ((path, facts.held(path, ImplementationResult)) for path in (IMPLEMENTATION, FIX))
    return [
        Finding("NOT_COMPLETED", f"{path} says {result.status}. Let the work come to its end.",
                Severity.ERROR, path, "status", next_action="human", basis=Basis.DECLARED)
        for path, result in results
        if result is not None and result.status != "completed"
    ]  # fmt: skip


def _missing(facts: Facts, later: str, earlier: str) -> Finding:
    files = facts.task.files
    if earlier in files.being_written:
        message = f"{later} stands on {earlier}, which is being written."
        return Finding("OUT_OF_ORDER", message, artifact=later, next_action="retry", unknown=True)
    refused = any(problem.artifact == earlier for problem in files.problems)
    how = "is not valid" if refused else "does not exist"
    return _out_of_order(later, f"{later} stands on {earlier}, which {how}. Write {earlier} first.", "retry")


def _out_of_order(artifact: str, message: str, action: str) -> Finding:
    return Finding("OUT_OF_ORDER", message, artifact=artifact, next_action=action)
