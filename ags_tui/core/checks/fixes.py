"""What a fix changed, and whether it stayed inside the files that the review allows."""

import re
from collections.abc import Iterable

from ags_tui.core.assessment import ScopeReport
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Finding
from ags_tui.core.checks.terms import bare_paths, recorded_contract
from ags_tui.core.checks.trees import Tree, entries_of, paths_between, tree_in
from ags_tui.core.contracts.results import ImplementationResult
from ags_tui.core.contracts.review import ReviewResult
from ags_tui.core.digests import path_bytes
from ags_tui.core.globs import compile_patterns, normalise
from ags_tui.core.log_state import Observation

__all__ = ["FIX", "REVIEW", "answered", "check_fixes", "entries_of", "own_paths"]

FIX = "fix-result.json"
"""Artifact of the fixer."""
REVIEW = "review-result.json"
"""Artifact of the reviewer."""
_RESULTS = frozenset({"implementation-result.json", FIX, REVIEW})


def check_fixes(facts: Facts, scope: ScopeReport) -> tuple[Finding, ...]:
    """FIX_OUT_OF_BOUNDS: what each fix touched between the review before it and itself.

    A path counts only while it is not as the review saw it, belongs to no other task, and was not approved
    by a human at exactly its bytes.
    """
    findings: list[Finding] = []
    for fix in facts.task.log.observations:
        if fix.path == FIX and fix.valid:
            findings += _bounds(facts, scope, fix)
    return tuple(dict.fromkeys(findings))


def own_paths(facts: Facts, scope: ScopeReport, paths: Iterable[str]) -> tuple[str, ...]:
    """Paths that neither belong to another task nor were approved by a human at exactly their bytes.

    Args:
        facts: The task.
        scope: Its scope report.
        paths: As an observation writes them.
    """
    approved = {one.path for one in scope.paths if one.approved}
    named = (path_bytes(path).decode("utf-8", "surrogateescape") for path in paths)
    return tuple(
        path
        for path in named
        if path not in approved and facts.claims.other_owner(path, facts.task_id) is None
    )


def answered(fix: ImplementationResult | None, issue_id: str) -> bool:
    """Whether a fix names an issue in the reason of one of its files."""
    if fix is None:
        return False
    named = re.compile(rf"(?<![\w-]){re.escape(issue_id)}(?![\w-])")
    return any(named.search(file.reason) for file in fix.changed_files)


def _bounds(facts: Facts, scope: ScopeReport, fix: Observation) -> list[Finding]:
    before = [seen for seen in facts.task.log.observations if seen.path == REVIEW and seen.valid]
    review = next((seen for seen in reversed(before) if seen.sequence < fix.sequence), None)
    if review is None:
        return []
    start, end = _known_before(facts, review), _known_after(facts, fix)
    if start is None and end is not None and end.path == REVIEW:
        return []  # nobody saw the work before it, and a reviewer has looked at all that it left
    changed = paths_between(start or review, end or fix)
    if changed == ():
        return []
    document = _review_document(facts, review)
    if changed is None or document is None:
        what = "the review before it" if document is None else "what it touched"
        message = f"Nobody can say whether the fix stayed in bounds: {what} is not on record."
        return [Finding("FIX_OUT_OF_BOUNDS", message, artifact=FIX, next_action="human", unknown=True)]
    allowed = [pattern for required in document.required_fixes for pattern in required.allowed_files]
    patterns = compile_patterns(allowed, side="allow", ignore_case=facts.repo.ignore_case)
    then = tree_in(start or review) or {}
    now = _today(facts)
    still = [path for path in changed if then.get(path) != now.get(path)]
    outside = [
        path
        for path in own_paths(facts, scope, still)
        if patterns.match(path) is None and not _bare_match(facts, scope, patterns.bare, path)
    ]
    return [
        Finding("FIX_OUT_OF_BOUNDS", f"The fix touched {path}, which no required fix allows. Restore it.",
                artifact=FIX, path=path, next_action="human",
                unknown=facts.claims.proposer(path, facts.task_id) is not None)
        for path in outside
    ]  # fmt: skip


def _known_before(facts: Facts, review: Observation) -> Observation | None:
    """The review, or where nobody saw its tree, the last result before it whose tree was seen."""
    seen = [one for one in _with_tree(facts) if one.sequence <= review.sequence]
    return seen[-1] if seen else None


def _known_after(facts: Facts, fix: Observation) -> Observation | None:
    """The fix, or where nobody saw its tree, the next result whose tree was seen: it holds all of the fix."""
    return next((one for one in _with_tree(facts) if one.sequence >= fix.sequence), None)


def _with_tree(facts: Facts) -> list[Observation]:
    seen = facts.task.log.observations
    return [one for one in seen if one.path in _RESULTS and one.valid and one.tree_digest]


def _review_document(facts: Facts, review: Observation) -> ReviewResult | None:
    artifact = facts.task.files.artifacts.get(REVIEW)
    if artifact is not None and artifact.digest == review.digest:
        document = artifact.document
    else:
        document = recorded_contract(facts.task, review)
    return document if isinstance(document, ReviewResult) else None


def _today(facts: Facts) -> Tree:
    rows = entries_of(facts.changes) if facts.changes else None
    return {path: (mode, blob) for path, mode, blob in rows or ()}


def _bare_match(facts: Facts, scope: ScopeReport, bare: tuple[str, ...], path: str) -> bool:
    """Whether a bare name of ``allowedFiles`` stands for a path: as in the plan, on top, or the only one."""
    name = normalise(path.rpartition("/")[2])
    if name not in bare:
        return False
    known = facts.task.bare_names.get(name, ())
    if name in scope.resolved or known:
        stands_for = scope.resolved.get(name) or bare_paths({name: known}, [name]).get(name)
        return stands_for is not None and normalise(stands_for) == normalise(path)
    changed = [one.path for one in scope.paths if normalise(one.path.rpartition("/")[2]) == name]
    top = name in changed
    return path == name if top else len(changed) == 1
