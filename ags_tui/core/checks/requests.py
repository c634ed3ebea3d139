"""Requests of agents: where each stands, and what a human must know to decide it."""

from dataclasses import dataclass
from datetime import datetime

from ags_tui.core.approvals import ApprovalStatus
from ags_tui.core.assessment import PathClass, Pending, PendingKind, RequestState, RequestStatus
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Basis, Finding
from ags_tui.core.checks.loosening import policy_of
from ags_tui.core.checks.malformed import malformed_tool_request
from ags_tui.core.checks.request_items import KINDS, Look, approval_item, escalation_item, tool_item
from ags_tui.core.checks.risk import rank
from ags_tui.core.checks.scope import ScopeRules
from ags_tui.core.contracts.human import ApprovalRequest
from ags_tui.core.contracts.tool_request import ToolRequest
from ags_tui.core.log_entries import path_of
from ags_tui.core.observations import request_id, request_status, requests_of
from ags_tui.core.session_calls import put_away
from ags_tui.core.snapshot import Artifact, CallRecord
from ags_tui.core.wording import on_one_line

WAITING = (RequestState.PENDING, RequestState.CHANGED)
"""States in which a human must decide."""


@dataclass(frozen=True, slots=True)
class RequestRow:
    """One request file."""

    status: RequestStatus
    """Where it stands."""
    pending: Pending | None
    """The item of the inbox, where a human must decide."""
    ends_at: datetime | None = None
    """When it ends by itself; None where it does not."""


def request_rows(facts: Facts, rules: ScopeRules | None) -> tuple[RequestRow, ...]:
    """Judge every request file of a task, and those that the log knows and that are gone, by id."""
    rows = [_row(facts, rules, artifact) for artifact in requests_of(facts.task)]
    there = {row.status.item_id for row in rows}
    return tuple(sorted((*rows, *_vanished(facts, there)), key=lambda row: row.status.item_id))


def _waits(item: Pending) -> str:
    """Say what waits in words that a human has seen; the id is in the artifact of the finding."""
    if item.kind is PendingKind.ESCALATION:
        return f"A question waits for an answer: {on_one_line(item.title)}"
    return f"A request waits for a decision: {item.title}"


def check_requests(rows: tuple[RequestRow, ...]) -> tuple[Finding, ...]:
    """PENDING_REQUEST for each request that waits; the wish to finalize does not hold its own gate."""
    return tuple(
        Finding(
            "PENDING_REQUEST", _waits(row.pending),
            artifact=row.pending.artifact, next_action="human", basis=Basis.DECLARED,
        )
        for row in rows
        if row.pending is not None and row.status.kind is not PendingKind.FINALIZATION
    )  # fmt: skip


def check_ungated(facts: Facts) -> tuple[Finding, ...]:
    """UNGATED_CALL, or DENIED_BUT_APPLIED, for each call that went past the gate and that nobody put away."""
    away = put_away(facts.task)
    return tuple(_past_gate(call) for call in facts.task.ungated if call.call_id not in away)


def _past_gate(call: CallRecord) -> Finding:
    what = f"{call.name} {call.what}".strip()
    if call.denied is not None:
        message = f"{call.agent} was refused {what} ({call.denied}) and it happened all the same."
        return Finding("DENIED_BUT_APPLIED", message, artifact=call.call_id, next_action="human")
    message = f"{call.agent} ran {what} past the gate: no verdict let it. Look at what it did."
    return Finding("UNGATED_CALL", message, artifact=call.call_id, next_action="human")


def _row(facts: Facts, rules: ScopeRules | None, artifact: Artifact) -> RequestRow:
    status = request_status(facts.task, facts.snapshot, artifact, facts.now)
    document = artifact.document
    if isinstance(document, ToolRequest):
        look = Look.at(facts, rules, document)
        state = _needed(facts, document, look, _used(facts, document, status))
        pending = tool_item(facts, artifact, document, look, status) if state in WAITING else None
        kind = PendingKind.TOOL_REQUEST
    elif isinstance(document, ApprovalRequest):
        kind = KINDS[document.subject.kind]
        state = _approval_state(facts, document, status.state)
        pending = approval_item(facts, rules, artifact, document, status) if state in WAITING else None
    else:
        kind, state = PendingKind.ESCALATION, status.state
        pending = escalation_item(facts, artifact, status) if state in WAITING else None
    entry = status.entry.entry if status.entry else None
    return RequestRow(
        RequestStatus(
            item_id=request_id(artifact),
            kind=kind,
            state=state,
            digest=artifact.digest,
            reason=status.reason,
            decided_at=entry.decided_at if entry else None,
            sequence=entry.sequence if entry else None,
        ),
        pending,
        status.expires_at,
    )


def _needed(facts: Facts, request: ToolRequest, look: Look, state: RequestState) -> RequestState:
    """A request that waits needs nobody where the agent asks for none and a rule of ours lets it pass."""
    if state is not RequestState.PENDING or request.requires_approval or facts.policy.problems:
        return state
    if rank(request.risk_level) >= rank("high") or malformed_tool_request(facts, request, look.judgement):
        return state
    plan = facts.terms.plan
    free = facts.terms.plan_term.approved and plan is not None and policy_of(plan) != "each-edit"
    passes = {
        "read_file": look.path is not None,
        "run_tests": plan is not None and (request.command or "").strip() in plan.tests_to_run,
        "edit_file": free and look.judgement is not None and look.judgement.path_class is PathClass.IN_SCOPE,
    }
    return RequestState.NOT_NEEDED if passes.get(request.tool, False) else state


def _used(facts: Facts, request: ToolRequest, status: ApprovalStatus) -> RequestState:
    """An approved edit that was done changed its file: that is its use, not a reason to ask again."""
    if status.state is not RequestState.CHANGED or request.tool != "edit_file" or status.entry is None:
        return status.state
    data = status.entry.entry.data
    path = data.get("path")
    if not isinstance(path, str) or status.changed != (path_of(path),):
        return status.state
    effective = data.get("effectiveDigest")
    no_bytes = effective == status.entry.entry.subject.digest
    done = no_bytes or facts.task.file_digests.get(path_of(path)) == effective
    return RequestState.CONSUMED if done else status.state


def _approval_state(facts: Facts, document: ApprovalRequest, state: RequestState) -> RequestState:
    """A request to approve the plan is settled where exactly this plan was approved elsewhere."""
    term = facts.terms.plan_term
    done = document.subject.kind == "plan" and term.approved and term.digest == document.subject.digest
    return RequestState.NOT_NEEDED if done and state is RequestState.PENDING else state


_VANISHED = {
    "tool-requests": PendingKind.TOOL_REQUEST,
    "approval-requests": PendingKind.PLAN,
    "escalations": PendingKind.ESCALATION,
}
_VERDICT_STATES = {
    "approved": RequestState.APPROVED,
    "amended": RequestState.APPROVED,
    "denied": RequestState.DENIED,
    "answered": RequestState.ANSWERED,
    "consumed": RequestState.CONSUMED,
    "expired": RequestState.EXPIRED,
    "dismissed": RequestState.DISMISSED,
}


def _vanished(facts: Facts, there: set[str]) -> list[RequestRow]:
    """Requests that were observed and whose file is gone: decided, or withdrawn."""
    found: dict[str, RequestRow] = {}
    for seen in facts.task.log.observations:
        folder, _, name = seen.path.partition("/")
        item_id = name.removesuffix(".json")
        if (
            folder not in _VANISHED
            or not seen.valid
            or item_id in there
            or seen.path in facts.task.files.being_written
        ):
            continue
        rows = [
            row
            for row in facts.task.log.entries
            if row.counted and row.entry.subject.id == item_id and row.entry.subject.digest == seen.digest
        ]
        last = next((row for row in reversed(rows) if row.entry.verdict in _VERDICT_STATES), None)
        status = RequestStatus(
            item_id, _VANISHED[folder], RequestState.WITHDRAWN, seen.digest, "the file is gone"
        )
        if last is not None:
            entry = last.entry
            status = RequestStatus(
                item_id, _VANISHED[folder], _VERDICT_STATES[entry.verdict], seen.digest, entry.reason,
                entry.decided_at, entry.sequence,
            )  # fmt: skip
        found[item_id] = RequestRow(status, None)
    return list(found.values())
