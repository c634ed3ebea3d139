"""Files that could not be read as what they should be, as findings."""

from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Finding, Severity
from ags_tui.core.snapshot import LoadProblem

BEING_WRITTEN = "BEING_WRITTEN"
"""Code of a file that is not whole yet: neither valid nor wrong."""

_TOLD = frozenset({"UNKNOWN_NAME", "NAME_COLLISION"})
"""Codes of what does not belong in a task folder and breaks nothing in it."""


def check_reading(facts: Facts) -> tuple[Finding, ...]:
    """Findings for every file of the folder that is no valid contract; the log's own are the log's."""
    files = facts.task.files
    findings = [finding_of(problem) for problem in files.problems if not problem.artifact.startswith("log/")]
    told = {problem.artifact for problem in files.problems}
    findings += [_being_written(path) for path in files.being_written if path not in told]
    findings += [
        Finding("UNKNOWN_NAME", f"{path} is no file of a task folder.", Severity.WARNING, path)
        for path in files.unknown_names
        if path not in told
    ]
    return tuple(findings)


def finding_of(problem: LoadProblem) -> Finding:
    """A problem of reading as a finding."""
    if problem.code == BEING_WRITTEN:
        return _being_written(problem.artifact)
    where = f", line {problem.line}" if problem.line is not None else ""
    step = (
        f" {problem.next_step[:1].upper()}{problem.next_step[1:].rstrip('.')}." if problem.next_step else ""
    )
    return Finding(
        code=problem.code,
        message=f"{problem.artifact or 'the folder'}{where}: {problem.message.rstrip('.')}.{step}",
        severity=Severity.WARNING if problem.code in _TOLD else Severity.ERROR,
        artifact=problem.artifact,
        field=problem.field,
        next_action="retry",
    )


def _being_written(path: str) -> Finding:
    message = f"{path} is being written."
    return Finding(BEING_WRITTEN, message, Severity.INFO, path, next_action="retry", unknown=True)
