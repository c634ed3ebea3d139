"""The results of all checks of one task, before stages and gate are made of them."""

from dataclasses import dataclass

from ags_tui.core.assessment import ScopeReport
from ags_tui.core.checks.applied import check_applied
from ags_tui.core.checks.evidence import TestsReport, check_tests
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Finding
from ags_tui.core.checks.order import check_order
from ags_tui.core.checks.plan_paths import PlanPaths, plan_paths
from ags_tui.core.checks.plan_policy import PlanReport, check_plan
from ags_tui.core.checks.reading import check_reading
from ags_tui.core.checks.reported import check_reported_files
from ags_tui.core.checks.requests import RequestRow, check_requests, check_ungated, request_rows
from ags_tui.core.checks.review import ReviewReport, check_review
from ags_tui.core.checks.routing import Attempts, attempts, check_attempts, check_errors
from ags_tui.core.checks.scope import ScopeRules, check_scope, scope_rules
from ags_tui.core.checks.stops import StopHit, stop_hits
from ags_tui.core.checks.workflow import RunRow, check_runs


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """What each check said."""

    reading: tuple[Finding, ...]
    """Files that could not be read."""
    tries: tuple[Attempts, ...]
    """Failed attempts by file."""
    attempts: tuple[Finding, ...]
    """Attempts that are used up."""
    errors: tuple[Finding, ...]
    """AgentErrors."""
    paths: PlanPaths | None
    """The plan in force, compiled."""
    rules: ScopeRules | None
    """What decides about paths."""
    stops: tuple[StopHit, ...]
    """Stop conditions that have come true."""
    plan: PlanReport
    """The plan."""
    order: tuple[Finding, ...]
    """Order of the stages."""
    scope: ScopeReport
    """The scope."""
    reported: tuple[Finding, ...]
    """What results say about files."""
    requests: tuple[RequestRow, ...]
    """Requests."""
    waiting: tuple[Finding, ...]
    """Requests that wait."""
    applied: tuple[Finding, ...]
    """What happened against a verdict."""
    review: ReviewReport
    """The review."""
    tests: TestsReport
    """The tests."""
    runs: tuple[RunRow, ...] = ()
    """AGS runs, oldest first."""


def check_all(facts: Facts) -> Parts:
    """Run every check of one task."""
    paths = plan_paths(facts)
    stops = stop_hits(facts, paths)
    rules = scope_rules(facts, paths, stops)
    plan = check_plan(facts, paths, stops)
    scope = check_scope(facts, rules)
    rows = request_rows(facts, rules)
    tries = attempts(facts)
    return Parts(
        reading=check_reading(facts),
        tries=tries,
        attempts=check_attempts(facts, tries),
        errors=check_errors(facts),
        paths=paths,
        rules=rules,
        stops=stops,
        plan=plan,
        order=check_order(facts, plan),
        scope=scope,
        reported=check_reported_files(facts, scope),
        requests=rows,
        waiting=check_requests(rows),
        applied=(*check_applied(facts, scope, [row.status for row in rows]), *check_ungated(facts)),
        review=check_review(facts, scope),
        tests=check_tests(facts),
        runs=check_runs(facts),
    )
