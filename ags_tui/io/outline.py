"""The first look at many task folders: names and times by stat alone, and what was shown of them last time.

An outline opens no file, so a list of a thousand tasks appears at once; the files are read behind it. What
the last session showed for a folder with the same signature may stand there until then. It is shown only: no
check, gate or key reads it.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from ags_tui.core.layout import EVIDENCE, TASKS, is_known_folder, valid_task_id

MAX_BYTES = 16 * 1024 * 1024
"""Largest file of remembered rows that is read."""
CLOCK_STEP = 0.02
"""Seconds by which the time of a change in the file system may lie behind the clock of the system."""
SETTLED = 5.0
"""Seconds after which a change has been read: longer than from one sweep of the watch to the next."""
_VERSION = 1
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


_known_folder = lru_cache(maxsize=4_096)(is_known_folder)


@dataclass(frozen=True, slots=True)
class TaskOutline:
    """A task folder, seen from outside."""

    task_id: str
    """Its name."""
    modified_at: float
    """When a name in it last came or went, seconds since the epoch."""


def outline_of(tasks: int, name: str) -> TaskOutline | None:
    """Look at one folder from outside.

    Args:
        tasks: Descriptor of the folder ``tasks/``.
        name: Name in it.

    Returns:
        The outline, None where it has vanished.
    """
    try:
        return TaskOutline(name, os.lstat(name, dir_fd=tasks).st_mtime)
    except OSError:
        return None


class Look(NamedTuple):
    """A task folder, looked into without opening a file."""

    signature: int
    """Stays equal as long as no file (but evidence) changed, came or went; never 0."""
    changed_at: float
    """When anything in it changed last, seconds since the epoch."""


def signature_of(tasks: int, name: str) -> int:
    """A number that stays equal as long as no file of a task folder (but evidence) changed, came or went.

    Args:
        tasks: Descriptor of the folder ``tasks/``.
        name: Name in it.

    Returns:
        The number; 0 where the folder cannot be looked into.
    """
    look = look_into(tasks, name)
    return 0 if look is None else look.signature


def look_into(tasks: int, name: str) -> Look | None:
    """Look into one task folder.

    Args:
        tasks: Descriptor of the folder ``tasks/``.
        name: Name in it.

    Returns:
        What tells whether it changed, and when it did; None where it cannot be looked into.
    """
    marks: list[int] = []
    try:
        folder = os.open(name, _FOLDER_FLAGS, dir_fd=tasks)
    except OSError:
        return None
    try:
        latest = _mark(folder, "", marks)
    except OSError:
        return None  # something vanished: whatever was shown is old
    finally:
        os.close(folder)
    signature = 0
    for mark in marks:
        signature ^= mark
    return Look(signature or 1, latest / 1e9)


def _mark(folder: int, prefix: str, marks: list[int]) -> int:
    """Gather a mark of each file; gives the latest change of the folder and all in it, in nanoseconds.

    Raises:
        OSError: Something vanished or may not be looked at.
    """
    inner: list[str] = []
    latest = os.fstat(folder).st_ctime_ns
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                inner.append(entry.name)
            else:
                facts = entry.stat(follow_symlinks=False)
                marks.append(hash((facts.st_ino, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size)))
                latest = max(latest, facts.st_ctime_ns)
    for name in inner:
        path = prefix + name
        if path != EVIDENCE and _known_folder(path):
            descriptor = os.open(name, _FOLDER_FLAGS, dir_fd=folder)
            try:
                latest = max(latest, _mark(descriptor, path + "/", marks))
            finally:
                os.close(descriptor)
    return latest


class RememberedRows:
    """What was last shown for each task, in the state directory; for the first screen of the next start."""

    def __init__(self, state: Path, root: Path) -> None:
        """Name the file; nothing is read yet.

        Args:
            state: The user's state directory.
            root: Folder that holds ``tasks/``.
        """
        name = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:32]
        self._folder = state / "rows"
        self._path = self._folder / f"{name}.json"
        self._tasks = root / TASKS
        self._signatures: dict[str, tuple[float, int]] = {}
        self._stored: object = None

    def shown(self, most: int | None = None) -> dict[str, tuple[dict[str, Any], bool]]:
        """Give what was shown last, in the order in which it was shown.

        Args:
            most: Look only into so many folders, the first ones; the others count as changed. None: all.

        Returns:
            By task id, the row and whether the folder is as it was when the row was shown.
        """
        kept = self._read()
        self._stored = kept
        found = {task_id: (row, False) for task_id, (_, row) in kept.items()}
        try:
            tasks = os.open(self._tasks, _FOLDER_FLAGS)
        except OSError:
            return found
        try:
            for task_id in list(kept)[:most]:
                signature, row = kept[task_id]
                if signature_of(tasks, task_id) == signature:
                    found[task_id] = (row, True)
                    self._signatures.setdefault(task_id, (0.0, signature))
        finally:
            os.close(tasks)
        return found

    def keep(self, rows: Mapping[str, tuple[Mapping[str, Any], float]], now: float) -> bool:
        """Keep what is shown, for the next start; nothing is written where that is known already.

        A folder that may have changed since it was read is left out.

        Args:
            rows: By task id and in the order of the list, a JSON object and when the folder was read,
                seconds since the epoch; 0 where it is as ``shown`` found it.
            now: Seconds since the epoch.

        Returns:
            Whether all rows were kept; else it is worth another try later.
        """
        try:
            tasks = os.open(self._tasks, _FOLDER_FLAGS)
        except OSError:
            return False
        try:
            signatures = {
                task_id: self._at(tasks, task_id, read_at, now) for task_id, (_, read_at) in rows.items()
            }
        finally:
            os.close(tasks)
        kept = {
            task_id: (signatures[task_id], row) for task_id, (row, _) in rows.items() if signatures[task_id]
        }
        if kept != self._stored:
            self._stored = kept
            self._write({task_id: [signature, row] for task_id, (signature, row) in kept.items()})
        return len(kept) == len(rows)

    def _at(self, tasks: int, task_id: str, read_at: float, now: float) -> int:
        """The signature that a folder had when it was read; 0 where that cannot be told any more."""
        known = self._signatures.get(task_id)
        if known is not None and known[0] == read_at:
            return known[1]
        look = look_into(tasks, task_id)
        if look is None or look.changed_at >= max(read_at - CLOCK_STEP, now - SETTLED):
            return 0
        self._signatures[task_id] = (read_at, look.signature)
        return look.signature

    def load(self, signatures: Mapping[str, int]) -> dict[str, dict[str, Any]]:
        """Rows by task id of the folders whose signature is the same; empty where nothing usable is there."""
        kept = self._read()
        return {
            task_id: row
            for task_id, (known, row) in kept.items()
            if known and known == signatures.get(task_id)
        }

    def _read(self) -> dict[str, tuple[int, dict[str, Any]]]:
        """Signature and row by task id, as they are in the file; empty where nothing usable is there."""
        try:
            with self._path.open("rb") as file:
                value: object = json.loads(file.read(MAX_BYTES))
        except (OSError, ValueError, RecursionError):
            return {}
        document = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        rows: object = document.get("rows")
        if document.get("version") != _VERSION or not isinstance(rows, dict):
            return {}
        found: dict[str, tuple[int, dict[str, Any]]] = {}
        for task_id, kept in cast("dict[str, object]", rows).items():
            signature, row = (
                (*cast("list[object]", kept), None, None)[:2] if isinstance(kept, list) else (0, 0)
            )
            if isinstance(row, dict) and isinstance(signature, int) and valid_task_id(task_id):
                found[task_id] = (signature, cast("dict[str, Any]", row))
        return found

    def store(self, signatures: Mapping[str, int], rows: Mapping[str, Mapping[str, Any]]) -> None:
        """Remember rows (JSON objects) by task id, as what the folders with these signatures showed.

        A disk that refuses is no failure: the next start only lacks the rows.
        """
        self._write({name: [signatures[name], row] for name, row in rows.items() if name in signatures})

    def _write(self, rows: Mapping[str, list[Any]]) -> None:
        """Put a new file in the place of the old one, at once; a disk that refuses is no failure."""
        data = json.dumps({"version": _VERSION, "rows": rows}, ensure_ascii=True).encode()
        temporary = self._folder / f".tmp-{os.getpid()}-0"
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary.unlink(missing_ok=True)
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            temporary.replace(self._path)
