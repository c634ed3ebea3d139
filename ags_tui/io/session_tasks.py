"""Begins sessions: chooses or makes their task, records its baseline, and reads the terms of its plan.

This is the full road, with contracts, keys and git: a hook takes it at the first event of a session, and
where what is kept does not hold any more.
"""

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ags_tui.core.checks.plan_terms import plan_terms
from ags_tui.core.failures import AgsError
from ags_tui.core.layout import valid_task_id
from ags_tui.core.log_state import LogState
from ags_tui.core.policy.plan_terms import PlanTerms
from ags_tui.core.promotion import PLAN_FILE, TASK_FILE
from ags_tui.core.sessions import SESSION_PREFIX, SessionRecord, choose_task
from ags_tui.core.snapshot import EMPTY, Repo, Snapshot, TaskFiles, TaskSnapshot
from ags_tui.core.subjects import bare_names_of
from ags_tui.io.baselines import Baselines
from ags_tui.io.git import GitDoor
from ags_tui.io.keys import Keys
from ags_tui.io.log import read_log
from ags_tui.io.own_hooks import own_hooks
from ags_tui.io.places import Places, PlaceUnusable
from ags_tui.io.sessions import make_session, sessions_of, tree_of_session
from ags_tui.io.tasks import TaskReader
from ags_tui.io.trees import Tree


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A session that was not seen before."""

    session: str
    """The client's id."""
    agent: str
    """Which client."""
    model: str = ""
    """Model, where the client says it."""
    cwd: str = ""
    """Folder in which it stands."""
    transcript: str = ""
    """Absolute path of the client's transcript."""
    named: str | None = None
    """Task that the hook's environment names."""


class SessionTasks:
    """The tasks of one work tree, for its sessions. Blocks; may be called from any thread."""

    def __init__(self, tree: Tree, places: Places, keys: Keys | None = None) -> None:
        """Prepare; git is opened when it is needed.

        Args:
            tree: The work tree.
            places: The user's folders.
            keys: Signing and trusted keys; None opens them.
        """
        self._tree = tree
        self._places = places
        self._git: GitDoor | None = None
        self.keys = keys or Keys.open(places)

    @property
    def git(self) -> GitDoor:
        """The repository."""
        if self._git is None:
            self._git = GitDoor.open(
                Path(self._tree.top), scratch=_scratch(self._places), own_hooks=own_hooks(self._places)
            )
        return self._git

    def begin(self, newcomer: Newcomer, now: datetime) -> SessionRecord:
        """Find or make the task of a session and remember the session.

        Args:
            newcomer: The session.
            now: The wall clock.

        Returns:
            The record that holds: that of another hook of the session, where it was faster.

        Raises:
            AgsError: The task cannot be made, or the session cannot be remembered.
        """
        task = self._choose(newcomer)
        if task.startswith(SESSION_PREFIX):
            baselines = Baselines(self.git, self.keys, self._places)
            baselines.make_session_task(Path(self._tree.root), task, now)
        record = SessionRecord(
            session=newcomer.session,
            task=task,
            top=self._tree.top,
            agent=newcomer.agent,
            model=newcomer.model,
            cwd=newcomer.cwd,
            transcript=newcomer.transcript,
            started_at=now.astimezone(UTC).isoformat(),
            stop_tree=self.tree_digest(task),
        )
        return make_session(self._tree, record, self._places)

    def own_task(self, session: str, now: datetime) -> str:
        """Make the session's own task, where the one that it joined is over.

        Args:
            session: The client's id.
            now: The wall clock.

        Raises:
            AgsError: It cannot be made.
        """
        task = choose_task(session, named=None, open_tasks=(), planned=(), taken=self._taken(session))
        Baselines(self.git, self.keys, self._places).make_session_task(Path(self._tree.root), task, now)
        return task

    def log(self, task: str) -> LogState:
        """Read the log of a task."""
        return read_log(self.folder(task), self.keys, self._places)

    def folder(self, task: str) -> Path:
        """The folder of a task; need not exist."""
        return Path(self._tree.root) / "tasks" / task

    def tree_digest(self, task: str) -> str:
        """Digest of the work tree since the baseline of a task; empty where it is not known."""
        baseline = self.log(task).baseline
        if baseline is None:
            return ""
        try:
            changes = self.git.changes(baseline.commit, root_name=self.root_name())
        except AgsError:
            return ""
        return "" if changes.unknown else changes.tree_digest

    def root_name(self) -> str:
        """The root relative to the work tree; empty where it lies elsewhere."""
        inside = self._tree.root.startswith(self._tree.top + os.sep)
        return self._tree.root[len(self._tree.top) + 1 :] if inside else ""

    def _choose(self, newcomer: Newcomer) -> str:
        if tree_of_session(newcomer.session, self._places) is not None:
            # A session that comes from another work tree joins no plan here: Codex lets its model say for
            # each call in which folder it runs, and no agent chooses whose approval it has.
            return choose_task(
                newcomer.session, named=None, open_tasks=(), planned=(), taken=self._taken(newcomer.session)
            )
        reader = TaskReader(Path(self._tree.root), Path(self._tree.top))
        named = newcomer.named if newcomer.named and valid_task_id(newcomer.named) else None
        names = reader.names()
        planned = [name for name in names if (self.folder(name) / PLAN_FILE).is_file()]
        looked_at = {*planned, *([named] if named in names else [])} - {None}
        open_tasks = {name for name in looked_at if not self.log(name).frozen}
        return choose_task(
            newcomer.session,
            named=named,
            open_tasks=open_tasks,
            planned=[name for name in planned if name in open_tasks and self._may_be_joined(name)],
            taken=self._taken(newcomer.session),
        )

    def _may_be_joined(self, name: str) -> bool:
        """Whether a plan is one to join: that of a session only once it is promoted and approved."""
        if not name.startswith(SESSION_PREFIX):
            return True
        return (self.folder(name) / TASK_FILE).is_file() and any(
            row.counted and (row.entry.kind, row.entry.verdict) == ("plan", "approved")
            for row in self.log(name).entries
        )

    def _taken(self, session: str) -> set[str]:
        return {record.task for record in sessions_of(self._tree) if record.session != session}


def terms_of_task(tree: Tree, task_id: str, places: Places, now: datetime) -> PlanTerms | None:
    """Read the terms of a task's plan in full: contracts, log and signatures.

    Args:
        tree: The work tree.
        task_id: The task.
        places: The user's folders.
        now: The wall clock, UTC.
    """
    tasks = SessionTasks(tree, places, Keys.open(places, create=False))
    read = TaskReader(Path(tree.root), Path(tree.top)).read(frozenset({task_id}), now=now.timestamp())
    files = next((one for one in read.tasks if one.task_id == task_id), None)
    if files is None:
        return None
    log = tasks.log(task_id)
    task = TaskSnapshot(files=files, log=log, bare_names=_bare_names(tasks, files, log))
    repo = Repo(top=tree.top, ignore_case=ignores_case(tree.top))
    return plan_terms(task, Snapshot(taken_at=now, root=tree.root, repo=repo), now)


def ignores_case(top: str) -> bool:
    """Whether names that differ only in case are the same file, by looking at ``.git`` in capitals.

    Args:
        top: Top of the work tree.
    """
    return os.path.lexists(f"{top}/.GIT")


def _bare_names(tasks: SessionTasks, files: TaskFiles, log: LogState) -> dict[str, tuple[str, ...]]:
    """Paths of the baseline tree by bare name; git is asked only where a plan holds such names."""
    wanted = bare_names_of(files, EMPTY)
    if not wanted or log.baseline is None:
        return {}
    known = tasks.git.names(log.baseline.commit)
    return {name: known.get(name, ()) for name in wanted}


def _scratch(places: Places) -> Path | None:
    try:
        return places.state_folder("git")
    except PlaceUnusable:
        return None
