"""FinalReport 1.0.0: the end of a task for programs; its Markdown is made from it (article §21)."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ags_tui.core.contracts.base import Contract

Count = Annotated[int, Field(ge=0)]
"""How many."""


class ReportValidation(Contract):
    """What was run to prove the result."""

    tests_executed: bool
    """Whether tests ran."""
    passed: bool
    """Whether they passed."""
    commands: tuple[str, ...]
    """Which commands."""


class ReportReview(Contract):
    """What the review left open."""

    unresolved_critical: Count
    """Open critical issues."""
    unresolved_high: Count
    """Open high issues."""


class FinalReport(Contract):
    """The final report."""

    contract_name: ClassVar[str] = "FinalReport"

    verdict: Literal["completed", "blocked", "failed"]
    """How the task ended."""
    summary: str
    """In a sentence or two."""
    changed_files: tuple[str, ...]
    """What changed."""
    validation: ReportValidation
    """What was run."""
    review: ReportReview
    """What the review left open."""
    risks: tuple[str, ...]
    """What may go wrong."""
    not_changed: tuple[str, ...]
    """What was left alone."""
    human_review_targets: tuple[str, ...]
    """What a human should look at."""
