"""What can hide a change: ignore, attribute, configuration and hook files, each as a digest by name.

Names: a file of the work tree by its path; ``git:…`` for what lies in the git folder or belongs to this
clone; ``user:…`` and ``system:…`` for files of the user and the machine. The last three differ between
machines.
"""

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from ags_tui.core.digests import ABSENT, digest
from ags_tui.io.git.located import Located
from ags_tui.io.git.settings import Settings, expand
from ags_tui.io.git.stamps import Clock, Stamp, settled, stamp_of
from ags_tui.io.own_hooks import without_own
from ags_tui.io.plain_files import NotPlain, read_plain

CONFIG = "git:config"
"""Name of the digest over the repository's own settings."""

SYSTEM_ATTRIBUTES = "/etc/gitattributes"
"""The machine's attribute file."""

NO_HOOKS: Mapping[str, frozenset[str]] = MappingProxyType({})
"""No hook is ours."""

_LIMIT = 16 * 1024**2
_UNREADABLE = "unreadable"


class Hiding:
    """Digests of the files that can hide changes, remembered by file identity."""

    def __init__(
        self,
        located: Located,
        home: str,
        clock: Clock = time.time_ns,
        own_hooks: Mapping[str, frozenset[str]] = NO_HOOKS,
    ) -> None:
        """Prepare; nothing is read yet.

        Args:
            located: the repository.
            home: the user's home folder.
            clock: the clock that stamps files.
            own_hooks: digests by name of the hooks that this program writes, which hide nothing.
        """
        self._own_hooks = {f"git:hooks/{name}": digests for name, digests in own_hooks.items()}
        self._clock = clock
        self._located = located
        self._home = home
        self._known: dict[str, tuple[Stamp, str]] = {}

    def digests(self, in_tree: Iterable[bytes], settings: Settings) -> dict[str, str]:
        """Return the digests by name, sorted.

        Args:
            in_tree: paths of the rule files of the work tree, tracked or not.
            settings: the repository's settings.
        """
        located = self._located
        found: dict[str, str] = {}
        for path in in_tree:
            self._add(
                found, path.decode("utf-8", "surrogateescape"), os.path.join(located.top, os.fsdecode(path))
            )
        for name in ("exclude", "attributes"):
            self._add(found, f"git:info/{name}", os.path.join(located.common_dir, "info", name), follow=True)
        sparse = os.path.join(located.git_dir, "info", "sparse-checkout")
        self._add(found, "git:info/sparse-checkout", sparse, follow=True)
        for name, key, usual in (
            ("user:excludes", "core.excludesfile", "ignore"),
            ("user:attributes", "core.attributesfile", "attributes"),
        ):
            place = settings.file_named(key, usual, self._home)
            if place:
                self._add(found, name, os.path.join(located.top, place), follow=True)
        self._add(found, "system:attributes", SYSTEM_ATTRIBUTES, follow=True)
        for name, place in self._hooks(settings):
            self._add(found, f"git:hooks/{name}", place, follow=True)
        found = without_own(found, self._own_hooks)
        found[CONFIG] = settings.hiding
        return dict(sorted(found.items()))

    def _hooks(self, settings: Settings) -> list[tuple[str, str]]:
        named = settings.get("core.hookspath")
        folder = os.path.join(self._located.common_dir, "hooks")
        if named:
            folder = os.path.join(self._located.top, expand(named, self._home))
        try:
            with os.scandir(folder) as entries:
                return sorted((e.name, e.path) for e in entries if not e.name.endswith(".sample"))
        except OSError:
            return []

    def _add(self, found: dict[str, str], name: str, place: str, *, follow: bool = False) -> None:
        """Add a file that exists: git does not follow links to rule files of the work tree, nor do we."""
        try:
            facts = os.stat(place) if follow else os.lstat(place)
        except OSError:
            self._known.pop(name, None)
            return
        stamp = stamp_of(facts)
        known = self._known.get(name)
        if known is None or known[0] != stamp:
            known = (stamp, _digest(place, follow=follow))
            if settled(stamp, self._clock()):
                self._known[name] = known
        if known[1] != ABSENT:
            found[name] = known[1]


def _digest(place: str, *, follow: bool) -> str:
    try:
        if not follow and os.path.islink(place):
            return digest(b"link:" + os.fsencode(os.readlink(place)))
        return digest(read_plain(Path(place), limit=_LIMIT, follow=follow))
    except FileNotFoundError:
        return ABSENT
    except (NotPlain, OSError):
        return _UNREADABLE
