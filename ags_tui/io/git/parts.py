"""What is asked beside a look at the work tree: trees, objects, diffs, joined into changes."""

from collections.abc import Mapping
from types import MappingProxyType

from ags_tui.core.snapshot import Changes
from ags_tui.io.git import links
from ags_tui.io.git.changes import text, tree_changes, with_conflicts, work_tree_changes
from ags_tui.io.git.diff import Diffs
from ags_tui.io.git.failures import GitFailed
from ags_tui.io.git.objects import Objects, partial
from ags_tui.io.git.settings import Settings
from ags_tui.io.git.spots import View
from ags_tui.io.git.trees import Pair, Trees, empty_tree
from ags_tui.io.git.work_tree import WorkTree

_NOTHING: Mapping[bytes, Pair] = MappingProxyType({})


class Parts:
    """The questions that belong to one opened work tree; made anew with it."""

    def __init__(self, work_tree: WorkTree) -> None:
        """Prepare; nothing is asked yet.

        Args:
            work_tree: the work tree.
        """
        isolated, runner, located = work_tree.isolated, work_tree.runner, work_tree.located
        self._work_tree = work_tree
        self.objects = Objects(isolated, runner, located)
        """Reads objects."""
        self.trees = Trees(isolated, runner, located)
        """Asks about commits."""
        self.diffs = Diffs(isolated, self.objects, work_tree.contents, located)
        """Makes diffs."""

    def close(self) -> None:
        """End what runs and remove what was made."""
        self.objects.close()
        self._work_tree.close()

    def since(self, base: str, view: View, *, again: bool) -> Changes:
        """Return the changes from a baseline commit to the work tree.

        Args:
            base: commit id, or that of the empty tree.
            view: a look at the work tree.
            again: whether objects that were here before are looked for again.

        Raises:
            GitFailed: git cannot say.
        """
        if view.unknown and not view.spots:
            raise GitFailed(view.unknown)
        head = view.head.commit or empty_tree(self._work_tree.located)
        pairs = self.trees.difference(base, head) if base != head else _NOTHING
        changes = work_tree_changes(base, pairs, view, self._work_tree.root)
        self._check_objects(changes, view.settings, again=again)
        return changes

    def between(self, base: str, target: str) -> Changes:
        """Return the changes from a baseline commit to the index or another commit.

        Args:
            base: commit id, or that of the empty tree.
            target: ``index`` or a revision.

        Raises:
            GitFailed: git cannot say.
        """
        _, settings = self._work_tree.prepare()
        root = self._work_tree.root
        if target == "index":
            self._work_tree.check_index()
            pairs = self.trees.staged(base)
            changes = tree_changes(base, target, pairs, self._targets(pairs), root)
            changes = with_conflicts(changes, self.trees.unmerged())
        else:
            commit = self.trees.resolve(target)
            pairs = self.trees.difference(base, commit)
            changes = tree_changes(base, commit, pairs, self._targets(pairs), root)
        self._check_objects(changes, settings, again=True)
        return changes

    def _targets(self, pairs: Mapping[bytes, Pair]) -> dict[bytes, tuple[str, bool]]:
        found: dict[bytes, tuple[str, bool]] = {}
        for path, (_, new) in pairs.items():
            if new is not None and new.mode == "120000":
                target = self.objects.read_blob(new.blob)
                found[path] = (text(target), links.escapes_in_tree(path, target))
        return found

    def _check_objects(self, changes: Changes, settings: Settings, *, again: bool) -> None:
        """Fail where a file of the baseline is missing: ``git status`` looks fine then, but nothing can be
        shown.
        """
        if partial(settings):
            return
        olds = {c.old.blob: c.path for c in changes.entries if c.old is not None and c.old.mode != "160000"}
        missing = self.objects.missing(olds, again=again)
        if missing:
            what = f"object {missing[0]} ({olds[missing[0]]}) is missing"
            raise GitFailed(f"the repository is damaged: {what}; run: git fsck")
