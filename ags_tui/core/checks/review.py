"""Review: a passing verdict that agrees with itself, is of today's tree, and leaves nothing grave open."""

from dataclasses import dataclass

from ags_tui.core.assessment import ScopeReport, Verdict
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Basis, Finding, Outcome, Severity, outcome_of
from ags_tui.core.checks.fixes import FIX, REVIEW, answered, check_fixes, own_paths
from ags_tui.core.checks.freshness import check_freshness
from ags_tui.core.checks.reported import IMPLEMENTATION
from ags_tui.core.checks.trees import paths_between
from ags_tui.core.contracts.results import ImplementationResult
from ags_tui.core.contracts.review import ReviewIssue, ReviewResult
from ags_tui.core.wording import not_there, refused

_GRAVE = ("critical", "high")


@dataclass(frozen=True, slots=True)
class ReviewReport:
    """The review of one task."""

    outcome: Outcome
    """How it stands."""
    reason: str
    """In a few words."""
    findings: tuple[Finding, ...]
    """What is wrong."""
    unresolved_critical: int = 0
    """Critical issues that are open."""
    unresolved_high: int = 0
    """Issues of high severity that are open."""
    open_fixes: tuple[str, ...] = ()
    """Ids of required fixes that nobody answered."""


def check_review(facts: Facts, scope: ScopeReport) -> ReviewReport:
    """Judge the review and what was fixed after it."""
    review = facts.held(REVIEW, ReviewResult)
    bounds = check_fixes(facts, scope)
    if review is None:
        message = not_there(REVIEW, "review", "reviewer", facts.task.files.problems)
        wrong = refused(REVIEW, facts.task.files.problems)
        code = wrong.code if wrong is not None else "MISSING_ARTIFACT"
        findings = (Finding(code, message, artifact=REVIEW, next_action="retry"), *bounds)
        return ReviewReport(outcome_of(findings), message, findings)
    fix = _answering_fix(facts, review)
    open_fixes = tuple(one.issue_id for one in review.required_fixes if not answered(fix, one.issue_id))
    unresolved = [one for one in review.issues if one.severity in _GRAVE and not answered(fix, one.id)]
    findings = (
        *check_freshness(facts, REVIEW),
        *_verdict(review, open_fixes, bool(unresolved)),
        *_consistency(review, scope),
        *_open(facts, review, open_fixes, unresolved),
        *_reviewer_edited(facts, scope),
        *_unseen_fix(facts),
        *bounds,
    )
    return ReviewReport(
        outcome=outcome_of(findings),
        reason=next((f.message for f in findings if f.severity is Severity.ERROR or f.unknown), "passed"),
        findings=findings,
        unresolved_critical=sum(one.severity == "critical" for one in unresolved),
        unresolved_high=sum(one.severity == "high" for one in unresolved),
        open_fixes=open_fixes,
    )


def _answering_fix(facts: Facts, review: ReviewResult) -> ImplementationResult | None:
    """The fix that may answer a review: a review that asks for changes after it was not answered by it."""
    fix = facts.held(FIX, ImplementationResult)
    if fix is None or review.verdict == "pass":
        return fix
    seen_fix, seen_review = facts.observed(FIX), facts.observed(REVIEW)
    if seen_fix is not None and seen_review is not None and seen_fix.sequence < seen_review.sequence:
        return None
    return fix


def _verdict(review: ReviewResult, open_fixes: tuple[str, ...], unresolved: bool) -> list[Finding]:
    if review.verdict == "blocked":
        return [
            _error(
                "UNRESOLVED_ISSUE", "The reviewer says blocked. A human decides.", "verdict", action="human"
            )
        ]
    failed = [
        name
        for name, check in (
            ("scopeCheck", review.scope_check), ("testCheck", review.test_check),
            ("securityCheck", review.security_check),
        )
        if not check.passed
    ]  # fmt: skip
    if review.verdict == "needs_changes":
        if not review.issues and not review.required_fixes and not failed:
            message = "The review asks for changes and names none. Review again."
            return [_error("VERDICT_CONTRADICTS", message, "verdict")]
        then = "Let a fixer answer it." if open_fixes else "Review again after the fix."
        return [_error("UNRESOLVED_ISSUE", f"The review asks for changes. {then}", "verdict")]
    reasons = [f"{name} failed" for name in failed]
    reasons += ["a required fix is open"] if open_fixes else []
    reasons += ["a grave issue is open"] if unresolved else []
    if not reasons:
        return []
    return [
        _error(
            "VERDICT_CONTRADICTS",
            f"The verdict is pass, but {' and '.join(reasons)}. Review again.",
            "verdict",
        )
    ]


def _open(
    facts: Facts, review: ReviewResult, open_fixes: tuple[str, ...], unresolved: list[ReviewIssue]
) -> list[Finding]:
    unread = refused(FIX, facts.task.files.problems) is not None
    then = f"{FIX} cannot be read. Let the fixer correct it." if unread else "Let a fixer do it."
    findings = [
        _error("UNRESOLVED_ISSUE", f"{one.severity} issue {one.id} is open: {one.description}",
               f"issues.{index}", one.file)
        for index, one in enumerate(review.issues)
        if one in unresolved
    ]  # fmt: skip
    findings += [
        _error("FIX_MISSING", f"Required fix {one.issue_id} was not answered. {then}",
               f"requiredFixes.{index}")
        for index, one in enumerate(review.required_fixes)
        if one.issue_id in open_fixes
    ]  # fmt: skip
    return findings


def _consistency(review: ReviewResult, scope: ScopeReport) -> list[Finding]:
    findings: list[Finding] = []
    for name, passed, listed in (
        ("scopeCheck.unexpectedFiles", review.scope_check.passed, review.scope_check.unexpected_files),
        ("testCheck.missingCases", review.test_check.passed, review.test_check.missing_cases),
        ("securityCheck.findings", review.security_check.passed, review.security_check.findings),
    ):
        if passed and listed:
            message = f"{name.partition('.')[0]} passed, but it lists {listed[0]}. Review again."
            findings.append(_error("VERDICT_CONTRADICTS", message, name))
    known = {issue.id for issue in review.issues}
    findings += [
        Finding("VERDICT_CONTRADICTS", f"Required fix {one.issue_id} belongs to no issue.", Severity.WARNING,
                REVIEW, f"requiredFixes.{index}.issueId", basis=Basis.DECLARED)
        for index, one in enumerate(review.required_fixes)
        if one.issue_id not in known
    ]  # fmt: skip
    if review.scope_check.passed and scope.verdict is Verdict.BLOCKED:
        message = "The reviewer says that the scope is kept, and git shows that it is not."
        findings.append(
            Finding("CLAIM_CONTRADICTS_OBSERVATION", message, Severity.WARNING, REVIEW, "scopeCheck.passed")
        )
    return findings


def _reviewer_edited(facts: Facts, scope: ScopeReport) -> list[Finding]:
    """Files that changed between the last result of implementer or fixer and the review of it."""
    review = facts.observed(REVIEW)
    if review is None:
        return []
    work = [seen for seen in facts.task.log.observations if seen.path in (IMPLEMENTATION, FIX) and seen.valid]
    last = next((seen for seen in reversed(work) if seen.sequence < review.sequence), None)
    if last is None or not last.tree_digest or not review.tree_digest:
        return []
    changed = paths_between(last, review)
    if changed is None:
        message = "Files changed between the last result and its review, and nobody saw which. Review again."
        return [Finding("REVIEWER_EDITED", message, artifact=REVIEW, next_action="human", unknown=True)]
    return [
        Finding("REVIEWER_EDITED", f"{path} changed between the last result and its review. Restore it and "
                "review again.", artifact=REVIEW, path=path, next_action="human",
                unknown=facts.claims.proposer(path, facts.task_id) is not None)
        for path in own_paths(facts, scope, changed)
    ]  # fmt: skip


def _unseen_fix(facts: Facts) -> tuple[Finding, ...]:
    """A fix that was never observed: nobody can say what it touched."""
    if FIX not in facts.task.files.artifacts or facts.observed(FIX) is not None:
        return ()
    message = f"{FIX} was not observed yet, so its bounds are unknown. Open the task here."
    return (Finding("UNOBSERVED_EVIDENCE", message, artifact=FIX, next_action="retry", unknown=True),)


def _error(code: str, message: str, field: str, path: str | None = None, *, action: str = "retry") -> Finding:
    return Finding(code, message, Severity.ERROR, REVIEW, field, path, action, Basis.DECLARED)
