"""The answer to a question for the gate: which tasks, what holds each, and what holds them all."""

from collections.abc import Iterable
from dataclasses import dataclass

from ags_tui.core.assessment import Assessment, GateReport, TaskAssessment
from ags_tui.core.checks.finalized import finalized_report
from ags_tui.core.checks.findings import Finding, Outcome, join_outcomes, outcome_of


@dataclass(frozen=True, slots=True, eq=False)
class JudgedTask:
    """One task of an answer."""

    task: TaskAssessment
    """The task."""
    report: GateReport
    """Its gate, or its finalization compared with the tree."""


@dataclass(frozen=True, slots=True, eq=False)
class GateAnswer:
    """What the gate says."""

    outcome: Outcome
    """Of all tasks together, and of what is around them where no task was named."""
    rows: tuple[JudgedTask, ...]
    """The tasks."""
    findings: tuple[Finding, ...]
    """What was found beside them."""


def standing(assessment: Assessment, *, finalized: bool) -> tuple[TaskAssessment, ...]:
    """Return the tasks that are meant where none is named: the open ones, or the finalized ones.

    Args:
        assessment: All tasks.
        finalized: Whether finalizations are asked for.
    """
    if finalized:
        return tuple(task for task in assessment.tasks if task.task.log.finalized is not None)
    return tuple(task for task in assessment.tasks if not task.task.log.frozen)


def gate_answer(
    assessment: Assessment,
    chosen: Iterable[TaskAssessment],
    *,
    named: bool,
    finalized: bool = False,
    lost: tuple[Finding, ...] = (),
) -> GateAnswer:
    """Judge tasks.

    Args:
        assessment: All tasks, and what is around them.
        chosen: Tasks to judge.
        named: Whether the caller named them: what is around them holds nothing then.
        finalized: Whether their finalizations are compared with the tree.
        lost: What holds beside the tasks.
    """
    rows = tuple(_judged(task, finalized) for task in chosen)
    around = [] if named else [_around(assessment)]
    outcomes = [*(Outcome.FAILED for _ in lost), *around, *(row.report.outcome for row in rows)]
    return GateAnswer(join_outcomes(outcomes), rows, (*lost, *assessment.findings))


def _judged(task: TaskAssessment, finalized: bool) -> JudgedTask:
    return JudgedTask(task, finalized_report(task.task) if finalized else task.gate)


def _around(assessment: Assessment) -> Outcome:
    """Unknown where repository, root or policy could not be read: nothing passes as a whole then."""
    outcome = outcome_of(assessment.findings)
    return Outcome.NOT_APPLICABLE if outcome is Outcome.PASSED else Outcome.UNKNOWN
