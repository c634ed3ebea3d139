"""The final report, held against what was observed."""

from collections.abc import Iterator

from ags_tui.core.assessment import PathClass, ScopeReport
from ags_tui.core.checks.evidence import TestsReport
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Basis, Finding, Outcome, Severity
from ags_tui.core.checks.order import REPORT
from ags_tui.core.checks.review import ReviewReport
from ags_tui.core.contracts.report import FinalReport
from ags_tui.core.digests import text_digest
from ags_tui.core.globs import compile_patterns, normalise
from ags_tui.core.pattern_walk import fold
from ags_tui.core.report_text import render_markdown

OWN = (PathClass.IN_SCOPE, PathClass.UNPLANNED, PathClass.EXCLUDED)
"""Classes of changes that a report must name."""


def check_report(
    facts: Facts, scope: ScopeReport, tests: TestsReport, review: ReviewReport, others: Outcome
) -> tuple[Finding, ...]:
    """REPORT_CONTRADICTS; empty without a report.

    Args:
        facts: The task.
        scope: Its scope report.
        tests: Its tests.
        review: Its review.
        others: How all other conditions of the gate stand together.
    """
    report = facts.held(REPORT, FinalReport)
    if report is None:
        return ()
    return (
        *_verdict(report, others),
        *_files(facts, report, scope),
        *_validation(report, tests),
        *_review(report, review),
        *_markdown(facts, report),
    )


def _verdict(report: FinalReport, others: Outcome) -> Iterator[Finding]:
    if report.verdict == "completed" and others is Outcome.FAILED:
        yield _contradicts("It says completed, and other conditions fail.", "verdict")
    elif report.verdict == "completed" and others is Outcome.UNKNOWN:
        yield _contradicts(
            "It says completed, and other conditions are not known yet.", "verdict", unknown=True
        )
    elif report.verdict != "completed" and others in (Outcome.PASSED, Outcome.NOT_APPLICABLE):
        yield _contradicts(f"It says {report.verdict}, and all other conditions hold.", "verdict")


def _files(facts: Facts, report: FinalReport, scope: ScopeReport) -> Iterator[Finding]:
    if facts.changes is None or facts.changes.unknown:
        yield _contradicts("Git cannot say which files changed.", "changedFiles", unknown=True)
        return
    ignore_case = facts.repo.ignore_case

    def key(path: str) -> str:
        named = normalise(scope.resolved.get(normalise(path), path))
        return fold(named) if ignore_case else named

    changed = {key(change.path): change.path for change in facts.changes.entries}
    own = {key(one.path) for one in scope.paths if one.path_class in OWN and one.change is not None}
    named = {key(path) for path in report.changed_files}
    for index, path in enumerate(report.changed_files):
        if key(path) not in changed:
            yield _contradicts(
                f"{path} is named as changed, and git shows no change.", f"changedFiles.{index}", path
            )
    for one in sorted(own - named):
        yield _contradicts(f"{changed[one]} changed and is not named.", "changedFiles", changed[one])
    patterns = compile_patterns(report.not_changed, side="deny", ignore_case=ignore_case)
    for one in sorted(own):
        rule = patterns.match(changed[one])
        if rule is not None:
            field = f"notChanged.{report.not_changed.index(rule)}"
            yield _contradicts(
                f"{rule} is named as not changed, and {changed[one]} changed.", field, changed[one]
            )


def _validation(report: FinalReport, tests: TestsReport) -> Iterator[Finding]:
    stated = report.validation
    ran = {row.command for row in tests.ran if row.exit_code is not None}
    if stated.tests_executed and tests.ran and not ran:
        yield _contradicts("It says that tests ran, and none did.", "validation.testsExecuted")
    if not stated.tests_executed and ran:
        yield _contradicts("It says that no test ran, and some did.", "validation.testsExecuted")
    if stated.passed and tests.outcome is Outcome.FAILED:
        yield _contradicts("It says that the tests passed, and they did not.", "validation.passed")
    elif stated.passed and tests.outcome is Outcome.UNKNOWN:
        yield _contradicts(
            "It says that the tests passed, which is not known.", "validation.passed", unknown=True
        )
    elif not stated.passed and tests.outcome is Outcome.PASSED:
        yield _contradicts("It says that the tests failed, and they passed.", "validation.passed")
    for index, command in enumerate(stated.commands):
        if tests.ran and command.strip() not in ran:
            yield _contradicts("It names a command that did not run.", f"validation.commands.{index}")


def _review(report: FinalReport, review: ReviewReport) -> Iterator[Finding]:
    for field, stated, seen in (
        ("unresolvedCritical", report.review.unresolved_critical, review.unresolved_critical),
        ("unresolvedHigh", report.review.unresolved_high, review.unresolved_high),
    ):
        if stated != seen:
            yield _contradicts(f"It counts {stated} where the review leaves {seen} open.", f"review.{field}")


def _markdown(facts: Facts, report: FinalReport) -> Iterator[Finding]:
    """A Markdown report of another origin is told, for people read it and programs do not."""
    held = facts.task.files.report_markdown
    if held is not None and held != text_digest(render_markdown(report)):
        message = "final-report.md was not made from final-report.json. Write the report again."
        yield Finding("REPORT_CONTRADICTS", message, Severity.WARNING, "final-report.md")


def _contradicts(message: str, field: str, path: str | None = None, *, unknown: bool = False) -> Finding:
    return Finding(
        "REPORT_CONTRADICTS", f"{message} Write the report again.", Severity.ERROR, REPORT, field, path,
        "retry", Basis.OBSERVED, unknown,
    )  # fmt: skip
