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
from typing import Any, cast

from ags_tui.core.layout import EVIDENCE, is_known_folder
from ags_tui.io.file_reads import OPEN_FOLDER

MAX_BYTES = 16 * 1024 * 1024
"""Largest file of remembered rows that is read."""
_VERSION = 1


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


def signature_of(tasks: int, name: str) -> int:
    """A number that stays equal as long as no file of a task folder (but evidence) changed, came or went.

    Args:
        tasks: Descriptor of the folder ``tasks/``.
        name: Name in it.

    Returns:
        The number; 0 where the folder cannot be looked into.
    """
    marks: list[int] = []
    try:
        folder = os.open(name, OPEN_FOLDER, dir_fd=tasks)
    except OSError:
        return 0
    try:
        _mark(folder, "", marks)
    except OSError:
        return 0  # something vanished: whatever was shown is old
    finally:
        os.close(folder)
    signature = 0
    for mark in marks:
        signature ^= mark
    return signature


def _mark(folder: int, prefix: str, marks: list[int]) -> None:
    """Gather a mark of each file.

    Raises:
        OSError: Something vanished or may not be looked at.
    """
    inner: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                inner.append(entry.name)
            else:
                facts = entry.stat(follow_symlinks=False)
                marks.append(hash((facts.st_ino, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size)))
    for name in inner:
        path = prefix + name
        if path != EVIDENCE and _known_folder(path):
            descriptor = os.open(name, OPEN_FOLDER, dir_fd=folder)
            try:
                _mark(descriptor, path + "/", marks)
            finally:
                os.close(descriptor)


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

    def load(self, signatures: Mapping[str, int]) -> dict[str, dict[str, Any]]:
        """Rows by task id of the folders whose signature is the same; empty where nothing usable is there."""
        try:
            with self._path.open("rb") as file:
                value: object = json.loads(file.read(MAX_BYTES))
        except (OSError, ValueError, RecursionError):
            return {}
        document = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        rows: object = document.get("rows")
        if document.get("version") != _VERSION or not isinstance(rows, dict):
            return {}
        found: dict[str, dict[str, Any]] = {}
        for task_id, kept in cast("dict[str, object]", rows).items():
            signature, row = (
                (*cast("list[object]", kept), None, None)[:2] if isinstance(kept, list) else (0, 0)
            )
            if isinstance(row, dict) and signature and signature == signatures.get(task_id):
                found[task_id] = cast("dict[str, Any]", row)
        return found

    def store(self, signatures: Mapping[str, int], rows: Mapping[str, Mapping[str, Any]]) -> None:
        """Remember rows (JSON objects) by task id, as what the folders with these signatures showed.

        A disk that refuses is no failure: the next start only lacks the rows.
        """
        kept = {task_id: [signatures[task_id], row] for task_id, row in rows.items() if task_id in signatures}
        data = json.dumps({"version": _VERSION, "rows": kept}, ensure_ascii=True).encode()
        temporary = self._folder / f".tmp-{os.getpid()}-0"
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary.unlink(missing_ok=True)
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            temporary.replace(self._path)
