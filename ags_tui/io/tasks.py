"""The task folders of one root: read into frozen ``TaskFiles``, again only where something changed."""

import gc
import os
import threading
import unicodedata
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ags_tui.core.layout import TASKS, is_own_temporary, valid_task_id
from ags_tui.core.snapshot import LoadProblem, TaskFiles
from ags_tui.io.file_reads import OPEN_FOLDER
from ags_tui.io.folder_names import collisions
from ags_tui.io.outline import TaskOutline, outline_of, signature_of
from ags_tui.io.task_files import FolderReader

MAX_TASKS = 10_000
"""Most task folders that are read."""


@dataclass(frozen=True, slots=True)
class TasksRead:
    """All task folders at one instant."""

    tasks: tuple[TaskFiles, ...] = ()
    """Sorted by task id; an unchanged folder is the same object as last time."""
    problems: tuple[LoadProblem, ...] = ()
    """Problems of the root: names that cannot be task ids, collisions, folders that are links."""
    looks_again: float | None = None
    """When to read again even without a hint, seconds since the epoch: a file that is being written becomes
    an error then. None while nothing is waited for."""
    waiting: frozenset[str] = frozenset()
    """Names of the folders that are waited for."""


class TaskReader:
    """Reads the task folders of one root; may be called from any thread, one call at a time runs."""

    def __init__(self, root: Path, work_tree: Path) -> None:
        """Remember nothing yet.

        Args:
            root: Folder that holds ``tasks/``; need not exist.
            work_tree: Top of the work tree, where evidence may lie.
        """
        self._root = str(root)
        self._work_tree = str(work_tree)
        self._readers: dict[str, FolderReader] = {}
        self._read: dict[str, TaskFiles] = {}
        self._lock = threading.Lock()

    def names(self) -> tuple[str, ...]:
        """Names of the task folders, sorted, from one look into the root."""
        with self._tasks() as (folder, _problem):
            return tuple(_split(_listed(folder)[0])[0]) if folder is not None else ()

    def outline(self) -> tuple[TaskOutline, ...]:
        """Names and times of the task folders without looking into them; sorted by task id."""
        with self._tasks() as (folder, _problem):
            if folder is None:
                return ()
            found = (outline_of(folder, name) for name in _split(_listed(folder)[0])[0])
            return tuple(one for one in found if one is not None)

    def signatures(self) -> dict[str, int]:
        """By task id, a number that stays equal as long as no file of the folder changed, came or went."""
        with self._tasks() as (folder, _problem):
            if folder is None:
                return {}
            return {name: signature_of(folder, name) for name in _split(_listed(folder)[0])[0]}

    def read(self, only: frozenset[str] | None = None, *, now: float) -> TasksRead:
        """Read task folders.

        Args:
            only: Names of the folders to look into; the others are as they were last time. None: all.
            now: Seconds since the epoch.

        Returns:
            All task folders that were read by now, these or earlier ones.
        """
        with self._lock, self._tasks() as (folder, problem):
            if folder is None:
                self._readers.clear()
                self._read.clear()
                return TasksRead(problems=() if problem is None else (problem,))
            names, strays = _listed(folder)
            valid, problems = _split(names)
            wanted = [name for name in valid if only is None or name in only]
            with _no_collection(len(wanted), first=not self._read):
                for name in wanted:
                    found = self._read_one(folder, name, now)
                    if isinstance(found, LoadProblem):
                        problems.append(found)
            self._forget(frozenset(valid))
            problems.extend(map(_stray, strays))
            return self._all(problems)

    def _read_one(self, tasks: int, name: str, now: float) -> LoadProblem | None:
        """Read one folder; a problem where it is none."""
        path = f"{self._root}/{TASKS}/{name}"
        reader = self._readers.setdefault(name, FolderReader(name, path, self._work_tree))
        try:
            folder = os.open(name, OPEN_FOLDER, dir_fd=tasks)
        except PermissionError:
            problem = LoadProblem(
                "UNREADABLE", "the folder cannot be opened", "", next_step="let its owner make it readable"
            )
            self._read[name] = reader.unreadable(problem)
            return None
        except OSError as error:
            self._drop(name)
            gone = isinstance(error, FileNotFoundError)
            return None if gone else _stray(name)
        try:
            self._read[name] = reader.read(folder, now)
        finally:
            os.close(folder)
        return None

    def _forget(self, present: frozenset[str]) -> None:
        for name in [name for name in self._readers if name not in present]:
            self._drop(name)

    def _drop(self, name: str) -> None:
        self._readers.pop(name, None)
        self._read.pop(name, None)

    def _all(self, problems: list[LoadProblem]) -> TasksRead:
        moments = {
            name: reader.looks_again
            for name, reader in self._readers.items()
            if reader.looks_again is not None
        }
        return TasksRead(
            tasks=tuple(self._read[name] for name in sorted(self._read)),
            problems=tuple(sorted(problems, key=lambda problem: problem.artifact)),
            looks_again=min(moments.values(), default=None),
            waiting=frozenset(moments),
        )

    @contextmanager
    def _tasks(self) -> Generator[tuple[int | None, LoadProblem | None]]:
        """The open folder ``tasks/``, or why it cannot be opened (neither where it does not exist)."""
        try:
            root = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            yield None, None
            return
        except OSError as error:
            yield None, _unopened("", error)
            return
        try:
            tasks = os.open(TASKS, OPEN_FOLDER, dir_fd=root)
        except FileNotFoundError:
            yield None, None
            return
        except OSError as error:
            yield None, _unopened(TASKS, error)
            return
        finally:
            os.close(root)
        try:
            yield tasks, None
        finally:
            os.close(tasks)


def _listed(folder: int) -> tuple[list[str], list[str]]:
    """Names of folders, and of everything else, in ``tasks/``; sorted."""
    with os.scandir(folder) as entries:
        found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    folders = sorted(name for name, is_folder in found if is_folder)
    others = sorted(name for name, is_folder in found if not is_folder and not is_own_temporary(name))
    return folders, others


def _split(names: Iterable[str]) -> tuple[list[str], list[LoadProblem]]:
    """Task ids, and problems of folder names that cannot be one or collide."""
    valid: list[str] = []
    problems: list[LoadProblem] = []
    for name in names:
        if valid_task_id(name):
            valid.append(name)
        else:
            problems.append(_no_id(name))
    problems += collisions(TASKS + "/", valid)
    if len(valid) > MAX_TASKS:
        left = f"holds {len(valid):,} task folders; the first {MAX_TASKS:,} are read"
        problems.append(LoadProblem("UNREADABLE", left, TASKS, next_step="move old tasks away"))
        valid = valid[:MAX_TASKS]
    return valid, problems


def _no_id(name: str) -> LoadProblem:
    composed = unicodedata.normalize("NFC", name)
    if valid_task_id(composed):
        message = "is not in normal form C, so that no file can name this task"
        next_step = f"rename the folder to {composed} as composed characters (NFC)"
    else:
        message = "cannot be a task id: letters and digits plus . _ -, not first a dot, at most 128 bytes"
        next_step = "rename the folder"
    return LoadProblem("ID_MISMATCH", message, f"{TASKS}/{name}", next_step=next_step)


def _stray(name: str) -> LoadProblem:
    message = "is not a task folder; a link is not followed"
    return LoadProblem("UNKNOWN_NAME", message, f"{TASKS}/{name}", next_step="remove it from here")


def _unopened(path: str, error: OSError) -> LoadProblem:
    words = (error.strerror or str(error)).lower()
    return LoadProblem(
        "UNREADABLE", f"cannot be opened as a folder ({words}); a link is not followed", path,
        next_step="put the folder itself in its place, readable",
    )  # fmt: skip


@contextmanager
def _no_collection(folders: int, *, first: bool) -> Generator[None]:
    """Hold the garbage collector while many objects are made that all stay: it costs thrice the reading.

    After the first load they are frozen (looked through never again); they are freed as before when the last
    reference goes.
    """
    pause = folders > 20 and gc.isenabled()
    if pause:
        gc.disable()
    try:
        yield
    finally:
        if pause:
            if first:
                gc.freeze()
            gc.enable()
