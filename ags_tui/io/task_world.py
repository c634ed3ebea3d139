"""Joins one task folder with its log and what git shows, keeping unchanged parts as the same objects."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.parse import Parsed, parse_contract
from ags_tui.core.digests import ABSENT
from ags_tui.core.log_rules import RollbackMark
from ags_tui.core.log_state import Baseline, LogState
from ags_tui.core.snapshot import EMPTY, CallRecord, Changes, TaskFiles, TaskSnapshot
from ags_tui.core.subjects import bare_names_of, named_files
from ags_tui.io.git import GitDoor
from ags_tui.io.keys import Keys
from ags_tui.io.log import read_log
from ags_tui.io.past_calls import PastCalls
from ags_tui.io.places import Places
from ags_tui.io.rehash import file_digest
from ags_tui.io.rollback import mark_files, read_mark
from ags_tui.io.run_files import run_facts

BaselineRelation = Literal["ancestor", "not-ancestor", "missing", "none"]
"""How a baseline commit stands to HEAD."""

LogSignature = tuple[tuple[str, int, int, int, int], ...]
"""Name, inode, modification and change time and size of every file of a log."""

Stamps = tuple[tuple[int, int, int], ...]
"""Inode, modification time and size of some files."""

MOST_CHANGED = 200
"""Most changed files of a task whose bytes are hashed beside their blobs."""

TERMS = {"task.json": "AgentTask", "plan.json": "AgentPlan"}
"""Contracts whose first version stays in force: path and name."""


@dataclass(slots=True)
class _Kept:
    """What was made of a task the last time."""

    signature: LogSignature
    log: LogState
    marks: tuple[Path, ...] = ()
    """Files of the marks against rollback of this log."""
    marked: Stamps = ()
    """How they were when the log was read."""
    snapshot: TaskSnapshot | None = None
    names: tuple[str, ...] = ()
    named_by: TaskFiles | None = None


class TaskWorld:
    """Makes a ``TaskSnapshot`` of a ``TaskFiles``."""

    def __init__(self, git: GitDoor, keys: Keys, places: Places) -> None:
        """Prepare; nothing is read yet.

        Args:
            git: The repository.
            keys: Whose signatures count.
            places: Where marks against rollback are kept.
        """
        self._git = git
        self._keys = keys
        self._places = places
        self._kept: dict[str, _Kept] = {}
        self._recorded: dict[str, Contract | None] = {}
        self._hashed: dict[str, tuple[str, str | None]] = {}
        self._relations: dict[str, BaselineRelation] = {}
        self._past = PastCalls(str(git.top), places)
        self._ungated: Mapping[str, tuple[CallRecord, ...]] = {}

    def begin(self) -> None:
        """Begin a reading: what several tasks share is looked at once in it."""
        self._hashed.clear()
        self._relations.clear()
        self._ungated = self._past.by_task()

    def forget(self, task_ids: frozenset[str]) -> None:
        """Drop what is kept of tasks that no longer exist.

        Args:
            task_ids: Those that exist.
        """
        for gone in self._kept.keys() - task_ids:
            del self._kept[gone]

    def join(self, files: TaskFiles, changes: Callable[[str], Changes], *, fresh: bool) -> TaskSnapshot:
        """Make the snapshot of one task.

        Args:
            files: Its folder.
            changes: Gives the changes since a baseline commit.
            fresh: Whether its log may have grown or changed since the last time.
        """
        kept = self._log(files, fresh=fresh)
        baseline = kept.log.baseline
        since = changes(baseline.commit) if baseline is not None else None
        digests, blobs = self._named_files(files, since, kept)
        old, ungated = kept.snapshot, self._ungated.get(files.task_id, ())
        relation = self._relation(baseline)
        facts = run_facts(files, self._places)
        if (
            old is not None
            and old.files is files
            and old.log is kept.log
            and old.changes is since
            and old.baseline_relation == relation
            and old.file_digests == digests
            and old.ungated == ungated
            and old.run_facts == facts
        ):
            return old
        kept.snapshot = TaskSnapshot(
            files=files,
            log=kept.log,
            changes=since,
            baseline_relation=relation,
            bare_names=self._bare_names(files, kept.log, baseline),
            recorded=self._terms(kept.log),
            file_digests=digests,
            file_blobs=blobs,
            ungated=ungated,
            run_facts=facts,
        )
        return kept.snapshot

    def _log(self, files: TaskFiles, *, fresh: bool) -> _Kept:
        kept = self._kept.get(files.task_id)
        if kept is not None and not fresh:
            return kept
        folder = Path(files.folder)
        signature = log_signature(folder)
        if kept is not None and kept.signature == signature and self._holds(kept, folder):
            return kept
        marked = stamps(kept.marks if kept is not None else ())
        log = read_log(folder, self._keys, self._places)
        marks = mark_files(self._places, folder, log.log_id)
        kept = self._kept[files.task_id] = _Kept(signature, log, marks, marked)
        return kept

    def _holds(self, kept: _Kept, folder: Path) -> bool:
        """Whether nobody has seen more of a log than what was read of it: else it was rolled back since."""
        now = stamps(kept.marks)
        if now == kept.marked:
            return True
        mark = read_mark(self._places, folder, kept.log.log_id)
        if mark is not None and not _holds_mark(kept.log, mark):
            return False
        kept.marked = now
        return True

    def _relation(self, baseline: Baseline | None) -> BaselineRelation:
        if baseline is None:
            return "none"
        if baseline.unborn:
            return "ancestor"
        if baseline.commit not in self._relations:
            self._relations[baseline.commit] = self._git.relation(baseline.commit)
        return self._relations[baseline.commit]

    def _named_files(
        self, files: TaskFiles, since: Changes | None, kept: _Kept
    ) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Digests and blob ids of the work-tree files that a decision may be bound to.

        These are the files that requests name, and the changed ones: a human may be asked about each of them.
        """
        if kept.named_by is not files:
            kept.names, kept.named_by = named_files(files, str(self._git.top)), files
        changed = () if since is None or since.unknown else since.entries[:MOST_CHANGED]
        names = dict.fromkeys([*kept.names, *(change.path for change in changed)])
        if not names:
            return EMPTY, EMPTY
        found = {name: self._hash(name) for name in names}
        digests = {name: digest for name, (digest, _) in found.items()}
        return digests, {name: blob for name, (_, blob) in found.items() if blob is not None}

    def _hash(self, name: str) -> tuple[str, str | None]:
        if name not in self._hashed:
            self._hashed[name] = (file_digest(Path(self._git.top) / name), self._git.blob_of(name))
        return self._hashed[name]

    def _bare_names(
        self, files: TaskFiles, log: LogState, baseline: Baseline | None
    ) -> Mapping[str, tuple[str, ...]]:
        wanted = bare_names_of(files, self._terms(log))
        if not wanted or baseline is None:
            return EMPTY
        known = self._git.names(baseline.commit)
        return {name: known.get(name, ()) for name in wanted}

    def _terms(self, log: LogState) -> Mapping[str, Contract]:
        """Versions of task and plan that the log kept, parsed once each."""
        found: dict[str, Contract] = {}
        for observation in log.observations:
            contract, text = TERMS.get(observation.path), observation.data.get("text")
            if contract is None or not observation.valid or not isinstance(text, str):
                continue
            key = observation.digest
            if key not in self._recorded:
                parsed = parse_contract(text.encode(), contract=contract, artifact=observation.path)
                self._recorded[key] = parsed.document if isinstance(parsed, Parsed) else None
            document = self._recorded[key]
            if document is not None:
                found[key] = document
        return found


def stamps(files: tuple[Path, ...]) -> Stamps:
    """Inode, modification time and size of files; zeros for what is not there."""
    return tuple(_stamp(file) for file in files)


def _stamp(file: Path) -> tuple[int, int, int]:
    try:
        facts = file.stat()
    except OSError:
        return (0, 0, 0)
    return (facts.st_ino, facts.st_mtime_ns, facts.st_size)


def _holds_mark(log: LogState, mark: RollbackMark) -> bool:
    row = next((row for row in log.entries if row.entry.sequence == mark.sequence), None)
    return row is not None and row.digest == mark.digest and log.log_id == mark.log_id


def log_signature(folder: Path) -> LogSignature:
    """What tells whether a log is as it was: cheap, without reading an entry."""
    try:
        with os.scandir(folder / "log") as entries:
            rows: list[tuple[str, int, int, int, int]] = []
            for entry in entries:
                facts = entry.stat(follow_symlinks=False)
                times = (facts.st_mtime_ns, facts.st_ctime_ns)  # the first can be set back, the second not
                rows.append((entry.name, facts.st_ino, *times, facts.st_size))
    except OSError:
        return ((ABSENT, 0, 0, 0, 0),)
    return tuple(sorted(rows))
