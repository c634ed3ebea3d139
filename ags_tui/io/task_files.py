"""One task folder to ``TaskFiles``: what changed is read again, what did not change keeps its identity."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from ags_tui.core.contracts.strict_json import MAX_BYTES
from ags_tui.core.digests import digest
from ags_tui.core.layout import SINGLE, Place
from ags_tui.core.observations import EVIDENCE
from ags_tui.core.snapshot import Artifact, Consumption, LoadProblem, TaskFiles
from ags_tui.io.documents import artifact_from, consumption_from
from ags_tui.io.evidence import evidence_names, look_up
from ags_tui.io.file_reads import Content, OpenFolders, Refused, Stamp, read_at
from ags_tui.io.folder_names import Names, collect
from ags_tui.io.run_files import RECEIPT, RUNS, gather_run_file, is_whole, last_receipts

PATIENCE = 2.0
"""Seconds for which a file that cannot be read as JSON counts as being written, not as broken."""
RESTLESS = 0.1
"""Seconds after which a file that changed while it was read is read again."""
SETTLED = 2.0
"""Seconds after its last change from which a stamp is believed: before, a second change may share it."""
MAX_TASK_BYTES = 64 * 1024 * 1024
"""Most bytes of contracts that are kept of one task folder."""
MAX_UNKNOWN_SHOWN = 20
"""Most unknown names that are a problem each; the others are one together."""

Result = Artifact | Consumption | LoadProblem | str
"""What a file turned out to be; text is the digest of ``final-report.md``."""


@dataclass(slots=True)
class _Known:
    """What is remembered of one file."""

    stamp: Stamp
    """Its state when it was read."""
    read_at: float
    """When, seconds since the epoch."""
    since: float
    """When this state was first met."""
    result: Result
    """What it is, as far as it is believed."""
    torn: bool = False
    """It changed while it was read."""
    good: Artifact | None = None
    """The last valid contract in this place, kept while a new one is being written."""

    def settled(self) -> bool:
        """Whether an equal stamp means equal bytes."""
        return not self.torn and self.read_at - self.stamp.changed_ns / 1e9 >= SETTLED


@dataclass(slots=True)
class _Gathered:
    """The parts of a ``TaskFiles`` in the making."""

    artifacts: dict[str, Artifact]
    problems: list[LoadProblem]
    being_written: list[str]
    consumptions: dict[str, Consumption]
    workflow: dict[str, Artifact]
    receipts: dict[str, str]
    workflow_problems: list[LoadProblem]
    report: str | None = None
    looks_again: float | None = None
    """When something that is waited for becomes certain, seconds since the epoch."""

    def wait_until(self, moment: float) -> None:
        self.looks_again = moment if self.looks_again is None else min(self.looks_again, moment)


class FolderReader:
    """Reads one task folder again and again; used from one thread at a time."""

    def __init__(self, task_id: str, folder: str, work_tree: str) -> None:
        """Remember nothing yet.

        Args:
            task_id: Name of the folder.
            folder: Its absolute path.
            work_tree: Absolute path of the top of the work tree.
        """
        self.task_id = task_id
        self.looks_again: float | None = None
        self._folder = folder
        self._work_tree = work_tree
        self._known: dict[str, _Known] = {}
        self._met: dict[str, tuple[Stamp, float]] = {}
        self._names: Names | None = None
        self._settled = False
        self._evidence: tuple[str, ...] = ()
        self._last_receipts: frozenset[str] = frozenset()
        self._files: TaskFiles | None = None

    def read(self, folder: int, now: float) -> TaskFiles:
        """Read what changed.

        Args:
            folder: Descriptor of the folder.
            now: Seconds since the epoch.
        """
        names = collect(folder)
        if self._files is not None and names == self._names and self._certain(now):
            return self._renewed(self._files)
        gathered = _Gathered({}, list(names.problems), [], {}, {}, {}, [])
        self._last_receipts = last_receipts(names.known)
        self._known = {path: known for path, known in self._known.items() if path in names.known}
        kept = 0
        folders = OpenFolders(folder)
        try:
            for path, (stamp, place) in sorted(names.known.items()):
                if place.kind == "debate":
                    continue
                kept += 0 if self._is_old_receipt(path, place) else stamp.size
                if kept > MAX_TASK_BYTES and stamp.size <= MAX_BYTES:
                    gathered.problems.append(_refused(path, Refused(*_TOO_MUCH)))
                    continue
                known = self._look(folders, path, stamp, place, now)
                if known is not None:
                    _gather(gathered, path, known, now)
        finally:
            folders.close()
        unknown = self._lasting_unknown(names, gathered, now)
        gathered.problems.extend(_unknown_problems(unknown))
        self._names = names
        self._settled = all(known.settled() for known in self._known.values())
        self.looks_again = gathered.looks_again
        self._files = self._join(tuple(unknown), gathered)
        return self._files

    def unreadable(self, problem: LoadProblem) -> TaskFiles:
        """What is known of a folder that cannot be opened."""
        if self._files is None or self._files.problems != (problem,):
            self._files = TaskFiles(self.task_id, self._folder, problems=(problem,))
            self._names = None
        return self._files

    def _is_old_receipt(self, path: str, place: Place) -> bool:
        """Whether a file is a receipt that another one follows: only its digest is of use."""
        return place.contract == RECEIPT and path not in self._last_receipts

    def _certain(self, now: float) -> bool:
        """Whether equal stamps say that nothing changed, and nothing is waited for."""
        return self._settled and (self.looks_again is None or now < self.looks_again)

    def _look(self, folders: OpenFolders, path: str, stamp: Stamp, place: Place, now: float) -> _Known | None:
        """What a file is now, read only where its stamp does not say."""
        known = self._known.get(path)
        if known is not None and known.stamp == stamp and known.settled():
            return known
        try:
            content = read_at(folders.folder_of(path), path.rpartition("/")[2], stamp)
        except OSError:
            content = None  # its folder has vanished, or is a link by now: the next look says which
        if content is None:
            self._known.pop(path, None)
            return None
        known = self._understood(path, stamp, place, content, now)
        self._known[path] = known
        return known

    def _understood(
        self, path: str, stamp: Stamp, place: Place, content: Content | Refused, now: float
    ) -> _Known:
        before = self._known.get(path)
        good = before.good if before is not None else None
        if isinstance(content, Refused):
            return _Known(stamp, now, now, _refused(path, content), good=None)
        since = before.since if before is not None and before.stamp == content.stamp else now
        if before is not None and not content.torn and _same_bytes(before.result, content.data):
            return _Known(content.stamp, now, since, _written_again(before.result, content.stamp), good=good)
        result = self._result(path, place, content)
        if isinstance(result, Artifact) and not content.torn:
            good = result
        return _Known(content.stamp, now, since, result, content.torn, good)

    def _result(self, path: str, place: Place, content: Content) -> Result:
        if place.kind == "report" or (self._is_old_receipt(path, place) and is_whole(content.data)):
            return digest(content.data)
        if place.kind == "consumption":
            return consumption_from(content.data, path, place)
        modified_at = content.stamp.modified_at
        return artifact_from(content.data, path, place, task_id=self.task_id, modified_at=modified_at)

    def _lasting_unknown(self, names: Names, gathered: _Gathered, now: float) -> list[str]:
        """Names without a place, without the short-lived ones of editors and writers."""
        met = self._met
        self._met = {path: met.get(path, (stamp, now)) for path, stamp in names.unknown.items()}
        lasting: list[str] = []
        for path, stamp in sorted(names.unknown.items()):
            born = min(self._met[path][1], max(stamp.modified_ns, stamp.changed_ns) / 1e9)
            if now - born >= PATIENCE:
                lasting.append(path)
            else:
                gathered.wait_until(born + PATIENCE)
        return lasting

    def _join(self, unknown: tuple[str, ...], gathered: _Gathered) -> TaskFiles:
        """The new ``TaskFiles``, or the old one where nothing differs."""
        self._evidence = evidence_names(gathered.artifacts.values())
        evidence = look_up(self._evidence, self._folder, self._work_tree)
        problems = tuple(sorted(gathered.problems, key=lambda problem: problem.artifact))
        old = self._files
        if (
            old is not None
            and _identical(old.artifacts, gathered.artifacts)
            and old.problems == problems
            and old.being_written == tuple(gathered.being_written)
            and old.evidence == evidence
            and old.consumptions == gathered.consumptions
            and old.report_markdown == gathered.report
            and old.unknown_names == unknown
            and _identical(old.workflow, gathered.workflow)
            and old.receipts == gathered.receipts
            and old.workflow_problems == tuple(gathered.workflow_problems)
        ):
            return old
        return TaskFiles(
            task_id=self.task_id,
            folder=self._folder,
            artifacts=MappingProxyType(gathered.artifacts),
            problems=problems,
            being_written=tuple(gathered.being_written),
            evidence=MappingProxyType(evidence),
            consumptions=MappingProxyType(gathered.consumptions),
            report_markdown=gathered.report,
            unknown_names=unknown,
            workflow=MappingProxyType(gathered.workflow),
            receipts=MappingProxyType(gathered.receipts),
            workflow_problems=tuple(gathered.workflow_problems),
        )

    def _renewed(self, files: TaskFiles) -> TaskFiles:
        """The same files; only evidence may have come or gone (it can lie in the work tree)."""
        if self._evidence:
            evidence = look_up(self._evidence, self._folder, self._work_tree)
            if evidence != files.evidence:
                files = self._files = replace(files, evidence=MappingProxyType(evidence))
        return files


def _gather(gathered: _Gathered, path: str, known: _Known, now: float) -> None:
    result = known.result
    if known.torn or (isinstance(result, LoadProblem) and result.code == "INVALID_JSON" and result.digest):
        modified = known.stamp.modified_at
        changed = modified if modified <= now else known.since
        if now - changed < PATIENCE or known.torn:
            gathered.being_written.append(path)
            gathered.wait_until(now + RESTLESS if known.torn else changed + PATIENCE)
            if known.good is not None:
                gathered.artifacts[path] = known.good
            return
    if path.startswith(RUNS):
        gather_run_file(path, result, gathered.workflow, gathered.receipts, gathered.workflow_problems)
    elif isinstance(result, LoadProblem):
        gathered.problems.append(result)
        known.good = None  # told as broken: what it was before must not come back
    elif isinstance(result, Artifact):
        gathered.artifacts[path] = result
    elif isinstance(result, Consumption):
        gathered.consumptions[result.request_id] = result
    else:
        gathered.report = result


def _same_bytes(result: Result, data: bytes) -> bool:
    """Whether a file still holds what was understood before."""
    if isinstance(result, Artifact):
        return result.raw == data
    if isinstance(result, LoadProblem):
        return result.digest is not None and result.digest == digest(data)
    return isinstance(result, str) and result == digest(data)


def _written_again(result: Result, stamp: Stamp) -> Result:
    """The same bytes; evidence with the time of its last writing, which tells what tree its writer saw."""
    if isinstance(result, Artifact) and result.path in EVIDENCE and result.modified_at != stamp.modified_at:
        return replace(result, modified_at=stamp.modified_at)
    return result


def _identical(old: Mapping[str, Artifact], new: Mapping[str, Artifact]) -> bool:
    return old.keys() == new.keys() and all(old[path] is new[path] for path in new)


_BELONGS = "rename or remove it; evidence belongs in artifacts/"
_TOO_MUCH = ("is left out: the folder holds more than 64 MiB of contracts", "move bulk into artifacts/")


def _refused(path: str, refused: Refused) -> LoadProblem:
    return LoadProblem("UNREADABLE", refused.message, path, next_step=refused.next_step)


def _unknown_problems(paths: list[str]) -> list[LoadProblem]:
    problems = list(map(_unknown, paths[:MAX_UNKNOWN_SHOWN]))
    if len(paths) > MAX_UNKNOWN_SHOWN:
        rest = f"{len(paths) - MAX_UNKNOWN_SHOWN} more names do not belong in a task folder"
        problems.append(LoadProblem("UNKNOWN_NAME", rest, paths[MAX_UNKNOWN_SHOWN], next_step=_BELONGS))
    return problems


def _unknown(path: str) -> LoadProblem:
    name = path.rpartition("/")[2]
    if name in SINGLE:
        message = f"is in the wrong place: {name} belongs at the top of the task folder"
        return LoadProblem("UNKNOWN_NAME", message, path, next_step="move it there")
    return LoadProblem("UNKNOWN_NAME", "is not a name of a task folder", path, next_step=_BELONGS)
