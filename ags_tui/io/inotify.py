"""Events on Linux: one inotify watch a folder, added before the folder is listed, so that nothing is missed.

A new folder is listed after it is watched and again 50 and 250 ms later; a queue that overflowed or a rule
that changed leads to a new walk over everything. Walking is done in slices between which events are read, so
that a large tree neither blocks nor overflows.
"""

import errno
import os
import select
import time
from collections import deque
from typing import NamedTuple

from ags_tui.io.event_source import Trouble
from ags_tui.io.hints import Pending
from ags_tui.io.inotify_queue import APPEARS, IS_FOLDER, OVERFLOW, SOFT, VANISHES, WATCH_ENDS, Event, Queue
from ags_tui.io.territory import PARTS, Part, Territory

SLICE = 0.02
"""Seconds of walking or reading between which the other gets its turn."""
AGAIN = (0.05, 0.25)
"""Seconds after which a new folder is listed again."""
MAX_AGAIN = 1000
"""So many new folders are listed again at most; a storm is covered by the watches themselves."""
ASK_AGAIN = (0.3, 2.0, 10.0)
"""Seconds after a new folder or an event of git after which it is asked again what is ignored: git's answer
is as old as its last look, and what is tracked is not ignored."""
MAX_ASKED = 2000
"""So many folders are asked about again at most."""
RESTART_PAUSE = 0.1
"""Seconds of silence before everything is walked again after an overflow or a change of the rules."""
RESTART_PATIENCE = 1.0
"""Seconds of noise after which it is walked again without waiting for silence."""


class _Folder:
    """A watched folder."""

    __slots__ = ("children", "path", "round", "seen", "watch")

    def __init__(self, path: str, watch: int) -> None:
        self.path = path
        self.watch = watch
        self.round = -1
        self.children: dict[str, _Folder] = {}
        self.seen: set[str] | None = None
        """While a new folder is listed again: the names in it that were told."""


class _News(NamedTuple):
    """What one ``collect`` gathers."""

    now: float
    pending: Pending
    changed: list[str]


class InotifySource:
    """An ``EventSource`` for Linux."""

    def __init__(self, territory: Territory) -> None:
        """Open the queue.

        Raises:
            OSError: there are no inotify instances left.
        """
        self.trouble = Trouble()
        self.completed = 0
        self._territory = territory
        self._queue = Queue()
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._poll = select.poll()
        self._poll.register(self._queue.fileno(), select.POLLIN)
        self._poll.register(self._wake_read, select.POLLIN)
        self._parts: frozenset[Part] = frozenset()
        self._folders: dict[str, _Folder] = {}
        self._by_watch: dict[int, _Folder] = {}
        self._to_walk: deque[tuple[str, bool]] = deque()
        self._again: deque[tuple[float, str]] = deque()
        self._round = 0
        self._walking = False
        self._restart_wanted: tuple[float, float] | None = None
        self._skipped: dict[str, None] = {}
        self._recent: dict[str, None] = {}
        self._ask_at: list[float] = []

    @property
    def watches(self) -> int:
        """Number of folders that are watched."""
        return len(self._by_watch)

    def start(self, parts: frozenset[Part]) -> None:
        """Begin to watch these parts."""
        self._parts = parts
        self.restart()

    def restart(self) -> None:
        """Walk everything again; folders that the walk does not meet are dropped at its end."""
        self._round += 1
        self._territory.forget()
        self._walking = True
        self._restart_wanted = None
        self._to_walk.clear()
        self._again.clear()
        self._skipped.clear()
        self.trouble.blind = 0
        for part in PARTS:
            if part in self._parts and part not in self.trouble.unwatched:
                self._to_walk.extend((top, False) for top in self._territory.tops(part))

    def wait(self, timeout: float) -> None:
        """Block until events, ``wake`` or the timeout; not at all while folders wait to be watched."""
        if self._to_walk or self._walking:
            timeout = 0
        for moment in (*(due for due, _ in list(self._again)[:1]), *self._ask_at[:1]):
            timeout = min(timeout, moment - time.monotonic())
        if self._restart_wanted is not None:
            timeout = min(timeout, RESTART_PAUSE)
        self._poll.poll(max(0, timeout) * 1000)

    def wake(self) -> None:
        """End a ``wait`` from another thread."""
        try:
            os.write(self._wake_write, b"\0")
        except BlockingIOError:
            return  # a wake-up is already on its way

    def close(self) -> None:
        """Give back all watches and descriptors."""
        self._queue.close()
        os.close(self._wake_read)
        os.close(self._wake_write)
        self._folders.clear()
        self._by_watch.clear()

    def collect(self, now: float, pending: Pending) -> list[str]:
        """Read the queue, then watch and list what is new, each for a slice of time."""
        news = _News(now, pending, [])
        self._drain_wakes()
        busy = self._read(news)
        if self._restart_wanted is not None:
            first, last = self._restart_wanted
            self._restart_wanted = (first, now if busy else last)
            if now - last > RESTART_PAUSE or now - first > RESTART_PATIENCE:
                self.restart()
        while self._again and self._again[0][0] <= now:
            folder = self._folders.get(self._again.popleft()[1])
            if folder is not None and folder.seen is not None:
                self._list(folder, news)
        if self._ask_at and self._ask_at[0] <= now:
            self._ask_again()
        self._walk(news)
        return news.changed

    def _drain_wakes(self) -> None:
        try:
            while os.read(self._wake_read, 1024):
                pass
        except BlockingIOError:
            return

    def _read(self, news: _News) -> bool:
        end = time.monotonic() + SLICE
        busy = False
        while time.monotonic() < end and (events := self._queue.read()):
            busy = True
            for event in events:
                self._take(event, news)
        return busy

    def _take(self, event: Event, news: _News) -> None:
        if event.mask & OVERFLOW:
            self.trouble.overflowed = True
            self._want_restart(news.now)
            return
        folder = self._by_watch.get(event.watch)
        if folder is None:
            return
        if event.mask & WATCH_ENDS:
            self._end_of(folder)
            return
        if not event.name:
            return  # the mode of the folder itself: its parent tells it too
        if folder.seen is not None:
            folder.seen.add(event.name)
        path = f"{folder.path}/{event.name}"
        if event.mask & IS_FOLDER and not self._take_folder(folder, event, path, news.now):
            return
        news.changed.append(path)
        if self._territory.note(path, news.pending):
            news.pending.because("ignore rules")
            self._want_restart(news.now)
        if news.pending.git:
            self._ask_later(news.now)
        if not event.mask & SOFT or event.mask & IS_FOLDER:
            news.pending.urgent = True

    def _want_restart(self, now: float) -> None:
        self._restart_wanted = self._restart_wanted or (now, now)

    def _take_folder(self, parent: _Folder, event: Event, path: str, now: float) -> bool:
        """Follow a folder that appeared or vanished; False where nobody cares for it."""
        known = parent.children.get(event.name)
        if event.mask & VANISHES:
            if known is not None:
                del parent.children[event.name]
                self._drop(known)
            return True
        if event.mask & APPEARS or known is None:
            if not self._wanted(path):
                return False
            self._to_walk.append((path, True))
            if len(self._recent) < MAX_ASKED:
                self._recent[path] = None
                self._ask_later(now)
        return True

    def _end_of(self, folder: _Folder) -> None:
        """A folder is gone or elsewhere; its parent, or the look at the tops, sees to the rest."""
        above, _, name = folder.path.rpartition("/")
        parent = self._folders.get(above)
        if parent is not None and parent.children.get(name) is folder:
            del parent.children[name]
        self._drop(folder)

    def _ask_later(self, now: float) -> None:
        moments = [now + later for later in ASK_AGAIN]
        self._ask_at = [*self._ask_at[:-1], moments[-1]] if self._ask_at else moments

    def _ask_again(self) -> None:
        """Leave new folders that turned out to be ignored, enter ignored ones that are so no longer."""
        self._ask_at.pop(0)
        for path in list(self._recent):
            folder = self._folders.get(path)
            if folder is not None and not self._wanted(path):
                self._end_of(folder)
        for path in list(self._skipped):
            if self._wanted(path):
                del self._skipped[path]
                self._to_walk.append((path, True))
        if not self._ask_at:
            self._recent.clear()

    def _wanted(self, path: str) -> bool:
        part = self._territory.part_of(path)
        if part not in self._parts or part in self.trouble.unwatched:
            return False
        if self._territory.descends(path):
            return True
        if part == "tree" and len(self._skipped) < MAX_ASKED:
            self._skipped[path] = None
        return False

    def _walk(self, news: _News) -> None:
        end = time.monotonic() + SLICE
        while self._to_walk:
            path, fresh = self._to_walk.popleft()
            folder = self._watch(path)
            if folder is not None and (folder.round != self._round or fresh):
                folder.round = self._round
                folder.seen = set() if fresh else None
                self._list(folder, news)
                if len(self._again) >= MAX_AGAIN:
                    folder.seen = None
                elif fresh:
                    self._again.extend((news.now + later, path) for later in AGAIN)
            if time.monotonic() > end:
                return
        if self._walking:
            self._walking = False
            self.completed += 1
            for folder in [one for one in self._folders.values() if one.round != self._round]:
                self._drop(folder)

    def _watch(self, path: str) -> _Folder | None:
        """Watch a folder; None where that is not possible."""
        try:
            watch = self._queue.add(path)
        except OSError as error:
            if error.errno in {errno.ENOSPC, errno.ENOMEM}:
                self._limit_reached(path)
            elif error.errno == errno.EACCES:
                self.trouble.blind += 1
            return None
        known = self._by_watch.get(watch)
        if known is not None and known.path == path:
            return known
        if known is not None:
            self._forget(known)  # the same folder under another name: it was moved
        folder = _Folder(path, watch)
        self._folders[path] = self._by_watch[watch] = folder
        above, _, name = path.rpartition("/")
        parent = self._folders.get(above)
        if parent is not None:
            parent.children[name] = folder
        return folder

    def _list(self, folder: _Folder, news: _News) -> None:
        """List a watched folder: its folders are walked next; in a new one, names not yet told are news."""
        try:
            with os.scandir(folder.path) as entries:
                found = {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
        except OSError:
            return
        fresh = folder.seen is not None
        for name, is_folder in found.items():
            path = f"{folder.path}/{name}"
            wanted = is_folder and self._wanted(path)
            if wanted and not (fresh and name in folder.children):
                self._to_walk.append((path, fresh))
            if folder.seen is not None and name not in folder.seen and (wanted or not is_folder):
                folder.seen.add(name)
                news.changed.append(path)
                news.pending.urgent = True
                self._territory.note(path, news.pending)

    def _limit_reached(self, path: str) -> None:
        """Give up the least important parts that do not fit."""
        part = self._territory.part_of(path) or "tree"
        lost: list[Part] = [one for one in PARTS[PARTS.index(part) :] if one in self._parts]
        self.trouble.unwatched.update(lost)
        self.trouble.reason = "the limit of inotify watches is reached (fs.inotify.max_user_watches)"
        self._to_walk = deque(item for item in self._to_walk if self._territory.part_of(item[0]) not in lost)
        for folder in list(self._folders.values()):
            if self._territory.part_of(folder.path) in lost:
                self._drop(folder)
        self._walking = True  # at its end the watch begins to poll what is lost

    def _drop(self, folder: _Folder) -> None:
        """Stop watching a folder and all below it."""
        stack = [folder]
        while stack:
            one = stack.pop()
            stack.extend(one.children.values())
            if self._by_watch.get(one.watch) is not one:
                continue  # the watch went on to another name
            self._forget(one)
            try:
                self._queue.remove(one.watch)
            except OSError:
                continue  # the kernel has removed it already

    def _forget(self, folder: _Folder) -> None:
        if self._folders.get(folder.path) is folder:
            del self._folders[folder.path]
        if self._by_watch.get(folder.watch) is folder:
            del self._by_watch[folder.watch]
