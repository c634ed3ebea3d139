"""The plan in force as questions about paths: is it planned, is it excluded, what does the prose say."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Basis, Finding, Severity
from ags_tui.core.checks.sentences import Sentences, sentences_of
from ags_tui.core.checks.terms import PLAN, bare_paths
from ags_tui.core.contracts.plan import AgentPlan
from ags_tui.core.contracts.task import AgentTask
from ags_tui.core.globs import PatternProblem, PatternSet, compile_patterns, normalise
from ags_tui.core.pattern_walk import WILD, fold
from ags_tui.core.prose import names_dependencies

_PATHLIKE = re.compile(r"\S*[./*?\[]\S*")


@dataclass(frozen=True, slots=True, eq=False)
class PlanPaths:
    """The paths of one plan, compiled."""

    plan: AgentPlan
    """The plan."""
    allow: PatternSet
    """``filesToEdit``."""
    deny: PatternSet
    """``filesNotToEdit``."""
    forbidden: PatternSet
    """Entries of the task's ``forbiddenChanges`` that are paths or patterns."""
    prose: Sentences
    """The other entries."""
    resolved: Mapping[str, str]
    """Bare names and the one path each stands for."""
    keys: Mapping[str, str]
    """Bare names by the path they stand for, in the form that is compared."""
    ignore_case: bool
    """``core.ignoreCase``."""
    findings: tuple[Finding, ...]
    """What is wrong with the patterns."""

    def allowed(self, path: str) -> str | None:
        """The entry of ``filesToEdit`` that allows a path."""
        return self.allow.match(path) or (self.keys.get(self.key(path)) if self.keys else None)

    def excluded(self, path: str) -> str | None:
        """The rule that excludes a path, such as ``plan.filesNotToEdit: DesignSystem/**``."""
        rule = self.deny.match(path)
        if rule is not None:
            return f"plan.filesNotToEdit: {rule}"
        rule = self.forbidden.match(path) if self.forbidden.patterns else None
        return None if rule is None else f"task.forbiddenChanges: {rule}"

    def named(self, path: str) -> bool:
        """Whether the plan names exactly this path, so that whoever approved it saw it."""
        rule = self.allowed(path)
        return rule is not None and not WILD.search(rule) and not rule.endswith("/")

    def forbidden_by(self, path: str) -> tuple[int, str] | None:
        """Position and words of the first prohibition in prose that names a path."""
        return self.prose.first(path)

    def key(self, path: str) -> str:
        """A path in the form that is compared."""
        return _key(path, self.ignore_case)


def plan_paths(facts: Facts, plan: AgentPlan | None = None) -> PlanPaths | None:
    """Compile a plan.

    Args:
        facts: The task.
        plan: Another plan than the one in force, such as a wider one that waits.

    Returns:
        None where there is no plan.
    """
    in_force = facts.terms.plan
    chosen = plan or in_force
    if chosen is None:
        return None
    ignore_case = facts.repo.ignore_case
    allow = compile_patterns(chosen.files_to_edit, side="allow", ignore_case=ignore_case)
    deny = compile_patterns(chosen.files_not_to_edit, side="deny", ignore_case=ignore_case)
    paths, prose = _prohibitions(facts.terms.task.forbidden_changes if facts.terms.task else ())
    kept = facts.terms.plan_term.resolved if chosen is in_force else None
    resolved, ambiguous = _resolve(facts, allow.bare, kept or {}) if allow.bare else ({}, {})
    found = (*_problems(allow, "filesToEdit"), *_problems(deny, "filesNotToEdit"))
    return PlanPaths(
        plan=chosen,
        allow=allow,
        deny=deny,
        forbidden=compile_patterns(paths, side="deny", ignore_case=ignore_case),
        prose=prose,
        resolved=resolved,
        keys={_key(path, ignore_case): name for name, path in resolved.items()},
        ignore_case=ignore_case,
        findings=(*found, *(_ambiguous(chosen, name, several) for name, several in ambiguous.items())),
    )


def dependency_rule(task: AgentTask | None, plan: AgentPlan | None) -> str | None:
    """The first sentence of the terms in force that speaks of dependencies."""
    for name, sentences in (
        ("task.forbiddenChanges", task.forbidden_changes if task else ()),
        ("plan.stopConditions", plan.stop_conditions if plan else ()),
    ):
        for sentence in sentences:
            if _names_dependencies(sentence):
                return f"{name}: {sentence}"
    return None


_names_dependencies = lru_cache(maxsize=4096)(names_dependencies)


@lru_cache(maxsize=4096)
def _prohibitions(entries: tuple[str, ...]) -> tuple[tuple[str, ...], Sentences]:
    """Split prohibitions into paths or patterns, and prose."""
    paths = tuple(entry for entry in entries if _PATHLIKE.fullmatch(entry))
    return paths, sentences_of(tuple("" if entry in paths else entry for entry in entries))


def _key(path: str, ignore_case: bool) -> str:
    return fold(normalise(path)) if ignore_case else normalise(path)


def _resolve(
    facts: Facts, bare: tuple[str, ...], kept: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Resolve bare names: as shown at the approval, else in the baseline tree, else among the new files."""
    names = facts.task.bare_names
    resolved = {name: path for name, path in {**bare_paths(names, bare), **kept}.items() if name in bare}
    ambiguous = {name: names[name] for name in bare if len(names.get(name, ())) > 1 and name not in resolved}
    missing = [name for name in bare if not names.get(name) and name not in resolved]
    if not missing or facts.changes is None:
        return resolved, ambiguous
    before = facts.dirty_before
    created: dict[str, list[str]] = {}
    for change in facts.changes.entries:
        if change.old is None and change.new is not None and change.path not in before:
            name = normalise(change.path.rpartition("/")[2])
            created.setdefault(fold(name) if facts.repo.ignore_case else name, []).append(change.path)
    for name in missing:
        found = created.get(fold(name) if facts.repo.ignore_case else name, [])
        top = [path for path in found if "/" not in path]
        if len(found) == 1 or top:
            resolved[name] = (top or found)[0]
        elif found:
            ambiguous[name] = tuple(found)
    return resolved, ambiguous


def _problems(patterns: PatternSet, field: str) -> tuple[Finding, ...]:
    return tuple(_problem(problem, patterns.side, field) for problem in patterns.problems)


def _problem(problem: PatternProblem, side: str, field: str) -> Finding:
    """A pattern that allows nothing by mistake is a nuisance; one that excludes nothing is a hole."""
    harmless = side == "allow" and problem.code == "DEAD_PATTERN"
    return Finding(
        code=problem.code,
        message=f"{field} {problem.pattern!r}: {problem.message}.",
        severity=Severity.WARNING if harmless else Severity.ERROR,
        artifact=PLAN,
        field=f"{field}.{problem.index}",
        next_action="planner",
        basis=Basis.DECLARED,
    )


def _ambiguous(plan: AgentPlan, name: str, several: tuple[str, ...]) -> Finding:
    index = next((n for n, one in enumerate(plan.files_to_edit) if normalise(one) == normalise(name)), 0)
    shown = ", ".join(several[:3]) + (" …" if len(several) > 3 else "")
    return Finding(
        code="AMBIGUOUS_PATTERN",
        message=f"{name} could be {shown}, so it allows none. Write the whole path in filesToEdit.",
        artifact=PLAN,
        field=f"filesToEdit.{index}",
        next_action="planner",
    )
