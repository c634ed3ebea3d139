"""A file that cannot be read is told in full once, among what cannot be read; elsewhere by its name."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ags_tui.core.checks.findings import Finding, Outcome

if TYPE_CHECKING:
    from ags_tui.core.assessment import Condition, GateReport, TaskAssessment
    from ags_tui.core.snapshot import LoadProblem


def untold(findings: Iterable[Finding], problems: Iterable["LoadProblem"]) -> tuple[Finding, ...]:
    """Leave out the findings that say what the list of unreadable files says already.

    Args:
        findings: All findings.
        problems: What could not be read.
    """
    told = _told(problems)
    return tuple(finding for finding in findings if finding.message not in told)


def referring_gate(task: "TaskAssessment", key: str) -> "GateReport":
    """Give a task's gate, with the names of unreadable files in place of all that is wrong with them.

    Args:
        task: The task.
        key: The key that shows the list of unreadable files, as shown.
    """
    told = _told(task.task.files.problems)
    rows = tuple(_referring(row, told, key) for row in task.gate.conditions)
    return replace(task.gate, conditions=rows) if told else task.gate


def _told(problems: Iterable["LoadProblem"]) -> dict[str, str]:
    """Give the names of unreadable files by what findings say of them."""
    found = tuple(problems)
    if not found:
        return {}
    from ags_tui.core.checks.reading import finding_of  # not before the first frame: models take long

    return {finding_of(problem).message: problem.artifact for problem in found}


def _referring(row: "Condition", told: dict[str, str], key: str) -> "Condition":
    """Name the files of a condition whose reason is told elsewhere."""
    if row.reason not in told or row.outcome is Outcome.PASSED:
        return row
    names = list(dict.fromkeys(told[one.message] for one in row.findings if one.message in told))
    first = told[row.reason] or "the folder"
    more = len([name for name in names if name != told[row.reason]])
    what = f"{first} and {more} more" if more else first
    return replace(row, reason=f"{what} cannot be read: {key} shows why.")
