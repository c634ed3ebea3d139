"""Short ways to assess one task in the tests."""

from datetime import datetime, timedelta
from typing import Any

from ags_tui.core.assessment import Condition, Pending, Stage, StageName, TaskAssessment
from ags_tui.core.checks.assess import assess_task
from ags_tui.core.checks.claims import Claim, Claims
from ags_tui.core.checks.facts import Facts, facts_of
from ags_tui.core.checks.findings import Finding, Severity
from tests import builders as make

REPO_FIELDS = {"repo", "policy", "problems"}


def looked_at(*, now: datetime = make.NOW, claims: Claims | None = None, **fields: Any) -> TaskAssessment:
    """Assess ``task_snapshot(**fields)``; ``repo`` and ``policy`` go to the snapshot."""
    around = {name: fields.pop(name) for name in list(fields) if name in REPO_FIELDS}
    task = make.task_snapshot(**fields)
    return assess_task(task, make.snapshot(task, **around), now, claims)


def facts(**fields: Any) -> Facts:
    """The facts of ``task_snapshot(**fields)``."""
    around = {name: fields.pop(name) for name in list(fields) if name in REPO_FIELDS}
    claims = fields.pop("claims", None)
    task = make.task_snapshot(**fields)
    more = {} if claims is None else {"claims": claims}
    return facts_of(task, make.snapshot(task, **around), make.NOW, **more)


def held(assessment: TaskAssessment, code: str) -> list[Finding]:
    """Findings of a code that hold the task: errors and what is not known."""
    return [one for one in of(assessment, code) if one.unknown or one.severity is Severity.ERROR]


def of(assessment: TaskAssessment, code: str) -> list[Finding]:
    """All findings of a code."""
    return [one for one in assessment.findings if one.code == code]


def rung(assessment: TaskAssessment, number: int) -> Condition:
    """One condition of the gate."""
    return assessment.gate.conditions[number - 1]


def stage(assessment: TaskAssessment, name: StageName) -> Stage:
    """One stage."""
    return next(one for one in assessment.stages if one.name is name)


def item(assessment: TaskAssessment, item_id: str) -> Pending:
    """One item of the inbox."""
    return next(one for one in assessment.pending if one.item_id == item_id)


def item_ids(assessment: TaskAssessment) -> list[str]:
    """Ids of the inbox."""
    return [one.item_id for one in assessment.pending]


def claimed(*patterns: str, task_id: str = "other-task") -> Claims:
    """Another task's human-approved plan."""
    return Claims([Claim(task_id, "sha256:" + "0" * 64, patterns, ())], ignore_case=False)


def later(**delta: float) -> datetime:
    """The frozen clock, moved on."""
    return make.NOW + timedelta(**delta)
