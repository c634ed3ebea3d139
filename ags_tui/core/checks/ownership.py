"""What is said about changes of other tasks in a shared work tree: whose, what to do, what yes means.

This is the one source of these words: the head, the scope, the gate, the findings, the inbox and the commands
show what is made here.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from ags_tui.core.assessment import (
    Condition,
    PathClass,
    PathVerdict,
    ScopeReport,
    Shared,
    SharedStep,
    Verdict,
)
from ags_tui.core.checks.claims import Claims
from ags_tui.core.checks.findings import Finding, Outcome
from ags_tui.core.sharing import held
from ags_tui.core.wording import condition_label, listed

LAST_RUNGS = frozenset({"scope", "evidence"})
"""Conditions that only the human can settle: once no other is open, other tasks' paths are asked about."""


def whose(claims: Claims, owner: str) -> str:
    """Say whose a path is, as the predicate of a sentence about it."""
    claim = claims.claim(owner)
    if claim is not None and claim.finalized:
        return f"belongs to task {owner}, which a human finalized"
    if claim is None or claim.approved:
        return f"belongs to task {owner}, whose plan a human approved"
    return f"is named by the plan of task {owner}, which nobody approved"


def yes_means(owner: str, *, there: bool) -> str:
    """Say what an approval of another task's path means here.

    Args:
        owner: The other task.
        there: The change is there already; else an agent of this task asks to make one.
    """
    if there:
        return f"Yes means that it may stay as it is now; it remains the work of {owner}."
    return f"Yes means that this task may make this edit in a file of {owner}, and that the edit may stay."


def may_be_theirs(owner: str) -> str:
    """Say of a path in a request that another task's plan names it, though nobody approved that plan."""
    return f"The plan of task {owner}, which nobody approved, names this path, too."


def shared_changes(
    scope: ScopeReport, open_rungs: Collection[str], askable: Collection[str]
) -> tuple[Shared, ...]:
    """Group what holds a task only because other tasks share its work tree, by owner and by what is to do.

    Args:
        scope: The scope check.
        open_rungs: Names of the open conditions of the gate.
        askable: Paths that the inbox may ask about.
    """
    groups: dict[_Group, list[str]] = {}
    for one in scope.paths:
        if one.path_class is PathClass.OWNERSHIP_UNKNOWN and one.owner and not one.approved:
            step = _step(one, open_rungs, askable)
            groups.setdefault(_Group(one.owner, one.why, step), []).append(one.path)
    missing = ", ".join(condition_label(name) for name in open_rungs if name not in LAST_RUNGS)
    return tuple(
        Shared(
            group.owner,
            tuple(paths),
            group.step,
            _sentence(group, paths, missing),
            _short(group, paths, missing),
        )
        for group, paths in groups.items()
    )


class _Group(NamedTuple):
    """What is alike of several paths."""

    owner: str
    why: str
    step: SharedStep


def _step(one: PathVerdict, open_rungs: Collection[str], askable: Collection[str]) -> SharedStep:
    if one.proposed:
        return SharedStep.PLAN
    if one.path not in askable:
        return SharedStep.RESTORE
    return SharedStep.NOW if set(open_rungs) <= LAST_RUNGS else SharedStep.LATER


def _sentence(group: _Group, paths: list[str], missing: str) -> str:
    """Say whose the paths are, what the human does now, and what yes means."""
    several = len(paths) > 1
    it, them = ("they", "them") if several else ("it", "it")
    belong, remain, are = ("belong", "remain", "are") if several else ("belongs", "remains", "is")
    then = {
        SharedStep.PLAN: (
            f"Approve that plan in the inbox (a) if this is its work: yes means that {it} {belong} to "
            f"{group.owner}. Else restore {them}."
        ),
        SharedStep.LATER: (
            f"Nothing to press yet: you are asked once the rest of this task holds ({missing}). Yes will "
            f"mean that {it} may stay and {remain} the work of {group.owner}."
        ),
        SharedStep.NOW: (
            f"Decide in the inbox (a): yes means that {it} may stay as {it} {are} now and {remain} the work "
            f"of {group.owner}."
        ),
        SharedStep.RESTORE: f"Nobody can approve that here: restore {them}.",
    }[group.step]
    return f"{listed(paths)} {_agreeing(group.why, several)}. {then}"


def _short(group: _Group, paths: list[str], missing: str) -> str:
    """Say the same in half a line."""
    them = "them" if len(paths) > 1 else "it"
    then = {
        SharedStep.PLAN: f"approve that plan (a) or restore {them}",
        SharedStep.LATER: f"nothing to press until the rest holds ({missing})",
        SharedStep.NOW: f"say in the inbox (a) whether {'they' if len(paths) > 1 else 'it'} may stay",
        SharedStep.RESTORE: f"restore {them}",
    }[group.step]
    return f"{listed(paths, 1)} {_agreeing(group.why, len(paths) > 1)}: {then}."


def _agreeing(why: str, several: bool) -> str:
    """The words about an owner, in the plural where they are about several paths."""
    if several:
        for one, many in (("belongs ", "belong "), ("is named ", "are named ")):
            if why.startswith(one):
                return many + why.removeprefix(one)
    return why


def said_in_gate(
    condition: Condition, scope: ScopeReport, rows: Iterable[Condition], askable: Collection[str]
) -> Condition:
    """Word the scope condition once it is known what else is open.

    Args:
        condition: The scope condition.
        scope: The scope check.
        rows: All conditions.
        askable: Paths that the inbox may ask about.
    """
    open_rungs = tuple(one.name for one in rows if one.outcome in (Outcome.FAILED, Outcome.UNKNOWN))
    shared = shared_changes(scope, open_rungs, askable)
    if not shared:
        return condition
    by_path = {path: one for one in shared for path in one.paths}
    findings = tuple(_said(one, by_path) for one in condition.findings)
    theirs = scope.verdict is Verdict.NEEDS_APPROVAL and {one.path for one in held(scope)} <= by_path.keys()
    reason = " ".join(one.short for one in shared) if theirs else condition.reason
    return replace(condition, findings=findings, reason=reason, shared=shared)


def _said(finding: Finding, by_path: Mapping[str, Shared]) -> Finding:
    one = by_path.get(finding.path or "") if finding.code == "OWNERSHIP_UNKNOWN" else None
    if one is None:
        return finding
    return replace(
        finding, message=one.text, next_action="" if one.step is SharedStep.LATER else finding.next_action
    )
