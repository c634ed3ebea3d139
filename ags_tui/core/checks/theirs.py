"""Plans that nobody must approve by themselves, and that hold other tasks of the same work tree.

What one task did not plan and another one's plan names is nobody's until a human has approved that plan. So
the plan is asked about, once a change of its files holds somebody.
"""

from collections.abc import Iterable, Mapping

from ags_tui.core.assessment import PathVerdict, Pending, TaskAssessment, Verdict
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.late import LateAssessment, LateParts
from ags_tui.core.checks.plan_paths import plan_paths
from ags_tui.core.checks.plan_policy import check_plan
from ags_tui.core.checks.questions import plan_items
from ags_tui.core.checks.stops import stop_hits
from ags_tui.core.wording import listed

Wanted = Mapping[str, tuple[str, ...]]
"""Sentences by the task whose plan is wanted: which of its paths hold whom."""


def wanted_plans(tasks: Iterable[TaskAssessment]) -> Wanted:
    """Collect which plans other tasks need a human to look at, and why."""
    found: dict[str, list[str]] = {}
    for task in tasks:
        if task.scope.verdict not in (Verdict.NEEDS_APPROVAL, Verdict.BLOCKED):
            continue
        by_owner: dict[tuple[str, str], list[PathVerdict]] = {}
        for one in task.scope.paths:
            if one.named_by:
                by_owner.setdefault((one.named_by, one.why), []).append(one)
            elif one.proposed and not one.approved:
                by_owner.setdefault((one.owner, ""), []).append(one)
        for (owner, excluded), paths in by_owner.items():
            found.setdefault(owner, []).append(_sentence(task.task_id, paths, excluded))
    return {owner: tuple(sorted(sentences)) for owner, sentences in found.items()}


def _sentence(holds: str, paths: list[PathVerdict], excluded: str) -> str:
    several = len(paths) > 1
    named = listed([one.path for one in paths])
    rule = f", and {holds} excludes {'them' if several else 'it'} ({excluded})" if excluded else ""
    return (
        f"This plan names {named}, which {'hold' if several else 'holds'} task {holds}{rule}. "
        f"Yes means that {'these changes are' if several else 'this change is'} the work of this plan's task."
    )


def with_plan_asked(task: TaskAssessment, facts: Facts, theirs: tuple[str, ...]) -> TaskAssessment:
    """The same assessment with its plan in the inbox; unchanged where there is nothing to ask.

    Args:
        task: The assessment.
        facts: What it was made of.
        theirs: Why other tasks need the plan to be looked at.
    """
    paths = plan_paths(facts)
    stops = stop_hits(facts, paths)
    items = [
        one
        for one in plan_items(facts, check_plan(facts, paths, stops), paths, theirs)
        if one.artifact == "plan.json"
    ]
    if not items:
        return task
    others = tuple(one for one in task.pending if not _is_plan(one))
    late = LateAssessment.of(task.task, lambda: LateParts(task.gate, task.findings, task.digest))
    late.settle(
        title=task.title, scope=task.scope, requests=task.requests, risk=task.risk, runs=task.runs,
        stages=task.stages, pending=(*items, *others),
    )  # fmt: skip
    return late


def _is_plan(item: Pending) -> bool:
    return item.artifact == "plan.json" and item.item_id == "plan"
