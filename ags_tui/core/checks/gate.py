"""The gate: twelve conditions, all evaluated, each with its basis; the same function for every door."""

from collections.abc import Iterable
from dataclasses import replace

from ags_tui.core.approvals import clock_findings
from ags_tui.core.assessment import Condition, GateReport, PathClass, Prose, ScopeReport, Verdict
from ags_tui.core.checks.closing import check_report
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Basis, Finding, Outcome, Severity, join_outcomes, outcome_of
from ags_tui.core.checks.order import REPORT
from ags_tui.core.checks.ownership import said_in_gate
from ags_tui.core.checks.parts import Parts
from ags_tui.core.checks.prose import check_prose, prose_of
from ags_tui.core.checks.questions import path_items
from ags_tui.core.checks.workflow import workflow_condition
from ags_tui.core.wording import cannot_be_read, counted, refused

NAMES = (
    "contracts", "order", "plan", "scope", "requests", "review", "tests", "evidence", "workflow", "block",
    "log", "report",
)  # fmt: skip
"""Names of the conditions, in order."""

_DECIDED = frozenset({2, 3, 4, 5})
"""Conditions that a decision in the log can settle."""

WITHOUT_TASK = frozenset({1, 2, 3, 6, 7, 8, 12})
"""Conditions that do not apply to a session."""


def check_gate(facts: Facts, parts: Parts) -> GateReport:
    """Evaluate all conditions.

    Args:
        facts: The task.
        parts: What the checks said.
    """
    prose = prose_of(facts, parts.tests)
    rows = [
        _contracts(parts),
        _condition(2, parts.order, "in order"),
        _plan(parts),
        _scope(parts),
        _requests(parts),
        Condition(
            6, NAMES[5], parts.review.outcome, Basis.DECLARED, parts.review.reason, parts.review.findings
        ),
        Condition(
            7, NAMES[6], parts.tests.outcome, parts.tests.basis, parts.tests.reason, parts.tests.findings
        ),
        _evidence(prose),
        workflow_condition(facts, parts.runs)
        or _not_applicable(9, "no run of the Agent Governance Suite (AGS)"),
        _block(facts),
        _log(facts),
    ]
    if facts.task.log.integrity is Outcome.UNKNOWN:
        rows = [_perhaps_decided(row) for row in rows]
    if facts.terms.session:
        rows = [
            _not_applicable(row.number, "no task.json") if row.number in WITHOUT_TASK else row for row in rows
        ]
    rows.append(_report(facts, parts, rows))
    askable = {one.path for one in path_items(facts, parts.scope, foreign=True) if one.path is not None}
    rows[3] = said_in_gate(rows[3], parts.scope, rows, askable)
    outcome = join_outcomes(row.outcome for row in rows)
    open_rows = (row for row in rows if row.outcome in (Outcome.FAILED, Outcome.UNKNOWN))
    return GateReport(
        outcome=outcome,
        conditions=tuple(rows),
        headline=next((_headline(row) for row in open_rows), ""),
        prose=prose,
    )


def _condition(
    number: int, findings: tuple[Finding, ...], fine: str, basis: Basis = Basis.OBSERVED
) -> Condition:
    name = NAMES[number - 1]
    if not findings:
        return Condition(number, name, Outcome.PASSED, basis, fine)
    return Condition(number, name, outcome_of(findings), basis, _worst(findings) or fine, findings)


def _perhaps_decided(row: Condition) -> Condition:
    """A condition that only waits for a human is unknown where an entry of the log cannot be judged.

    The decision may be in the log, signed by a key that is not trusted here.
    """
    held = [one for one in row.findings if one.severity is Severity.ERROR and not one.unknown]
    if row.number not in _DECIDED or row.outcome is not Outcome.FAILED:
        return row
    if any(one.next_action != "human" for one in held):
        return row
    findings = tuple(replace(one, unknown=True) if one in held else one for one in row.findings)
    return replace(row, outcome=Outcome.UNKNOWN, findings=findings)


def _not_applicable(number: int, why: str) -> Condition:
    return Condition(number, NAMES[number - 1], Outcome.NOT_APPLICABLE, Basis.OBSERVED, why)


def _worst(findings: Iterable[Finding]) -> str:
    held = [one for one in findings if one.unknown or one.severity is Severity.ERROR]
    failed = next((one for one in held if not one.unknown), None)
    return (failed or held[0]).message if held else ""


def _headline(row: Condition) -> str:
    """Code of the first finding that keeps a condition open."""
    failed = row.outcome is Outcome.FAILED
    for one in row.findings:
        if one.unknown != failed and (one.unknown or one.severity is Severity.ERROR):
            return one.code
    return row.name.upper()


def _contracts(parts: Parts) -> Condition:
    return _condition(1, (*parts.reading, *parts.attempts), "all valid")


def _plan(parts: Parts) -> Condition:
    """Whoever may approve a plan as it is acts next, also where the planner could mend it instead."""
    plan = parts.plan
    basis = Basis.HUMAN if plan.approved else Basis.OBSERVED
    row = _condition(3, plan.findings, plan.reason, basis)
    return replace(row, for_human=plan.acceptable and row.outcome is not Outcome.PASSED)


def _scope(parts: Parts) -> Condition:
    """The verdict decides; what results say wrongly about files fails where git could say what is true."""
    scope = parts.scope
    findings = (*scope.findings, *parts.reported)
    if scope.verdict is Verdict.NOT_APPLICABLE:
        return _not_applicable(4, scope.reason)
    basis = Basis.HUMAN if any(one.approved for one in scope.paths) else Basis.OBSERVED
    outcome = {
        Verdict.PASS: outcome_of(parts.reported),
        Verdict.NEEDS_APPROVAL: Outcome.UNKNOWN if _all_foreign(scope) else Outcome.FAILED,
        Verdict.BLOCKED: Outcome.FAILED,
        Verdict.INCONCLUSIVE: Outcome.UNKNOWN,
    }[scope.verdict]
    if outcome is Outcome.UNKNOWN and scope.verdict is Verdict.NEEDS_APPROVAL:
        outcome = outcome_of(findings)
    reason = scope.reason if scope.verdict is not Verdict.PASS else _worst(parts.reported) or scope.reason
    return Condition(4, NAMES[3], outcome, basis, reason, findings)


def _all_foreign(scope: ScopeReport) -> bool:
    """Whether only other tasks' changes ask for an approval: that holds this task and does not fail it."""
    return not any(
        one.path_class in (PathClass.UNPLANNED, PathClass.PREEXISTING_OVERLAP) and not one.approved
        for one in scope.paths
    )


def _requests(parts: Parts) -> Condition:
    findings = (*parts.waiting, *parts.applied, *parts.errors)
    count = len(parts.requests)
    decided = any(row.status.sequence is not None for row in parts.requests)
    fine = f"{counted(count, 'request')}, none open" if count else "no request"
    return _condition(5, findings, fine, Basis.HUMAN if decided else Basis.OBSERVED)


def _evidence(prose: tuple[Prose, ...]) -> Condition:
    human = any(one.basis is Basis.HUMAN for one in prose)
    basis = Basis.HUMAN if human else Basis.OBSERVED
    count = len(prose)
    findings = check_prose(prose)
    fine = f"{counted(count, 'sentence')}, all shown or attested" if count else "nothing to show"
    row = _condition(8, findings, fine, basis)
    if row.outcome is Outcome.PASSED:
        return row
    attest = sum(finding.basis is Basis.HUMAN for finding in findings)
    parts = [(attest, "for you to attest")] if attest else []
    parts += [(len(findings) - attest, "not shown yet by tests or files")] if len(findings) > attest else []
    of = f"of {counted(count, 'sentence')}"
    reason = f"{len(findings)} {of} open: " + ", ".join(f"{number} {words}" for number, words in parts)
    if len(parts) == 1:
        reason = f"{parts[0][0]} {of} {parts[0][1]}"
    return Condition(8, row.name, row.outcome, basis, reason, findings)


def _block(facts: Facts) -> Condition:
    findings = tuple(
        Finding(
            "HUMAN_BLOCK", f"A human blocked this task: {row.entry.reason or 'no reason given'}.",
            next_action="human", basis=Basis.HUMAN,
        )
        for row in facts.task.log.blocks
    )  # fmt: skip
    return _condition(10, findings, "nobody blocked it", Basis.HUMAN if findings else Basis.OBSERVED)


def _log(facts: Facts) -> Condition:
    log = facts.task.log
    findings = (*log.findings, *clock_findings(log, facts.now))
    if log.head_sequence < 0 and log.integrity is Outcome.PASSED:
        message = "There is no log yet. Open the task here or run ags-tui baseline."
        findings += (Finding("NO_BASELINE", message, next_action="human", unknown=True),)
    if log.integrity is not Outcome.PASSED and outcome_of(findings) is Outcome.PASSED:
        unknown = log.integrity is Outcome.UNKNOWN
        code = "UNKNOWN_SIGNER" if unknown else "LOG_TAMPERED"
        findings += (Finding(code, "The log is not intact.", next_action="human", unknown=unknown),)
    row = _condition(11, findings, f"intact, {log.head_sequence + 1} entries")
    if log.integrity is Outcome.PASSED:
        return row
    outcome = join_outcomes((row.outcome, log.integrity))
    return Condition(11, row.name, outcome, row.basis, row.reason, row.findings)


def _report(facts: Facts, parts: Parts, rows: list[Condition]) -> Condition:
    if facts.terms.session:
        return _not_applicable(12, "no task.json")
    wrong = refused(REPORT, facts.task.files.problems)
    if wrong is not None:
        message = cannot_be_read(REPORT, "final report", "reporter")
        return _condition(12, (Finding(wrong.code, message, artifact=REPORT, next_action="retry"),), "")
    if not _mentions_report(facts):
        return _not_applicable(12, "no final report")
    others = join_outcomes(row.outcome for row in rows)
    return _condition(
        12, check_report(facts, parts.scope, parts.tests, parts.review, others), "agrees with the evidence"
    )


def _mentions_report(facts: Facts) -> bool:
    return REPORT in facts.task.files.artifacts
