"""The assessment of a finalized or closed task: it is not assessed again."""

from ags_tui.core.assessment import (
    ScopeReport,
    Stage,
    StageName,
    StageState,
    TaskAssessment,
    Verdict,
)
from ags_tui.core.checks.finalized import finalized_report
from ags_tui.core.checks.risk import highest
from ags_tui.core.checks.terms import Terms
from ags_tui.core.signed import signed_words
from ags_tui.core.snapshot import TaskSnapshot


def title_of(terms: Terms, task: TaskSnapshot) -> str:
    """Title of a task, or its id."""
    return (terms.task.title.strip() if terms.task else "") or task.task_id


def frozen_assessment(task: TaskSnapshot, terms: Terms) -> TaskAssessment:
    """A finalized or closed task: it is not assessed again, and says so."""
    finalized = task.log.finalized
    word = "finalized" if finalized is not None else "closed"
    why = " ".join(signed_words(task)).rstrip(":") or f"{word}: not assessed again"
    row = finalized or task.log.closed
    stated = row.entry.data.get("assessmentDigest") if row else None
    gate_state = StageState.DONE if finalized is not None else StageState.NOT_APPLICABLE
    states = {StageName.GATE: gate_state, StageName.REPORT: StageState.NOT_APPLICABLE}
    if finalized is not None and "final-report.json" in task.files.artifacts:
        states[StageName.REPORT] = StageState.DONE
    settled = StageState.DONE if finalized is not None else StageState.NOT_APPLICABLE
    risks = [one.risk_level for one in (terms.task, terms.plan) if one is not None]
    return TaskAssessment(
        task=task,
        title=title_of(terms, task),
        stages=tuple(Stage(name, states.get(name, settled), word) for name in StageName),
        scope=ScopeReport(Verdict.NOT_APPLICABLE, reason=why),
        gate=finalized_report(task),
        findings=(),
        pending=(),
        requests=(),
        digest=stated if isinstance(stated, str) else "",
        risk=highest(risks),
    )
