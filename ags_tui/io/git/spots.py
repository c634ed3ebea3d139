"""What one look at the repository found."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ags_tui.core.snapshot import TreeEntry
from ags_tui.io.git.head import Head
from ags_tui.io.git.index import IndexFacts
from ags_tui.io.git.settings import Settings
from ags_tui.io.git.stamps import Signature

Line = tuple[bytes, str, str]
"""Path, mode and blob, as a tree digest takes them."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A path that differs somewhere between HEAD, index and work tree."""

    path: bytes
    """Relative to the work tree."""
    head: TreeEntry | None
    """At HEAD."""
    index: TreeEntry | None
    """In the index."""
    work: TreeEntry | None
    """In the work tree, as git would store it."""
    untracked: bool = False
    """Not in the index."""
    conflict: str = ""
    """Unmerged pair."""
    dirty: bool = False
    """A submodule with changes of its own."""
    target: str | None = None
    """Where a link points to."""
    escapes: bool = False
    """It leads out of the work tree."""
    problem: str = ""
    """Why ``work`` is not certain."""
    unread: bool = False
    """``work`` says nothing about the content: it cannot be part of a digest."""
    aside: bool = False
    """Shown, but not part of a tree digest: the root's unknown names; what another spot stands for."""
    inner: tuple[Line, ...] = ()
    """What differs inside a submodule, for the tree digest."""


@dataclass(frozen=True, eq=False)
class View:
    """Everything that one look found. A view with ``unknown`` says nothing about what it does not list."""

    head: Head
    """Where HEAD stood."""
    settings: Settings = field(default_factory=Settings)
    """The configuration."""
    index: IndexFacts = field(default_factory=IndexFacts)
    """The index."""
    spots: Mapping[bytes, Spot] = field(default_factory=dict[bytes, Spot])
    """By path."""
    conflicts: tuple[tuple[bytes, str], ...] = ()
    """Unmerged paths with their pair."""
    ignored: tuple[bytes, ...] = ()
    """Ignored files, and folders with ``/`` at the end."""
    rule_files: frozenset[bytes] = frozenset()
    """Ignore and attribute files of the work tree."""
    rules: Signature = ()
    """Stamps of the rule files outside the work tree."""
    hiding: Mapping[str, str] = field(default_factory=dict[str, str])
    """Digests of what can hide changes."""
    stable: bool = False
    """Whether the stamps are old enough to say by themselves that nothing has changed."""
    unknown: str = ""
    """Why this cannot be relied on."""
    notes: tuple[str, ...] = ()
    """What a human should know about how this was read."""
