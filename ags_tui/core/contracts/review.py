"""ReviewResult 1.0.0: what a reviewer found and what a fixer may touch (article §13)."""

from typing import ClassVar, Literal

from ags_tui.core.contracts.base import Absent, Contract, FullRisk


class ReviewIssue(Contract):
    """One issue with its evidence."""

    id: str
    """Id; required fixes refer to it."""
    severity: FullRisk
    """How bad."""
    category: Literal["scope", "behavior", "test", "security", "architecture"]
    """Of which sort."""
    file: str
    """Where, relative to the work tree."""
    line: Absent[int] = None
    """Line, counted from 1."""
    description: str
    """What is wrong."""
    evidence: str
    """What shows it."""


class ScopeCheck(Contract):
    """Whether the change stays inside the plan, as the reviewer sees it."""

    passed: bool
    """Whether it does."""
    unexpected_files: tuple[str, ...]
    """What does not belong."""


class TestCheck(Contract):
    """Whether the tests suffice, as the reviewer sees it."""

    __test__: ClassVar[bool] = False

    passed: bool
    """Whether they do."""
    missing_cases: tuple[str, ...]
    """What is not tested."""


class SecurityCheck(Contract):
    """Whether the change is safe, as the reviewer sees it."""

    passed: bool
    """Whether it is."""
    findings: tuple[str, ...]
    """What is not."""


class RequiredFix(Contract):
    """What a fixer must do, and the only files it may touch for it."""

    issue_id: str
    """Issue it answers."""
    allowed_files: tuple[str, ...]
    """Paths or patterns that the fix may change."""
    expected_change: str
    """What the fix does."""


class ReviewResult(Contract):
    """A review: verdict, issues, checks and required fixes."""

    contract_name: ClassVar[str] = "ReviewResult"

    verdict: Literal["pass", "needs_changes", "blocked"]
    """The verdict."""
    issues: tuple[ReviewIssue, ...]
    """What was found."""
    scope_check: ScopeCheck
    """Scope."""
    test_check: TestCheck
    """Tests."""
    security_check: SecurityCheck
    """Security."""
    required_fixes: tuple[RequiredFix, ...]
    """What must be fixed."""
