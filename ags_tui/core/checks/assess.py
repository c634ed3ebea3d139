"""Runs all checks: a snapshot comes in, an assessment comes out; what did not change is the same object."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

from ags_tui.core.approvals import CLOCK_TOLERANCE
from ags_tui.core.assessment import (
    Assessment,
    GateReport,
    Pending,
    PendingKind,
    ScopeReport,
    StageName,
    StageState,
    TaskAssessment,
    Verdict,
)
from ags_tui.core.checks.claims import Claim, Claims, claim_of
from ags_tui.core.checks.facts import Facts, facts_of
from ags_tui.core.checks.findings import Finding, Outcome, Severity
from ags_tui.core.checks.frozen import frozen_assessment, title_of
from ags_tui.core.checks.gate import check_gate
from ags_tui.core.checks.ground import pending_baseline
from ags_tui.core.checks.late import LateAssessment, LateParts
from ags_tui.core.checks.parts import Parts, check_all
from ags_tui.core.checks.questions import (
    error_items,
    finalize_item,
    path_items,
    plan_items,
    retry_items,
    stop_items,
)
from ags_tui.core.checks.reading import finding_of
from ags_tui.core.checks.request_items import task_risk
from ags_tui.core.checks.risk import highest, rank
from ags_tui.core.checks.stages import check_stages
from ags_tui.core.checks.terms import Terms, terms_of
from ags_tui.core.checks.theirs import wanted_plans, with_plan_asked
from ags_tui.core.checks.trees import tree_in
from ags_tui.core.checks.workflow import RunRow
from ags_tui.core.digests import PREFIX
from ags_tui.core.log_entries import path_of
from ags_tui.core.snapshot import Snapshot, TaskSnapshot


def assess(snapshot: Snapshot, now: datetime) -> Assessment:
    """Assess a whole snapshot once; keep an :class:`Assessor` to assess again and again.

    Args:
        snapshot: Everything read at one instant.
        now: The wall clock, UTC.
    """
    return Assessor().assess(snapshot, now)


def assess_task(
    task: TaskSnapshot, snapshot: Snapshot, now: datetime, claims: Claims | None = None
) -> TaskAssessment:
    """Assess one task.

    Args:
        task: The task.
        snapshot: Where it comes from: repository, policy, and the other tasks where ``claims`` is not given.
        now: The wall clock, UTC.
        claims: Paths that human-approved plans name.
    """
    return _assess(task, _alone(snapshot), now, claims or claims_of(snapshot, now), None)[0]


def claims_of(snapshot: Snapshot, now: datetime) -> Claims:
    """Collect what the human-approved plans of all tasks name."""
    ignore_case = snapshot.repo.ignore_case
    found = (claim_of(task, terms_of(task, now, ignore_case=ignore_case)) for task in snapshot.tasks)
    return Claims([claim for claim in found if claim is not None], ignore_case=ignore_case)


LAST_RUNGS = {4, 8}
"""Conditions that only the human can settle: scope and sentences to attest."""

_GATE = list(StageName).index(StageName.GATE)


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """What was made of a task, and how long it holds."""

    task: TaskSnapshot
    around: tuple[object, ...]
    claims: Claims
    made: datetime
    until: datetime | None
    result: TaskAssessment

    def holds(self, task: TaskSnapshot, around: tuple[object, ...], claims: Claims, now: datetime) -> bool:
        return (
            self.task is task
            and (self.claims is claims or self._nothing_new(claims))
            and self.made <= now
            and (self.until is None or now < self.until)
            and self.around == around
        )

    def _nothing_new(self, claims: Claims) -> bool:
        """Whether plans of other tasks, as far as they differ now, name nothing that concerns this task."""
        paths = {item.path for item in self.result.pending if item.path is not None}
        paths.update(one.path for one in (self.task.changes.entries if self.task.changes else ()))
        for seen in self.task.log.observations:
            paths.update(path_of(path) for path in tree_in(seen) or ())
        return self.claims.agrees(claims, paths)


@dataclass(frozen=True, slots=True, eq=False)
class _KeptTerms:
    task: TaskSnapshot
    ignore_case: bool
    made: datetime
    until: datetime | None
    terms: Terms
    claim: Claim | None


class Assessor:
    """Assesses snapshot after snapshot and computes again only what can have become different.

    A task is assessed again where its snapshot is another object, where repository facts, policy or other
    tasks' approved plans differ, or where the time has passed at which something in it expires. HEAD is not
    among the facts: a commit of the same bytes changes nothing. Not for several threads at once.
    """

    def __init__(self) -> None:
        """Start without any memory."""
        self._tasks: dict[str, _Kept] = {}
        self._terms: dict[str, _KeptTerms] = {}
        self._claims = Claims((), ignore_case=False)
        self._wanted: dict[str, tuple[TaskAssessment, tuple[str, ...], TaskAssessment]] = {}
        self._last: Assessment | None = None

    def assess(self, snapshot: Snapshot, now: datetime) -> Assessment:
        """Assess a snapshot; equal parts of the last assessment are the same objects."""
        claims = self._claims_now(snapshot, now)
        around, alone = _around(snapshot), _alone(snapshot)
        kept: dict[str, _Kept] = {}
        for task in snapshot.tasks:
            old = self._tasks.get(task.task_id)
            if old is None or not old.holds(task, around, claims, now):
                terms = self._terms[task.task_id].terms
                result, until = _assess(task, alone, now, claims, terms)
                old = _Kept(task, around, claims, now, until, result)
            kept[task.task_id] = old
        self._tasks = kept
        self._terms = {task_id: self._terms[task_id] for task_id in kept}
        tasks = self._with_wanted(kept, alone, claims, now)
        findings = _global(snapshot)
        last = self._last
        if last is not None and _same(last.tasks, tasks) and last.findings == findings:
            return last
        pending = sorted((item for task in tasks for item in task.pending), key=urgency)
        self._last = Assessment(tasks, tuple(pending), findings)
        return self._last

    def _with_wanted(
        self, kept: dict[str, _Kept], alone: Snapshot, claims: Claims, now: datetime
    ) -> tuple[TaskAssessment, ...]:
        """Put plans into the inbox that nobody must approve but for the sake of other tasks."""
        wanted = wanted_plans(one.result for one in kept.values())
        results = {task_id: one.result for task_id, one in kept.items()}
        asked: dict[str, tuple[TaskAssessment, tuple[str, ...], TaskAssessment]] = {}
        for task_id in wanted.keys() & results.keys():
            base, why = results[task_id], wanted[task_id]
            old = self._wanted.get(task_id)
            if old is None or old[0] is not base or old[1] != why:
                terms = self._terms[task_id].terms
                facts = facts_of(base.task, alone, now, claims=claims, terms=terms)
                old = (base, why, with_plan_asked(base, facts, why))
            asked[task_id] = old
            results[task_id] = old[2]
        self._wanted = asked
        return tuple(results.values())

    def _claims_now(self, snapshot: Snapshot, now: datetime) -> Claims:
        ignore_case = snapshot.repo.ignore_case
        found: list[Claim] = []
        for task in snapshot.tasks:
            old = self._terms.get(task.task_id)
            fresh = (
                old is not None and old.task is task and old.ignore_case == ignore_case and old.made <= now
            )
            if old is None or not fresh or (old.until is not None and now >= old.until):
                terms = terms_of(task, now, ignore_case=ignore_case)
                until = min((end for end in terms.instants if end > now), default=None)
                old = _KeptTerms(task, ignore_case, now, until, terms, claim_of(task, terms))
                self._terms[task.task_id] = old
            if old.claim is not None:
                found.append(old.claim)
        claims = tuple(sorted(found, key=lambda claim: claim.task_id))
        if claims != self._claims.claims or ignore_case != self._claims.ignore_case:
            self._claims = Claims(claims, ignore_case=ignore_case)
        return self._claims


def urgency(item: Pending) -> tuple[int, datetime, str, str]:
    """Sort key of the inbox: highest risk first, then the oldest."""
    return (-rank(item.risk), item.first_seen, item.task_id, item.item_id)


def _around(snapshot: Snapshot) -> tuple[object, ...]:
    """What an assessment of a task depends on beside the task; HEAD and branch are not among it."""
    repo = snapshot.repo
    return (
        repo.top, repo.operation, repo.conflicts, repo.ignore_case, dict(repo.hiding), repo.hidden_bits,
        repo.unknown, snapshot.policy,
    )  # fmt: skip


def _alone(snapshot: Snapshot) -> Snapshot:
    """A snapshot without its tasks: what is kept of an assessment must not keep all others of its time."""
    return replace(snapshot, tasks=(), work_tree=None)


def _same(one: tuple[TaskAssessment, ...], other: tuple[TaskAssessment, ...]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def _global(snapshot: Snapshot) -> tuple[Finding, ...]:
    findings = [finding_of(problem) for problem in (*snapshot.problems, *snapshot.policy.problems)]
    findings += [
        Finding("FOREIGN_DECISION", alarm, Severity.WARNING, next_action="human") for alarm in snapshot.alarms
    ]
    if snapshot.git_unknown:
        message = f"Git cannot answer: {snapshot.git_unknown}. See ags-tui doctor."
        findings.append(Finding("GIT_UNKNOWN", message, next_action="human", unknown=True))
    return tuple(findings)


def _assess(
    task: TaskSnapshot, around: Snapshot, now: datetime, claims: Claims, terms: Terms | None
) -> tuple[TaskAssessment, datetime | None]:
    """Assess one task and say until when the result holds."""
    if task.log.frozen and task.log.integrity is Outcome.PASSED:
        return frozen_assessment(
            task, terms or terms_of(task, now, ignore_case=around.repo.ignore_case)
        ), None
    facts = facts_of(task, around, now, claims=claims, terms=terms)
    parts = check_all(facts)

    def work_out() -> LateParts:
        gate = check_gate(facts, parts)
        digest = assessment_digest(facts, parts.scope, gate, parts.runs)
        return LateParts(gate, tuple(dict.fromkeys(_findings(parts, gate))), digest)

    late = LateAssessment.of(task, work_out)
    late.settle(
        title=title_of(facts.terms, task),
        scope=parts.scope,
        requests=tuple(row.status for row in parts.requests),
        risk=task_risk(facts),
        runs=parts.runs,
        stages=check_stages(facts, parts, lambda: late.gate),
    )
    late.settle(pending=_pending(facts, parts, late))
    return late, _until(facts, parts)


def assessment_digest(
    facts: Facts, scope: ScopeReport, gate: GateReport, runs: tuple[RunRow, ...] = ()
) -> str:
    """Digest over outcomes, what holds the task, the tree and the receipts of its AGS runs.

    A finalization is bound to it. Neither HEAD nor the time nor the wording of messages is part of it.
    """
    rows: list[object] = [
        facts.task_id,
        facts.tree,
        facts.terms.task_term.digest,
        facts.terms.plan_term.digest,
        scope.verdict.value,
        [[one.path, one.path_class.value, one.approved] for one in scope.paths],
        [[row.number, row.outcome.value] for row in gate.conditions],
        [[one.prose_id, one.digest, one.outcome.value, one.basis.value] for one in gate.prose],
    ]
    held = {
        (one.code, one.artifact, one.field, one.path or "", one.unknown)
        for row in gate.conditions
        for one in row.findings
        if one.unknown or one.severity is Severity.ERROR
    }
    rows.append(sorted(held))
    if runs:
        rows.append([[row.run_id, row.digest] for row in runs])
    return PREFIX + sha256(ascii(rows).encode()).hexdigest()


def _findings(parts: Parts, gate: GateReport) -> Iterable[Finding]:
    for row in gate.conditions:
        yield from row.findings
    if not any(row.number == 4 and row.findings for row in gate.conditions):
        yield from parts.scope.findings


def _pending(facts: Facts, parts: Parts, late: TaskAssessment) -> tuple[Pending, ...]:
    plans = plan_items(facts, parts.plan, parts.paths)
    asked = [row.pending for row in parts.requests if row.pending is not None]
    items = [*_joined(plans, asked)] if plans else asked
    items += stop_items(facts, parts.stops)
    items += retry_items(facts, parts.tries)
    items += error_items(facts)
    if parts.scope.verdict is Verdict.NEEDS_APPROVAL:
        items += path_items(facts, parts.scope, foreign=_open(late) <= LAST_RUNGS)
    baseline = pending_baseline(facts)
    items += [baseline] if baseline else []
    wishes = [one for one in items if one.kind is PendingKind.FINALIZATION]
    if wishes:
        items = [one for one in items if one.kind is not PendingKind.FINALIZATION]
    done = late.stages[_GATE].state is StageState.NEEDS_HUMAN
    if done and late.gate.outcome is Outcome.PASSED and not facts.terms.session:
        item = finalize_item(facts, late.digest, late.risk)
        items.append(replace(item, asked_by=wishes[0].asked_by, reason=wishes[0].reason) if wishes else item)
    elif wishes:
        why = f"{len(_open(late))} conditions of the gate are open"
        items += [replace(one, malformed=one.malformed or why) for one in wishes]
    return tuple(sorted(items, key=urgency)) if len(items) > 1 else tuple(items)


def _open(late: TaskAssessment) -> set[int]:
    return {row.number for row in late.gate.open_conditions}


def _joined(plans: Iterable[Pending], asked: list[Pending]) -> Iterable[Pending]:
    """An agent's request to approve the very plan that a check asks about takes the place of the check's."""
    doubled: dict[str, Pending] = {}
    for item in plans:
        if any(_asks_for(one, item) for one in asked):
            doubled[item.digest] = item
        else:
            yield item
    for one in asked:
        item = next((item for item in doubled.values() if _asks_for(one, item)), None)
        if item is None:
            yield one
        else:
            yield replace(
                one,
                title=item.title,
                risk=highest([one.risk, item.risk]),
                warnings=tuple(dict.fromkeys((*one.warnings, *item.warnings))),
                facts=item.facts or one.facts,
                news=item.news,
                loosened=item.loosened,
            )


def _asks_for(request: Pending, item: Pending) -> bool:
    same = request.kind is PendingKind.PLAN and request.bound.plan == item.digest
    return same and item.artifact == "plan.json" and not request.malformed


def _until(facts: Facts, parts: Parts) -> datetime | None:
    """The next instant at which something in the assessment changes by itself."""
    ends = [row.ends_at for row in parts.requests if row.ends_at is not None]
    ends += facts.terms.instants
    for row in facts.task.log.entries:
        if row.entry.expires_at is not None:
            ends.append(row.entry.expires_at)
        ends.append(row.entry.decided_at - CLOCK_TOLERANCE)
    return min((end for end in ends if end > facts.now), default=None)
