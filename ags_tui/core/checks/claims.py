"""Which task may have made a change: what the plans of all tasks that share a work tree name.

A human-approved plan owns its paths. A plan that nobody approved owns nothing: an agent could write one to
launder what strayed. It only says that a change which this task did not plan may be somebody else's.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ags_tui.core.checks.findings import Outcome
from ags_tui.core.checks.terms import Terms, bare_paths
from ags_tui.core.globs import PatternSet, compile_patterns, normalise
from ags_tui.core.pattern_walk import WILD, fold
from ags_tui.core.snapshot import TaskSnapshot


@dataclass(frozen=True, slots=True)
class Claim:
    """The paths of one plan."""

    task_id: str
    """Whose plan."""
    plan_digest: str
    """Digest of the plan."""
    patterns: tuple[str, ...]
    """Its ``filesToEdit``."""
    resolved: tuple[str, ...]
    """Paths that its bare names stand for."""
    approved: bool = True
    """A human approved it; else the plan of an open task only proposes to be the owner."""
    finalized: bool = False
    """A human finalized its task."""


class Claims:
    """All claims on a work tree, looked up by path."""

    def __init__(self, claims: Iterable[Claim], *, ignore_case: bool) -> None:
        """Index the claims; equal claims make equal keys."""
        self.claims = tuple(sorted(claims, key=lambda claim: claim.task_id))
        self.ignore_case = ignore_case
        self._literal: dict[str, list[str]] = {}
        self._wild: list[tuple[str, PatternSet]] = []
        self._memo: dict[str, tuple[str, ...]] = {}
        self._by_task = {claim.task_id: claim for claim in self.claims}
        for claim in self.claims:
            self._add(claim)

    def _add(self, claim: Claim) -> None:
        wild = [pattern for pattern in claim.patterns if WILD.search(pattern) or pattern.endswith("/")]
        for path in (*claim.patterns, *claim.resolved):
            if (path not in wild and "/" in path) or path in claim.resolved:
                self._literal.setdefault(self._key(path), []).append(claim.task_id)
        if wild:
            compiled = compile_patterns(wild, side="allow", ignore_case=self.ignore_case)
            self._wild.append((claim.task_id, compiled))

    def _key(self, path: str) -> str:
        return fold(normalise(path)) if self.ignore_case else normalise(path)

    def claim(self, task_id: str) -> Claim | None:
        """What a task claims."""
        return self._by_task.get(task_id)

    def owners(self, path: str) -> tuple[str, ...]:
        """Ids of the tasks whose approved plan names a path."""
        return tuple(one for one in self._named(path) if self._by_task[one].approved)

    def _named(self, path: str) -> tuple[str, ...]:
        """Ids of the tasks whose plan names a path, approved or not."""
        found = self._memo.get(path)
        if found is None:
            literal = self._literal.get(self._key(path), [])
            wild = [task_id for task_id, patterns in self._wild if patterns.match(path)]
            found = self._memo[path] = tuple(dict.fromkeys([*literal, *wild]))
        return found

    def other_owner(self, path: str, task_id: str) -> str | None:
        """The first task but the given one whose approved plan names a path."""
        if not self.claims:
            return None
        return next((owner for owner in self.owners(path) if owner != task_id), None)

    def proposer(self, path: str, task_id: str) -> str | None:
        """The first task but the given one whose plan names a path and was approved by nobody.

        None where the given task's own plan names the path, too: nobody takes what it planned away from it.
        """
        if not self.claims:
            return None
        named = self._named(path)
        if task_id in named:
            return None
        return next((one for one in named if not self._by_task[one].approved), None)

    def agrees(self, other: "Claims", paths: Iterable[str]) -> bool:
        """Whether both say the same of some paths, and the same claims are approved in both."""
        if self.ignore_case != other.ignore_case or self._approved() != other._approved():
            return False
        return all(self._answer(path) == other._answer(path) for path in paths)

    def _approved(self) -> tuple[Claim, ...]:
        return tuple(claim for claim in self.claims if claim.approved)

    def _answer(self, path: str) -> list[tuple[str, bool]]:
        return [(one, self._by_task[one].finalized) for one in self._named(path)]

    def foreign(self, path: str, task_id: str) -> str | None:
        """The other task that a change may belong to, whether its plan was approved or not."""
        return self.other_owner(path, task_id) or self.proposer(path, task_id)


NO_CLAIMS = Claims((), ignore_case=False)
"""Nobody else works here."""


def claim_of(task: TaskSnapshot, terms: Terms) -> Claim | None:
    """What a task claims: nothing without a valid plan in force, nothing once closed but not finalized.

    A plan that a human denied proposes nothing, nor does one whose file cannot be read now.
    """
    log, term = task.log, terms.plan_term
    gone = log.closed is not None and log.finalized is None
    if gone or terms.plan is None or log.integrity is not Outcome.PASSED:
        return None
    if not term.approved and (term.denied is not None or term.current is None):
        return None
    named = terms.plan.files_to_edit
    resolved = bare_paths(task.bare_names, named) | dict(terms.plan_term.resolved or {})
    return Claim(
        task_id=task.task_id,
        plan_digest=terms.plan_term.digest,
        patterns=terms.plan.files_to_edit,
        resolved=tuple(sorted(path for name, path in resolved.items() if name in named)),
        approved=term.approved,
        finalized=log.finalized is not None,
    )
