"""Whose an item of the inbox is: who asks, who wrote it where that is known, and what we noticed."""

from typing import TYPE_CHECKING, cast

from ags_tui.core.assessment import Pending, PendingKind, TaskAssessment

if TYPE_CHECKING:  # models take long: not before the first frame
    from ags_tui.core.contracts.handoff import AgentHandoff
    from ags_tui.core.contracts.plan import AgentPlan
    from ags_tui.core.contracts.results import ImplementationResult

OURSELVES = "ags-tui"
"""Who asks where no file of an agent does."""

NOTICED = f"noticed by {OURSELVES}"
"""Said of what a check asks, and nobody else did."""


def asker_word(item: Pending) -> str:
    """Name in a word or three whose an item is, for a row of the inbox. Foreign text.

    Args:
        item: What waits.
    """
    if item.asked_by != OURSELVES:
        return item.asked_by
    if _is_filed(item):
        return f"“{OURSELVES}”"
    return "planner" if item.artifact == "plan.json" else NOTICED


def asker_words(item: Pending, task: TaskAssessment | None) -> str:
    """Say whose an item is, and who noticed it where nobody asked. Foreign text.

    Args:
        item: What waits.
        task: Its task, for what its files say of authors.
    """
    if item.asked_by != OURSELVES:
        return f"by {item.asked_by}"
    if _is_filed(item):
        return f"by “{OURSELVES}”, as its file says"
    author = "" if task is None else _author(item, task)
    return f"{author}, {NOTICED}" if author else NOTICED


def _is_filed(item: Pending) -> bool:
    """Whether an item is a file of somebody's: any agent may call itself by our name."""
    return "/" in item.artifact


def _author(item: Pending, task: TaskAssessment) -> str:
    """Say who wrote it, as far as files say so."""
    if item.artifact == "plan.json":
        return f"by {_giver(task) or 'the planner'}"
    if item.artifact == "task.json":
        return "from task.json"
    if item.kind is PendingKind.EDIT and item.path is not None:
        owner = next((one.owner for one in task.scope.paths if one.path == item.path), "")
        if owner:
            return f"in the plan of {owner}"
        claimed = sorted(_claiming(item.path, task))
        return f"claimed by the {claimed[0]}" if claimed else "no result claims it"
    return ""


def _giver(task: TaskAssessment) -> str:
    """Name who handed exactly this plan on; empty where no handoff did."""
    held = task.task.files.artifacts
    if "plan.json" not in held:
        return ""
    summary = cast("AgentPlan", held["plan.json"].document).summary
    handoffs = (one.document for one in held.values() if one.contract == "AgentHandoff")
    given = (cast("AgentHandoff", one) for one in handoffs)
    return next((one.from_agent for one in given if one.payload.get("summary") == summary), "")


def _claiming(path: str, task: TaskAssessment) -> set[str]:
    """Name the roles whose results say that they changed a path."""
    results = (one for one in task.task.files.artifacts.values() if one.contract == "ImplementationResult")
    return {
        "fixer" if one.path.startswith("fix") else "implementer"
        for one in results
        if any(file.path == path for file in cast("ImplementationResult", one.document).changed_files)
    }
