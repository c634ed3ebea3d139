"""What the index says beside contents: hidden bits, rule files, submodules."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ags_tui.core.snapshot import TreeEntry
from ags_tui.io.git.failures import GitFailed
from ags_tui.io.git.located import Located
from ags_tui.io.git.stamps import Stamp, stamp_of
from ags_tui.io.plain_files import NotPlain, read_plain

RULE_FILES = (b".gitignore", b".gitattributes")
"""Names of the files in the tree that say what git ignores and converts."""

LIST = ("ls-files", "-z", "-s", "-v")
"""The question to git. With ``core.sparseCheckout`` off, else git hides bits of files that are there."""

_LIMIT = 4 * 1024**3


@dataclass(frozen=True)
class IndexFacts:
    """What the index says, by path."""

    stamp: Stamp | None = None
    """Stamp of the index file; None while there is none."""
    assumed: Mapping[bytes, TreeEntry] = field(default_factory=dict[bytes, TreeEntry])
    """Entries with assume-unchanged."""
    skipped: Mapping[bytes, TreeEntry] = field(default_factory=dict[bytes, TreeEntry])
    """Entries with skip-worktree."""
    rules: Mapping[bytes, TreeEntry] = field(default_factory=dict[bytes, TreeEntry])
    """Tracked ``.gitignore`` and ``.gitattributes``."""
    links: Mapping[bytes, TreeEntry] = field(default_factory=dict[bytes, TreeEntry])
    """Submodules."""
    listing: bytes = b""
    """Git's answer."""

    def entry(self, path: bytes) -> TreeEntry | None:
        """Return a tracked path's entry; None where it is not tracked (or unmerged)."""
        end = self.listing.find(b"\t" + path + b"\0")
        if end < 0:
            return None
        start = self.listing.rfind(b"\0", 0, end) + 1
        _tag, mode, blob, stage = self.listing[start:end].decode("ascii", "replace").split(" ")
        return TreeEntry(mode, blob) if stage == "0" else None

    def tracks(self, path: bytes) -> bool:
        """Whether a path is tracked; searched for, since making the set of all paths costs more than a
        refresh.
        """
        if "paths" in self.__dict__:
            return path in self.paths
        return b"\t" + path + b"\0" in self.listing

    @cached_property
    def paths(self) -> frozenset[bytes]:
        """All tracked paths; made only where many are asked for."""
        return frozenset(record[record.index(b"\t") + 1 :] for record in self.listing.split(b"\0") if record)

    @cached_property
    def folded(self) -> frozenset[bytes]:
        """All tracked paths without case, for file systems that do not tell case apart."""
        return frozenset(path.lower() for path in self.paths)


def index_stamp(located: Located) -> Stamp | None:
    """Return the stamp of the index file, None where there is none.

    Raises:
        GitFailed: it cannot be looked at.
    """
    try:
        return stamp_of(os.stat(os.path.join(located.git_dir, "index")))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise GitFailed(f"the index cannot be read: {error.strerror}") from error


def check_index(located: Located) -> None:
    """Compare the index with its own checksum: git skips that and would answer from a damaged one.

    Raises:
        GitFailed: it is damaged.
    """
    try:
        data = read_plain(Path(located.git_dir, "index"), limit=_LIMIT, follow=True)
    except FileNotFoundError:
        return
    except NotPlain as problem:
        raise GitFailed(f"the index cannot be read: {problem}") from problem
    size = 20 if located.algorithm == "sha1" else 32
    body, checksum = memoryview(data)[:-size], data[-size:]
    # index.skipHash (git 2.40) writes zeros instead.
    if (
        len(data) < 12 + size
        or data[:4] != b"DIRC"
        or (
            any(checksum) and hashlib.new(located.algorithm, body, usedforsecurity=False).digest() != checksum
        )
    ):
        raise GitFailed("the index is damaged; run: rm .git/index; git reset")


def parse_index(listing: bytes, stamp: Stamp | None) -> IndexFacts:
    """Turn git's answer to ``LIST`` into facts.

    Args:
        listing: records ``TAG SP mode SP blob SP stage TAB path NUL``.
        stamp: stamp of the index that was listed.

    Raises:
        GitFailed: the answer has another form.
    """
    facts = IndexFacts(stamp, {}, {}, {}, {}, listing)
    odd = [
        record
        for record in listing.split(b"\0")
        if record[:8] not in (b"H 100644", b"H 100755") or record.endswith(RULE_FILES)
    ]
    for record in odd:
        if not record:
            continue
        head, tab, path = record.partition(b"\t")
        parts = head.decode("ascii", "replace").split(" ")
        if not tab or len(parts) != 4 or not path:
            raise GitFailed("git ls-files answered something unexpected")
        _sort(facts, parts[0], TreeEntry(parts[1], parts[2]), path)
    return facts


def _sort(facts: IndexFacts, tag: str, entry: TreeEntry, path: bytes) -> None:
    targets: list[Mapping[bytes, TreeEntry]] = []
    if tag.islower():
        targets.append(facts.assumed)
    if tag in "Ss":
        targets.append(facts.skipped)
    if entry.mode == "160000":
        targets.append(facts.links)
    if path.endswith(RULE_FILES) and path.rpartition(b"/")[2] in RULE_FILES:
        targets.append(facts.rules)
    for target in targets:
        assert isinstance(target, dict)
        target[path] = entry
