"""What this program must put on record by itself: what appeared, was taken, expired or was withdrawn.

Pure: a snapshot comes in, drafts come out. What is already in the log is never drafted again, so a caller
may ask as often as it likes.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from ags_tui.core.approvals import (
    WAITER,
    ApprovalStatus,
    approval_status,
    bound_now,
    clock_jumped,
    first_seen,
)
from ags_tui.core.assessment import RequestState
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.checks.fixes import entries_of
from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.human import ApprovalRequest, Escalation
from ags_tui.core.contracts.tool_request import ToolRequest, ToolRequestV2
from ags_tui.core.decisions import Draft, Source, Via
from ags_tui.core.layout import COLLECTIONS, WORKFLOW, place_of
from ags_tui.core.log_state import Observation
from ags_tui.core.sayings import saying
from ags_tui.core.seen import SAYS
from ags_tui.core.snapshot import Artifact, Consumption, Snapshot, TaskSnapshot

REQUEST_FOLDERS: tuple[str, ...] = tuple(
    name
    for name, contract in COLLECTIONS.items()
    if contract in {"ToolRequest", "ApprovalRequest", "Escalation"}
)
"""Folders of what waits for a human."""

LONGEST_TEXT = 1 << 20
"""Most bytes of a task, plan or review whose text goes into the log; longer ones are kept by digest alone."""

YOUNG_S = 2.0
"""Seconds between the writing of a file and a look at it within which both saw the same tree. The tree on
which an older file was written is not known any more."""

_TEXT_KEPT = frozenset({"task.json", "plan.json", "review-result.json"})
"""Later versions are held against these: the terms, and the files that a review allows a fix to touch."""
EVIDENCE = frozenset(
    {"implementation-result.json", "fix-result.json", "review-result.json", "test-result.json"}
)
"""What speaks of a tree: kept with all that differed then, so that later changes can be told apart."""
_SETTLED = frozenset({"denied", "answered", "consumed", "expired", "dismissed"})
_BEING_WRITTEN = "BEING_WRITTEN"


class _Seen(NamedTuple):
    """A version of a contract file that is on disk now."""

    path: str
    digest: str
    contract: str
    valid: bool
    text: str | None
    document: Contract | None
    """What it holds; None where it was refused."""
    young: bool
    """Written so shortly before the reading that its tree is the tree of then."""


def due(task: TaskSnapshot, snapshot: Snapshot, now: datetime, *, via: Via = "tui") -> tuple[Draft, ...]:
    """Return the entries that this program must add to the log of a task now.

    Nothing is due before the baseline is recorded, on a log that cannot be relied on (tampered with, or
    signed by a stranger, whose entries do not count here and must not be repeated), or on a frozen task.

    Args:
        task: The task.
        snapshot: Where it comes from: policy.
        now: The wall clock.
        via: Through which door the caller looks.

    Returns:
        Drafts in the order in which they belong: observations, taken approvals, expired requests,
        withdrawals.
    """
    log = task.log
    if log.head_sequence < 0 or log.integrity is not Outcome.PASSED or log.frozen:
        return ()
    return (
        *_observed(task, snapshot, via),
        *_vouched(task, via),
        *_ended(task, snapshot, now, via),
        *_withdrawn(task, via),
    )


def request_status(
    task: TaskSnapshot, snapshot: Snapshot, artifact: Artifact, now: datetime
) -> ApprovalStatus:
    """Say where a request file stands.

    Args:
        task: The task.
        snapshot: Where it comes from: policy.
        artifact: A ToolRequest, ApprovalRequest or Escalation.
        now: The wall clock.
    """
    document = artifact.document
    return approval_status(
        task.log,
        kind=deciding_kind(artifact),
        subject_id=request_id(artifact),
        digest=artifact.digest,
        now=now,
        bound_now=bound_now(task, request=artifact.digest, policy=snapshot.policy.digest),
        first_seen=first_seen(task.log, artifact.digest) or snapshot.taken_at,
        timeout_s=snapshot.policy.request_timeout_s,
        created_at=getattr(document, "created_at", None),
        expires_at=getattr(document, "expires_at", None),
    )


def deciding_kind(artifact: Artifact) -> str:
    """Return the kind of the entries that decide a request file."""
    document = artifact.document
    if isinstance(document, ApprovalRequest):
        return document.subject.kind
    return "escalation" if isinstance(document, Escalation) else "tool-request"


def request_id(artifact: Artifact) -> str:
    """Return the id of a request file, as its name carries it."""
    return artifact.path.rpartition("/")[2].removesuffix(".json")


def requests_of(task: TaskSnapshot) -> tuple[Artifact, ...]:
    """Return the valid request files of a task, by path."""
    found = (
        artifact
        for path, artifact in sorted(task.files.artifacts.items())
        if path.partition("/")[0] in REQUEST_FOLDERS
    )
    return tuple(one for one in found if isinstance(one.document, ToolRequest | ApprovalRequest | Escalation))


# -- what appeared ---------------------------------------------------------------------------------------


def _observed(task: TaskSnapshot, snapshot: Snapshot, via: Via) -> Iterator[Draft]:
    known = {(seen.path, seen.digest): seen for seen in task.log.observations}
    for seen in _on_disk(task, snapshot):
        facts = _facts(task, seen)
        last = known.get((seen.path, seen.digest))
        if last is not None and not _seen_anew(task, seen, last, facts):
            continue
        yield _draft(task, "observation", "recorded", seen.path, seen.digest, data=facts, via=via)


def _vouched(task: TaskSnapshot, via: Via) -> Iterator[Draft]:
    """Plans of AGS runs that were made here: elsewhere nobody has the secret that shows it."""
    known = {(seen.path, seen.digest) for seen in task.log.observations}
    for run_id, genuine in sorted(task.run_facts.genuine.items()):
        plan = task.files.workflow.get(f"{WORKFLOW}/{run_id}/plan.json")
        if genuine and plan is not None and (plan.path, plan.digest) not in known:
            data = {"contract": plan.contract, "valid": True, "treeDigest": "", "genuine": True}
            yield _draft(task, "observation", "recorded", plan.path, plan.digest, data=data, via=via)


def _on_disk(task: TaskSnapshot, snapshot: Snapshot) -> Iterator[_Seen]:
    files = task.files
    for path, artifact in sorted(files.artifacts.items()):
        if is_ahead(artifact, snapshot):
            continue
        text = (
            artifact.raw.decode("utf-8") if path in _TEXT_KEPT and len(artifact.raw) <= LONGEST_TEXT else None
        )
        young = is_young(artifact, snapshot)
        yield _Seen(path, artifact.digest, artifact.contract, True, text, artifact.document, young)
    refused: dict[tuple[str, str], _Seen] = {}
    for problem in files.problems:
        place = place_of(problem.artifact)
        if (
            problem.digest is None
            or problem.code == _BEING_WRITTEN
            or problem.artifact in files.being_written
        ):
            continue
        if place is not None and place.kind == "contract" and problem.artifact not in files.artifacts:
            seen = _Seen(problem.artifact, problem.digest, place.contract or "", False, None, None, False)
            refused.setdefault((seen.path, seen.digest), seen)
    yield from refused.values()


def is_young(artifact: Artifact, snapshot: Snapshot) -> bool:
    """Whether an artifact was written so shortly before a reading that the reading saw the tree of then.

    Args:
        artifact: The file.
        snapshot: The reading.
    """
    return 0 <= _age(artifact, snapshot) <= YOUNG_S


def is_ahead(artifact: Artifact, snapshot: Snapshot) -> bool:
    """Whether an artifact was written while the reading went on: its tree is the next reading's.

    A time that lies further in the future says nothing at all: such a file is as good as old.

    Args:
        artifact: The file.
        snapshot: The reading.
    """
    return -YOUNG_S <= _age(artifact, snapshot) < 0


def waiting_evidence(snapshot: Snapshot) -> tuple[frozenset[str], float | None]:
    """Tasks with evidence that was written during the reading, and when to read again for it.

    Args:
        snapshot: The reading.

    Returns:
        Task ids, and seconds since the epoch; None where nothing waits.
    """
    tasks: set[str] = set()
    latest: float | None = None
    for task in snapshot.tasks:
        for path in EVIDENCE & task.files.artifacts.keys():
            artifact = task.files.artifacts[path]
            if is_ahead(artifact, snapshot):
                tasks.add(task.task_id)
                latest = max(artifact.modified_at, latest or 0.0)
    return frozenset(tasks), latest


def _age(artifact: Artifact, snapshot: Snapshot) -> float:
    return snapshot.taken_at.timestamp() - artifact.modified_at


def _seen_anew(task: TaskSnapshot, seen: _Seen, last: Observation, facts: dict[str, Any]) -> bool:
    """Whether bytes that are on record are observed again.

    A request that was gone has returned; or evidence whose tree nobody saw was written again before our eyes.
    """
    if seen.path in EVIDENCE and facts["treeDigest"] and not last.tree_digest:
        return True
    return _withdrawn_after(task, seen, last.sequence)


def _withdrawn_after(task: TaskSnapshot, seen: _Seen, sequence: int) -> bool:
    """Whether a request was seen to vanish since it was last observed: then it is observed again."""
    name = seen.path.rpartition("/")[2].removesuffix(".json")
    return any(
        row.counted
        and (row.entry.kind, row.entry.verdict) == ("request", "withdrawn")
        and WAITER not in row.entry.data
        and (row.entry.subject.id, row.entry.subject.digest) == (name, seen.digest)
        and row.entry.sequence > sequence
        for row in task.log.entries
    )


def _facts(task: TaskSnapshot, seen: _Seen) -> dict[str, Any]:
    changes = task.changes if seen.young else None
    known = changes is not None and not changes.unknown
    data: dict[str, Any] = {
        "contract": seen.contract,
        "valid": seen.valid,
        "treeDigest": changes.tree_digest if changes is not None and known else "",
    }
    if seen.text is not None:
        data["text"] = seen.text
    says = _saying(task, seen)
    if says:
        data[SAYS] = says
    entries = entries_of(changes) if changes is not None and seen.path in EVIDENCE else None
    if entries is not None:
        data["entries"] = entries
    return data


def _saying(task: TaskSnapshot, seen: _Seen) -> str:
    """What a file says, a plan beside the version of it that was seen last."""
    if seen.document is None:
        return ""
    before = [one for one in task.log.observations if one.path == seen.path and one.valid]
    last = task.recorded.get(before[-1].digest) if before else None
    version = len({one.digest for one in before} | {seen.digest})
    return saying(seen.document, last, version=version)


# -- what ended ------------------------------------------------------------------------------------------


def _ended(task: TaskSnapshot, snapshot: Snapshot, now: datetime, via: Via) -> Iterator[Draft]:
    for artifact in requests_of(task):
        status = request_status(task, snapshot, artifact, now)
        claim = task.files.consumptions.get(request_id(artifact))
        if claim is not None and _takes(claim, artifact, status):
            data = {"claim": claim.claim, "takenAt": claim.taken_at.isoformat()}
            yield _ending(task, artifact, "consumed", source="system", data=data, via=via)
        elif _has_expired(status) and not clock_jumped(task.log, now):
            yield _ending(task, artifact, "expired", source="timeout", data={}, via=via)


def _takes(claim: Consumption, artifact: Artifact, status: ApprovalStatus) -> bool:
    """Whether a claim takes an approval of exactly these bytes.

    The work that was approved may have changed its files by now, and its time may have run out since: what
    counts is that there was an approval to take. To be taken ends it, which is the safe direction.
    """
    entry = status.entry
    if entry is None or claim.digest != artifact.digest or entry.entry.subject.digest != artifact.digest:
        return False
    document = artifact.document
    if isinstance(document, ToolRequest):
        token = document.claim if isinstance(document, ToolRequestV2) else None
        if token is None or token != claim.claim:
            return False
    if status.state is RequestState.EXPIRED:
        ends = status.expires_at
        return entry.entry.kind != "request" and ends is not None and claim.taken_at < ends
    return status.in_force or status.state is RequestState.CHANGED


def _has_expired(status: ApprovalStatus) -> bool:
    recorded = status.entry is not None and status.entry.entry.kind == "request"
    return status.state is RequestState.EXPIRED and not recorded


def _ending(
    task: TaskSnapshot, artifact: Artifact, verdict: str, *, source: Source, data: dict[str, Any], via: Via
) -> Draft:
    return _draft(
        task, "request", verdict, request_id(artifact), artifact.digest, data=data, via=via, source=source
    )


def _withdrawn(task: TaskSnapshot, via: Via) -> Iterator[Draft]:
    """Find requests that were seen here, that nobody settled, and whose file is gone."""
    latest = {
        seen.path: seen for seen in task.log.observations if seen.path.partition("/")[0] in REQUEST_FOLDERS
    }
    for path, seen in sorted(latest.items()):
        place = place_of(path)
        if place is None or place.id is None or not seen.valid or _is_there(task, path):
            continue
        rows = [
            row.entry
            for row in task.log.entries
            if row.counted and (row.entry.subject.id, row.entry.subject.digest) == (place.id, seen.digest)
        ]
        settled = any(entry.verdict in _SETTLED for entry in rows)
        known = any(entry.verdict == "withdrawn" and entry.sequence > seen.sequence for entry in rows)
        if not settled and not known:
            yield _draft(task, "request", "withdrawn", place.id, seen.digest, data={"path": path}, via=via)


def _is_there(task: TaskSnapshot, path: str) -> bool:
    """Whether a file is on disk in any form, or could be: a folder that cannot be read hides its files."""
    files = task.files
    if path in files.artifacts or path in files.being_written:
        return True
    return any(
        problem.artifact.rstrip("/") in {"", ".", path} or path.startswith(problem.artifact.rstrip("/") + "/")
        for problem in files.problems
    )


def _draft(
    task: TaskSnapshot,
    kind: str,
    verdict: str,
    subject_id: str,
    subject_digest: str,
    *,
    data: dict[str, Any],
    via: Via,
    source: Source = "system",
) -> Draft:
    return Draft(
        task_id=task.task_id,
        kind=kind,
        verdict=verdict,
        subject_id=subject_id,
        subject_digest=subject_digest,
        source=source,
        via=via,
        data=data,
    )
