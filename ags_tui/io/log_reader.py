"""Reads a task's log from disk and replays it against what this machine remembers of it."""

import os
from pathlib import Path

from ags_tui.core.checks.findings import Finding, outcome_of
from ags_tui.core.log_entries import LogFile, read_entry
from ags_tui.core.log_rules import replay
from ags_tui.core.log_state import LogState
from ags_tui.io.create_once import DISK, Disk, Method, probe_method
from ags_tui.io.keys import Keys
from ags_tui.io.log_folder import LogFolderFault, open_log, read_files
from ags_tui.io.log_signers import with_signers
from ags_tui.io.places import Places
from ags_tui.io.rollback import NOTHING, Remembered, extend_mark, remembered


def read_log(folder: Path, keys: Keys, places: Places, *, disk: Disk = DISK) -> LogState:
    """Read and replay the log of a task.

    Never raises: what is wrong is in the state. The mark against rollback moves up where it may. Entries for
    which a later one of this machine vouches are not verified once more (``io.log_signers``).

    Args:
        folder: The task folder.
        keys: Whose signatures count.
        places: Where the mark is kept.
        disk: Calls of the file system.
    """
    try:
        with open_log(folder) as log:
            state, known = _read(folder, log, keys, places, disk=disk, whole=False)
    except LogFolderFault as fault:
        return _faulty(str(fault), unreadable=fault.unreadable)
    extend_mark(places, folder, state, keys, known)
    return state


def read_open_log(
    folder: Path, log: int | None, keys: Keys, places: Places | None, *, disk: Disk = DISK
) -> LogState:
    """Read, verify entry by entry and replay a log whose folder is open (None: there is none).

    Args:
        folder: The task folder.
        log: Descriptor of the log folder.
        keys: Whose signatures count.
        places: Where the mark is kept; None for no mark.
        disk: Calls of the file system.

    Raises:
        LogFolderFault: The folder cannot be listed.
    """
    return _read(folder, log, keys, places, disk=disk, whole=True)[0]


def _read(
    folder: Path, log: int | None, keys: Keys, places: Places | None, *, disk: Disk, whole: bool
) -> tuple[LogState, Remembered]:
    # The mark comes first: an entry is written before its mark, so what is listed later must hold it.
    known = NOTHING if places is None else remembered(places, folder)
    files = [] if log is None else read_files(log)
    if log is not None and places is not None and known.mark is None:
        known = remembered(places, folder, _log_id(files))
        files = files if known.mark is None else read_files(log)
    files = with_signers(files, keys, whole=whole, verified=_verified(keys, known))
    tear = False if log is None or not _ends_torn(files) else may_tear(log, disk)
    return replay(files, folder.name, rollback=known.mark, may_tear=tear), known


def _verified(keys: Keys, known: Remembered) -> str:
    """The digest of the entry up to which this machine has verified what its system key signed."""
    return known.mark.digest if known.mark is not None and keys.sealed(known.mark.digest, known.seal) else ""


def verify(folder: Path, keys: Keys, places: Places | None = None) -> LogState:
    """Read, verify entry by entry and replay a log without moving any mark: what ``ags-tui verify`` shows.

    Args:
        folder: The task folder.
        keys: Whose signatures count.
        places: Where a mark may be kept; None to look at the log alone.
    """
    try:
        with open_log(folder) as log:
            return read_open_log(folder, log, keys, places)
    except LogFolderFault as fault:
        return _faulty(str(fault), unreadable=fault.unreadable)


def may_tear(log: int, disk: Disk = DISK) -> bool | None:
    """Whether a crash can leave a torn entry in this folder; None where it cannot be tried out."""
    try:
        return probe_method(log, disk) == "exclusive"
    except OSError:
        return None


def probe(folder: Path, *, disk: Disk = DISK) -> Method:
    """Say which call gives entries their name on the file system of a folder, for ``doctor``.

    Args:
        folder: A folder that exists.
        disk: Calls of the file system.

    Returns:
        ``link``, ``rename`` or ``exclusive``; only with the last a crash can leave a torn entry.

    Raises:
        OSError: Nothing can be written there.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return probe_method(descriptor, disk)
    finally:
        os.close(descriptor)


def _log_id(files: list[LogFile]) -> str:
    """Return the id in the first entry that can be read, which is the one of the log."""
    entries = (read_entry(file.raw).entry for file in files if not file.fault)
    return next((entry.log_id for entry in entries if entry is not None), "")


def _ends_torn(files: list[LogFile]) -> bool:
    numbered = [file for file in files if file.name.endswith(".json")]
    return bool(numbered) and not numbered[-1].fault and read_entry(numbered[-1].raw).torn


def _faulty(reason: str, *, unreadable: bool) -> LogState:
    code = "LOG_UNREADABLE" if unreadable else "LOG_TAMPERED"
    finding = Finding(code, reason, artifact="log/", next_action="human", unknown=unreadable)
    return LogState(integrity=outcome_of((finding,)), findings=(finding,))
