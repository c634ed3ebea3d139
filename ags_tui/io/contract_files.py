"""Contract files that a caller names: which contract belongs there, and what is wrong with them."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ags_tui.core.contracts import registry
from ags_tui.core.contracts.parse import Parsed, parse_any, parse_contract
from ags_tui.core.failures import AgsError
from ags_tui.core.layout import COLLECTIONS, SINGLE, Place, place_of, valid_task_id
from ags_tui.core.snapshot import LoadProblem
from ags_tui.io.documents import artifact_from
from ags_tui.io.plain_files import NotPlain, read_plain
from ags_tui.io.tasks import TaskReader, TasksRead

LARGEST_FILE = 16 * 1024 * 1024
"""Bytes of the largest contract file."""
PATIENCE_S = 10.0
"""Seconds that a file which is being written gets to be finished."""


class NoSuchFile(AgsError):
    """There is no file or folder of that name."""


class CannotRead(AgsError):
    """A file is there and cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class FileRead:
    """One file and what it holds."""

    shown: str
    """The path as the user would write it."""
    path: Path
    """The path."""
    result: Parsed | LoadProblem
    """The document, or why there is none."""


def read_bytes(path: Path, shown: str) -> bytes:
    """Read a file that a caller names.

    Raises:
        NoSuchFile: there is no such file.
        CannotRead: it cannot be read.
    """
    try:
        return read_plain(path, limit=LARGEST_FILE, follow=place_in_task(path) is None)
    except FileNotFoundError as error:
        raise NoSuchFile(f"{shown}: no such file") from error
    except NotPlain as error:
        raise CannotRead(f"{shown}: cannot be read: {error}") from error


def read_contract_file(path: Path, shown: str) -> FileRead:
    """Read one file as the contract that its place or its envelope names.

    Args:
        path: the file.
        shown: the path for messages.

    Raises:
        NoSuchFile: there is no such file.
    """
    try:
        data = read_bytes(path, shown)
    except CannotRead as error:
        why = str(error).removeprefix(f"{shown}: ")
        return FileRead(shown, path, LoadProblem("UNREADABLE", why, shown))
    return FileRead(shown, path, _judged(path, shown, data))


def _judged(path: Path, shown: str, data: bytes) -> Parsed | LoadProblem:
    """Judge bytes by their place: in a task folder exactly as the reader of task folders does."""
    task_id, inside = _task_parts(path)
    place = place_of("/".join(inside)) if inside else None
    if inside and place is None:
        step = "rename or remove it; evidence belongs in artifacts/"
        return LoadProblem("UNKNOWN_NAME", "is not a name of a task folder", shown, next_step=step)
    if place is not None and place.kind == "contract":
        found = artifact_from(data, shown, place, task_id=task_id, modified_at=0)
        return found if isinstance(found, LoadProblem) else Parsed(found.document, found.version, found.notes)
    contract = contract_of(path)
    return (
        parse_any(data, shown)
        if contract is None
        else parse_contract(data, contract=contract, artifact=shown)
    )


def read_whole(root: Path, work_tree: Path, now: Callable[[], datetime]) -> TasksRead:
    """Read all task folders; what is being written gets a moment to be finished.

    Args:
        root: folder that holds ``tasks/``.
        work_tree: folder of the work tree.
        now: gives the wall clock.
    """
    reader = TaskReader(root, work_tree)
    end = time.monotonic() + PATIENCE_S
    read = reader.read(now=now().timestamp())
    while read.looks_again is not None and time.monotonic() < end:
        time.sleep(min(max(read.looks_again - now().timestamp(), 0.05), 0.5))
        read = reader.read(now=now().timestamp())
    return read


def contract_files(given: Path, shown: str) -> Iterator[tuple[Path, str]]:
    """List the contract files that a path names: itself, or those below it.

    Evidence, claims and temporary files are passed over; links are not followed.
    """
    if not given.is_dir():
        yield given, shown
        return
    for folder, names, files in os.walk(given):
        names.sort()
        for name in sorted(files):
            path = Path(folder, name)
            place = place_in_task(path)
            skipped = place is not None and place.contract not in registry.names()
            if name.endswith(".json") and not skipped and not path.is_symlink():
                yield path, f"{shown}/{path.relative_to(given).as_posix()}"


def contract_of(path: Path) -> str | None:
    """The contract that belongs at a path; None where only an envelope can tell."""
    place = place_in_task(path)
    if place is not None:
        return place.contract
    return SINGLE.get(path.name) or COLLECTIONS.get(path.parent.name)


def place_in_task(path: Path) -> Place | None:
    """What a path inside some task folder (``…/tasks/TASK/…``) is; None elsewhere."""
    _, inside = _task_parts(path)
    return place_of("/".join(inside)) if inside else None


def task_of(path: Path) -> str:
    """Id of the task folder that holds a path; empty where none does."""
    return _task_parts(path)[0]


def _task_parts(path: Path) -> tuple[str, tuple[str, ...]]:
    """The innermost task folder of a path, and the parts below it."""
    parts = path.absolute().parts
    for index in range(len(parts) - 2, 0, -1):
        if parts[index - 1] == "tasks" and valid_task_id(parts[index]):
            return parts[index], parts[index + 1 :]
    return "", ()
