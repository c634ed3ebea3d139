"""The pipeline: how each of the ten stages stands."""

from collections.abc import Callable, Iterable

from ags_tui.core.assessment import GateReport, Stage, StageName, StageState, Verdict
from ags_tui.core.checks.evidence import TEST_RESULT
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Finding, Outcome, Severity
from ags_tui.core.checks.fixes import FIX, REVIEW
from ags_tui.core.checks.order import REPORT
from ags_tui.core.checks.parts import Parts
from ags_tui.core.checks.reported import IMPLEMENTATION
from ags_tui.core.checks.terms import PLAN, TASK, Term
from ags_tui.core.contracts.results import ImplementationResult
from ags_tui.core.contracts.review import ReviewResult
from ags_tui.core.sharing import only_foreign

SETTLED = (StageState.VALID, StageState.DONE, StageState.NOT_APPLICABLE)
"""States after which the next stage may begin."""


def check_stages(facts: Facts, parts: Parts, gate: Callable[[], GateReport]) -> tuple[Stage, ...]:
    """Say how all stages stand, in order; the first that merely waits behind settled ones is active.

    Args:
        facts: The task.
        parts: What the checks said.
        gate: Works out the gate: only asked for once all earlier stages are settled.
    """
    rows = [
        _term(facts, StageName.TASK, TASK, facts.terms.task_term),
        _plan(facts, parts),
        _policy(facts, parts),
        _implement(facts, parts),
        _tools(parts),
        _review(facts, parts),
        _fix(facts, parts),
        _test(facts, parts),
    ]
    for index, row in enumerate(rows):
        if row.state is StageState.WAITING:
            rows[index] = Stage(row.name, StageState.ACTIVE, row.reason)
        if row.state not in SETTLED:
            break
    ready = all(row.state in SETTLED for row in rows)
    rows += (_gate(facts, gate() if ready else None), _report(facts, gate if ready else None))
    return tuple(rows)


def _file(facts: Facts, name: StageName, path: str) -> Stage | None:
    """The stage of a file that is not there as a valid contract; None where it is."""
    files = facts.task.files
    if path in files.artifacts:
        return None
    if path in files.being_written or any(
        p.artifact == path and p.code == "BEING_WRITTEN" for p in files.problems
    ):
        return Stage(name, StageState.ACTIVE, "being written")
    problem = next((one for one in files.problems if one.artifact == path), None)
    if problem is not None:
        return Stage(name, StageState.INVALID, problem.message)
    return Stage(name, StageState.WAITING, f"no {path} yet")


def _term(facts: Facts, name: StageName, path: str, term: Term) -> Stage:
    if facts.terms.session and name is StageName.TASK:
        return Stage(name, StageState.NOT_APPLICABLE, "a session without a task")
    if term.denied is not None:
        return Stage(name, StageState.VIOLATED, f"denied: {term.denied}" if term.denied else "denied")
    if term.waits:
        return Stage(name, StageState.NEEDS_HUMAN, "loosened, waits for a human")
    missing = _file(facts, name, path)
    if missing is not None and missing.state is StageState.WAITING and term.document is not None:
        return Stage(name, StageState.INVALID, "was removed")
    return missing or Stage(name, StageState.VALID)


def _plan(facts: Facts, parts: Parts) -> Stage:
    row = _term(facts, StageName.PLAN, PLAN, facts.terms.plan_term)
    if facts.terms.session and row.state is StageState.WAITING:
        return Stage(StageName.PLAN, StageState.NOT_APPLICABLE, "a session without a plan")
    if row.state is StageState.VALID and parts.plan.asks and not parts.plan.approved:
        why = f"a human must approve it: {' and '.join(parts.plan.asks)}"
        return Stage(StageName.PLAN, StageState.NEEDS_HUMAN, why)
    return row


def _policy(facts: Facts, parts: Parts) -> Stage:
    name = StageName.POLICY
    if facts.terms.session:
        return Stage(name, StageState.NOT_APPLICABLE, "a session without a task")
    if parts.paths is None:
        return Stage(name, StageState.WAITING, "no plan yet")
    if parts.plan.violated:
        return Stage(name, StageState.VIOLATED, _first(parts.plan.findings, "planner"))
    if any(hit.answer == "stop" for hit in parts.stops):
        return Stage(name, StageState.BLOCKED, "a human said stop")
    if any(not hit.settled for hit in parts.stops):
        return Stage(name, StageState.NEEDS_HUMAN, "a stop condition has come true")
    return Stage(name, StageState.VALID)


def _implement(facts: Facts, parts: Parts) -> Stage:
    name = StageName.IMPLEMENT
    scope = parts.scope.verdict
    result = facts.held(IMPLEMENTATION, ImplementationResult)
    if scope is Verdict.BLOCKED:
        return Stage(name, StageState.VIOLATED, parts.scope.reason)
    missing = _file(facts, name, IMPLEMENTATION)
    if missing is not None and missing.state is not StageState.WAITING:
        return missing
    asks = scope is Verdict.NEEDS_APPROVAL and not only_foreign(parts.scope)
    if asks or (scope is Verdict.INCONCLUSIVE and result is not None):
        return Stage(name, StageState.NEEDS_HUMAN, parts.scope.reason)
    if result is None:
        if facts.terms.session:
            return Stage(name, StageState.NOT_APPLICABLE, "a session without a task")
        changed = any(not one.owner for one in parts.scope.paths) or (
            parts.rules is None and bool(facts.changes and facts.changes.entries)
        )
        return (
            Stage(name, StageState.ACTIVE, "files change")
            if changed
            else missing or Stage(name, StageState.WAITING)
        )
    if result.status != "completed":
        return Stage(name, StageState.BLOCKED, f"the implementer says {result.status}")
    steps = [
        one
        for one in parts.plan.findings
        if one.artifact == IMPLEMENTATION and one.severity is Severity.ERROR
    ]
    wrong = [one for one in (*steps, *parts.reported) if one.severity is Severity.ERROR]
    return Stage(name, StageState.VIOLATED, wrong[0].message) if wrong else Stage(name, StageState.DONE)


def _tools(parts: Parts) -> Stage:
    name = StageName.TOOLS
    if parts.applied:
        return Stage(name, StageState.VIOLATED, parts.applied[0].message)
    if parts.waiting:
        return Stage(name, StageState.NEEDS_HUMAN, f"{len(parts.waiting)} wait for a decision")
    held = [one for one in parts.errors if one.severity is Severity.ERROR]
    if held:
        return Stage(name, StageState.NEEDS_HUMAN, held[0].message)
    if not parts.requests:
        return Stage(name, StageState.NOT_APPLICABLE, "no request")
    return Stage(name, StageState.DONE, f"{len(parts.requests)} settled")


def _review(facts: Facts, parts: Parts) -> Stage:
    name = StageName.REVIEW
    review = facts.held(REVIEW, ReviewResult)
    if review is None:
        return _absent(facts, name, REVIEW)
    if review.verdict == "blocked":
        return Stage(name, StageState.BLOCKED, "the reviewer says blocked")
    held = [one for one in parts.review.findings if one.severity is Severity.ERROR]
    codes = {one.code for one in held if not (one.unknown and one.path)}
    if codes & {"VERDICT_CONTRADICTS", "REVIEWER_EDITED"}:
        return Stage(name, StageState.VIOLATED, parts.review.reason)
    if parts.review.open_fixes:
        return Stage(name, StageState.VALID, f"{len(parts.review.open_fixes)} fixes required")
    if parts.review.outcome is Outcome.PASSED:
        return Stage(name, StageState.DONE)
    return Stage(name, StageState.ACTIVE, parts.review.reason)


def _fix(facts: Facts, parts: Parts) -> Stage:
    name = StageName.FIX
    if any(one.code == "FIX_OUT_OF_BOUNDS" and not one.unknown for one in parts.review.findings):
        return Stage(name, StageState.VIOLATED, "the fix left its bounds")
    row = _file(facts, name, FIX)
    if parts.review.open_fixes:
        left = f"{len(parts.review.open_fixes)} fixes required"
        return row if row and row.state is not StageState.WAITING else Stage(name, StageState.WAITING, left)
    if row is None:
        return Stage(name, StageState.DONE)
    if row.state is not StageState.WAITING:
        return row
    if REVIEW in facts.task.files.artifacts or facts.terms.session:
        return Stage(name, StageState.NOT_APPLICABLE, "nothing to fix")
    return Stage(name, StageState.WAITING, "no review yet")


def _test(facts: Facts, parts: Parts) -> Stage:
    name = StageName.TEST
    outcome = parts.tests.outcome
    if outcome is Outcome.NOT_APPLICABLE:
        return Stage(name, StageState.NOT_APPLICABLE, parts.tests.reason)
    if outcome is Outcome.PASSED and parts.tests.ran:
        return Stage(name, StageState.DONE, parts.tests.reason)
    row = _file(facts, name, TEST_RESULT)
    if row is not None and row.state is not StageState.WAITING:
        return row
    codes = {one.code for one in parts.tests.findings if one.severity is Severity.ERROR}
    if codes <= {"NOT_RUN"} and row is not None:
        return _absent(facts, name, TEST_RESULT)
    if codes <= {"STALE_EVIDENCE", "UNOBSERVED_EVIDENCE"}:
        return Stage(name, StageState.ACTIVE, parts.tests.reason)
    return Stage(name, StageState.VIOLATED, parts.tests.reason)


def _gate(facts: Facts, gate: GateReport | None) -> Stage:
    name = StageName.GATE
    if facts.task.log.blocks:
        return Stage(name, StageState.BLOCKED, "a human blocked it")
    if gate is None:
        return Stage(name, StageState.WAITING, "earlier stages are open")
    if gate.outcome in (Outcome.PASSED, Outcome.NOT_APPLICABLE):
        if facts.terms.session:
            return Stage(name, StageState.DONE, "passed; a session is closed, not finalized")
        return Stage(name, StageState.NEEDS_HUMAN, "may be finalized")
    state = StageState.VIOLATED if gate.outcome is Outcome.FAILED else StageState.NEEDS_HUMAN
    still = gate.open_conditions
    return Stage(name, state, f"{len(still)} open: {still[0].reason}")


def _report(facts: Facts, gate: Callable[[], GateReport] | None) -> Stage:
    row = _absent(facts, StageName.REPORT, REPORT)
    if row.state is not StageState.VALID:
        return row
    if gate is None:
        return Stage(StageName.REPORT, StageState.WAITING, "written before the end")
    stated = next((one for one in gate().conditions if one.name == "report"), None)
    if stated is not None and stated.outcome is Outcome.FAILED:
        return Stage(StageName.REPORT, StageState.VIOLATED, stated.reason)
    return Stage(StageName.REPORT, StageState.DONE)


def _absent(facts: Facts, name: StageName, path: str) -> Stage:
    row = _file(facts, name, path)
    if row is not None and row.state is StageState.WAITING and facts.terms.session:
        return Stage(name, StageState.NOT_APPLICABLE, "a session without a task")
    return row or Stage(name, StageState.VALID)


def _first(findings: Iterable[Finding], action: str) -> str:
    return next(
        (one.message for one in findings if one.next_action == action and one.severity is Severity.ERROR), ""
    )
