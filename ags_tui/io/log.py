"""Reads and extends the log of a task: create-once, chained, signed, never overwritten.

The one way in is ``record``: it looks at the log as it is now, refuses what would not count, and either
writes the entry durably or raises with a reason for the human. What it returned is on disk.
"""

import os
import pwd
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from ags_tui.core.approvals import changes_since
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.contracts.log_entry import Actor, LogEntry, Subject
from ags_tui.core.decisions import Bound, Draft
from ags_tui.core.digests import canonical, digest
from ags_tui.core.log_authority import draft_refusal, signing_role
from ags_tui.core.log_entries import LARGEST_ENTRY, bound_digests, encode_entry, signed_bytes, writable
from ags_tui.core.log_rules import AFTER_TORN
from ags_tui.core.log_state import LoggedEntry, LogState, Signer
from ags_tui.io.create_once import DISK, Disk, create_once, sweep
from ags_tui.io.keys import Keys, KeyUnavailable
from ags_tui.io.log_failures import (
    ChangedSinceShown,
    LogError,
    LogNotIntact,
    LogUnwritable,
    NotAllowed,
    StaleRevision,
    explain,
)
from ags_tui.io.log_folder import LogBusy, LogFolderFault, locked, open_log
from ags_tui.io.log_reader import probe, read_log, read_open_log, verify
from ags_tui.io.places import Places
from ags_tui.io.rehash import changed_in_folder
from ags_tui.io.rollback import extend_mark

__all__ = [
    "ChangedSinceShown", "LogError", "LogNotIntact", "LogUnwritable", "NotAllowed", "StaleRevision",
    "probe", "read_log", "record", "verify",
]  # fmt: skip

LAST_SEQUENCE = 999_999
"""Highest number of an entry."""

TORN_PATIENCE_S = 10.0
"""Age from which a torn entry counts as left behind where no lock tells whether its writer still lives."""

_APPROVING = frozenset({"approved", "amended", "answered", "finalized"})
_SAFE = frozenset({"denied", "blocked"})
_UNREAD = frozenset({"LOG_UNREADABLE", "UNKNOWN_VERSION"})
_ATTEMPTS = 100
_PROGRAM = "ags-tui"


@dataclass(frozen=True, slots=True)
class _Writer:
    """What a recording needs besides the draft."""

    folder: Path
    keys: Keys
    places: Places
    now: datetime
    disk: Disk


def record(
    folder: Path,
    draft: Draft,
    keys: Keys,
    places: Places,
    *,
    now: datetime,
    current: Bound | None,
    disk: Disk = DISK,
) -> LoggedEntry:
    """Add an entry to the log of a task.

    Args:
        folder: The task folder; its name is the task id.
        draft: What to record.
        keys: Signs it: the human key for what a human did in the TUI, else the system key.
        places: Where the mark against rollback is kept.
        now: The wall clock; becomes ``decidedAt``.
        current: What the draft is bound to, hashed again just now; None only for what approves nothing.
        disk: Calls of the file system.

    Returns:
        The entry, durably on disk.

    Raises:
        NotAllowed: Such an entry would not count.
        StaleRevision: The log has grown since ``draft.expected_sequence``.
        ChangedSinceShown: Something that the draft is bound to has other bytes now; never for what is denied
            or blocked, which holds for the bytes that were shown.
        LogNotIntact: The log was tampered with.
        LogUnwritable: No key, no space, no permission …; the reason says which.
    """
    _allow(folder, draft, current)
    writer = _Writer(folder, keys, places, now, disk)
    try:
        with open_log(folder, create=True) as log:
            assert log is not None  # made by create=True
            with locked(log) as held:
                sweep(log, now.timestamp())
                return _record(writer, log, draft, current, held=held)
    except LogFolderFault as fault:
        raise LogUnwritable(str(fault)) from fault
    except LogBusy as error:
        raise LogUnwritable(f"{error}; try again") from error
    except OSError as error:
        raise LogUnwritable(explain(error)) from error


def _allow(folder: Path, draft: Draft, current: Bound | None) -> None:
    refused = draft_refusal(draft)
    if refused:
        raise NotAllowed(refused)
    if folder.name != draft.task_id:
        raise NotAllowed(f"the folder {folder.name!r} is not the one of task {draft.task_id!r}")
    if current is None and draft.verdict in _APPROVING:
        raise NotAllowed(f"{draft.kind} {draft.verdict}: what it is bound to was not hashed again")


def _record(writer: _Writer, log: int, draft: Draft, current: Bound | None, *, held: bool) -> LoggedEntry:
    """Write at the end of the log as it is now; look again where another process was faster."""
    for _ in range(_ATTEMPTS):
        state = read_open_log(writer.folder, log, writer.keys, writer.places, disk=writer.disk)
        _check(writer, log, draft, state, current, held=held)
        entry, signer = _signed(writer, draft, state)
        data = _bytes(entry)
        name = f"{entry.sequence:06d}.json"
        try:
            create_once(log, name, data, disk=writer.disk)
        except FileExistsError as error:
            if draft.expected_sequence is not None:
                raise StaleRevision(entry.sequence, entry.sequence + 1) from error
            continue
        except OSError as error:
            _unsure(log, name, entry.sequence, error)
            raise
        row = LoggedEntry(entry, digest(data), signer, counted=True)
        grown = replace(state, log_id=entry.log_id, entries=(*state.entries, row))
        extend_mark(writer.places, writer.folder, grown, writer.keys)
        return row
    raise LogUnwritable("other processes write into this log without a pause; try again")


def _check(
    writer: _Writer, log: int, draft: Draft, state: LogState, current: Bound | None, *, held: bool
) -> None:
    if state.integrity is Outcome.FAILED:
        raise LogNotIntact([finding for finding in state.findings if finding.code == "LOG_TAMPERED"])
    if draft.expected_sequence is not None and draft.expected_sequence != state.next_sequence:
        raise StaleRevision(draft.expected_sequence, state.next_sequence)
    changed = changes_since(draft.bound, current) if current is not None else ()
    changed = tuple(dict.fromkeys((*changed, *changed_in_folder(writer.folder, draft))))
    if changed and draft.verdict not in _SAFE:
        raise ChangedSinceShown(changed)
    if state.next_sequence > LAST_SEQUENCE:
        raise LogUnwritable("the log is full; close this task and start another")
    _check_end(writer, log, state, held=held)


def _check_end(writer: _Writer, log: int, state: LogState, *, held: bool) -> None:
    """Refuse to go on after an end that is not understood, or that somebody may still be writing."""
    head = state.head_sequence
    if head in state.torn:
        age = writer.now.timestamp() - os.stat(f"{head:06d}.json", dir_fd=log, follow_symlinks=False).st_mtime
        if not held and age < TORN_PATIENCE_S:
            raise LogUnwritable(f"entry {head} is still being written; try again in a few seconds")
    elif head >= 0 and (not state.entries or state.entries[-1].entry.sequence != head):
        raise LogUnwritable(
            f"entry {head} cannot be read here, so nothing can follow it: see `ags-tui verify`"
        )
    unread = next((finding for finding in state.findings if finding.code in _UNREAD), None)
    if unread is not None:
        # what is signed here vouches for all that came before: nothing of it may be unseen
        raise LogUnwritable(f"{unread.message}; nothing can follow what cannot be read: see `ags-tui verify`")


def _signed(writer: _Writer, draft: Draft, state: LogState) -> tuple[LogEntry, Signer]:
    role = signing_role(draft)
    unsigned = draft.kind == "baseline" and not state.entries and not writer.keys.can_sign(role)
    try:
        key_id = "" if unsigned else writer.keys.key_id(role)
        entry = _entry(writer, draft, state, key_id)
        if unsigned:
            return entry, "none"
        _, signature = writer.keys.sign(role, signed_bytes(entry))
    except KeyUnavailable as error:
        raise LogUnwritable(str(error)) from error
    except ValueError as error:  # pydantic's and canonical()'s refusals
        raise LogUnwritable(f"this cannot be written as a log entry: {error}") from error
    return entry.model_copy(update={"signature": signature}), role


def _entry(writer: _Writer, draft: Draft, state: LogState, key_id: str) -> LogEntry:
    data = {_inert(name): _plain(value) for name, value in draft.data.items() if name != AFTER_TORN}
    canonical(data)  # refuses here what a model would write as something else, such as NaN
    if state.head_sequence in state.torn:
        last = state.entries[-1] if state.entries else None
        data[AFTER_TORN] = {
            "sequence": last.entry.sequence if last else -1,
            "digest": last.digest if last else "",
        }
    return LogEntry(
        log_id=state.log_id or secrets.token_hex(16),
        sequence=state.next_sequence,
        previous_digest=state.head_digest or None,
        task_id=draft.task_id,
        kind=cast("Any", draft.kind),
        verdict=draft.verdict,
        subject=Subject(id=_inert(draft.subject_id), digest=draft.subject_digest),
        bound=bound_digests(draft.bound),
        actor=Actor(
            source=draft.source,
            name=_inert(draft.actor) or _name(draft),
            via=draft.via,
            rule_id=draft.rule_id,
        ),
        reason=_inert(draft.reason),
        data=data,
        expires_at=None if draft.expires_at is None else draft.expires_at.astimezone(UTC),
        decided_at=writer.now.astimezone(UTC),
        key_id=key_id,
        signature="",
    )


def _bytes(entry: LogEntry) -> bytes:
    data = encode_entry(entry)
    if len(data) > LARGEST_ENTRY:
        raise LogUnwritable(f"the entry would be larger than {LARGEST_ENTRY} bytes")
    return data


def _plain(value: object) -> object:
    """Turn read-only mappings and tuples into what JSON knows, and foreign text into text it can hold."""
    if isinstance(value, str):
        return _inert(value)
    if isinstance(value, Mapping):
        items = cast("Mapping[str, object]", value).items()
        return {_inert(name): _plain(item) for name, item in items}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("Sequence[object]", value)]
    return value


def _inert(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return writable(text)
    return text


def _name(draft: Draft) -> str:
    if draft.source != "human":
        return _PROGRAM
    user = os.getuid()
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"


def _unsure(log: int, name: str, number: int, error: OSError) -> None:
    """Tell the one failure that leaves an entry behind: the disk did not confirm the folder."""
    try:
        os.stat(name, dir_fd=log, follow_symlinks=False)
    except OSError:
        return
    message = f"entry {number} was written, but the disk did not confirm it ({explain(error)}); look again"
    raise LogUnwritable(message) from error
