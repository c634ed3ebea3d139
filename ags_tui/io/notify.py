"""Events where there is no inotify (macOS): watchfiles over the tops, recursively.

It has no way to add or leave out a folder, so what lies in folders that git ignores is dropped after the
fact, and it cannot say that it lost something: the sweep and the look at the tops cover that. Its constructor
holds the interpreter and its wait blocks: both run in the thread of the watch.
"""

import os
import threading
import time
from collections.abc import Generator
from contextlib import suppress

from watchfiles import Change, watch

from ags_tui.io.event_source import Trouble
from ags_tui.io.hints import Pending
from ags_tui.io.territory import Part, Territory

STEP_MS = 20
"""How often watchfiles looks at its queue, milliseconds: 10 costs 0.6 % of a core for ever, 50 is late."""
DEBOUNCE_MS = 50
"""Most time that it groups changes, milliseconds."""
TURN_MS = 50
"""Longest single wait inside watchfiles, milliseconds: so soon is a wake-up noticed."""
ASK_AGAIN = 2.0
"""Seconds for which it is remembered what is ignored: git's answer is as old as its last look."""
MAX_REMEMBERED = 20_000
"""Folders for which the answer of ``descends`` is kept."""


class NotifySource:
    """An ``EventSource`` on watchfiles."""

    def __init__(self, territory: Territory) -> None:
        """Watch nothing yet."""
        self.trouble = Trouble()
        self.completed = 0
        self._territory = territory
        self._woken = threading.Event()
        self._parts: frozenset[Part] = frozenset()
        self._watch: Generator[set[tuple[Change, str]]] | None = None
        self._found: set[tuple[Change, str]] = set()
        self._descends: dict[str, bool] = {}
        self._asked_at = 0.0

    def start(self, parts: frozenset[Part]) -> None:
        """Begin to watch these parts."""
        self._parts = parts
        self.restart()

    def restart(self) -> None:
        """Watch the tops that exist now: the new watch begins before the old one ends."""
        self._territory.forget()
        self._descends.clear()
        old, self._watch = self._watch, None
        tops = self._outer_tops()
        if tops:
            self._watch = watch(
                *tops,
                watch_filter=None,
                debounce=DEBOUNCE_MS,
                step=STEP_MS,
                rust_timeout=TURN_MS,
                yield_on_timeout=True,
                force_polling=False,
                ignore_permission_denied=True,
            )
            self._turn()
        if old is not None:
            old.close()
        self.completed += 1

    def _turn(self) -> None:
        """Wait inside watchfiles for one turn."""
        if self._watch is None:
            return
        try:
            self._found |= next(self._watch)
        except (OSError, StopIteration) as error:
            self._watch = None
            self.trouble.unwatched |= self._parts
            self.trouble.reason = f"the system refuses to watch ({error})"

    def _outer_tops(self) -> list[str]:
        """Existing tops of all watched parts, without those that lie in another one."""
        tops = sorted(
            {top for part in self._parts for top in self._territory.tops(part) if os.path.isdir(top)}
        )
        return [top for top in tops if not any(top.startswith(other + "/") for other in tops)]

    def wait(self, timeout: float) -> None:
        """Block until events, ``wake`` or the timeout."""
        end = time.monotonic() + timeout
        while not self._woken.is_set() and not self._found and (left := end - time.monotonic()) > 0:
            if self._watch is None:
                self._woken.wait(left)
            else:
                self._turn()
        self._woken.clear()

    def wake(self) -> None:
        """End a ``wait`` from another thread."""
        self._woken.set()

    def close(self) -> None:
        """End the thread of watchfiles."""
        if self._watch is not None:
            with suppress(OSError):
                self._watch.close()
            self._watch = None

    def collect(self, now: float, pending: Pending) -> list[str]:
        """Keep what lies in watched folders."""
        if now - self._asked_at > ASK_AGAIN:
            self._asked_at = now
            self._descends.clear()
        found, self._found = self._found, set()
        changed: list[str] = []
        restart = False
        for kind, path in found:
            is_folder = os.path.isdir(path) and not os.path.islink(path)
            if not self._watched(path if is_folder else os.path.dirname(path)):
                continue
            changed.append(path)
            restart = self._territory.note(path, pending) or restart
            if kind == Change.added and is_folder:
                self._list(path, pending, changed)
        if changed:
            pending.urgent = True
        if restart:
            pending.because("ignore rules")
            self.restart()
        return changed

    def _list(self, path: str, pending: Pending, changed: list[str]) -> None:
        """Look into a new folder: what was in it before it was watched was never told."""
        stack = [path]
        while stack:
            one = stack.pop()
            if not self._watched(one):
                continue
            try:
                with os.scandir(one) as entries:
                    inner = [(entry.path, entry.is_dir(follow_symlinks=False)) for entry in entries]
            except OSError:
                continue
            for name, is_folder in inner:
                changed.append(name)
                self._territory.note(name, pending)
                if is_folder:
                    stack.append(name)

    def _watched(self, folder: str) -> bool:
        """Whether a folder and all above it up to a top are watched."""
        known = self._descends.get(folder)
        if known is not None:
            return known
        part = self._territory.part_of(folder)
        if part is None:
            answer = True  # a path spelled in another way than the tops: nothing may be dropped
        elif part not in self._parts:
            answer = False
        elif folder in self._territory.tops(part):
            answer = True
        else:
            answer = self._watched(os.path.dirname(folder)) and self._territory.descends(folder)
        if len(self._descends) >= MAX_REMEMBERED:
            self._descends.clear()
        self._descends[folder] = answer
        return answer
