"""A screen that looks again only where the watch would point: it must show the same as one that reads all."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from ags_tui.core.snapshot import Snapshot
from ags_tui.io.hints import Pending
from ags_tui.io.territory import Territory
from ags_tui.io.workspace import Workspace

Listing = dict[str, tuple[int, ...]]


@dataclass
class Mirror:
    """A workspace that stays open, with the territory of its watch."""

    workspace: Workspace
    listing: Listing = field(default_factory=dict[str, tuple[int, ...]])

    def read(self) -> Snapshot:
        """Read where something came, went or changed since the last time."""
        top = self.workspace.top
        territory = Territory.of(self.workspace.root, top, self.workspace.git.git_dirs)
        now = _listing(top)
        pending = Pending()
        for path in now.keys() | self.listing.keys():
            if now.get(path) != self.listing.get(path):
                territory.note(path, pending)
        self.listing = now
        return self.workspace.read(pending.take())


def _listing(top: Path) -> Listing:
    found: Listing = {}
    for folder, folders, files in os.walk(top):
        for name in folders:
            facts = os.lstat(os.path.join(folder, name))
            found[os.path.join(folder, name)] = (facts.st_mode, facts.st_ino)
        for name in files:
            facts = os.lstat(os.path.join(folder, name))
            times = (facts.st_mtime_ns, facts.st_ctime_ns)
            found[os.path.join(folder, name)] = (facts.st_mode, facts.st_ino, facts.st_size, *times)
    return found
