"""Which task may have made a change: the human-approved plans of all tasks that share a work tree."""

from collections.abc import Iterable
from dataclasses import dataclass

from ags_tui.core.checks.findings import Outcome
from ags_tui.core.checks.terms import Terms, bare_paths
from ags_tui.core.globs import PatternSet, compile_patterns, normalise
from ags_tui.core.pattern_walk import WILD, fold
from ags_tui.core.snapshot import TaskSnapshot


@dataclass(frozen=True, slots=True)
class Claim:
    """The paths of one human-approved plan."""

    task_id: str
    """Whose plan."""
    plan_digest: str
    """Digest of the plan."""
    patterns: tuple[str, ...]
    """Its ``filesToEdit``."""
    resolved: tuple[str, ...]
    """Paths that its bare names stand for."""


class Claims:
    """All claims on a work tree, looked up by path."""

    def __init__(self, claims: Iterable[Claim], *, ignore_case: bool) -> None:
        """Index the claims; equal claims make equal keys."""
        self.claims = tuple(sorted(claims, key=lambda claim: claim.task_id))
        self.ignore_case = ignore_case
        self._literal: dict[str, list[str]] = {}
        self._wild: list[tuple[str, PatternSet]] = []
        self._memo: dict[str, tuple[str, ...]] = {}
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

    def owners(self, path: str) -> tuple[str, ...]:
        """Ids of the tasks whose approved plan names a path."""
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


NO_CLAIMS = Claims((), ignore_case=False)
"""Nobody else works here."""


def claim_of(task: TaskSnapshot, terms: Terms) -> Claim | None:
    """What a task claims: nothing without a human-approved plan, nothing once closed but not finalized."""
    log = task.log
    gone = log.closed is not None and log.finalized is None
    if gone or terms.plan is None or not terms.plan_term.approved or log.integrity is not Outcome.PASSED:
        return None
    named = terms.plan.files_to_edit
    resolved = bare_paths(task.bare_names, named) | dict(terms.plan_term.resolved or {})
    return Claim(
        task_id=task.task_id,
        plan_digest=terms.plan_term.digest,
        patterns=terms.plan.files_to_edit,
        resolved=tuple(sorted(path for name, path in resolved.items() if name in named)),
    )
