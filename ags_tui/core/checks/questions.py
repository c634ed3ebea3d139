"""Inbox items that checks make: plans and tasks to approve, stop conditions, failures, stray changes."""

import hashlib
from collections.abc import Iterator
from itertools import islice

from ags_tui.core.approvals import first_seen
from ags_tui.core.assessment import (
    Choice,
    PathClass,
    PathVerdict,
    Pending,
    PendingKind,
    ScopeReport,
    Verdict,
)
from ags_tui.core.checks.applied import CHANGE_ITEM, change_digest
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Finding, Severity
from ags_tui.core.checks.ownership import yes_means
from ags_tui.core.checks.plan_paths import PlanPaths
from ags_tui.core.checks.plan_policy import PlanReport, waiting_plan_findings
from ags_tui.core.checks.request_items import CLASS_RISK, task_risk
from ags_tui.core.checks.risk import highest
from ags_tui.core.checks.routing import RETRY, Attempts, agent_errors, error_item
from ags_tui.core.checks.stops import CONTINUE, STOP, StopHit
from ags_tui.core.checks.terms import PLAN, TASK, TASK_SUBJECT, Term
from ags_tui.core.contracts.plan import AgentPlan
from ags_tui.core.contracts.task import AgentTask
from ags_tui.core.decisions import Bound
from ags_tui.core.digests import path_text
from ags_tui.core.subjects import reads_too_long, too_long
from ags_tui.core.wording import counted

ASKER = "ags-tui"
"""Who asks what a check asks."""
PLAN_ITEM = "plan"
"""Item id of a plan that waits for approval."""
FINALIZE_ITEM = "finalize"
"""Item id of a task that may be finalized."""
MOST_PATHS = 20
"""Most changed paths that are asked about one by one; beyond that another plan is the better answer."""

_NO = Choice(STOP, "Stop", "The task stays held; the planner must plan again.")
_STOP_OPTIONS = (Choice(CONTINUE, "Go on", "These paths may be changed all the same."), _NO)
_RETRY_OPTIONS = (
    Choice(RETRY, "Go on", "Another round of attempts is allowed."),
    Choice(STOP, "Stop", "The task stays held."),
)
_RIGHT_NOW = "The version on disk now can be read."
_ERROR_OPTIONS = (Choice(CONTINUE, "Go on", "The error no longer holds the task."), _NO)


def plan_items(
    facts: Facts, plan: PlanReport, paths: PlanPaths | None, theirs: tuple[str, ...] = ()
) -> tuple[Pending, ...]:
    """The plan and the task, where a human must approve the version on disk.

    Args:
        facts: The task.
        plan: What the checks say about its plan.
        paths: The plan in force.
        theirs: What of this plan's files holds other tasks, in words, where nobody approved the plan.
    """
    found = [*_plan(facts, plan, paths, theirs), *_task(facts)]
    return tuple(found)


def stop_items(facts: Facts, stops: tuple[StopHit, ...]) -> tuple[Pending, ...]:
    """Stop conditions that have come true and that nobody has answered."""
    return tuple(
        _item(
            facts, PendingKind.ESCALATION, hit.item_id, hit.digest, artifact=PLAN,
            title=f"A stop condition has come true. Go on? {hit.sentence}",
            reason=", ".join(hit.paths[:5]), risk=_raised(facts), bound=Bound(), options=_STOP_OPTIONS,
        )
        for hit in stops
        if hit.answer is None
    )  # fmt: skip


def retry_items(facts: Facts, found: tuple[Attempts, ...]) -> tuple[Pending, ...]:
    """Files that failed too often."""
    return tuple(
        _item(
            facts, PendingKind.ESCALATION, one.item_id, one.digest, artifact=one.artifact,
            title=f"{one.artifact} was wrong {counted(len(one.digests), 'time')} in a row. Go on?",
            reason="; ".join(f"{field}: {words}" for field, words in one.feedback[:5]) or _RIGHT_NOW,
            risk=_raised(facts), bound=Bound(), options=_RETRY_OPTIONS,
        )
        for one in found
        if one.exhausted and one.answer is None
    )  # fmt: skip


def error_items(facts: Facts) -> tuple[Pending, ...]:
    """AgentErrors that name a human, or that stop the task."""
    return tuple(
        _item(
            facts, PendingKind.ESCALATION, error_item(path), item_digest, artifact=path,
            title=f"{error.code}: {error.message}", reason=error.failed_field or "",
            risk=_raised(facts), bound=Bound(), options=_ERROR_OPTIONS,
        )
        for path, item_digest, error in agent_errors(facts)
        if error.next_action in ("human", "stop") and facts.answer_to(error_item(path), item_digest) is None
    )  # fmt: skip


def path_items(facts: Facts, scope: ScopeReport, *, foreign: bool) -> tuple[Pending, ...]:
    """Changed paths that need an approval and are there already.

    Args:
        facts: The task.
        scope: Its scope report.
        foreign: Also ask about paths that belong to other tasks: only worth it once nothing else is open.
    """
    if scope.verdict is not Verdict.NEEDS_APPROVAL:
        return ()
    kinds = [PathClass.UNPLANNED, PathClass.PREEXISTING_OVERLAP]
    kinds += [PathClass.OWNERSHIP_UNKNOWN] if foreign else []
    asked = (one for one in scope.paths if one.path_class in kinds and not one.approved and not one.proposed)
    items = (_path(facts, one) for one in asked)
    return tuple(islice((item for item in items if item is not None), MOST_PATHS))


def finalize_item(facts: Facts, digest: str, risk: str) -> Pending:
    """The task itself, once nothing holds it any more."""
    return _item(
        facts, PendingKind.FINALIZATION, FINALIZE_ITEM, digest, title=f"finalize {facts.task_id}",
        reason="All conditions hold.", risk=risk,
        bound=Bound(plan=facts.terms.plan_term.current_digest or None),
    )  # fmt: skip


def _why(plan: PlanReport, wrong: list[Finding], theirs: tuple[str, ...], *, waits: bool) -> str:
    """Say in a sentence why a plan is asked about."""
    if waits:
        return "It loosens the plan in force."
    if plan.asks:
        return f"A human must approve this plan: {' and '.join(plan.asks)}."
    if plan.acceptable:
        return f"{wrong[0].message} Approve it as it is, or let the planner mend it."
    return " ".join(theirs)


def _plan(
    facts: Facts, plan: PlanReport, paths: PlanPaths | None, theirs: tuple[str, ...]
) -> Iterator[Pending]:
    term = facts.terms.plan_term
    if term.denied is not None or not isinstance(term.current, AgentPlan):
        return
    waits = term.waits
    wrong = [one for one in plan.findings if one.severity is Severity.ERROR and one.artifact == PLAN]
    if not waits and (plan.approved or not (plan.asks or plan.acceptable or theirs)):
        return
    warnings = [*theirs, *term.loosened]
    shown = waiting_plan_findings(facts) if waits else wrong
    warnings += [one.message for one in shown if one.code != "MISSING_APPROVAL" or one.field]
    risk = highest([term.current.risk_level, task_risk(facts), "high" if waits else "low"])
    data: dict[str, object] = {}
    if paths is not None and not waits:
        data = {"resolved": dict(paths.resolved)}
        told = {name: path for name, path in paths.resolved.items() if name != path}
        warnings += [f"The plan says {name} and means {path}." for name, path in told.items()]
    yield _item(
        facts, PendingKind.PLAN, PLAN_ITEM, term.current_digest, artifact=PLAN, title=term.current.summary,
        reason=_why(plan, wrong, theirs, waits=waits),
        risk=risk, claimed=term.current.risk_level, bound=Bound(plan=term.current_digest),
        malformed=reads_too_long(term.current),
        warnings=tuple(dict.fromkeys(warnings)), data=data, term=term, news=_news(facts, PLAN, term),
    )  # fmt: skip


def _task(facts: Facts) -> Iterator[Pending]:
    term: Term = facts.terms.task_term
    if not term.waits or term.denied is not None or not isinstance(term.current, AgentTask):
        return
    yield _item(
        facts, PendingKind.PLAN, TASK_SUBJECT, term.current_digest, artifact=TASK, title=term.current.title,
        reason="It demands less than the task in force.", risk=highest([task_risk(facts), "high"]),
        claimed=term.current.risk_level, bound=Bound(), malformed=reads_too_long(term.current),
        warnings=term.loosened, term=term, news=_news(facts, TASK, term),
    )  # fmt: skip


def _news(facts: Facts, path: str, term: Term) -> str:
    """What is new about a document: it loosens the one in force, follows another one, or is the first."""
    if term.waits:
        return "loosened"
    before = (seen for seen in facts.task.log.observations if seen.path == path and seen.valid)
    return "changed" if any(seen.digest != term.current_digest for seen in before) else "first"


def _path(facts: Facts, one: PathVerdict) -> Pending | None:
    """A question about one change, bound to its exact mode and blob; None where a human denied just this."""
    change = one.change
    if change is None or change.unsettled or change.dirty_submodule or change.conflict:
        return None
    name = path_text(one.path.encode("utf-8", "surrogateescape"))
    item_id = f"{CHANGE_ITEM}{hashlib.sha256(name.encode()).hexdigest()[:12]}"
    bound = change_digest(change)
    last = (facts.decisions.get(item_id) or (None,))[-1]
    if last is not None and last.entry.subject.digest == bound and last.entry.verdict == "denied":
        return None
    data = {
        "path": name,
        "effectiveBlob": change.new.blob if change.new else "",
        "effectiveMode": change.new.mode if change.new else "000000",
    }
    files = {one.path: facts.task.file_digests[one.path]} if one.path in facts.task.file_digests else {}
    reason = f"It {one.why}. {yes_means(one.owner, there=True)}" if one.owner else one.why
    return _item(
        facts, PendingKind.EDIT, item_id, bound, title=f"{change.operation} {one.path}", reason=reason,
        risk=highest([CLASS_RISK[one.path_class], task_risk(facts)]),
        bound=Bound(plan=facts.terms.plan_term.current_digest or None, files=files),
        path=one.path, path_class=one.path_class, warnings=("The change is there already.",), data=data,
    )  # fmt: skip


def _raised(facts: Facts) -> str:
    """Risk of a wrong answer to what a check asks: never less than high."""
    return highest([task_risk(facts), "high"])


def _item(
    facts: Facts,
    kind: PendingKind,
    item_id: str,
    digest: str,
    *,
    title: str,
    reason: str,
    risk: str,
    bound: Bound,
    artifact: str = "",
    claimed: str | None = None,
    path: str | None = None,
    path_class: PathClass | None = None,
    malformed: str = "",
    warnings: tuple[str, ...] = (),
    options: tuple[Choice, ...] = (),
    data: dict[str, object] | dict[str, str] | None = None,
    term: Term | None = None,
    news: str = "",
) -> Pending:
    return Pending(
        kind=kind,
        task_id=facts.task_id,
        item_id=item_id,
        digest=digest,
        artifact=artifact,
        title=title,
        reason=reason,
        asked_by=ASKER,
        risk=risk,
        claimed_risk=claimed or risk,
        first_seen=first_seen(facts.task.log, digest) or facts.snapshot.taken_at,
        expires_at=None,
        bound=bound,
        path=path,
        path_class=path_class,
        malformed=malformed or too_long(len(title) + len(reason)),
        warnings=warnings,
        options=options,
        facts=data or {},
        news=news,
        loosened=term.loosened if term else (),
    )
