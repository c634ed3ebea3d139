"""Inbox items of request files: what is asked, how risky it is, and what a human should know first."""

from collections.abc import Iterator
from dataclasses import dataclass

from ags_tui.core.approvals import ApprovalStatus, bound_now, first_seen
from ags_tui.core.assessment import Choice, PathClass, Pending, PendingKind, RequestState
from ags_tui.core.checks.applied import Proposal, proposal_of
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.malformed import malformed_approval, malformed_escalation, malformed_tool_request
from ags_tui.core.checks.ownership import may_be_theirs, yes_means
from ags_tui.core.checks.risk import highest, rank
from ags_tui.core.checks.scope import Judgement, ScopeRules
from ags_tui.core.checks.targets import inside_tree, links_in, through_links
from ags_tui.core.checks.unseen import unseen_characters
from ags_tui.core.contracts.human import ApprovalRequest, Escalation
from ags_tui.core.contracts.plan import AgentPlan
from ags_tui.core.contracts.tool_request import ToolRequest, ToolRequestV2
from ags_tui.core.decisions import Bound
from ags_tui.core.digests import path_text
from ags_tui.core.layout import CALL_PREFIX
from ags_tui.core.observations import request_id
from ags_tui.core.snapshot import Artifact
from ags_tui.core.subjects import files_of_approval, files_of_request

CLASS_RISK = {
    PathClass.IN_SCOPE: "low",
    PathClass.UNPLANNED: "high",
    PathClass.PREEXISTING_UNTOUCHED: "high",
    PathClass.PREEXISTING_OVERLAP: "high",
    PathClass.OWNERSHIP_UNKNOWN: "high",
    PathClass.EXCLUDED: "critical",
}
"""What a path class adds to the risk of a request."""

KINDS = {
    "plan": PendingKind.PLAN,
    "edit": PendingKind.EDIT,
    "spec": PendingKind.SPEC,
    "finalize": PendingKind.FINALIZATION,
}
"""Kind of item by the subject of an ApprovalRequest."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a tool request would touch."""

    named: str | None
    """The path as the agent wrote it."""
    path: str | None
    """Where that leads in the work tree; None for outside or no path."""
    judgement: Judgement | None
    """Class of that path; None without a path or a plan."""

    @property
    def outside(self) -> bool:
        """Whether the path leads out of the work tree."""
        return self.named is not None and self.path is None

    @classmethod
    def at(cls, facts: Facts, rules: ScopeRules | None, request: ToolRequest) -> "Look":
        """Follow the path of a request."""
        named = request.target_path
        if named is None and isinstance(request, ToolRequestV2) and request.proposed_change is not None:
            named = request.proposed_change.path
        if not named:
            return cls(None, None, None)
        top = facts.repo.top
        inside = inside_tree(named, top)
        path = through_links(inside, links_in(facts.changes), top) if inside else inside
        judgement = rules.judge(path) if rules is not None and path and request.tool == "edit_file" else None
        return cls(named, path, judgement)


def task_risk(facts: Facts) -> str:
    """Highest risk of task and plan in force."""
    task, plan = facts.terms.task, facts.terms.plan
    return highest([*([task.risk_level] if task else []), *([plan.risk_level] if plan else [])])


def tool_item(
    facts: Facts, artifact: Artifact, request: ToolRequest, look: Look, status: ApprovalStatus
) -> Pending:
    """The item of a tool request; risk is the highest of claimed, task, plan and path class."""
    newer = request if isinstance(request, ToolRequestV2) else None
    path_class = look.judgement.path_class if look.judgement else None
    risks = [request.risk_level, task_risk(facts), "critical" if look.outside else "low"]
    if request.tool == "edit_file":
        risks.append(CLASS_RISK[path_class] if path_class else "medium")
    base = facts.changes.base if facts.changes else ""
    proposal = proposal_of(newer.proposed_change, base) if newer and newer.proposed_change else None
    risk = highest(risks)
    subject = request.command if request.tool in ("shell", "run_tests") else look.named or request.command
    judged = newer is not None and bool(newer.session_id) and request_id(artifact).startswith(CALL_PREFIX)
    return Pending(
        kind=PendingKind.TOOL_REQUEST,
        task_id=facts.task_id,
        item_id=request_id(artifact),
        digest=artifact.digest,
        artifact=artifact.path,
        title=f"{request.tool} {subject or ''}".strip(),
        reason=request.reason,
        asked_by=newer.agent if newer and newer.agent else "agent",
        risk=risk,
        claimed_risk=request.risk_level,
        first_seen=first_seen(facts.task.log, artifact.digest) or facts.snapshot.taken_at,
        expires_at=status.expires_at,
        bound=_bound(facts, artifact, files_of_request(request, facts.repo.top)),
        path=look.path or look.named,
        path_class=path_class,
        command=request.command,
        malformed=malformed_tool_request(facts, request, look.judgement),
        warnings=(*_tool_warnings(facts, request, look, status, proposal), *_lowered(request, risk, judged)),
        facts=_edit_facts(request, look, proposal),
        asked_again=_asked_again(status),
        judged=judged,
    )


def _edit_facts(request: ToolRequest, look: Look, proposal: Proposal | None) -> dict[str, str]:
    if request.tool != "edit_file" or not look.path:
        return {}
    facts = {"path": path_text(look.path.encode("utf-8", "surrogateescape"))}
    if proposal is not None:
        facts |= {
            "proposedDigest": proposal.digest,
            "effectiveDigest": proposal.digest,
            "effectiveBlob": proposal.blob,
        }
    return facts


def _tool_warnings(
    facts: Facts, request: ToolRequest, look: Look, status: ApprovalStatus, proposal: Proposal | None
) -> Iterator[str]:
    yield from _status_warnings(status)
    if look.outside:
        yield "The path leads out of the work tree."
    elif look.path and look.named and inside_tree(look.named, facts.repo.top) != look.path:
        yield f"The path leads through a link to {look.path}."
    yield from _judged(facts, look.path, look.judgement)
    if request.tool == "edit_file" and proposal is None:
        yield "It does not say what the file will hold: the path alone is approved."
    if proposal is not None:
        now = facts.task.file_digests.get(proposal.path, proposal.before)
        if now == proposal.digest:
            yield "The file holds the proposed text already."
        elif now != proposal.before:
            yield "The file is not as the agent saw it."
    for name, text in (("command", request.command), ("path", look.named), ("reason", request.reason)):
        hidden = unseen_characters(text or "")
        if hidden:
            yield f"The {name} holds characters that cannot be seen: {', '.join(hidden[:3])}."


def _judged(facts: Facts, path: str | None, judgement: Judgement | None) -> Iterator[str]:
    """What the plan makes of a path, and what yes would mean where it belongs to another task."""
    if judgement is None or not judgement.code:
        return
    if judgement.owner:
        yield f"The path {judgement.why}. {yes_means(judgement.owner, there=False)}"
        return
    yield f"{judgement.path_class.value}: {judgement.why}."
    other = facts.claims.proposer(path, facts.task_id) if path else None
    if other is not None:
        yield may_be_theirs(other)


def _lowered(request: ToolRequest, risk: str, judged: bool) -> tuple[str, ...]:
    who = "The call by itself was judged" if judged else "The agent claims"
    return (f"{who} {request.risk_level} risk.",) if rank(request.risk_level) < rank(risk) else ()


def _asked_again(status: ApprovalStatus) -> tuple[str, ...]:
    return (status.changed or ("request",)) if status.state is RequestState.CHANGED else ()


def _status_warnings(status: ApprovalStatus) -> Iterator[str]:
    if status.state is RequestState.CHANGED:
        yield f"Changed since it was approved: {', '.join(status.changed) or 'the request'}."
    elif status.entry is not None and status.reason:
        yield f"{status.reason[:1].upper()}{status.reason[1:]}."


def approval_item(
    facts: Facts,
    rules: ScopeRules | None,
    artifact: Artifact,
    document: ApprovalRequest,
    status: ApprovalStatus,
) -> Pending:
    """The item of an approval request."""
    subject, term = document.subject, facts.terms.plan_term
    path = inside_tree(subject.path, facts.repo.top) if subject.path else None
    judgement = rules.judge(path) if rules is not None and path and subject.kind == "edit" else None
    path_class = judgement.path_class if judgement else None
    data: dict[str, object] = {}
    if subject.kind == "edit" and path:
        name = path_text(path.encode("utf-8", "surrogateescape"))
        data = {"path": name, "proposedDigest": subject.digest, "effectiveDigest": subject.digest}
    elif subject.kind == "plan" and rules is not None:
        data = {"resolved": dict(rules.paths.resolved)}
    warnings = tuple(_status_warnings(status))
    warnings += tuple(_judged(facts, path, judgement))
    risks = [document.risk_level, task_risk(facts), CLASS_RISK[path_class] if path_class else "low"]
    if subject.kind == "plan" and isinstance(term.current, AgentPlan):
        warnings += term.loosened
        risks += [term.current.risk_level, "high" if term.waits else "low"]
    return Pending(
        kind=KINDS[subject.kind],
        task_id=facts.task_id,
        item_id=request_id(artifact),
        digest=artifact.digest,
        artifact=artifact.path,
        title=f"approve {subject.kind} {subject.path or ''}".strip(),
        reason=document.reason,
        asked_by=document.requested_by,
        risk=highest(risks),
        claimed_risk=document.risk_level,
        first_seen=first_seen(facts.task.log, artifact.digest) or facts.snapshot.taken_at,
        expires_at=status.expires_at,
        bound=_bound(facts, artifact, files_of_approval(document)),
        path=path,
        path_class=path_class,
        malformed=malformed_approval(facts, document, judgement),
        warnings=warnings,
        facts=data,
        asked_again=_asked_again(status),
    )


def escalation_item(facts: Facts, artifact: Artifact, status: ApprovalStatus) -> Pending | None:
    """The item of an escalation."""
    document = artifact.document
    if not isinstance(document, Escalation):
        return None
    return Pending(
        kind=PendingKind.ESCALATION,
        task_id=facts.task_id,
        item_id=request_id(artifact),
        digest=artifact.digest,
        artifact=artifact.path,
        title=document.question,
        reason=f"{document.source.system} {document.source.ref}".strip(),
        asked_by=document.source.ref or document.source.system,
        risk=highest([document.risk_level, task_risk(facts)]),
        claimed_risk=document.risk_level,
        first_seen=first_seen(facts.task.log, artifact.digest) or facts.snapshot.taken_at,
        expires_at=status.expires_at,
        bound=Bound(request=artifact.digest),
        malformed=malformed_escalation(facts, document),
        options=tuple(Choice(one.id, one.label, one.consequence) for one in document.options),
        allow_free_text=document.allow_free_text,
    )


def _bound(facts: Facts, artifact: Artifact, files: tuple[str, ...] = ()) -> Bound:
    now = bound_now(facts.task, request=artifact.digest, policy=facts.policy.digest)
    held = {path: now.files[path] for path in files if path in now.files}
    return Bound(request=artifact.digest, plan=now.plan, policy=now.policy or None, files=held)
