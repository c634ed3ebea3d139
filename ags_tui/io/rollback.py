"""Marks against rollback: the highest entry that this machine has seen of each log.

``STATE/heads/LOGID`` holds the number and digest, ``STATE/heads/folders/…`` says which log a task folder
had, so that a log that vanished as a whole is missed too. A mark only ever moves up, and only along a chain
that holds the marked entry. The mark of an intact log is sealed: the next reading need not verify once more
what the system signed up to there.
"""

import fcntl
import hashlib
import json
import logging
import os
import re
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from ags_tui.core.checks.findings import Outcome
from ags_tui.core.log_rules import RollbackMark
from ags_tui.core.log_state import LogState
from ags_tui.io.keys import Keys
from ags_tui.io.places import Places, PlaceUnusable

FOLDER = "heads"
"""Folder of the state directory."""

_FOLDERS = "folders"
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Remembered:
    """What the state directory says about the log of a task folder."""

    mark: RollbackMark | None
    """The highest entry that was seen of it."""
    placed: str
    """Id of the log that the folder is known to hold; empty where it is not known."""
    seal: str = ""
    """Proof that the system's entries up to the mark were verified here (``Keys.seal``); empty without."""


NOTHING = Remembered(None, "")
"""What is remembered where nothing is."""


def remembered(places: Places, folder: Path, log_id: str = "") -> Remembered:
    """Return what is remembered of the log of a task folder.

    Args:
        places: The user's folders; nothing there is nothing remembered.
        folder: The task folder.
        log_id: Id of the log found there, for a folder that no mark names; empty where it is not known.
    """
    known = _load(_folder_file(places, folder)).get("logId")
    placed = known if isinstance(known, str) else ""
    wanted = known if isinstance(known, str) else log_id
    if not wanted:
        return Remembered(None, placed)
    path = _mark_file(places, wanted)
    mark = _load(path)
    sequence, digest = mark.get("sequence"), mark.get("digest")
    if mark.get("logId") != wanted or not isinstance(sequence, int) or not isinstance(digest, str):
        return Remembered(None, placed)
    seal = mark.get("seal")
    return Remembered(
        RollbackMark(wanted, sequence, digest, path), placed, seal if isinstance(seal, str) else ""
    )


def read_mark(places: Places, folder: Path, log_id: str = "") -> RollbackMark | None:
    """Return the highest entry that was seen of the log of a task folder, as ``remembered`` does."""
    return remembered(places, folder, log_id).mark


def mark_files(places: Places, folder: Path, log_id: str) -> tuple[Path, ...]:
    """Files that change when anybody here sees more of a log; they need not exist.

    Args:
        places: The user's folders.
        folder: The task folder.
        log_id: Id of its log; empty where it has none.
    """
    placed = Path(_folder_file(places, folder))
    return (placed, Path(_mark_file(places, log_id))) if log_id else (placed,)


def extend_mark(
    places: Places, folder: Path, state: LogState, keys: Keys, known: Remembered | None = None
) -> None:
    """Remember the last entry that a trusted key signed, of a log that is not broken.

    What strangers signed is never remembered by itself: else anybody could add an entry, have it remembered
    and take it away again. A state directory that cannot be written is no reason to fail: the entry itself
    is what counts.

    Args:
        places: The user's folders.
        folder: The task folder.
        state: Its log, replayed against the mark that is there.
        keys: What it was verified with; they seal the mark of a log without any doubt.
        known: What was remembered a moment ago (marks only move up); None looks again.
    """
    if state.integrity is Outcome.FAILED:
        return
    signed = next((row for row in reversed(state.entries) if row.signer in ("human", "system")), None)
    if signed is None:
        return
    known = known or remembered(places, folder, state.log_id)
    seen = known.mark is not None and known.mark.sequence >= signed.entry.sequence
    if not seen or known.placed != state.log_id:
        mark = {"logId": state.log_id, "sequence": signed.entry.sequence, "digest": signed.digest}
        if state.integrity is Outcome.PASSED:
            mark["seal"] = keys.seal(signed.digest)
        _remember(places, folder, mark)


def _remember(places: Places, folder: Path, mark: dict[str, Any]) -> None:
    log_id = mark["logId"]
    try:
        with _locked(places.state_folder(FOLDER)):
            current = remembered(places, folder, log_id)
            if current.mark is None or current.mark.sequence < mark["sequence"]:
                _store(_mark_file(places, log_id), mark)
            if current.placed == log_id:
                return
            places.state_folder(FOLDER, _FOLDERS)
            _store(
                _folder_file(places, folder),
                {"logId": log_id, "folder": os.fsdecode(os.path.realpath(folder))},
            )
    except (OSError, PlaceUnusable) as error:
        _log.warning("the mark against rollback was not moved: %s", error)


@contextmanager
def _locked(folder: Path) -> Generator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # without locks the worst is a mark that is one entry behind
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _store(place: str, document: dict[str, Any]) -> None:
    path = Path(place)
    temporary = path.with_name(f".tmp-{os.getpid()}-0")
    temporary.unlink(missing_ok=True)
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(json.dumps(document).encode("ascii") + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _load(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb", buffering=0) as stream:
            document: object = json.loads(stream.readall())
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", document) if isinstance(document, dict) else {}


def _mark_file(places: Places, log_id: str) -> str:
    name = log_id if _PLAIN.fullmatch(log_id) else "x-" + _hash(log_id.encode("utf-8", "surrogatepass"))
    return f"{places.state}/{FOLDER}/{name}"


def _folder_file(places: Places, folder: Path) -> str:
    return f"{places.state}/{FOLDER}/{_FOLDERS}/{_hash(os.fsencode(_real(folder)))}"


def _real(folder: Path) -> str:
    """The real path of a task folder, which is no link itself; that of its parent is looked up once."""
    parent, _, name = os.fspath(folder).rpartition("/")
    try:
        facts = os.stat(parent)
    except OSError:  # also for a path of one part
        return os.path.realpath(folder)
    return os.path.join(_real_parent(parent, (facts.st_dev, facts.st_ino)), name)


@lru_cache(maxsize=64)
def _real_parent(path: str, identity: tuple[int, int]) -> str:
    del identity  # another folder in its place is looked up anew
    return os.path.realpath(path)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]
