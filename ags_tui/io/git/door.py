"""The door: what the rest of the program asks of git. Blocking; called from the reader's thread."""

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ags_tui.core.snapshot import EMPTY, Changes, Repo, TreeEntry
from ags_tui.io.git import links
from ags_tui.io.git.baseline import Keep, baseline_facts
from ags_tui.io.git.changes import raw, same, text
from ags_tui.io.git.describe import describe, equal
from ags_tui.io.git.diff import DIFF_LIMIT
from ags_tui.io.git.failures import GitError, GitFailed
from ags_tui.io.git.hiding import NO_HOOKS
from ags_tui.io.git.objects import READ_LIMIT
from ags_tui.io.git.opening import Limits, opener
from ags_tui.io.git.parts import Parts
from ags_tui.io.git.root import Root
from ags_tui.io.git.spots import View
from ags_tui.io.git.stamps import Clock
from ags_tui.io.git.trees import Relation, empty_tree
from ags_tui.io.git.work_tree import WorkTree

ROOT_NAME = ".ai"
"""The root folder, where no other is named."""

NO_HINTS: frozenset[str] = frozenset()
"""Nothing was touched since the last look."""

_KEPT_CHANGES = 256


class GitDoor:
    """One repository. One git child after the other: methods wait for each other and may be called from any
    thread.
    """

    def __init__(self, make: Callable[[], WorkTree]) -> None:
        """Open it; use ``open``.

        Args:
            make: opens the work tree, now and again after the repository was replaced.

        Raises:
            NotARepository: there is none that can be supervised.
            GitFailed: git cannot be used.
        """
        self._lock = threading.RLock()
        self._make = make
        self._work_tree = make()
        self._parts = Parts(self._work_tree)
        self._view: View | None = None
        self._ignored: frozenset[bytes] = frozenset()
        self._repo: Repo | None = None
        self._changes: dict[tuple[str, str], Changes] = {}
        self._look_again = False

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        root_name: str = ROOT_NAME,
        scratch: Path | None = None,
        home: Path | None = None,
        search_path: str | None = None,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        clock: Clock = time.time_ns,
        own_hooks: Mapping[str, frozenset[str]] = NO_HOOKS,
    ) -> "GitDoor":
        """Open the repository that holds a folder.

        Args:
            path: a folder or file in the work tree; a folder of it that is gone later does not matter.
            root_name: the root folder, relative to the top; empty where it lies elsewhere.
            scratch: a folder that only the user can write, best in the state directory, for the isolated git
                folder; None for the system's temporary folder.
            home: whose git settings hold; None for the home folder of the password database.
            search_path: where git is looked for; None for this process's ``PATH``.
            limits: how far git and files are followed.
            clock: the clock that stamps files.
            own_hooks: digests by name of the hooks that this program writes, which hide nothing.

        Raises:
            NotARepository: there is none that can be supervised; the message says what to do.
            GitFailed: git is missing or too old.
        """
        return cls(
            opener(
                str(path),
                root_name=root_name,
                scratch=scratch,
                home=home,
                search_path=search_path,
                limits=limits,
                clock=clock,
                own_hooks=own_hooks,
            )
        )

    @property
    def top(self) -> str:
        """Absolute path of the work tree, links resolved."""
        return self._work_tree.located.top

    @property
    def git_dirs(self) -> tuple[Path, ...]:
        """The git folder of this work tree and the shared one, for the watcher."""
        located = self._work_tree.located
        return tuple(dict.fromkeys((Path(located.git_dir), Path(located.common_dir))))

    @property
    def empty_tree(self) -> str:
        """Id of the tree without entries: the baseline while HEAD is unborn."""
        return empty_tree(self._work_tree.located)

    def close(self) -> None:
        """Remove what was made beside the repository and end the process that reads objects."""
        with self._lock:
            self._parts.close()

    def refresh(self, hints: frozenset[str] | None = None) -> None:
        """Look again, once for all questions of one reading (which then pass ``NO_HINTS``).

        Args:
            hints: the only paths that were touched since the last look; None for a full look.
        """
        with self._lock:
            self._look(hints)

    def repo(self, *, hints: frozenset[str] | None = None) -> Repo:
        """Return the repository as git describes it; a failure is its ``unknown``.

        Args:
            hints: as for ``refresh``.
        """
        with self._lock:
            view = self._look(hints)
            fresh = describe(self._work_tree.located, view, self._work_tree.operation())
            if self._repo is None or not equal(self._repo, fresh):
                self._repo = fresh
            return self._repo

    def changes(
        self,
        base: str,
        *,
        target: str = "work-tree",
        root_name: str = ROOT_NAME,
        hints: frozenset[str] | None = None,
    ) -> Changes:
        """Return what differs between a baseline commit and a tree; a failure is its ``unknown``.

        The same object is returned again while nothing has changed.

        Args:
            base: commit id of the baseline, or ``empty_tree``.
            target: ``work-tree``, ``index`` or a revision.
            root_name: the root folder, relative to the top.
            hints: as for ``refresh``; only for the work tree.
        """
        with self._lock:
            if self._work_tree.root.name != root_name.strip("/"):
                self._work_tree.root = Root(root_name)
                hints = None
            try:
                if target == "work-tree":
                    view = self._look(hints)  # may open the repository again
                    fresh = self._parts.since(base, view, again=hints is None)
                else:
                    fresh = self._parts.between(base, target)
            except GitError as failure:
                fresh = Changes(base, target, unknown=str(failure))
            key = (base, fresh.target)
            known = self._changes.pop(key, None)
            self._changes[key] = known if known is not None and same(known, fresh) else fresh
            while len(self._changes) > _KEPT_CHANGES:
                self._changes.pop(next(iter(self._changes)))
            return self._changes[key]

    def relation(self, base: str) -> Relation:
        """Return how a baseline commit stands to HEAD; ``missing`` where that cannot be said.

        Args:
            base: commit id, or ``empty_tree``.
        """
        with self._lock:
            try:
                head, _ = self._work_tree.prepare()
                return self._parts.trees.relation(base, head.commit)
            except GitError:
                return "missing"

    def names(self, base: str) -> Mapping[str, tuple[str, ...]]:
        """Return the paths of a commit's tree by their last part; nothing where the commit is not here.

        Args:
            base: commit id, or ``empty_tree``.
        """
        with self._lock:
            try:
                self._work_tree.prepare()
                return self._parts.trees.names(base)
            except GitError:
                return EMPTY

    def resolve(self, name: str) -> str:
        """Return the commit id behind a name such as ``main`` or ``HEAD~1``.

        Raises:
            GitFailed: there is no such commit.
        """
        with self._lock:
            self._work_tree.prepare()
            return self._parts.trees.resolve(name)

    def files(self, folder: str, target: str) -> Mapping[str, TreeEntry]:
        """Return the files below a folder of a tree, by path relative to that folder.

        Args:
            folder: relative to the top; empty for the top itself.
            target: ``index`` or a revision.

        Raises:
            GitFailed: there is no such commit, or git did not answer.
        """
        with self._lock:
            self._work_tree.prepare()
            trees, place = self._parts.trees, raw(folder)
            listed = (
                trees.staged_files(place) if target == "index" else trees.files(trees.resolve(target), place)
            )
            begin = len(place) + 1 if place else 0
            return {text(path[begin:]): entry for path, entry in listed.items()}

    def baseline_facts(self, keep: Keep | None = None) -> dict[str, Any]:
        """Return the data of a baseline entry: HEAD, dirty files, what could hide changes.

        Args:
            keep: keeps the contents of dirty files of at most 4 MiB and returns their digest.

        Raises:
            GitFailed: git cannot say; no baseline can be recorded then.
        """
        with self._lock:
            repo = self.repo()
            root_name = self._work_tree.root.name
            changes = self.changes(repo.head or self.empty_tree, root_name=root_name, hints=NO_HINTS)
            if repo.unknown or changes.unknown:
                raise GitFailed(repo.unknown or changes.unknown)
            return baseline_facts(repo, changes, self._work_tree.contents, keep)

    def diff(
        self,
        base: str,
        path: str,
        target: str = "work-tree",
        *,
        renamed_from: str | None = None,
        limit: int = DIFF_LIMIT,
    ) -> bytes:
        """Return the unified diff of one path in git's format with pinned options.

        Args:
            base: commit id, or ``empty_tree``.
            path: relative to the top.
            target: ``work-tree``, ``index`` or a revision.
            renamed_from: the other end, where the path was renamed (work tree only); the header then says so.
            limit: most bytes; a longer diff is cut and ends with a line that says so.

        Raises:
            GitFailed: git did not answer, or objects are missing.
        """
        with self._lock:
            name = raw(path)
            self._work_tree.prepare()
            self._parts.trees.check(base)
            if target == "work-tree":
                view = self._known_view()
                spot = view.spots.get(name)
                return self._parts.diffs.work_tree(
                    base,
                    name,
                    self._now(name, view),
                    like=view.index.entry(name),
                    dirty=spot is not None and spot.dirty,
                    renamed_from=raw(renamed_from) if renamed_from is not None else None,
                    limit=limit,
                )
            other = None if target == "index" else self._parts.trees.resolve(target)
            return self._parts.diffs.trees(base, other, name, limit=limit)

    def diff_kept(
        self, path: str, data: bytes | None, mode: str = "100644", *, limit: int = DIFF_LIMIT
    ) -> bytes:
        """Return the unified diff from kept bytes (dirty content at the baseline) to the work tree.

        Args:
            path: relative to the top.
            data: raw bytes then (of a link: its target); None where the path did not exist.
            mode: git mode then.
            limit: most bytes.

        Raises:
            GitFailed: git did not answer.
        """
        with self._lock:
            name = raw(path)
            return self._parts.diffs.kept(data, mode, name, self._now(name, self._known_view()), limit=limit)

    def read_blob(self, oid: str, limit: int = READ_LIMIT) -> bytes:
        """Return a blob's bytes, compared with its id.

        Raises:
            GitFailed: it is missing, damaged, no blob, or longer than ``limit``.
        """
        with self._lock:
            self._work_tree.prepare()
            return self._parts.objects.read_blob(oid, limit)

    def entry_of(self, path: str) -> TreeEntry | None:
        """Return mode and blob of a path of the work tree now, changed or not; None where nothing certain is
        there.
        """
        with self._lock:
            try:
                spot = self._work_tree.entry(raw(path), self._known_view())
            except GitError:
                return None
            return None if spot.problem else spot.work

    def blob_of(self, path: str) -> str | None:
        """Return the blob id of a path of the work tree now; None where nothing certain is there."""
        entry = self.entry_of(path)
        return entry.blob if entry is not None else None

    def real_path(self, path: str) -> str | None:
        """Return where a path really lies (links followed), relative to the top; None for outside."""
        return links.real_path(self.top, path)

    def ignored(self, path: str) -> bool:
        """Whether git ignores a path or a folder above it, as of the last look. Does not wait for a running
        one.
        """
        if self._view is None:
            self.refresh()
        parts = raw(path).strip(b"/").split(b"/")
        known = self._ignored
        ancestors = (b"/".join(parts[:count]) for count in range(1, len(parts) + 1))
        return any(ancestor in known for ancestor in ancestors)

    def _look(self, hints: frozenset[str] | None) -> View:
        """Look at the work tree, opening it again where the repository was replaced."""
        if not self._work_tree.same or self._look_again:
            hints = None
            self._look_again = not self._reopened()
        view = self._work_tree.look(hints)
        if view is not self._view:
            self._view = view
            self._ignored = frozenset(path.rstrip(b"/") for path in view.ignored)
        return view

    def _reopened(self) -> bool:
        """Open the repository that is there now; where there is none, looking says what is missing."""
        if self._work_tree.located.missing():
            return False
        try:
            fresh = self._make()
        except GitError:
            return False
        self.close()
        fresh.root = self._work_tree.root
        self._work_tree = fresh
        self._parts = Parts(fresh)
        return True

    def _known_view(self) -> View:
        if self._view is None or self._view.unknown:
            self._look(None)
        view = self._view
        if view is None or view.unknown:
            raise GitFailed(view.unknown if view is not None else "git was not asked")
        return view

    def _now(self, path: bytes, view: View) -> TreeEntry | None:
        """Return what the work tree holds at a path at this moment."""
        spot = view.spots.get(path)
        if spot is not None and (spot.work is None or spot.work.mode == "160000"):
            return spot.work
        return self._work_tree.entry(path, view).work
