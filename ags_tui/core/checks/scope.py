"""Scope: what git shows since the baseline, held against the plan in force.

Each changed path gets a class, and the classes a verdict. Both ends of a rename are paths of their own. What
another open task's approved plan names is never this task's fault (ownership-unknown), and what was dirty
before the task began and is still the same is nobody's. What this task did not plan and another open task's
plan names, though nobody approved that one, is ownership-unknown as well: neither red for a neighbour's work
nor ever green by a plan that an agent wrote for itself. What this task excludes stays excluded until a human
approved the other plan.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ags_tui.core.assessment import PathClass, PathVerdict, ScopeReport, Verdict
from ags_tui.core.checks.approved import EditDecision, amended_paths, covers, edit_decisions
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Basis, Finding, Severity
from ags_tui.core.checks.ground import check_ground
from ags_tui.core.checks.loosening import operations_of, policy_of
from ags_tui.core.checks.ownership import whose
from ags_tui.core.checks.plan_paths import PlanPaths, dependency_rule
from ags_tui.core.checks.stops import StopHit
from ags_tui.core.log_state import BaselineFile
from ags_tui.core.prose import is_dependency_file
from ags_tui.core.snapshot import Change

_PERHAPS_THEIRS = frozenset(
    {
        "UNPLANNED_FILE", "EXCLUDED_FILE", "FORBIDDEN_FILE", "FORBIDDEN_TEXT_MATCH", "DEPENDENCY_CHANGE",
        "PREEXISTING_OVERLAP",
    }
)  # fmt: skip
"""What a change may be wrong with only because another task made it."""
_OPEN = (PathClass.UNPLANNED, PathClass.PREEXISTING_OVERLAP, PathClass.OWNERSHIP_UNKNOWN)
"""Classes that need an approval."""
_SAID = {
    PathClass.OWNERSHIP_UNKNOWN: "of another task or unknown",
    PathClass.PREEXISTING_OVERLAP: "dirty before and changed",
    PathClass.PREEXISTING_UNTOUCHED: "dirty before start",
}
"""What a class is called in the reason of the verdict, where its name says too little."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The class of a path before approvals are looked at."""

    path_class: PathClass
    """The class."""
    why: str
    """The rule or fact behind it."""
    code: str = ""
    """Code of the finding; empty where nothing is wrong."""
    owner: str = ""
    """The other task whose plan names the path."""
    proposed: bool = False
    """Nobody approved the plan of that task."""
    named_by: str = ""
    """The other task whose plan names what is excluded here, though nobody approved that plan."""


@dataclass(frozen=True, slots=True, eq=False)
class ScopeRules:
    """All that decides about paths of one task."""

    facts: Facts
    """The task."""
    paths: PlanPaths
    """The plan in force."""
    before: Mapping[str, BaselineFile]
    """What was dirty at the baseline."""
    amended: frozenset[str]
    """Paths that a human allowed for the task."""
    edits: Mapping[str, tuple[EditDecision, ...]]
    """Human decisions about edits, by path."""
    stops: Mapping[str, StopHit]
    """Stop conditions that nobody has settled, by the path that they name."""
    dependencies: str | None
    """Sentence that forbids new dependencies."""

    def judge(self, path: str, change: Change | None = None) -> Judgement:
        """Class of a changed path, or of a path that somebody asks to change.

        A plan that nobody approved says something about changes that are there, nothing about wishes.
        """
        found = self._judge(path, change)
        if change is None or found.code not in _PERHAPS_THEIRS:
            return found
        other = self.facts.claims.proposer(path, self.facts.task_id)
        if other is None:
            return found
        claim = self.facts.claims.claim(other)
        proposed = claim is not None and not claim.finalized
        if found.path_class is PathClass.EXCLUDED:  # deny wide: no plan of an agent's own softens that
            return replace(found, named_by=other if proposed else "")
        why = whose(self.facts.claims, other)
        return Judgement(PathClass.OWNERSHIP_UNKNOWN, why, "OWNERSHIP_UNKNOWN", other, proposed)

    def _judge(self, path: str, change: Change | None) -> Judgement:
        dirty = self.before.get(path)
        if change is not None and dirty is not None and dirty.entry == change.new:
            return Judgement(PathClass.PREEXISTING_UNTOUCHED, "was like this before the task began")
        rule = self.paths.excluded(path)
        other = self.facts.claims.other_owner(path, self.facts.task_id)
        amended = self.paths.key(path) in self.amended and rule is None
        if other is not None and not amended:
            why = whose(self.facts.claims, other)
            return Judgement(PathClass.OWNERSHIP_UNKNOWN, why, "OWNERSHIP_UNKNOWN", other)
        if rule is not None:
            code = "FORBIDDEN_FILE" if rule.startswith("task.") else "EXCLUDED_FILE"
            return Judgement(PathClass.EXCLUDED, rule, code)
        if change is not None and (hidden := _unreadable(change)):
            return Judgement(PathClass.OWNERSHIP_UNKNOWN, hidden, "OWNERSHIP_UNKNOWN")
        if change is not None and change.link_escapes:
            target = f" to {change.link_target}" if change.link_target else ""
            return Judgement(PathClass.UNPLANNED, f"leads out of the work tree{target}", "LINK_ESCAPES")
        if amended:
            return Judgement(PathClass.IN_SCOPE, "a human allowed it for this task")
        if dirty is not None:
            return Judgement(
                PathClass.PREEXISTING_OVERLAP,
                "was already changed before the task began",
                "PREEXISTING_OVERLAP",
            )
        return self._planned(path, change)

    def _planned(self, path: str, change: Change | None) -> Judgement:
        prose = self._prose(path)
        if prose is not None:
            return prose
        rule = self.paths.allowed(path)
        if rule is None:
            return Judgement(PathClass.UNPLANNED, "not in plan.filesToEdit", "UNPLANNED_FILE")
        if change is not None and not _operation_allowed(self.paths, change):
            why = f"plan.allowedOperations does not contain {change.operation}"
            return Judgement(PathClass.UNPLANNED, why, "OPERATION_NOT_ALLOWED")
        return Judgement(PathClass.IN_SCOPE, f"plan.filesToEdit: {rule}")

    def _prose(self, path: str) -> Judgement | None:
        """What the sentences of task and plan say; an approved plan that names this very path settles it."""
        seen = self.facts.terms.plan_term.approved and self.paths.named(path)
        hit = None if seen else self.paths.forbidden_by(path)
        if hit is not None:
            return Judgement(PathClass.UNPLANNED, f"task.forbiddenChanges: {hit[1]}", "FORBIDDEN_TEXT_MATCH")
        if self.dependencies is not None and not seen and is_dependency_file(path):
            return Judgement(PathClass.UNPLANNED, self.dependencies, "DEPENDENCY_CHANGE")
        stop = self.stops.get(path)
        if stop is not None:
            return Judgement(PathClass.UNPLANNED, f"plan.stopConditions: {stop.sentence}", "STOP_CONDITION")
        return None


def scope_rules(facts: Facts, paths: PlanPaths | None, stops: tuple[StopHit, ...]) -> ScopeRules | None:
    """Gather what decides about paths; None without a plan."""
    if paths is None:
        return None
    return ScopeRules(
        facts=facts,
        paths=paths,
        before=facts.dirty_before,
        amended=frozenset(map(paths.key, amended_paths(facts))),
        edits=edit_decisions(facts),
        stops={path: hit for hit in stops if not hit.settled for path in hit.paths},
        dependencies=dependency_rule(facts.terms.task, facts.terms.plan),
    )


def check_scope(facts: Facts, rules: ScopeRules | None) -> ScopeReport:
    """Classify all changes and find the verdict (``formats.md`` §3)."""
    if rules is None:
        return ScopeReport(Verdict.NOT_APPLICABLE, reason="no plan")
    ground = check_ground(facts)
    verdicts: list[PathVerdict] = []
    findings: list[Finding] = list(ground)
    if facts.changes is not None:
        for change in facts.changes.entries:
            verdict, finding = _classify(rules, change)
            verdicts.append(verdict)
            if finding is not None:
                findings.append(finding)
        for verdict, finding in _undone(rules, {change.path for change in facts.changes.entries}):
            verdicts.append(verdict)
            findings.append(finding)
        verdicts.sort(key=lambda verdict: verdict.path)
    verdict = _verdict(bool(ground), verdicts, findings)
    return ScopeReport(
        verdict=verdict,
        paths=tuple(verdicts),
        findings=tuple(findings),
        resolved=rules.paths.resolved,
        reason=_reason(verdict, verdicts, ground),
    )


def _verdict(no_ground: bool, verdicts: list[PathVerdict], findings: list[Finding]) -> Verdict:
    if no_ground:
        return Verdict.INCONCLUSIVE
    if any(one.path_class is PathClass.EXCLUDED for one in verdicts):
        return Verdict.BLOCKED
    if any(one.path_class in _OPEN and not one.approved for one in verdicts) or any(
        finding.code == "MISSING_APPROVAL" for finding in findings
    ):
        return Verdict.NEEDS_APPROVAL
    return Verdict.PASS


def _classify(rules: ScopeRules, change: Change) -> tuple[PathVerdict, Finding | None]:
    judgement = rules.judge(change.path, change)
    approved = False
    decisions = rules.edits.get(rules.paths.key(change.path)) if rules.edits else None
    if decisions and judgement.path_class is not PathClass.EXCLUDED:
        digest = None
        if rules.facts.changes is not None and rules.facts.changes.target == "work-tree":
            digest = rules.facts.task.file_digests.get(change.path)
        approved = covers(decisions, change, digest)
    verdict = PathVerdict(
        change.path, judgement.path_class, judgement.why, change, approved, judgement.owner,
        judgement.proposed, judgement.named_by,
    )  # fmt: skip
    if judgement.code and not approved:
        return verdict, _finding(judgement, change.path)
    each = judgement.path_class is PathClass.IN_SCOPE and policy_of(rules.paths.plan) == "each-edit"
    if each and not approved and rules.paths.key(change.path) not in rules.amended:
        message = f"{change.path}: the plan asks for an approval of each edit. File a request or approve it."
        return verdict, Finding("MISSING_APPROVAL", message, path=change.path, next_action="human")
    return verdict, None


def _undone(rules: ScopeRules, changed: set[str]) -> list[tuple[PathVerdict, Finding]]:
    """Files that were dirty at the baseline and now are as in the baseline commit: that work is gone."""
    found: list[tuple[PathVerdict, Finding]] = []
    for path in rules.before.keys() - changed:
        if rules.paths.key(path) in rules.amended:
            continue
        other = rules.facts.claims.other_owner(path, rules.facts.task_id)
        why = "was changed before the task began and is undone now"
        kind = PathClass.PREEXISTING_OVERLAP if other is None else PathClass.OWNERSHIP_UNKNOWN
        code = "PREEXISTING_OVERLAP" if other is None else "OWNERSHIP_UNKNOWN"
        if other is not None:
            why = f"{whose(rules.facts.claims, other)}, and {why}"
        verdict = PathVerdict(path, kind, why, None, owner=other or "")
        found.append((verdict, _finding(Judgement(kind, why, code, other or ""), path, gone=True)))
    return found


def _unreadable(change: Change) -> str:
    """Why nobody can say what is in a changed path; empty where one can."""
    if change.unsettled:
        return f"its content could not be decided: {change.unsettled}"
    return "the submodule has changes of its own inside" if change.dirty_submodule else ""


def _operation_allowed(paths: PlanPaths, change: Change) -> bool:
    allowed = operations_of(paths.plan)
    if change.operation in allowed:
        return True
    if change.operation != "rename":
        return False
    return ("create" if change.old is None else "delete" if change.new is None else "update") in allowed


_MESSAGES = {
    "OWNERSHIP_UNKNOWN": "{path}: nobody can say what is in it ({why}). Settle that or restore it.",
    "EXCLUDED_FILE": "{path} is excluded ({why}). Restore it or ask for another plan.",
    "FORBIDDEN_FILE": "{path} is forbidden ({why}). Restore it.",
    "LINK_ESCAPES": "{path} {why}. Remove the link or approve it.",
    "PREEXISTING_OVERLAP": "{path} {why}. Look whose work it is; approve or restore it.",
    "UNPLANNED_FILE": "{path} is not in the plan. Approve, allow it for the task, or restore it.",
    "OPERATION_NOT_ALLOWED": "{path}: {why}. Approve or restore it.",
    "FORBIDDEN_TEXT_MATCH": "{path} may be what the task forbids ({why}). Approve it or plan again.",
    "DEPENDENCY_CHANGE": "{path} changes dependencies ({why}). Approve or restore it.",
    "STOP_CONDITION": "{path} meets a stop condition ({why}). Answer the question in the inbox.",
}
_TO_PLANNER = frozenset({"EXCLUDED_FILE", "FORBIDDEN_FILE", "FORBIDDEN_TEXT_MATCH"})
_DECLARED = frozenset({"FORBIDDEN_TEXT_MATCH", "STOP_CONDITION"})


_UNDONE = "{path} {why}. Look whose work it was and restore it."
"""What was undone is in no file any more, so that nothing of it can be approved."""


def _finding(judgement: Judgement, path: str, *, gone: bool = False) -> Finding:
    message = (_UNDONE if gone else _MESSAGES[judgement.code]).format(path=path, why=judgement.why)
    if judgement.owner and not gone:  # the gate says it again once it is known what else is open
        message = f"{path} {judgement.why}."
    if judgement.named_by and not gone:
        message += (
            f" The plan of task {judgement.named_by}, which nobody approved, names it: approve that plan (a) "
            "if this is its work."
        )
    return Finding(
        code=judgement.code,
        message=message,
        severity=Severity.ERROR,
        path=path,
        next_action="planner" if judgement.code in _TO_PLANNER else "human",
        basis=Basis.OBSERVED,
        unknown=judgement.code == "OWNERSHIP_UNKNOWN",
    )


def _reason(verdict: Verdict, verdicts: list[PathVerdict], ground: tuple[Finding, ...]) -> str:
    """One line for the verdict."""
    if verdict is Verdict.INCONCLUSIVE:
        return ground[0].message
    counts = [
        (sum(one.path_class is PathClass.IN_SCOPE for one in verdicts), "in plan"),
        (sum(one.approved and one.path_class in _OPEN for one in verdicts), "approved"),
    ]
    counts += [
        (sum(one.path_class is kind and not one.approved for one in verdicts), _SAID.get(kind, kind.value))
        for kind in (*_OPEN, PathClass.EXCLUDED, PathClass.PREEXISTING_UNTOUCHED)
    ]
    return ", ".join(f"{count} {words}" for count, words in counts if count) or "nothing changed"
