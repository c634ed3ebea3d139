"""One line above a diff: whether it is there already or only proposed, and which request it belongs to."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from ags_tui.core.assessment import Pending, PendingKind, TaskAssessment
from ags_tui.core.globs import compile_patterns
from ags_tui.view.asker import asker_word
from ags_tui.view.content import Fact
from ags_tui.view.text import Span, printable

if TYPE_CHECKING:  # models take long: not before the first frame
    from ags_tui.core.contracts.plan import AgentPlan

PROPOSED = "PROPOSED, not there yet"
"""Said of a change that a request asks for."""

UNCHANGED = "PROPOSED, but the file is already so"
"""Said of a proposal that equals the file."""

_RAIL = 2
"""Cells at the left edge that the mark of the focused pane may cover."""

CHANGED = "CHANGED, there already"
"""Said of what the work tree holds in place of the baseline."""


def diff_label(item: Pending | None, path: str, *, proposed: bool, differs: bool) -> tuple[Fact, ...]:
    """Say what a diff is of; nothing where no request is selected.

    Args:
        item: The selected request.
        path: The path that the diff shows.
        proposed: It is what the request asks for, not what is on disk.
        differs: There is a difference.
    """
    if item is None:
        return ()
    of = f"{asker_word(item)}, {item.item_id}"
    if proposed:
        state, style = (PROPOSED, "warn") if differs else (UNCHANGED, "muted")
        more = f"  by {of}"
    elif item.kind is PendingKind.EDIT and item.path == path:
        state, style, more = CHANGED, "accent", f"  asked about: {of}"
    elif item.kind is PendingKind.PLAN:
        state, style, more = CHANGED, "accent", "  named by this plan"
    elif item.path == path:
        state, style, more = CHANGED, "accent", f"  what {of} would write is not told"
    else:
        state, style, more = CHANGED, "accent", f"  not what {of} asks for"
    return (Fact((Span(state, style), Span(printable(more), "muted")), indent=_RAIL),)


def first_path(item: Pending | None, task: TaskAssessment | None, changed: Iterable[str]) -> str:
    """Choose the path whose diff is shown at first: what is asked about, else what is changed.

    Below a plan only a file that it names is shown: the diff of another one would look like what the plan
    does.

    Args:
        item: The selected request; None for a task or the work tree.
        task: The task.
        changed: Changed paths, what holds the task first.

    Returns:
        A path; empty where none is shown.
    """
    if item is None:
        return next(iter(changed), "")
    if item.path:
        return item.path
    if item.kind is not PendingKind.PLAN:
        return next(iter(changed), "")
    named = planned(item, task)
    return next((path for path in changed if path in named), "")


def planned(item: Pending, task: TaskAssessment | None) -> frozenset[str]:
    """Give the changed paths that the plan on disk names.

    Args:
        item: The plan that waits.
        task: Its task.
    """
    artifact = None if task is None else task.task.files.artifacts.get("plan.json")
    if task is None or artifact is None:
        return frozenset()
    told = item.facts.get("resolved")
    meant = set(cast("dict[str, str]", told).values()) if isinstance(told, dict) else set[str]()
    patterns = compile_patterns(cast("AgentPlan", artifact.document).files_to_edit, side="allow")
    paths = (one.path for one in task.scope.paths)
    return frozenset(path for path in paths if path in meant or patterns.match(path))
