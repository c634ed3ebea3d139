"""AgentTask 1.0.0: what the human wants, before any agent reads it (article §4)."""

from typing import ClassVar, Literal

from ags_tui.core.contracts.base import Contract, Risk, Text

Category = Literal["bug_fix", "feature", "review", "test", "documentation"]
"""Sorts of tasks."""


class AgentTask(Contract):
    """The task: expectations, prohibitions and the evidence that will be asked for."""

    contract_name: ClassVar[str] = "AgentTask"

    id: Text
    """Name of the task folder."""
    title: str
    """One line for lists."""
    description: str
    """What is to be done, in prose."""
    category: Category
    """Sort of task."""
    risk_level: Risk
    """Risk as the human sees it; high asks for an approved plan."""
    expected_behavior: tuple[str, ...]
    """What must hold afterwards; each is attested before finalization."""
    forbidden_changes: tuple[str, ...]
    """Paths, patterns or prose that must stay untouched."""
    required_evidence: tuple[str, ...]
    """What must be shown; each is computed or attested before finalization."""
