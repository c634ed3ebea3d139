"""Drafts of what a human decides in the TUI: pure, from what was shown to what the log will hold."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from ags_tui.core.assessment import Pending, PendingKind, Prose, TaskAssessment
from ags_tui.core.contracts.plan import AgentPlan
from ags_tui.core.decisions import Bound, Draft
from ags_tui.core.digests import canonical, digest, path_text
from ags_tui.core.effective import Effective
from ags_tui.core.log_state import LoggedEntry

KINDS: Mapping[PendingKind, str] = MappingProxyType(
    {
        PendingKind.TOOL_REQUEST: "tool-request",
        PendingKind.PLAN: "plan",
        PendingKind.EDIT: "edit",
        PendingKind.SPEC: "spec",
        PendingKind.ESCALATION: "escalation",
        PendingKind.FINALIZATION: "finalize",
        PendingKind.BASELINE: "baseline",
    }
)
"""Kind of the log entry that decides an item."""

TASK_SUBJECT = "task"
"""Subject of decisions about a whole task."""


@dataclass(frozen=True, slots=True)
class Viewing:
    """How the human saw what was decided."""

    lines: int = 0
    """Lines of the content that were on the screen."""
    total: int = 0
    """Lines that the content has."""
    tty: str = ""
    """Terminal; empty where it is not known."""
    focused: bool = True
    """Whether the terminal reported that it had the focus."""

    @property
    def data(self) -> dict[str, Any]:
        """The facts as the log holds them."""
        return {
            "shownLines": self.lines,
            "totalLines": self.total,
            "tty": self.tty,
            "focused": self.focused,
        }


def approve(
    pending: Pending, viewing: Viewing, *, expires_at: datetime | None = None, sequence: int | None = None
) -> Draft:
    """Draft the approval of exactly the bytes that were shown; a baseline is accepted.

    Args:
        pending: The item as it was shown.
        viewing: How it was seen.
        expires_at: End of the approval; the end of the request where not given.
        sequence: Number that the entry must get; a log that has grown since refuses it.

    Raises:
        ValueError: The item is malformed, or is not one that is approved.
    """
    if pending.malformed or pending.kind in (PendingKind.ESCALATION, PendingKind.FINALIZATION):
        raise ValueError(f"{pending.kind.value} {pending.item_id} cannot be approved")
    accepted = pending.kind is PendingKind.BASELINE
    digests = {
        "proposedDigest": pending.facts.get("proposedDigest", pending.digest),
        "effectiveDigest": pending.facts.get("effectiveDigest", pending.digest),
    }
    return Draft(
        task_id=pending.task_id,
        kind=KINDS[pending.kind],
        verdict="accepted" if accepted else "approved",
        subject_id=pending.item_id,
        subject_digest=pending.digest,
        bound=pending.bound,
        data={**pending.facts, **({} if accepted else digests), **viewing.data},
        expires_at=expires_at or pending.expires_at,
        expected_sequence=sequence,
    )


def amend(pending: Pending, effective: Effective, viewing: Viewing, *, sequence: int | None = None) -> Draft:
    """Draft the approval of a tool request with another input: that runs, and both are kept.

    Args:
        pending: The request as it was shown.
        effective: What is to run instead.
        viewing: How both were seen.
        sequence: Number that the entry must get; a log that has grown since refuses it.

    Raises:
        ValueError: The item is malformed, or no tool request.
    """
    if pending.kind is not PendingKind.TOOL_REQUEST:
        raise ValueError(f"{pending.kind.value} {pending.item_id} has no input to change")
    draft = approve(pending, viewing, sequence=sequence)
    data = {
        **draft.data,
        "effectiveDigest": effective.digest,
        **effective.facts,
        "effective": dict(effective.data),
    }
    return replace(draft, verdict="amended", data=data)


def deny(pending: Pending, reason: str) -> Draft:
    """Draft a denial; it holds whatever changes meanwhile, so it is bound to the item alone."""
    data = {name: pending.facts[name] for name in ("path", "proposedDigest") if name in pending.facts}
    return Draft(
        task_id=pending.task_id,
        kind=KINDS[pending.kind],
        verdict="denied",
        subject_id=pending.item_id,
        subject_digest=pending.digest,
        reason=reason,
        bound=Bound(request=pending.bound.request, plan=pending.bound.plan),
        data=data,
    )


def answer(
    pending: Pending, viewing: Viewing, *, option: str = "", text: str = "", sequence: int | None = None
) -> Draft:
    """Draft the answer to an escalation: one of its options, or free text where it allows that.

    Raises:
        ValueError: The item takes no such answer.
    """
    chosen = next((one for one in pending.options if one.id == option), None)
    free = bool(text.strip()) and pending.allow_free_text
    if pending.kind is not PendingKind.ESCALATION or (chosen is None) == (not free):
        raise ValueError(f"{pending.item_id} does not take this answer")
    given = {"option": chosen.id} if chosen else {"text": text}
    return Draft(
        task_id=pending.task_id,
        kind="escalation",
        verdict="answered",
        subject_id=pending.item_id,
        subject_digest=pending.digest,
        reason=chosen.label if chosen else text,
        bound=pending.bound,
        data={**given, **viewing.data},
        expected_sequence=sequence,
    )


def amend_plan(
    pending: Pending, task: TaskAssessment, viewing: Viewing, *, sequence: int | None = None
) -> Draft:
    """Draft “allow this path for the task”: the plan in force, with one path more.

    The plan file stays as it is; the amendment is bound to its digest, so another plan ends it.

    Args:
        pending: The request that touches the path.
        task: Its task, for the plan.
        viewing: How it was seen.
        sequence: Number that the entry must get.

    Raises:
        ValueError: The request names no path, or the task has no valid plan.
    """
    artifact = task.task.files.artifacts.get("plan.json")
    if pending.path is None or artifact is None or not isinstance(artifact.document, AgentPlan):
        raise ValueError(f"{pending.item_id} names no path that a plan could allow")
    name = path_text(pending.path.encode("utf-8", "surrogateescape"))
    plan = artifact.document
    amended = plan.model_copy(update={"files_to_edit": (*plan.files_to_edit, name)})
    in_force = pending.bound.plan or artifact.digest
    return Draft(
        task_id=pending.task_id,
        kind="plan",
        verdict="amended",
        subject_id="plan",
        subject_digest=in_force,
        reason=f"{pending.item_id}: allowed for the task",
        bound=Bound(plan=in_force),
        data={
            "path": name,
            "request": pending.item_id,
            "proposedDigest": in_force,
            "effectiveDigest": digest(canonical(amended.model_dump(mode="json", by_alias=True))),
            **viewing.data,
        },
        expected_sequence=sequence,
    )


def attest(task: TaskAssessment, prose: Prose, viewing: Viewing, *, withdraw: bool = False) -> Draft:
    """Draft that a human vouches for a sentence of the task on the tree as it is, or no longer does."""
    return Draft(
        task_id=task.task_id,
        kind="attest",
        verdict="withdrawn" if withdraw else "attested",
        subject_id=prose.prose_id,
        subject_digest=prose.digest,
        reason=prose.text,
        data={
            "prose": prose.prose_id,
            "proseDigest": prose.digest,
            "treeDigest": _tree(task),
            **viewing.data,
        },
    )


def block(task: TaskAssessment, reason: str) -> Draft:
    """Draft a block: the gate fails until a human lifts it."""
    return Draft(task.task_id, "block", "blocked", TASK_SUBJECT, "", reason)


def lift(task: TaskAssessment, blocked: LoggedEntry, reason: str) -> Draft:
    """Draft the lifting of one block, named by the digest of its entry."""
    return Draft(
        task.task_id,
        "block",
        "lifted",
        TASK_SUBJECT,
        blocked.digest,
        reason,
        data={"sequence": blocked.entry.sequence},
        expected_sequence=task.task.log.next_sequence,
    )


def finalize(task: TaskAssessment, viewing: Viewing) -> Draft:
    """Draft the finalization of exactly this assessment and tree.

    Raises:
        ValueError: A condition of the gate is open.
    """
    if task.gate.open_conditions:
        raise ValueError(f"{task.task_id} has open conditions")
    waiting = next((item for item in task.pending if item.kind is PendingKind.FINALIZATION), None)
    plan = task.task.files.artifacts.get("plan.json")
    bound = waiting.bound if waiting else Bound(plan=plan.digest if plan else None)
    receipts = {"receipts": {run.run_id: run.digest for run in task.runs}} if task.runs else {}
    return Draft(
        task_id=task.task_id,
        kind="finalize",
        verdict="finalized",
        subject_id="finalize",
        subject_digest=task.digest,
        bound=bound,
        data={
            "assessmentDigest": task.digest,
            "treeDigest": _tree(task),
            "scope": {"verdict": task.scope.verdict.value, "reason": task.scope.reason},
            **receipts,
            **viewing.data,
        },
        expected_sequence=task.task.log.next_sequence,
    )


def close(task: TaskAssessment, reason: str) -> Draft:
    """Draft the closing of a task without finalizing it: it is frozen and holds nothing any more."""
    return Draft(
        task.task_id,
        "close",
        "closed",
        TASK_SUBJECT,
        "",
        reason,
        data={"assessmentDigest": task.digest, "treeDigest": _tree(task)},
        expected_sequence=task.task.log.next_sequence,
    )


def reopen(task: TaskAssessment, reason: str) -> Draft:
    """Draft the reopening of a finalized or closed task."""
    kind = "finalize" if task.task.log.finalized is not None else "close"
    return Draft(
        task.task_id,
        kind,
        "reopened",
        TASK_SUBJECT,
        "",
        reason,
        expected_sequence=task.task.log.next_sequence,
    )


def dismiss(task_id: str, item_id: str, item_digest: str) -> Draft:
    """Draft that a human puts away a request that expired or was withdrawn."""
    return Draft(task_id, "request", "dismissed", item_id, item_digest)


def _tree(task: TaskAssessment) -> str:
    changes = task.task.changes
    return changes.tree_digest if changes is not None and not changes.unknown else ""
