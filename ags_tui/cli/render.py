"""Assessments as plain lines of text: words first, colour on top, nothing cut off."""

from datetime import datetime

from ags_tui.cli.output import Output
from ags_tui.core.assessment import (
    Assessment,
    Condition,
    GateReport,
    Pending,
    StageState,
    TaskAssessment,
    Verdict,
)
from ags_tui.core.checks.findings import Finding, Outcome, Severity
from ags_tui.core.checks.reading import finding_of
from ags_tui.core.next_actor import who_acts
from ags_tui.core.sharing import asked_later, scope_said, shared_of
from ags_tui.core.snapshot import LoadProblem, Snapshot
from ags_tui.view.scope import APPROVAL_LATER
from ags_tui.view.text import Span, age

_OUTCOMES = {
    Outcome.PASSED: "ok",
    Outcome.FAILED: "error",
    Outcome.UNKNOWN: "warn",
    Outcome.NOT_APPLICABLE: "muted",
}
_VERDICTS = {
    Verdict.PASS: "ok",
    Verdict.NEEDS_APPROVAL: "warn",
    Verdict.BLOCKED: "error",
    Verdict.INCONCLUSIVE: "warn",
    Verdict.NOT_APPLICABLE: "muted",
}
_STAGES = {
    StageState.VALID: "ok",
    StageState.DONE: "ok",
    StageState.ACTIVE: "accent",
    StageState.NEEDS_HUMAN: "warn",
    StageState.INVALID: "error",
    StageState.VIOLATED: "error",
    StageState.BLOCKED: "error",
}
_ACTORS = {"human": "you", "retry": "agents"}
"""Whom the next action of a finding means, in the words of the gate."""
_SEVERITIES = {Severity.ERROR: "error", Severity.WARNING: "warn", Severity.INFO: "muted"}


def say_finding(out: Output, finding: Finding, indent: str = "    ") -> None:
    """One finding, with where it is and who goes on."""
    where = ":".join(part for part in (finding.artifact, finding.field) if part) or finding.path or ""
    action = f"  → {_ACTORS.get(finding.next_action, finding.next_action)}" if finding.next_action else ""
    out.line(
        indent,
        Span(finding.code, "warn" if finding.unknown else _SEVERITIES[finding.severity]),
        f" {finding.message}",
        Span(f"  {where}" if where else "", "muted"),
        Span(action, "muted"),
    )


def say_problem(out: Output, problem: LoadProblem, indent: str = "    ") -> None:
    """One file that could not be read as what it should be."""
    where = f"{problem.artifact}:{problem.line}" if problem.line else problem.artifact
    field = f" {problem.field}:" if problem.field else ""
    out.line(indent, Span(problem.code, "error"), f" {where}:{field} {problem.message}")
    if problem.next_step:
        out.line(indent, Span(f"  {problem.next_step}", "muted"))


def say_around(out: Output, snapshot: Snapshot, assessment: Assessment, indent: str = "") -> None:
    """What concerns all tasks: files of the root and the policy with their lines, then everything else."""
    problems = (*snapshot.problems, *snapshot.policy.problems)
    for problem in problems:
        say_problem(out, problem, indent)
    told = {finding_of(problem) for problem in problems}
    for finding in assessment.findings:
        if finding not in told:
            say_finding(out, finding, indent)


def say_scope(out: Output, task: TaskAssessment) -> None:
    """The verdict, then every path with its class and the reason, as the screen words them."""
    scope = scope_said(task)
    reason = f"  {scope.reason}" if scope.reason else ""
    out.line("scope ", *_verdict(task), reason)
    for row in scope.paths:
        operation = row.change.operation if row.change is not None else "as it was"
        approved = "  approved at this content" if row.approved else ""
        why = "" if row.owner else row.why  # the findings below say whose it is
        out.line(
            f"  {row.path_class.value:<22} {operation:<9} ", row.path, Span(f"  {why}{approved}", "muted")
        )
    for finding in scope.findings:
        say_finding(out, finding, "  ")


def say_gate(out: Output, gate: GateReport) -> None:
    """The outcome, then every condition with outcome, basis, reason and findings."""
    headline = f"  {gate.headline}" if gate.headline else ""
    out.line("gate ", Span(gate.outcome.value, _OUTCOMES[gate.outcome]), headline)
    for condition in gate.conditions:
        _say_condition(out, condition)
    for prose in gate.prose:
        out.line(
            "     ",
            Span(f"{prose.outcome.value:<15}", _OUTCOMES[prose.outcome]),
            Span(f"{prose.basis.value:<9}", "muted"),
            f"{prose.prose_id}  “{prose.text}”",
            Span(f"  {prose.reason}", "muted"),
        )
    out.line(Span(f"  not checked: {gate.not_checked}", "muted"))


def say_pending(out: Output, pending: Pending, now: datetime) -> None:
    """One item that waits for a human."""
    ends = f", ends in {age(pending.expires_at - now)}" if pending.expires_at else ""
    out.line(
        Span(f"  {pending.risk:<9}", f"risk-{pending.risk}"),
        f"{pending.kind.value:<13} {pending.task_id}/{pending.item_id}  {pending.title}",
    )
    waited = age(now - pending.first_seen)
    out.line(Span(f"            {pending.asked_by}, {waited} ago{ends}: {pending.reason}", "muted"))
    for warning in (*pending.warnings, *([pending.malformed] if pending.malformed else [])):
        out.line("            ", Span(warning, "warn"))


def say_task_line(out: Output, task: TaskAssessment) -> None:
    """One task in one line."""
    log = task.task.log
    stage = task.current_stage
    word = (
        "finalized"
        if log.finalized
        else "closed"
        if log.closed
        else f"{stage.name.value} {stage.state.value}"
    )
    style = "ok" if log.finalized else "muted" if log.closed else _STAGES.get(stage.state, "muted")
    waits = f"  {len(task.pending)} waiting" if task.pending else ""
    title = f"  {task.title}" if task.title != task.task_id else ""
    verdict = () if log.frozen else (Span("  ", "muted"), *_verdict(task))
    out.line(
        f"  {task.task_id}", Span(title, "muted"), "  ", Span(word, style), *verdict, Span(waits, "muted")
    )
    for one in () if log.frozen else shared_of(task):
        out.line(Span(f"      {one.short}", "muted"))


def _verdict(task: TaskAssessment) -> tuple[Span, ...]:
    """The scope verdict, and that nothing is asked yet where that is so."""
    verdict = task.scope.verdict
    if task.task.log.finalized is not None:
        return (Span("SIGNED", "ok"),)
    if verdict is Verdict.NEEDS_APPROVAL and asked_later(task):
        return (Span(APPROVAL_LATER, "muted"),)
    return (Span(verdict.value, _VERDICTS[verdict]),)


def say_stages(out: Output, task: TaskAssessment) -> None:
    """All stages with their states and reasons."""
    for stage in task.stages:
        reason = f"  {stage.reason}" if stage.reason else ""
        out.line(
            f"  {stage.name.value:<10} ", Span(stage.state.value, _STAGES.get(stage.state, "muted")), reason
        )


def _say_condition(out: Output, condition: Condition) -> None:
    who = who_acts(condition)
    out.line(
        f"  {condition.number:>2} ",
        Span(f"{condition.outcome.value:<15}", _OUTCOMES[condition.outcome]),
        Span(f"{condition.basis.value:<9}", "muted"),
        f"{condition.name:<10} ",
        condition.reason,
        Span(f"  → {who}" if who else "", "muted"),
    )
    for finding in condition.findings:
        say_finding(out, finding, "       ")
