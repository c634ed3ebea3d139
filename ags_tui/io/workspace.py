"""One work tree and its task folders: everything that the app and the commands read and record.

``files + git → Snapshot`` and ``Draft → log`` meet here and nowhere else, so that the screen, ``gate`` and
the hooks always judge the same things.
"""

import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from ags_tui.core.contracts.task import AgentTask
from ags_tui.core.decisions import Bound, Draft, Via
from ags_tui.core.failures import AgsError
from ags_tui.core.hints import EVERYTHING, Hint, WatchState
from ags_tui.core.log_state import LoggedEntry
from ags_tui.core.observations import waiting_evidence
from ags_tui.core.promotion import Promotion
from ags_tui.core.snapshot import Changes, Snapshot, TaskSnapshot
from ags_tui.io.baselines import Baselines
from ags_tui.io.evidence import read_evidence
from ags_tui.io.git import GitDoor
from ags_tui.io.git.door import NO_HINTS
from ags_tui.io.keys import Keys
from ags_tui.io.lines import LineCutter
from ags_tui.io.log import record
from ags_tui.io.own_hooks import own_hooks
from ags_tui.io.places import Places, PlaceUnusable
from ags_tui.io.plain_files import read_plain
from ags_tui.io.policy_files import read_policy
from ags_tui.io.presence import INSTANCE, Presence
from ags_tui.io.promoted import check_promoted, promote
from ags_tui.io.rehash import file_digest
from ags_tui.io.settings import read_settings
from ags_tui.io.task_checks import ChecksRun, run_checks
from ags_tui.io.task_world import TaskWorld
from ags_tui.io.tasks import TaskReader
from ags_tui.io.watcher import Watcher

MAX_WORK_FILE = 16 << 20
"""Largest file of the work tree that is shown whole, bytes."""


class NoSuchTask(AgsError):
    """There is no task folder of that name."""


class Workspace:
    """A work tree, opened. Its methods block; they may be called from any thread."""

    def __init__(
        self,
        git: GitDoor,
        root: Path,
        places: Places,
        keys: Keys,
        *,
        poll: bool = False,
        test_timeout_s: float = 1800.0,
    ) -> None:
        """Join the doors; use ``open``.

        Args:
            git: The repository.
            root: Absolute folder that holds ``tasks/``.
            places: The user's folders.
            keys: Signing and trusted keys.
            poll: Whether the watch polls.
            test_timeout_s: Seconds after which one test command is ended.
        """
        self.git = git
        self.root = root
        self.places = places
        self.keys = keys
        self._poll = poll
        self._test_timeout_s = test_timeout_s
        self._lock = threading.RLock()
        self._reader = TaskReader(root, Path(git.top))
        self._world = TaskWorld(git, keys, places)
        self._baselines = Baselines(git, keys, places)
        self._presence = Presence(places)
        self._last: Snapshot | None = None
        self._watcher: Watcher | None = None

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        root: Path | None = None,
        places: Places,
        trust: Path | None = None,
        poll: bool = False,
    ) -> "Workspace":
        """Open the work tree that holds ``path``.

        Args:
            path: A folder inside the work tree.
            root: Folder that holds ``tasks/``; None takes the user's setting, else ``.ai`` at the top.
            places: The user's folders.
            trust: A file of trusted public keys that stands in for the user's.
            poll: Whether to poll instead of waiting for events.

        Raises:
            NotARepository: There is no work tree there; the message says what to do.
        """
        git = GitDoor.open(path, scratch=_scratch(places), own_hooks=own_hooks(places))
        top = Path(git.top)
        settings = read_settings(places, {}).settings  # no environment: it chooses neither root nor keys
        chosen = root if root is not None else top / settings.root_for(top)
        keys = Keys.open(places, trust=trust)
        return cls(git, chosen, places, keys, poll=poll, test_timeout_s=settings.test_timeout_s)

    @property
    def top(self) -> Path:
        """The top of the work tree."""
        return Path(self.git.top)

    def folder(self, task_id: str) -> Path:
        """The folder of a task.

        Raises:
            NoSuchTask: It does not exist.
        """
        folder = self.root / "tasks" / task_id
        if task_id not in self.task_names():
            raise NoSuchTask(f"no task {task_id!r} in {self.root / 'tasks'}; ags-tui status lists the tasks")
        return folder

    def task_names(self) -> tuple[str, ...]:
        """Names of the task folders, from one look into the root."""
        return self._reader.names()

    def read(self, hint: Hint = EVERYTHING, *, target: str = "work-tree") -> Snapshot:
        """Read everything, looking again only where the hint says so.

        Args:
            hint: What may differ from the last reading.
            target: ``work-tree``, ``index`` or a revision: the tree that the tasks are assessed on.
        """
        with self._lock:
            last = self._last if target == "work-tree" else None
            if last is None:
                hint = EVERYTHING
            now = datetime.now(UTC)
            git_again = hint.git or hint.paths is None or last is None or bool(last.repo.unknown)
            repo = self.git.repo(hints=None if git_again else hint.paths)
            changes = self._changes(target)
            read = self._reader.read(hint.tasks, now=now.timestamp())
            self._world.begin()
            self._world.forget(frozenset(files.task_id for files in read.tasks))
            tasks = tuple(
                self._world.join(files, changes, fresh=hint.tasks is None or files.task_id in hint.tasks)
                for files in read.tasks
            )
            snapshot = Snapshot(
                taken_at=now,
                root=str(self.root),
                repo=repo,
                tasks=tasks,
                policy=read_policy(self.root, self.places),
                problems=read.problems,
                work_tree=changes(repo.head or self.git.empty_tree),
                look_again_at=read.looks_again,
                alarms=self._presence.alarms(tasks),
            )
            if target == "work-tree":
                self._last = snapshot
                self._remind(snapshot, read.waiting)
            return snapshot

    def _remind(self, snapshot: Snapshot, waiting: frozenset[str]) -> None:
        """Have the watch look again at half-written files, and at evidence written during this reading."""
        tasks, latest = waiting_evidence(snapshot)
        moments = [moment for moment in (snapshot.look_again_at, latest) if moment is not None]
        if self._watcher is not None and moments:
            self._watcher.remind(waiting | tasks, min(moments) - snapshot.taken_at.timestamp())

    def observe(
        self, snapshot: Snapshot, now: datetime, more: Sequence[Draft] = (), *, most: int = 64
    ) -> int:
        """Record what the system must record: baselines of new tasks, new digests, expiries, consumptions.

        Args:
            snapshot: What was just read.
            now: The wall clock.
            more: What the checks noticed beside that.
            most: Most entries; the rest comes with the next reading, so that a thousand new tasks do not
                hold up a decision.

        Returns:
            Entries written.
        """
        with self._lock:
            return self._baselines.observe(snapshot, now, most=most, more=more)

    @property
    def observed(self) -> frozenset[str] | None:
        """Tasks whose logs have grown in the last ``observe``: all that has to be read again after it."""
        return self._baselines.observed

    def record(self, draft: Draft) -> LoggedEntry:
        """Record a decision, hashing again what it is bound to.

        Raises:
            AgsError: The log does not take it; nothing was recorded.
        """
        with self._lock:
            if draft.source == "human" and draft.via == "tui" and self._presence.instance:
                draft = replace(draft, data={**draft.data, INSTANCE: self._presence.instance})
            current = self.current_bound(draft.bound)
            now = datetime.now(UTC)
            return record(self.folder(draft.task_id), draft, self.keys, self.places, now=now, current=current)

    def current_bound(self, bound: Bound) -> Bound:
        """What ``bound`` names, hashed now (its request and plan are hashed by the log itself)."""
        policy = bound.policy and read_policy(self.root, self.places).digest
        files = {path: file_digest(self.top / path) for path in bound.files}
        return Bound(request=bound.request, plan=bound.plan, policy=policy, files=files)

    def diff(self, task_id: str | None, path: str) -> bytes:
        """The unified diff of one path.

        Args:
            task_id: Since the baseline of this task; None for HEAD.
            path: Relative to the work tree.
        """
        base = self.git.repo(hints=NO_HINTS).head or self.git.empty_tree
        task = self._task(task_id) if task_id is not None else None
        if task is not None and task.log.baseline is not None:
            base = task.log.baseline.commit
        return self.git.diff(base, path, "work-tree")

    def evidence(self, task_id: str, ref: str) -> str:
        """The text of a file that an escalation names, from the task folder or else the work tree.

        Args:
            task_id: Whose evidence.
            ref: A relative path, maybe with ``:LINE`` or ``#PLACE`` behind it.

        Raises:
            NotPlain: It is no plain file below these folders, or too large.
        """
        path = ref.partition("#")[0]
        name, _, line = path.rpartition(":")
        return read_evidence(name if name and line.isdigit() else path, (self.folder(task_id), self.top))

    def blob(self, oid: str) -> bytes:
        """The bytes of an object of the repository.

        Raises:
            AgsError: It cannot be read.
        """
        return self.git.read_blob(oid)

    def work_file(self, path: str) -> bytes | None:
        """The bytes of a file of the work tree as it is now; None where there is none.

        Args:
            path: Relative to the top.

        Raises:
            NotPlain: It is no plain file, too large, or cannot be read.
        """
        try:
            return read_plain(self.top / path, limit=MAX_WORK_FILE)
        except FileNotFoundError:
            return None

    def new_task(self, task: AgentTask, *, via: Via = "tui") -> Path:
        """Write a new task with its baseline.

        Args:
            task: The contract.
            via: Through which door the caller records.

        Raises:
            AgsError: The folder exists already or cannot be written.
        """
        with self._lock:
            folder = self._baselines.make_task(self.root, task)
            self._baselines.record_baseline(folder, None, datetime.now(UTC), via=via)
            return folder

    def promote(self, promotion: Promotion) -> Path:
        """Make a session a planned task: its contracts beside its log, for a human to approve the plan.

        They are recorded at once: what an agent writes in their place later is held against them.

        Raises:
            AgsError: There is no such session, it has contracts already, they cannot be written, or somebody
                replaced them meanwhile.
        """
        with self._lock:
            self.folder(promotion.task.id)
            folder = promote(self.root, promotion, travels=bool(self._root_name()))
            snapshot = self.read()
            task = check_promoted(snapshot, promotion)
            self._baselines.observe_task(task, snapshot, datetime.now(UTC))
            return folder

    def record_baseline(self, task_id: str, *, again: bool = False, via: Via = "tui") -> LoggedEntry:
        """Record the baseline of a task where it has none (or, on request, a new one for a human to accept).

        Args:
            task_id: Task folder.
            again: Whether a further one is wanted, for a human to accept.
            via: Through which door the caller records.

        Raises:
            AgsError: There is one already, or the log cannot be written.
        """
        with self._lock:
            snapshot = self.read()
            task = next((t for t in snapshot.tasks if t.task_id == task_id), None)
            now = datetime.now(UTC)
            return self._baselines.record_baseline(self.folder(task_id), task, now, again=again, via=via)

    def run_checks(
        self, task_id: str, *, on_line: Callable[[str], None], cancel: threading.Event
    ) -> ChecksRun:
        """Run the planned test commands that a human approved, and record what was observed; blocks.

        Args:
            task_id: Task folder.
            on_line: Called from this thread with each line of output.
            cancel: Ends the run as soon as it is set.

        Raises:
            AgsError: Nothing may be run, or a run could not be recorded.
        """
        cutter = LineCutter(on_line)
        run = run_checks(
            self,
            task_id,
            on_output=cutter.feed,
            cancel=cancel,
            timeout_s=self._test_timeout_s,
            via="tui",
            on_command=lambda index, count, command: on_line(f"[{index}/{count}] $ {command}"),
        )
        cutter.end()
        return run

    async def watch(self) -> AsyncGenerator[Hint]:
        """Yield hints for ever: where to look again."""
        self._presence.enter()
        watcher = Watcher(self.root, self.top, self.git.git_dirs, self.git.ignored, poll=self._poll)
        self._watcher = watcher
        async with aclosing(watcher.hints()) as hints:
            async for hint in hints:
                yield hint

    @property
    def watch_state(self) -> WatchState:
        """How changes are noticed at the moment."""
        return self._watcher.state if self._watcher is not None else WatchState()

    def _task(self, task_id: str) -> TaskSnapshot | None:
        snapshot = self._last or self.read()
        return next((task for task in snapshot.tasks if task.task_id == task_id), None)

    def _changes(self, target: str) -> Callable[[str], Changes]:
        """Changes by baseline commit, asked of git once each, on the look that ``repo`` has just taken."""
        known: dict[str, Changes] = {}

        def since(base: str) -> Changes:
            if base not in known:
                known[base] = self.git.changes(
                    base, target=target, root_name=self._root_name(), hints=NO_HINTS
                )
            return known[base]

        return since

    def _root_name(self) -> str:
        """The root relative to the work tree; empty where it lies elsewhere."""
        try:
            return self.root.relative_to(self.top).as_posix()
        except ValueError:
            return ""


def _scratch(places: Places) -> Path | None:
    """Where git's own folder is made: out of an agent's reach, where the state directory can be written."""
    try:
        return places.state_folder("git")
    except PlaceUnusable:
        return None
