"""What implementer and fixer say about files and steps, held against git and the plan."""

from collections.abc import Iterable

from ags_tui.core.assessment import PathClass, PathVerdict, ScopeReport
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Basis, Finding, Severity
from ags_tui.core.checks.fixes import FIX
from ags_tui.core.contracts.results import ChangedFile, ImplementationResult
from ags_tui.core.globs import compile_patterns, normalise
from ags_tui.core.pattern_walk import fold

IMPLEMENTATION = "implementation-result.json"
"""Artifact of the implementer."""

_OWN = (PathClass.IN_SCOPE, PathClass.UNPLANNED, PathClass.EXCLUDED)
"""Classes of changes that are this task's own."""
_WORDS = {"create": "created", "update": "updated", "delete": "deleted"}


def check_reported_files(facts: Facts, scope: ScopeReport) -> tuple[Finding, ...]:
    """CLAIMED_NOT_CHANGED, CHANGED_NOT_CLAIMED, NOT_CHANGED_VIOLATED and wrong kinds of change."""
    implementation = facts.held(IMPLEMENTATION, ImplementationResult)
    fix = facts.held(FIX, ImplementationResult)
    if facts.changes is None or facts.changes.unknown or (implementation is None and fix is None):
        return ()
    by_key = {_key(facts, one.path): one for one in scope.paths if one.change is not None}
    if not by_key:
        by_key = {
            _key(facts, change.path): PathVerdict(change.path, PathClass.UNPLANNED, "", change)
            for change in facts.changes.entries
        }
    findings: list[Finding] = []
    claimed: set[str] = set()
    for artifact, result in ((IMPLEMENTATION, implementation), (FIX, fix)):
        if result is None:
            continue
        for index, file in enumerate(result.changed_files):
            key = _key(facts, _resolved(scope, file.path))
            claimed.add(key)
            findings += _claimed(artifact, index, file, by_key.get(key))
        findings += _not_changed(facts, artifact, result.not_changed, by_key.values())
    if implementation is not None and implementation.status == "completed":
        findings += [
            Finding("CHANGED_NOT_CLAIMED", f"{one.path} changed and no result names it.", Severity.WARNING,
                    IMPLEMENTATION, "changedFiles", one.path)
            for key, one in by_key.items()
            if key not in claimed and one.path_class in _OWN
        ]  # fmt: skip
    return tuple(findings)


def check_reported_steps(facts: Facts) -> tuple[Finding, ...]:
    """UNKNOWN_STEP and STEP_MISSING, for a completed implementation."""
    result = facts.held(IMPLEMENTATION, ImplementationResult)
    plan = facts.terms.plan
    if result is None or plan is None:
        return ()
    planned = [step.id for step in plan.steps]
    named = [(f"executedSteps.{n}", one) for n, one in enumerate(result.executed_steps)]
    named += [(f"skippedSteps.{n}.stepId", one.step_id) for n, one in enumerate(result.skipped_steps)]
    findings = [
        _step("UNKNOWN_STEP", f"{step} is no step of the plan. Name the planned step.", field)
        for field, step in named
        if step not in planned
    ]
    if result.status != "completed":
        return tuple(findings)
    told = set(result.executed_steps) | {one.step_id for one in result.skipped_steps if one.reason.strip()}
    findings += [
        _step("STEP_MISSING", f"Step {step} was neither done nor skipped with a reason.", "executedSteps")
        for step in planned
        if step not in told
    ]
    return tuple(findings)


def _claimed(artifact: str, index: int, file: ChangedFile, seen: PathVerdict | None) -> list[Finding]:
    field = f"changedFiles.{index}"
    if seen is None or seen.change is None:
        message = f"{file.path} is claimed as {file.change_type}, and git shows no change."
        return [
            Finding("CLAIMED_NOT_CHANGED", message, Severity.WARNING, artifact, f"{field}.path", file.path)
        ]
    operation = "create" if seen.change.old is None else "delete" if seen.change.new is None else "update"
    later = artifact == FIX and operation == "create" and file.change_type == _WORDS["update"]
    if later or _WORDS[operation] == file.change_type:  # a fix updates what this task has created before
        return []
    message = f"{file.path} is claimed as {file.change_type}, and git shows that it was {_WORDS[operation]}."
    return [
        Finding("CLAIM_CONTRADICTS_OBSERVATION", message, Severity.WARNING, artifact, f"{field}.changeType",
                file.path)
    ]  # fmt: skip


def _not_changed(
    facts: Facts, artifact: str, patterns: tuple[str, ...], verdicts: Iterable[PathVerdict]
) -> list[Finding]:
    """What a result says it left alone but git shows as changed by this task.

    A human who approved exactly these bytes has seen them: then it is a warning.
    """
    compiled = compile_patterns(patterns, side="deny", ignore_case=facts.repo.ignore_case)
    findings: list[Finding] = []
    for one in verdicts:
        rule = compiled.match(one.path) if one.path_class in _OWN and patterns else None
        if rule is not None:
            message = f"{one.path} changed, and the result says that {rule} did not. Correct it or restore."
            severity = Severity.WARNING if one.approved else Severity.ERROR
            findings.append(
                Finding("NOT_CHANGED_VIOLATED", message, severity, artifact,
                        f"notChanged.{patterns.index(rule)}", one.path, "planner")
            )  # fmt: skip
    return findings


def _resolved(scope: ScopeReport, path: str) -> str:
    return scope.resolved.get(normalise(path), path)


def _key(facts: Facts, path: str) -> str:
    return fold(normalise(path)) if facts.repo.ignore_case else normalise(path)


def _step(code: str, message: str, field: str) -> Finding:
    return Finding(
        code, message, Severity.ERROR, IMPLEMENTATION, field, next_action="retry", basis=Basis.DECLARED
    )
