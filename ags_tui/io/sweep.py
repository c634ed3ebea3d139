"""Looking for changes by stat: the truth behind the events, and the only way where no events come.

A quick look asks only the folders (a file that was made, removed or renamed changes its folder); a full look
asks every file. What events have told already is absorbed, so that a sweep speaks only of what they missed.
"""

import os
import stat
from collections.abc import Callable, Iterable

Mark = tuple[int, int, int, int]
"""Inode, modification and change time in nanoseconds, size: equal marks mean an unchanged file."""


class _Listing:
    """What a folder held when it was last looked at."""

    __slots__ = ("files", "folders", "mark", "recent")

    def __init__(self, mark: Mark, files: dict[str, Mark], folders: dict[str, None]) -> None:
        self.mark = mark
        self.files = files
        self.folders = folders
        self.recent = True
        """Listed again at the next quick look: a second change in one tick of the clock leaves no trace."""


class Sweep:
    """Remembers folders and says what differs; used from one thread."""

    def __init__(self, tops: Iterable[str], descends: Callable[[str], bool]) -> None:
        """Remember nothing yet.

        Args:
            tops: absolute paths; need not exist.
            descends: whether a folder below them is looked into.
        """
        self._tops = tuple(tops)
        self._descends = descends
        self._listings: dict[str, _Listing] = {}

    @property
    def folders(self) -> int:
        """Number of folders that are remembered."""
        return len(self._listings)

    def reset(self) -> None:
        """Remember everything as it is now."""
        self._listings.clear()
        for top in self._tops:
            self._enter(top, None)

    def look(self, *, full: bool) -> list[str]:
        """Compare with what is remembered, and remember what is there now.

        Args:
            full: ask every file, not only the folders.

        Returns:
            Absolute paths of files and folders that came, went or changed.
        """
        changed: list[str] = []
        for top in self._tops:
            if top not in self._listings:
                inside: list[str] = []
                self._enter(top, inside)
                if top in self._listings:
                    changed.extend([top, *inside])
        lstat = os.lstat
        for path, listing in list(self._listings.items()):
            if not full and not listing.recent:
                try:
                    if lstat(path).st_mtime_ns == listing.mark[1]:
                        continue
                except OSError:
                    pass  # it is gone: compared below, unless its parent has said so already
            if self._listings.get(path) is listing:
                self._compare(path, listing, changed)
        return changed

    def absorb(self, paths: Iterable[str]) -> None:
        """Take changes as known that events have told already."""
        for path in paths:
            parent, _, name = path.rpartition("/")
            listing = self._listings.get(parent)
            if listing is None:
                if path in self._tops:
                    self._enter(path, None)
                continue
            listing.recent = True
            try:
                facts = os.lstat(path)
            except OSError:
                listing.files.pop(name, None)
                if name in listing.folders:
                    del listing.folders[name]
                    self._leave(path)
                continue
            if stat.S_ISDIR(facts.st_mode):
                listing.files.pop(name, None)
                listing.folders[name] = None
                if path not in self._listings and self._descends(path):
                    self._enter(path, None)
            else:
                listing.files[name] = _mark(facts)

    def _compare(self, path: str, listing: _Listing, changed: list[str]) -> None:
        """List a folder again and say what differs."""
        now = _list(path)
        if now is None:
            changed.append(path)
            self._leave(path)
            return
        now.recent = now.mark != listing.mark
        self._listings[path] = now
        for name in listing.files.keys() | now.files.keys():
            if listing.files.get(name) != now.files.get(name):
                changed.append(f"{path}/{name}")
        for name in listing.folders.keys() - now.folders.keys():
            changed.append(f"{path}/{name}")
            self._leave(f"{path}/{name}")
        for name in now.folders:
            inner = f"{path}/{name}"
            if name not in listing.folders:
                if self._descends(inner):
                    changed.append(inner)
            elif inner in self._listings:
                continue
            if self._descends(inner):
                self._enter(inner, changed)

    def _enter(self, path: str, changed: list[str] | None) -> None:
        """Remember a folder and all below it; ``changed`` takes what it holds."""
        stack = [path]
        while stack:
            one = stack.pop()
            listing = _list(one)
            if listing is None:
                continue
            self._listings[one] = listing
            if changed is not None:
                changed.extend(f"{one}/{name}" for name in listing.files)
            for name in listing.folders:
                inner = f"{one}/{name}"
                if self._descends(inner):
                    stack.append(inner)
                    if changed is not None:
                        changed.append(inner)

    def _leave(self, path: str) -> None:
        stack = [path]
        while stack:
            one = stack.pop()
            listing = self._listings.pop(one, None)
            if listing is not None:
                stack.extend(f"{one}/{name}" for name in listing.folders)


def _mark(facts: os.stat_result) -> Mark:
    return (facts.st_ino, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size)


def _list(path: str) -> _Listing | None:
    """List a folder with a mark of each file; None where it is not a folder or cannot be read."""
    files: dict[str, Mark] = {}
    folders: dict[str, None] = {}
    try:
        facts = os.lstat(path)
        if not stat.S_ISDIR(facts.st_mode):
            return None
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders[entry.name] = None
                    continue
                try:
                    files[entry.name] = _mark(entry.stat(follow_symlinks=False))
                except FileNotFoundError:
                    continue
    except OSError:
        return None
    return _Listing(_mark(facts), files, folders)
