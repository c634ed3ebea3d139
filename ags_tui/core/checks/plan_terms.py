"""Makes of a task's plan and log what a hook needs to judge an edit; the same rules as the scope check."""

from datetime import datetime

from ags_tui.core.checks.approved import amended_paths
from ags_tui.core.checks.facts import Facts, facts_of
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.checks.loosening import policy_of
from ags_tui.core.checks.plan_paths import PlanPaths, dependency_rule, plan_paths
from ags_tui.core.checks.request_items import task_risk
from ags_tui.core.contracts.plan import AgentPlanV2
from ags_tui.core.log_state import LoggedEntry
from ags_tui.core.pattern_walk import WILD
from ags_tui.core.policy.model import RISKS
from ags_tui.core.policy.plan_terms import PlanTerms
from ags_tui.core.snapshot import Snapshot, TaskSnapshot


def plan_terms(task: TaskSnapshot, snapshot: Snapshot, now: datetime) -> PlanTerms | None:
    """Find what the plan in force allows; None where the task has none.

    Args:
        task: The task. Its changes are not looked at.
        snapshot: Where it comes from: the repository.
        now: The wall clock, UTC.
    """
    facts = facts_of(task, snapshot, now)
    paths = plan_paths(facts)
    if paths is None:
        return None
    row = _approval(facts)
    free = row is not None and policy_of(paths.plan) != "each-edit" and not task.log.frozen
    plan, terms = paths.plan, facts.terms
    sentences = (*(terms.task.forbidden_changes if terms.task else ()), *plan.stop_conditions)
    risk = task_risk(facts)
    ends = [moment for moment in terms.instants if moment > now]
    return PlanTerms(
        approved=free,
        allow=(*plan.files_to_edit, *_resolved(facts, paths), *map(literal, sorted(amended_paths(facts)))),
        deny=(*plan.files_not_to_edit, *paths.forbidden.patterns),
        prose=tuple(one for one in sentences if one not in paths.forbidden.patterns),
        dependencies=dependency_rule(terms.task, plan) is not None,
        risk=next(one for one in RISKS if one == risk),
        operations=tuple(plan.allowed_operations) if isinstance(plan, AgentPlanV2) else None,
        until=min(ends, default=None),
        entry="" if row is None or not free else f"{row.entry.sequence:06d}.json",
        entry_digest="" if row is None or not free else row.digest,
        frozen=task.log.frozen,
    )


def literal(path: str) -> str:
    """A pattern that matches exactly one path, also where that is a bare name or holds wildcards.

    Args:
        path: Work-tree path, normalised.
    """
    escaped = "".join(f"[{one}]" if WILD.match(one) else one for one in path)
    if escaped != path or "/" in path:
        return escaped
    place = next((index for index, one in enumerate(path) if one.isalnum()), None)
    return path if place is None else f"{path[:place]}[{path[place]}]{path[place + 1 :]}"


def _resolved(facts: Facts, paths: PlanPaths) -> list[str]:
    """The path that each bare name stands for; a name that the baseline does not know is one at the top."""
    names = facts.task.bare_names
    new = [name for name in paths.allow.bare if name not in paths.resolved and not names.get(name)]
    return [literal(path) for path in (*paths.resolved.values(), *new)]


def _approval(facts: Facts) -> LoggedEntry | None:
    """The human entry that approved exactly the plan in force, in a log that is intact."""
    term, log = facts.terms.plan_term, facts.task.log
    if not term.approved or log.integrity is not Outcome.PASSED:
        return None
    return next(
        (
            row
            for row in reversed(log.entries)
            if row.counted
            and (row.entry.kind, row.entry.verdict) == ("plan", "approved")
            and (row.entry.bound.plan or row.entry.subject.digest) == term.digest
        ),
        None,
    )
