"""Records what the system must record: baselines of tasks, and what ``core.observations`` finds due."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from ags_tui.core.checks.findings import Outcome
from ags_tui.core.contracts.plan import AgentPlan
from ags_tui.core.contracts.results import ImplementationResult
from ags_tui.core.contracts.task import AgentTask
from ags_tui.core.contracts.write import to_bytes
from ags_tui.core.decisions import Bound, Draft, Via
from ags_tui.core.digests import path_bytes
from ags_tui.core.failures import AgsError
from ags_tui.core.globs import compile_patterns
from ags_tui.core.layout import valid_task_id
from ags_tui.core.log_state import LoggedEntry
from ags_tui.core.observations import due, is_young
from ags_tui.core.snapshot import Snapshot, TaskFiles, TaskSnapshot
from ags_tui.io.blobs import FOLDER, put
from ags_tui.io.git import GitDoor
from ags_tui.io.keys import Keys
from ags_tui.io.log import read_log, record
from ags_tui.io.log_failures import StaleRevision
from ags_tui.io.places import Places, PlaceUnusable
from ags_tui.io.plain_files import NotPlain, open_folder, write_new


class TaskNotMade(AgsError):
    """A new task folder cannot be written; the message says why."""


class BaselineExists(AgsError):
    """The task has a baseline; a new one is recorded only on request."""


class Baselines:
    """The system's own entries in the logs of a root."""

    def __init__(self, git: GitDoor, keys: Keys, places: Places) -> None:
        """Prepare.

        Args:
            git: The repository.
            keys: The system key signs.
            places: Contents of dirty files and marks against rollback are kept there.
        """
        self.observed: frozenset[str] = frozenset()
        """Tasks whose logs have grown in the last ``observe``."""
        self._git = git
        self._keys = keys
        self._places = places

    def observe(self, snapshot: Snapshot, now: datetime, *, most: int, more: Sequence[Draft] = ()) -> int:
        """Record baselines of new tasks and everything that is due.

        Args:
            snapshot: What was just read.
            now: The wall clock.
            most: Most entries to write.
            more: What else was noticed in this very reading, each for the log as it was read.

        Returns:
            Entries written.

        Raises:
            AgsError: The first failure, after all other tasks had their turn.
        """
        written = 0
        facts: dict[str, Any] | None = None
        failure: AgsError | None = None
        touched: list[str] = []
        for task in snapshot.tasks:
            if written >= most:
                break
            before = written
            try:
                if _lacks_baseline(task):
                    facts = facts or self._git.baseline_facts(self._keeper())
                    folder, next_ = Path(task.files.folder), task.log.next_sequence
                    self._write_baseline(folder, task.files, facts, now, sequence=next_)
                    written += 1
                    task = self._with_baseline(task, snapshot)
                for draft in due(task, snapshot, now):
                    self._record(Path(task.files.folder), draft, now)
                    written += 1
                for draft in (one for one in more if one.task_id == task.task_id):
                    # Behind what was recorded just now; where another process was faster, it may be known.
                    place = (draft.expected_sequence or 0) + written - before
                    self._record(Path(task.files.folder), replace(draft, expected_sequence=place), now)
                    written += 1
            except StaleRevision:
                touched.append(task.task_id)  # another process was faster: see what is left
            except AgsError as error:
                failure = failure or error
            if written > before:
                touched.append(task.task_id)
        self.observed = frozenset(touched)
        if failure is not None:
            raise failure
        return written

    def observe_task(self, task: TaskSnapshot, snapshot: Snapshot, now: datetime) -> None:
        """Record what is due for one task at once; where another process is faster, it records the same.

        Args:
            task: The task as read; it has a baseline.
            snapshot: The reading.
            now: The wall clock.

        Raises:
            AgsError: The log cannot be written.
        """
        with suppress(StaleRevision):
            for draft in due(task, snapshot, now):
                self._record(Path(task.files.folder), draft, now)

    def record_baseline(
        self,
        folder: Path,
        task: TaskSnapshot | None,
        now: datetime,
        *,
        again: bool = False,
        via: Via = "tui",
    ) -> LoggedEntry:
        """Record the baseline of one task.

        Args:
            folder: The task folder.
            task: The task as read; None for one that was just made.
            now: The wall clock.
            again: Whether a further one is wanted, for a human to accept.
            via: Through which door the caller records.

        Raises:
            BaselineExists: There is one, and no further one is wanted.
            AgsError: The log cannot be written.
        """
        if task is not None and task.log.baseline is not None and not again:
            raise BaselineExists(
                f"{task.task_id} has a baseline (entry {task.log.baseline.sequence}); "
                "baseline --again records another one for a human to accept"
            )
        files = task.files if task is not None else TaskFiles(folder.name, str(folder))
        sequence = None if again else 0 if task is None else task.log.next_sequence
        facts = self._git.baseline_facts(self._keeper())
        return self._write_baseline(folder, files, facts, now, sequence=sequence, via=via)

    def make_session_task(self, root: Path, task_id: str, now: datetime) -> Path:
        """Make the folder of a session's own task with its baseline; whoever comes second finds both.

        Args:
            root: Folder that holds ``tasks/``; made where it is missing.
            task_id: Its id.
            now: The wall clock.

        Raises:
            TaskNotMade: The folder cannot be made.
            AgsError: The log cannot be written.
        """
        folder = root / "tasks" / task_id
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TaskNotMade(f"{folder}: {error.strerror}") from error
        if read_log(folder, self._keys, self._places).head_sequence < 0:
            with suppress(StaleRevision):  # another hook of the session was faster
                self.record_baseline(folder, None, now, via="hook")
        return folder

    def make_task(self, root: Path, task: AgentTask) -> Path:
        """Write ``task.json`` of a new task, create-once.

        Args:
            root: Folder that holds ``tasks/``; made where it is missing.
            task: The contract; its id names the folder.

        Raises:
            TaskNotMade: The id cannot name a folder, the folder exists, or it cannot be written.
        """
        if not valid_task_id(task.id):
            raise TaskNotMade(f"{task.id!r} cannot name a task folder: use letters, digits and ._-")
        tasks = root / "tasks"
        try:
            tasks.mkdir(parents=True, exist_ok=True)
            os.mkdir(tasks / task.id)
            with open_folder(tasks, task.id) as folder:
                write_new(folder, "task.json", to_bytes(task, envelope=False))
        except FileExistsError as error:
            raise TaskNotMade(f"the task {task.id} exists already; choose another id") from error
        except (OSError, NotPlain) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise TaskNotMade(f"{tasks / task.id}: {why}") from error
        return tasks / task.id

    def _with_baseline(self, task: TaskSnapshot, snapshot: Snapshot) -> TaskSnapshot:
        """A task whose baseline was recorded just now.

        What was written just before is observed on this very reading: by the next one it may be too old for
        anybody to say on which tree it was written.
        """
        if not any(is_young(artifact, snapshot) for artifact in task.files.artifacts.values()):
            return task
        log = read_log(Path(task.files.folder), self._keys, self._places)
        seen, baseline = snapshot.work_tree, log.baseline
        if seen is None or baseline is None or seen.base != baseline.commit:
            return task
        return replace(task, log=log, changes=seen)

    def _write_baseline(
        self,
        folder: Path,
        files: TaskFiles,
        facts: Mapping[str, Any],
        now: datetime,
        *,
        sequence: int | None,
        via: Via = "tui",
    ) -> LoggedEntry:
        """Record a baseline; with a number, only as the entry of that number: two would need a human."""
        data = {**facts, "late": is_late(files, facts, ignore_case=self._git.repo().ignore_case)}
        draft = Draft(
            task_id=folder.name,
            kind="baseline",
            verdict="recorded",
            subject_id="baseline",
            subject_digest="",
            source="system",
            actor="ags-tui",
            via=via,
            data=data,
            expected_sequence=sequence,
        )
        return self._record(folder, draft, now)

    def _record(self, folder: Path, draft: Draft, now: datetime) -> LoggedEntry:
        return record(folder, draft, self._keys, self._places, now=now, current=Bound())

    def _keeper(self) -> Callable[[bytes], str] | None:
        """What keeps contents of dirty files; None without a state directory (their digests are recorded)."""
        try:
            self._places.state_folder(FOLDER)
        except PlaceUnusable:
            return None
        return lambda data: put(self._places, data)


def is_late(files: TaskFiles, facts: Mapping[str, Any], *, ignore_case: bool) -> bool:
    """Whether files that a plan or a result names were dirty before the baseline was recorded.

    Args:
        files: The task folder.
        facts: Facts of the baseline, with its dirty files.
        ignore_case: ``core.ignoreCase``.
    """
    named: list[str] = []
    for artifact in files.artifacts.values():
        document = artifact.document
        if isinstance(document, AgentPlan):
            named.extend(document.files_to_edit)
        elif isinstance(document, ImplementationResult):
            named.extend(change.path for change in document.changed_files)
    patterns = compile_patterns(named, side="deny", ignore_case=ignore_case)  # bare names at any depth
    dirty = (os.fsdecode(path_bytes(file["path"])) for file in facts["files"])
    return any(patterns.match(path) is not None for path in dirty)


def _lacks_baseline(task: TaskSnapshot) -> bool:
    log = task.log
    return log.baseline is None and log.integrity is not Outcome.FAILED and not log.entries and not log.frozen
