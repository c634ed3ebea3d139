"""Trees and history: differences between commits, names in a tree, how two commits stand to each other."""

import hashlib
import re
from collections import OrderedDict
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeVar

from ags_tui.core.snapshot import TreeEntry
from ags_tui.io.git.failures import GitFailed
from ags_tui.io.git.isolated import Isolated
from ags_tui.io.git.located import Located
from ags_tui.io.git.run import Runner

Relation = Literal["ancestor", "not-ancestor", "missing"]
"""How a baseline commit stands to HEAD."""

Pair = tuple[TreeEntry | None, TreeEntry | None]
"""What a path holds in two trees."""

_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)
_KEPT = 32
_NO_COMMIT = "Needed a single revision"
"""What git says where a name is none, after reasons that tell a human nothing more."""
_RAW_FIELDS = 5
_LISTED_FIELDS = 3
_PAIR_OF_STAGES = {1: "DD", 2: "AU", 3: "UD", 4: "UA", 5: "DU", 6: "AA", 7: "UU"}
"""Unmerged pair by the stages that exist: 1 base, 2 ours, 4 theirs."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Trees:
    """Asks about commits and their trees; answers about commits never change and are kept."""

    def __init__(self, isolated: Isolated, runner: Runner, located: Located) -> None:
        """Prepare; nothing is asked yet.

        Args:
            isolated: starts git.
            runner: starts git where names of the repository's refs are needed.
            located: the repository.
        """
        self._isolated = isolated
        self._runner = runner
        self._located = located
        self._differences: OrderedDict[tuple[str, str], Mapping[bytes, Pair]] = OrderedDict()
        self._names: OrderedDict[str, Mapping[str, tuple[str, ...]]] = OrderedDict()
        self._relations: OrderedDict[tuple[str, str], Relation] = OrderedDict()

    def resolve(self, name: str) -> str:
        """Return the commit id behind a name (branch, tag, ``HEAD~1``, an id).

        Raises:
            GitFailed: there is no such commit, or a tag hides the branch that is meant: git would take the
                tag, which whoever may push can choose.
        """
        if name.startswith("-") or "\0" in name:
            raise GitFailed(f"{name!r} is no name of a commit")
        said = self._runner.run(
            ["rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}"],
            folder=self._located.top,
            variables={"GIT_DIR": self._located.git_dir},
            settings={"core.warnAmbiguousRefs": "true"},
            expected=(0, 1, 128),
        )
        commit = said.stdout.decode("ascii", "replace").strip()
        if said.code != 0 or not _ID.fullmatch(commit):
            why = "" if _NO_COMMIT in said.stderr or not said.stderr else f": {said.stderr}"
            raise GitFailed(f"there is no commit {name!r}{why}")
        if "is ambiguous" in said.stderr and not _ID.fullmatch(name):
            raise GitFailed(f"{name!r} names several things; write it in full, as refs/heads/main")
        return commit

    def difference(self, base: str, other: str) -> Mapping[bytes, Pair]:
        """Return what differs between two commits (or the empty tree), by path.

        Raises:
            GitFailed: one of them is not here.
        """
        key = (base, other)
        if key not in self._differences:
            _keep(self._differences, key, self._compare(base, other))
        return self._differences[key]

    def staged(self, base: str) -> Mapping[bytes, Pair]:
        """Return what differs between a commit and the index.

        Raises:
            GitFailed: the commit is not here or the index is damaged.
        """
        self.check(base)
        said = self._isolated.run(
            ["diff-index", "--cached", "--raw", "-r", "-z", "--no-renames", "--no-abbrev", base]
        ).stdout
        return _parse_raw(said)

    def unmerged(self) -> dict[bytes, str]:
        """Return the unmerged paths of the index with their pair.

        Raises:
            GitFailed: the index is damaged.
        """
        stages: dict[bytes, int] = {}
        for record in self._isolated.run(["ls-files", "-u", "-z"]).stdout.split(b"\0")[:-1]:
            facts, _, path = record.partition(b"\t")
            stages[path] = stages.get(path, 0) | 1 << (int(facts.rpartition(b" ")[2]) - 1)
        return {path: _PAIR_OF_STAGES[seen] for path, seen in stages.items()}

    def names(self, base: str) -> Mapping[str, tuple[str, ...]]:
        """Return the paths of a commit's tree by their last part.

        Raises:
            GitFailed: it is not here.
        """
        if base not in self._names:
            self.check(base)
            said = self._isolated.run(["ls-tree", "-r", "-z", "--name-only", "--full-tree", base]).stdout
            found: dict[str, list[str]] = {}
            for path in said.decode("utf-8", "surrogateescape").split("\0")[:-1]:
                found.setdefault(path.rpartition("/")[2], []).append(path)
            _keep(self._names, base, MappingProxyType({name: tuple(paths) for name, paths in found.items()}))
        return self._names[base]

    def files(self, commit: str, folder: bytes) -> Mapping[bytes, TreeEntry]:
        """Return the files below a folder of a commit's tree, by path.

        Args:
            commit: its id.
            folder: relative to the top; empty for the top itself.

        Raises:
            GitFailed: it is not here.
        """
        self.check(commit)
        where = [b"--", folder + b"/"] if folder else []
        said = self._isolated.run(["ls-tree", "-r", "-z", "--full-tree", commit, *where]).stdout
        return _parse_listing(said)

    def staged_files(self, folder: bytes) -> Mapping[bytes, TreeEntry]:
        """Return the files below a folder of the index, by path; unmerged ones are none.

        Args:
            folder: relative to the top; empty for the top itself.

        Raises:
            GitFailed: the index is damaged.
        """
        where = [b"--", folder + b"/"] if folder else []
        return _parse_listing(self._isolated.run(["ls-files", "-s", "-z", *where]).stdout)

    def relation(self, base: str, head: str | None) -> Relation:
        """Return how a baseline commit stands to HEAD; the empty tree is everyone's ancestor.

        Args:
            base: commit id or the empty tree's.
            head: commit id of HEAD, None while unborn.
        """
        key = (base, head or "")
        if key not in self._relations:
            answer = self._relate(base, head)
            if answer == "missing":  # it may be fetched later
                return answer
            _keep(self._relations, key, answer)
        return self._relations[key]

    def check(self, commit: str) -> None:
        """Fail with a clear reason where a commit is not here (git's own message depends on the command).

        Args:
            commit: commit id, or that of the empty tree.

        Raises:
            GitFailed: it is not here, or is no id.
        """
        if not _ID.fullmatch(commit):
            raise GitFailed(f"{commit!r} is no commit id")
        if commit == empty_tree(self._located):
            return
        said = self._isolated.run(["cat-file", "-e", f"{commit}^{{commit}}"], expected=(0, 1, 128))
        if said.code:
            raise GitFailed(
                f"commit {commit} is not in this repository (shallow clone, or rewritten and pruned)"
            )

    def _relate(self, base: str, head: str | None) -> Relation:
        if base == empty_tree(self._located):
            return "ancestor"
        try:
            self.check(base)
            if head is None:
                return "not-ancestor"
            said = self._isolated.run(["merge-base", "--is-ancestor", base, head], expected=(0, 1))
        except GitFailed:
            return "missing"
        return "ancestor" if said.code == 0 else "not-ancestor"

    def _compare(self, base: str, other: str) -> Mapping[bytes, Pair]:
        for commit in (base, other):
            self.check(commit)
        said = self._isolated.run(
            ["diff-tree", "--raw", "-r", "-z", "--no-renames", "--no-abbrev", "--no-commit-id", base, other]
        ).stdout
        return MappingProxyType(_parse_raw(said))


def empty_tree(located: Located) -> str:
    """Return the id of the tree without entries, against which an unborn HEAD is compared."""
    return hashlib.new(located.algorithm, b"tree 0\0", usedforsecurity=False).hexdigest()


def _parse_raw(said: bytes) -> dict[bytes, Pair]:
    """Take ``:mode mode blob blob status NUL path NUL`` apart."""
    parts = said.split(b"\0")[:-1]
    if len(parts) % 2:
        raise GitFailed("git diff answered something unexpected")
    found: dict[bytes, Pair] = {}
    for facts, path in zip(parts[0::2], parts[1::2], strict=True):
        fields = facts.decode("ascii", "replace").removeprefix(":").split(" ")
        if len(fields) != _RAW_FIELDS or not path:
            raise GitFailed("git diff answered something unexpected")
        old_mode, new_mode, old_blob, new_blob, _status = fields
        old = None if old_mode == "000000" else TreeEntry(old_mode, old_blob)
        new = None if new_mode == "000000" else TreeEntry(new_mode, new_blob)
        found[path] = (old, new)
    return found


def _parse_listing(said: bytes) -> dict[bytes, TreeEntry]:
    """Take ``mode type blob TAB path NUL`` (a tree) or ``mode blob stage TAB path NUL`` (the index) apart."""
    found: dict[bytes, TreeEntry] = {}
    for record in said.split(b"\0")[:-1]:
        facts, tab, path = record.partition(b"\t")
        fields = facts.decode("ascii", "replace").split(" ")
        if not tab or not path or len(fields) != _LISTED_FIELDS:
            raise GitFailed("git listed something unexpected")
        mode, second, third = fields
        if _ID.fullmatch(third):
            found[path] = TreeEntry(mode, third)
        elif third == "0":
            found[path] = TreeEntry(mode, second)
    return found


def _keep(known: OrderedDict[_Key, _Value], key: _Key, value: _Value) -> None:
    known[key] = value
    while len(known) > _KEPT:
        known.popitem(last=False)
