"""The final report, made from what was observed: for ``report --write`` and the screen."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Literal

from ags_tui.core.assessment import PathClass, ScopeReport, TaskAssessment
from ags_tui.core.checks.assess import claims_of
from ags_tui.core.checks.closing import OWN
from ags_tui.core.checks.facts import Facts, facts_of
from ags_tui.core.checks.findings import Outcome, Severity
from ags_tui.core.checks.parts import Parts, check_all
from ags_tui.core.checks.reported import FIX, IMPLEMENTATION
from ags_tui.core.checks.review import REVIEW
from ags_tui.core.contracts.report import FinalReport, ReportReview, ReportValidation
from ags_tui.core.contracts.results import ImplementationResult
from ags_tui.core.contracts.review import ReviewResult
from ags_tui.core.report_text import render_markdown
from ags_tui.core.snapshot import Snapshot

__all__ = ["final_report", "render_markdown", "report_bytes"]


def final_report(assessment: TaskAssessment, snapshot: Snapshot, now: datetime) -> FinalReport:
    """Make the report of a task from git, the log and the contracts as they are.

    The verdict is the gate's: completed where every condition but the report itself holds, blocked where a
    human blocked it or nothing failed but something is not known, else failed. Only the risks are the agents'
    words.

    Args:
        assessment: The task.
        snapshot: Where it comes from.
        now: The wall clock, UTC.
    """
    facts = facts_of(assessment.task, snapshot, now, claims=claims_of(snapshot, now))
    parts = check_all(facts)
    ran = [row for row in parts.tests.ran if row.exit_code is not None]
    return FinalReport(
        verdict=_verdict(assessment),
        summary=_summary(facts),
        changed_files=tuple(_changed(parts.scope)),
        validation=ReportValidation(
            tests_executed=bool(ran),
            passed=parts.tests.outcome is Outcome.PASSED,
            commands=tuple(row.command for row in ran),
        ),
        review=ReportReview(
            unresolved_critical=parts.review.unresolved_critical, unresolved_high=parts.review.unresolved_high
        ),
        risks=tuple(dict.fromkeys(_risks(facts))),
        not_changed=tuple(_not_changed(facts, parts)),
        human_review_targets=tuple(dict.fromkeys(_targets(facts, parts))),
    )


def report_bytes(report: FinalReport) -> bytes:
    """The file ``final-report.json``: indented UTF-8 with a newline at the end."""
    document = report.model_dump(mode="json", by_alias=True)
    return (json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def _verdict(assessment: TaskAssessment) -> Literal["completed", "blocked", "failed"]:
    log = assessment.task.log
    if log.frozen:
        return "completed" if log.finalized is not None else "blocked"
    rows = [row for row in assessment.gate.conditions if row.name != "report"]
    failed = [row for row in rows if row.outcome is Outcome.FAILED]
    if any(row.name != "block" for row in failed):
        return "failed"
    unknown = any(row.outcome is Outcome.UNKNOWN for row in rows)
    return "blocked" if failed or unknown else "completed"


def _summary(facts: Facts) -> str:
    plan, task = facts.terms.plan, facts.terms.task
    if plan is not None:
        return plan.summary
    return (task.description or task.title) if task is not None else facts.task_id


def _changed(scope: ScopeReport) -> Iterator[str]:
    yield from (one.path for one in scope.paths if one.path_class in OWN and one.change is not None)


def _risks(facts: Facts) -> Iterator[str]:
    for artifact in (IMPLEMENTATION, FIX):
        result = facts.held(artifact, ImplementationResult)
        if result is not None:
            yield from result.risks


def _not_changed(facts: Facts, parts: Parts) -> Iterator[str]:
    """What the plan excludes and git shows as untouched by this task."""
    if parts.paths is None or facts.changes is None or facts.changes.unknown:
        return
    touched = {parts.paths.deny.match(one.path) for one in parts.scope.paths if one.path_class in OWN}
    yield from (pattern for pattern in parts.paths.plan.files_not_to_edit if pattern not in touched)


def _targets(facts: Facts, parts: Parts) -> Iterator[str]:
    """What a human should look at: changes outside the plan, open issues, and what no check covers."""
    usual = (PathClass.IN_SCOPE, PathClass.PREEXISTING_UNTOUCHED)
    for one in parts.scope.paths:
        if one.path_class not in usual:
            state = "approved" if one.approved else one.path_class.value
            yield f"{one.path} ({state}: {one.why})"
    review = facts.held(REVIEW, ReviewResult)
    for issue in review.issues if review else ():
        yield f"{issue.file}: {issue.severity} issue {issue.id}: {issue.description}"
    for finding in parts.plan.findings:
        if finding.severity is Severity.WARNING and finding.path is not None:
            yield finding.message
