"""What of an assessment is about other tasks in the same work tree (words: ``checks.ownership``)."""

from dataclasses import replace

from ags_tui.core.assessment import (
    PathClass,
    PathVerdict,
    ScopeReport,
    Shared,
    SharedStep,
    TaskAssessment,
    Verdict,
)


def held(scope: ScopeReport) -> tuple[PathVerdict, ...]:
    """Paths that need an approval; none where the verdict is another one."""
    quiet = (PathClass.IN_SCOPE, PathClass.PREEXISTING_UNTOUCHED)
    if scope.verdict is not Verdict.NEEDS_APPROVAL:
        return ()
    return tuple(one for one in scope.paths if one.path_class not in quiet and not one.approved)


def only_foreign(scope: ScopeReport) -> bool:
    """Whether an approval is needed for nothing but changes of other tasks: no fault of this one."""
    found = held(scope)
    return bool(found) and all(one.owner for one in found)


def shared_of(task: TaskAssessment) -> tuple[Shared, ...]:
    """What other tasks' changes hold a task, worded as its gate words them; nothing where none does."""
    if not any(one.owner for one in held(task.scope)):
        return ()
    return next((one.shared for one in task.gate.conditions if one.name == "scope"), ())


def asked_later(task: TaskAssessment) -> bool:
    """Whether all that needs an approval belongs to other tasks and is not asked about yet."""
    later = {path for one in shared_of(task) if one.step is SharedStep.LATER for path in one.paths}
    found = held(task.scope)
    return bool(found) and all(one.path in later for one in found)


def scope_said(task: TaskAssessment) -> ScopeReport:
    """The scope check with the findings as the gate words them."""
    row = next((one for one in task.gate.conditions if one.name == "scope"), None)
    if row is None or not row.shared:
        return task.scope
    worded = {(one.code, one.path): one for one in row.findings}
    findings = tuple(worded.get((one.code, one.path), one) for one in task.scope.findings)
    return replace(task.scope, findings=findings)
