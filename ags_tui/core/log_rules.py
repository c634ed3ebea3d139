"""Replays a log: is it intact, what counts, what is in force.

Pure: the bytes and whose key signed come in, a ``LogState`` comes out. Nothing here trusts a file because
of its name or its place; an entry has effect only where the chain, the canonical bytes, the signature and
the writer are right.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ags_tui.core.approvals import (
    ApprovalStatus,
    approval_status,
    bound_now,
    clock_findings,
    expiry,
    first_seen,
)
from ags_tui.core.checks.findings import Finding, Severity, outcome_of
from ags_tui.core.contracts.log_entry import LogEntry
from ags_tui.core.digests import digest
from ags_tui.core.log_authority import VERDICTS, WRITERS, entry_refusal
from ags_tui.core.log_effects import Effects, apply_entry
from ags_tui.core.log_entries import EntryRead, LogFile, read_entry
from ags_tui.core.log_state import LoggedEntry, LogState

__all__ = [
    "AFTER_TORN", "VERDICTS", "WRITERS", "ApprovalStatus", "LogFile", "RollbackMark", "approval_status",
    "bound_now", "clock_findings", "expiry", "first_seen", "replay",
]  # fmt: skip

AFTER_TORN = "afterTorn"
"""Key in the ``data`` of an entry that follows a torn one: number and digest of the last whole entry before.
The chain itself runs through the torn bytes, which say nothing about what came before them."""

_NUMBERED = re.compile(r"[0-9]{6}\.json")
_FOLDER = "log/"


@dataclass(frozen=True, slots=True)
class RollbackMark:
    """The highest entry that this machine has seen of a log."""

    log_id: str
    """Which log."""
    sequence: int
    """Its number."""
    digest: str
    """Digest of its bytes."""
    place: str = ""
    """File that keeps the mark, for messages."""


@dataclass(slots=True)
class _Walk:
    """Where the walk along a chain stands."""

    task_id: str
    log_id: str = ""
    previous: str | None = None
    whole: tuple[int, str] = (-1, "")
    torn_before: bool = False
    link_unknown: bool = False
    broken: bool = False
    rows: list[LoggedEntry] = field(default_factory=list[LoggedEntry])
    digests: dict[int, str | None] = field(default_factory=dict[int, str | None])
    torn: list[int] = field(default_factory=list[int])
    findings: list[Finding] = field(default_factory=list[Finding])


def replay(
    files: Sequence[LogFile],
    task_id: str,
    *,
    rollback: RollbackMark | None = None,
    may_tear: bool | None = False,
) -> LogState:
    """Replay the files of a log folder.

    Args:
        files: All files of the folder but our temporary ones, in any order.
        task_id: Name of the task folder.
        rollback: What this machine remembers of the log.
        may_tear: Whether a crash can leave a torn last file on this file system (None: not known).

    Returns:
        The state. ``integrity`` is failed where the log was tampered with, unknown where a signer or a file
        could not be judged.
    """
    walk = _Walk(task_id)
    numbered = sorted((file for file in files if _NUMBERED.fullmatch(file.name)), key=lambda file: file.name)
    walk.findings += _stray(file.name for file in files if not _NUMBERED.fullmatch(file.name))
    for position, file in enumerate(numbered):
        _step(walk, position, file, last=position == len(numbered) - 1, may_tear=may_tear)
    walk.findings += _rolled_back(walk, rollback)
    return _state(walk, len(numbered))


def _step(walk: _Walk, position: int, file: LogFile, *, last: bool, may_tear: bool | None) -> None:
    number = int(file.name[:6])
    if not walk.broken and number != position:
        _break(walk, f"{_FOLDER}{position:06d}.json is missing", position)
    own = file.digest or digest(file.raw)
    walk.digests[number] = None if file.unreadable else own
    read = EntryRead(None, b"", file.fault) if file.fault else file.read or read_entry(file.raw)
    if read.entry is not None:
        row = LoggedEntry(read.entry, own, file.signer)
        walk.rows.append(row if walk.broken else _judged(walk, number, row))
    elif not walk.broken:
        _unread(walk, number, file, read, may_tear=may_tear if last else True)
    walk.previous = own


def _unread(walk: _Walk, number: int, file: LogFile, read: EntryRead, *, may_tear: bool | None) -> None:
    """Judge a file that holds no entry; one inside the log may be torn: the next entry then vouches."""
    if read.newer or file.unreadable or (read.torn and may_tear is None):
        code = "UNKNOWN_VERSION" if read.newer else "LOG_UNREADABLE"
        walk.findings.append(_unknown(code, f"entry {number}: {read.problem}", number))
        walk.torn_before = False
        walk.link_unknown = file.unreadable
    elif read.torn and may_tear:
        walk.torn.append(number)
        walk.torn_before = True
    else:
        _break(walk, f"entry {number}: {read.problem}", number)


def _judged(walk: _Walk, number: int, row: LoggedEntry) -> LoggedEntry:
    problem = _misplaced(walk, number, row.entry) or _unsigned(walk, row)
    if problem:
        _break(walk, f"entry {number}: {problem}", number)
        return row
    walk.log_id = walk.log_id or row.entry.log_id
    walk.torn_before = walk.link_unknown = False
    walk.whole = (number, row.digest)
    if row.signer == "unknown":
        message = f"entry {number} is signed by {row.entry.key_id}, a key that is not trusted here"
        walk.findings.append(_unknown("UNKNOWN_SIGNER", message, number))
        return row
    refused = "" if row.signer == "none" else entry_refusal(row.entry, row.signer)
    if refused:
        walk.findings.append(
            Finding("ENTRY_WITHOUT_EFFECT", f"entry {number} does not count: {refused}", Severity.WARNING,
                    artifact=_name(number))
        )  # fmt: skip
    return LoggedEntry(row.entry, row.digest, row.signer, counted=not refused)


def _misplaced(walk: _Walk, number: int, entry: LogEntry) -> str:
    if entry.sequence != number:
        return f"it carries the number {entry.sequence}"
    if entry.task_id != walk.task_id:
        return "it belongs to another task"
    if walk.log_id and entry.log_id != walk.log_id:
        return "it belongs to another log"
    if entry.previous_digest != walk.previous and not walk.link_unknown:
        return "it does not link to the entry before it"
    if walk.torn_before or AFTER_TORN in entry.data:
        sequence, whole = walk.whole
        expected = {"sequence": sequence, "digest": whole} if walk.torn_before else None
        if entry.data.get(AFTER_TORN) != expected:
            return "it does not vouch for the entries before a torn one"
    return ""


def _unsigned(walk: _Walk, row: LoggedEntry) -> str:
    """Say what is wrong with the signature; only the very first baseline may have none."""
    if row.signer == "invalid":
        return "its signature is wrong"
    first = (row.entry.kind, row.entry.verdict) == ("baseline", "recorded") and not any(
        earlier.entry.kind == "baseline" for earlier in walk.rows
    )
    return "it is not signed" if row.signer == "none" and not first else ""


def _state(walk: _Walk, count: int) -> LogState:
    effects = Effects()
    for row in walk.rows:
        if row.counted:
            apply_entry(effects, row)
    return LogState(
        log_id=walk.log_id,
        entries=tuple(walk.rows),
        head_sequence=max(walk.digests, default=-1),
        head_digest=walk.previous or "",
        next_sequence=max(walk.digests, default=-1) + 1,
        integrity=outcome_of(walk.findings),
        findings=tuple(walk.findings),
        torn=tuple(walk.torn),
        baseline=effects.baseline,
        observations=tuple(effects.observations),
        tests=tuple(effects.tests),
        outside=tuple(effects.outside),
        blocks=tuple(effects.blocks),
        attested=dict(effects.attested),
        answered=dict(effects.answered),
        finalized=effects.finalized,
        closed=effects.closed,
    )


def _rolled_back(walk: _Walk, mark: RollbackMark | None) -> list[Finding]:
    if mark is None:
        return []
    kept = f" ({mark.place} remembers it)" if mark.place else ""
    if not walk.digests:
        return [_tampered(f"the log is missing; it had {mark.sequence + 1} entries{kept}", 0)]
    if walk.log_id and walk.log_id != mark.log_id:
        return [_tampered(f"this is another log than the one seen here before{kept}", 0)]
    if mark.sequence not in walk.digests:
        message = f"the log was rolled back: entry {mark.sequence} was seen here and is missing{kept}"
        return [_tampered(message, mark.sequence)]
    if walk.digests[mark.sequence] not in (None, mark.digest):
        return [_tampered(f"entry {mark.sequence} is not the one seen here before{kept}", mark.sequence)]
    return []


def _stray(names: Iterable[str]) -> list[Finding]:
    """Judge files that are no numbered entries: copies of entries are forks, the rest does not belong."""
    findings: list[Finding] = []
    for name in sorted(names):
        if ".json" in name.lower():
            findings.append(
                _tampered(f"{_FOLDER}{name} does not belong in a log: a second copy of an entry?")
            )
        else:
            message = f"{_FOLDER}{name} does not belong here; remove it"
            findings.append(
                Finding(
                    "LOG_EXTRA_FILE", message, Severity.WARNING, artifact=_FOLDER + name, next_action="human"
                )
            )
    return findings


def _break(walk: _Walk, message: str, number: int) -> None:
    walk.findings.append(_tampered(message, number))
    walk.broken = True


def _tampered(message: str, number: int | None = None) -> Finding:
    artifact = _FOLDER if number is None else _name(number)
    return Finding("LOG_TAMPERED", message, artifact=artifact, next_action="human")


def _unknown(code: str, message: str, number: int) -> Finding:
    return Finding(code, message, artifact=_name(number), next_action="human", unknown=True)


def _name(number: int) -> str:
    return f"{_FOLDER}{number:06d}.json"
