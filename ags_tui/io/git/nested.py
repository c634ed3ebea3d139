"""Repositories inside the work tree: submodules, and folders that somebody made one.

Git does not look into them, so they could hide changes. A submodule is looked at by a work tree of its own,
in the same isolated way; an untracked repository is shown as the link that ``git add`` would record **and**
by its files; files in a submodule folder without a repository, which ``git status`` never shows, are listed
as untracked.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from ags_tui.core.snapshot import TreeEntry
from ags_tui.io.git.failures import GitError, GitFailed
from ags_tui.io.git.isolated import Isolated
from ags_tui.io.git.resolve import Resolver, Terms
from ags_tui.io.git.spots import Line, Spot, View
from ags_tui.io.git.status import Answer

DEPTH_LIMIT = 8
"""Repositories inside repositories that are followed."""

LINK = "160000"
"""Mode of a submodule."""

_FILES_LIMIT = 50_000


class Inner(Protocol):
    """A repository inside, looked at like the outer one."""

    @property
    def same(self) -> bool:
        """Whether it is still the repository that was opened."""
        ...

    def look(self, hints: frozenset[str] | None) -> View:
        """Look at it."""
        ...

    def close(self) -> None:
        """Give up what it holds."""
        ...


Opener = Callable[[str], Inner]
"""Opens the repository of a folder; raises GitError."""


@dataclass(frozen=True, slots=True)
class Link:
    """A submodule or untracked repository, as HEAD and the index know it."""

    path: bytes
    """Relative to the work tree."""
    head: TreeEntry | None = None
    """At HEAD."""
    index: TreeEntry | None = None
    """In the index."""


class Nested:
    """Looks into the repositories inside one work tree."""

    def __init__(self, top: str, isolated: Isolated, resolver: Resolver, opener: Opener) -> None:
        """Prepare; nothing is opened yet.

        Args:
            top: the work tree.
            isolated: lists files of a folder.
            resolver: says what they hold.
            opener: opens an inner repository.
        """
        self._top = os.fsencode(top)
        self._isolated = isolated
        self._resolver = resolver
        self._opener = opener
        self._open: dict[bytes, Inner] = {}

    def close(self) -> None:
        """Close all inner repositories."""
        for inner in self._open.values():
            inner.close()
        self._open.clear()

    def spots(self, submodules: Iterable[Link], untracked: Iterable[Link], terms: Terms) -> dict[bytes, Spot]:
        """Return what differs at and inside repositories.

        Args:
            submodules: those that the index knows.
            untracked: folders that are repositories.
            terms: under which files are read.

        Raises:
            GitFailed: the files of a folder cannot be listed.
        """
        found: dict[bytes, Spot] = {}
        for link in submodules:
            found |= self._submodule(link, terms)
        for link in untracked:
            found |= self._untracked(link, terms)
        return {path: spot for path, spot in found.items() if _differs(spot) and not terms.root.knows(path)}

    def _submodule(self, link: Link, terms: Terms) -> dict[bytes, Spot]:
        place = os.path.join(self._top, link.path)
        if not os.path.isdir(place) or os.path.islink(place):
            if not os.path.lexists(place):
                return {link.path: Spot(link.path, link.head, link.index, None)}
            answer = Answer(untracked=[link.path])
            return {
                path: replace(spot, head=link.head, index=link.index, untracked=False)
                for path, spot in self._resolver.spots(answer, terms).items()
            }
        if os.path.lexists(os.path.join(place, b".git")):
            return {link.path: self._looked_into(link)}
        files = self._files(link.path, place) if os.listdir(place) else {}
        staged = link.head != link.index
        changed = {link.path: Spot(link.path, link.head, link.index, link.index)} if staged else {}
        return changed | self._resolver.spots(Answer(untracked=list(files)), terms)

    def _untracked(self, link: Link, terms: Terms) -> dict[bytes, Spot]:
        files = self._files(link.path, os.path.join(self._top, link.path))
        found = self._resolver.spots(Answer(untracked=list(files)), terms)
        spot = replace(self._looked_into(link), untracked=True)
        if spot.work is None:  # without a commit git could not record it: its files are what there is
            return found
        inside = {path: replace(one, aside=True) for path, one in found.items()}
        return {**inside, link.path: spot}

    def _looked_into(self, link: Link) -> Spot:
        """Return the spot of a repository: its HEAD, and whether anything differs inside."""
        draft = Spot(link.path, link.head, link.index, None)
        try:
            view = self._inner(link.path).look(None)
        except GitError as error:
            view = None
            unknown = str(error)
        else:
            unknown = view.unknown
        if view is None or unknown:
            zero = "0" * (len(link.index.blob) if link.index else 40)
            return replace(draft, work=TreeEntry(LINK, zero), problem=unknown, unread=True)
        if view.head.commit is None:
            return replace(draft, work=None, dirty=bool(view.spots))
        lines, unread = _inner_lines(link.path, view)
        return replace(
            draft,
            work=TreeEntry(LINK, view.head.commit),
            dirty=bool(view.spots),
            inner=lines,
            unread=unread,
        )

    def _inner(self, path: bytes) -> Inner:
        known = self._open.get(path)
        if known is not None and known.same:
            return known
        if known is not None:
            self._open.pop(path).close()
        inner = self._opener(os.fsdecode(os.path.join(self._top, path)))
        self._open[path] = inner
        return inner

    def _files(self, folder: bytes, place: bytes, depth: int = 0) -> dict[bytes, None]:
        """List the files of a folder as git would if it were a work tree without an index."""
        index = self._isolated.own_index("empty-index", ())
        said = self._isolated.run(
            ["ls-files", "-o", "-z", "--exclude-standard"], work_tree=os.fsdecode(place), index=index
        )
        if said.stderr:
            raise GitFailed(f"{os.fsdecode(folder)}: {said.stderr}")
        found: dict[bytes, None] = {}
        for name in said.stdout.split(b"\0"):
            if not name:
                continue
            path = folder + b"/" + name.rstrip(b"/")
            if not name.endswith(b"/"):
                found[path] = None
            elif depth < DEPTH_LIMIT:
                found |= self._files(path, os.path.join(self._top, path), depth + 1)
            else:
                raise GitFailed(f"{os.fsdecode(path)}: too many repositories inside each other")
            if len(found) > _FILES_LIMIT:
                raise GitFailed(
                    f"{os.fsdecode(folder)}: a repository with more than {_FILES_LIMIT} files inside"
                )
        return found


def _differs(spot: Spot) -> bool:
    whole = spot.head == spot.index == spot.work
    return not whole or spot.dirty or spot.untracked or bool(spot.problem)


def _inner_lines(path: bytes, view: View) -> tuple[tuple[Line, ...], bool]:
    """Return what differs inside as lines of the outer tree digest, and whether some of it is unread."""
    lines: list[Line] = []
    unread = False
    for spot in view.spots.values():
        lines.extend((path + b"/" + inner, mode, blob) for inner, mode, blob in spot.inner)
        unread = unread or spot.unread
        if not spot.aside and spot.work != spot.head:
            mode, blob = spot.work or ("000000", "")
            lines.append((path + b"/" + spot.path, mode, blob))
    return tuple(lines), unread
