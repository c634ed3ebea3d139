"""Is this approved, now, for exactly these bytes?

An approval is in force only while the log is intact, the digest is the one that was approved, everything it
was bound to still has the same bytes, it has not expired and nobody has taken it. Everything else has a
name of its own, so that the human and the waiter learn why.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ags_tui.core.assessment import RequestState
from ags_tui.core.checks.findings import Finding, Outcome, Severity
from ags_tui.core.decisions import Bound
from ags_tui.core.log_entries import bound_of
from ags_tui.core.log_state import LoggedEntry, LogState
from ags_tui.core.snapshot import TaskSnapshot

CLOCK_TOLERANCE = timedelta(seconds=60)
"""How far the wall clock may lie behind the last decision before nothing expires by it."""

WAITER = "waiter"
"""Name in the ``data`` of a withdrawal by the one who waited: that is final, whatever becomes of the file."""

_YES = frozenset({"approved", "amended", "answered"})
_AMENDED_IS_NO_APPROVAL = frozenset({"plan", "spec"})
"""Kinds where an amendment allows something more without approving the document itself."""
_LIFECYCLE = {
    "consumed": RequestState.CONSUMED,
    "withdrawn": RequestState.WITHDRAWN,
    "dismissed": RequestState.DISMISSED,
}


@dataclass(frozen=True, slots=True)
class ApprovalStatus:
    """Where something that waits for a human stands."""

    state: RequestState
    """The state."""
    entry: LoggedEntry | None = None
    """The entry behind it."""
    reason: str = ""
    """Why, in a few words."""
    changed: tuple[str, ...] = ()
    """What differs from what was approved: ``request``, ``plan``, ``policy`` or a path."""
    expires_at: datetime | None = None
    """When it ends by itself; None where it does not."""

    @property
    def in_force(self) -> bool:
        """Whether a waiter may go ahead."""
        return self.state in (RequestState.APPROVED, RequestState.ANSWERED)


def first_seen(log: LogState, digest: str) -> datetime | None:
    """Return when these bytes were first observed; None where they never were."""
    return next((seen.observed_at for seen in log.observations if seen.digest == digest), None)


def expiry(
    seen: datetime,
    timeout_s: int | None,
    *,
    created_at: datetime | None = None,
    expires_at: datetime | None = None,
) -> datetime | None:
    """Return when a request ends by itself.

    Args:
        seen: First observation by this program: the life of a request runs from there.
        timeout_s: Life by policy, seconds; None for no end by policy.
        created_at: As the agent wrote it; can only shorten.
        expires_at: As the agent wrote it; can only shorten.
    """
    ends = [] if expires_at is None else [expires_at]
    if timeout_s is not None:
        starts = seen if created_at is None else min(seen, created_at)
        try:
            ends.append(starts + timedelta(seconds=timeout_s))
        except OverflowError:
            ends.append(seen)
    return min(ends, default=None)


def clock_jumped(log: LogState, now: datetime) -> bool:
    """Whether the wall clock lies more than a minute behind the last entry that counts."""
    last = next((row.entry.decided_at for row in reversed(log.entries) if row.counted), None)
    return last is not None and now < last - CLOCK_TOLERANCE


def clock_findings(log: LogState, now: datetime) -> tuple[Finding, ...]:
    """Say that the clock went back: until it is right again, nothing expires by it."""
    if not clock_jumped(log, now):
        return ()
    message = (
        "the clock is behind the last log entry by more than a minute: nothing expires until it is right"
    )
    return (Finding("CLOCK_WENT_BACK", message, Severity.WARNING, artifact="log/", next_action="human"),)


def approval_status(
    log: LogState,
    *,
    kind: str,
    subject_id: str,
    digest: str,
    now: datetime,
    bound_now: Bound,
    first_seen: datetime | None = None,
    timeout_s: int | None = None,
    created_at: datetime | None = None,
    expires_at: datetime | None = None,
) -> ApprovalStatus:
    """Say where a request, plan, edit, spec or escalation stands.

    Args:
        log: The replayed log.
        kind: Kind of the deciding entries: ``tool-request``, ``edit``, ``plan``, ``spec``, ``escalation``.
        subject_id: What the entries call it.
        digest: Digest of its bytes now.
        now: The wall clock.
        bound_now: Digests as they are now; a path that is missing from ``files`` counts as changed.
        first_seen: First observation of the digest; ``now`` where it was not recorded yet.
        timeout_s: Life of a request by policy; None for what does not end by itself.
        created_at: As the agent wrote it.
        expires_at: As the agent wrote it.
    """
    own = [row for row in log.entries if row.counted and row.entry.subject.id == subject_id]
    deciding = (_YES | {"denied"}) - ({"amended"} if kind in _AMENDED_IS_NO_APPROVAL else set())
    decisions = [row for row in own if row.entry.kind == kind and row.entry.verdict in deciding]
    last = next((row for row in reversed(decisions) if row.entry.subject.digest == digest), None)
    if last is not None and last.entry.verdict == "denied":
        return ApprovalStatus(RequestState.DENIED, last, last.entry.reason)
    ended = _ended(log, own, digest, last)
    if ended is not None:
        return ended
    ends = expiry(first_seen or now, timeout_s, created_at=created_at, expires_at=expires_at)
    if last is None:
        return _undecided(log, decisions, now, ends)
    return _decided(log, last, now, bound_now, ends)


def bound_now(task: TaskSnapshot, *, request: str | None, policy: str) -> Bound:
    """Return the digests as a snapshot has them now, to hold a decision against.

    Args:
        task: The task.
        request: Digest of the request file now.
        policy: Digest of the policy in force.
    """
    plan = task.files.artifacts.get("plan.json")
    refused = (problem.digest for problem in task.files.problems if problem.artifact == "plan.json")
    return Bound(
        request=request,
        plan=plan.digest if plan is not None else next(refused, None),
        policy=policy,
        files=task.file_digests,
    )


def changes_since(then: Bound, now: Bound) -> tuple[str, ...]:
    """Name what differs now from what a decision was bound to; what it was not bound to does not matter."""
    named = (
        ("request", then.request, now.request),
        ("plan", then.plan, now.plan),
        ("policy", then.policy, now.policy),
    )
    changed = [name for name, old, new in named if old is not None and old != new]
    changed += [path for path, old in sorted(then.files.items()) if now.files.get(path) != old]
    return tuple(changed)


def _ended(
    log: LogState, own: Sequence[LoggedEntry], digest: str, last: LoggedEntry | None
) -> ApprovalStatus | None:
    """Look for an end by a ``request`` entry: taken, expired, withdrawn, dismissed."""
    ends = [row for row in own if row.entry.kind == "request" and row.entry.subject.digest == digest]
    expired = next((row for row in ends if row.entry.verdict == "expired"), None)
    if expired is not None:
        return ApprovalStatus(RequestState.EXPIRED, expired, "expired; file the request again")
    decided = -1 if last is None else last.entry.sequence
    for row in reversed(ends):
        state = _LIFECYCLE.get(row.entry.verdict)
        if state is None or row.entry.sequence < decided:
            continue
        returned = WAITER not in row.entry.data and _seen_after(log, digest, row.entry.sequence)
        if state is RequestState.WITHDRAWN and returned:
            continue
        return ApprovalStatus(state, row, row.entry.reason)
    return None


def _seen_after(log: LogState, digest: str, sequence: int) -> bool:
    return any(seen.digest == digest and seen.sequence > sequence for seen in log.observations)


def _undecided(
    log: LogState, decisions: Sequence[LoggedEntry], now: datetime, ends: datetime | None
) -> ApprovalStatus:
    if ends is not None and now >= ends and not clock_jumped(log, now):
        return ApprovalStatus(RequestState.EXPIRED, None, "its time is over", expires_at=ends)
    other = decisions[-1] if decisions else None
    if other is not None and other.entry.verdict in _YES:
        return ApprovalStatus(
            RequestState.CHANGED, other, "changed since it was approved", ("request",), expires_at=ends
        )
    return ApprovalStatus(RequestState.PENDING, expires_at=ends)


def _decided(
    log: LogState, last: LoggedEntry, now: datetime, bound_now: Bound, ends: datetime | None
) -> ApprovalStatus:
    answered = last.entry.verdict == "answered"
    ends = None if answered else last.entry.expires_at or ends
    if log.integrity is not Outcome.PASSED:
        return ApprovalStatus(RequestState.PENDING, last, "the log is not intact, so nothing is approved")
    if ends is not None and now >= ends:
        return ApprovalStatus(RequestState.EXPIRED, last, "the approval has expired", expires_at=ends)
    if answered:
        return ApprovalStatus(RequestState.ANSWERED, last, last.entry.reason)
    changed = changes_since(bound_of(last.entry), bound_now)
    if changed:
        reason = f"changed since it was approved: {', '.join(changed)}"
        return ApprovalStatus(RequestState.CHANGED, last, reason, changed, ends)
    return ApprovalStatus(RequestState.APPROVED, last, last.entry.reason, expires_at=ends)
