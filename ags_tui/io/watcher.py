"""The one door to file events: hints about what to look at again, and how well the watch works.

Events are hints, sweeps are truth: whoever takes a hint reads the disk again. On Linux events come from
inotify, elsewhere from watchfiles; network folders, an exhausted limit or the user's wish lead to polling,
said in ``state``.
"""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from pathlib import Path
from typing import Literal

from ags_tui.core.failures import AgsError
from ags_tui.core.hints import EVERYTHING, Hint, WatchState
from ags_tui.io.event_source import EventSource
from ags_tui.io.hints import Pending, merge
from ags_tui.io.mounts import file_system_of, is_remote, read_mounts
from ags_tui.io.territory import PARTS, Part, Territory
from ags_tui.io.watch_thread import WatchThread

__all__ = ["EVERYTHING", "Hint", "WatchFailed", "WatchState", "Watcher", "merge"]

Backend = Literal["auto", "inotify", "watchfiles"]
"""Where events come from; ``auto`` chooses by the operating system."""

JOIN_PATIENCE = 5.0
"""Seconds to wait for the thread at the end; after that it is left behind (it may hang on a dead mount)."""


class WatchFailed(AgsError):
    """The watch ended by itself; the message says why. The caller may start a new one."""


class Watcher:
    """Watches one root with its work tree; ``hints`` runs it."""

    def __init__(
        self,
        root: Path,
        work_tree: Path,
        git_dirs: Iterable[Path] = (),
        ignored: Callable[[str], bool] | None = None,
        poll: bool = False,
        *,
        forget: Callable[[], None] | None = None,
        backend: Backend = "auto",
    ) -> None:
        """Describe what to watch; nothing is opened before ``hints`` is iterated.

        Args:
            root: folder that holds ``tasks/``; it may come later.
            work_tree: top of the work tree.
            git_dirs: git folder of the work tree and the common git folder.
            ignored: whether git ignores a folder, given relative to the work tree; called from another
                thread, may block, must not raise. Without it, nothing is left out.
            poll: never rely on events.
            forget: told from that thread when the ignore rules may have changed.
            backend: where events come from.
        """
        self._territory = Territory.of(root, work_tree, git_dirs, ignored, forget)
        self._polled = poll
        self._backend: Backend = backend
        self._state = WatchState()
        self._pending = Pending()
        self._ready = asyncio.Event()
        self._failure: BaseException | None = None
        self._thread: WatchThread | None = None

    @property
    def state(self) -> WatchState:
        """How changes are noticed now; a hint with ``state_changed`` says that it is another way."""
        return self._state

    @property
    def sweeps(self) -> int:
        """How often the state folders were swept since ``hints`` began."""
        return 0 if self._thread is None else self._thread.sweeps

    def remind(self, tasks: frozenset[str], seconds: float) -> None:
        """Hint at these task folders after some time: a file that is being written becomes an error then.

        From any thread; a later call replaces an earlier one. Without a running watch nothing happens.
        """
        if self._thread is not None:
            self._thread.remind(tasks, seconds)

    async def hints(self) -> AsyncGenerator[Hint]:
        """Yield where to look again, for ever; what comes while the caller works is merged into one hint.

        The first hint is about everything and comes when all folders are watched. Close the generator (or
        cancel the task) to give back watches and descriptors.

        Raises:
            WatchFailed: the watch broke down.
        """
        if self._thread is not None:
            raise RuntimeError("this watcher is running already")
        loop = asyncio.get_running_loop()

        def tell(hint: Hint, state: WatchState) -> None:
            self._from_thread(loop, lambda: self._accept(hint, state))

        def failed(error: BaseException) -> None:
            self._from_thread(loop, lambda: self._fail(error))

        thread = WatchThread(self._territory, self._source, self._polled_parts, tell, failed)
        self._thread = thread
        thread.start()
        try:
            while True:
                await self._ready.wait()
                self._ready.clear()
                if self._failure is not None:
                    raise WatchFailed(f"the watch ended: {self._failure!r}") from self._failure
                yield self._pending.take()
        finally:
            thread.stop()
            await asyncio.to_thread(thread.join, JOIN_PATIENCE)
            self._thread = None

    def _accept(self, hint: Hint, state: WatchState) -> None:
        self._state = state
        self._pending.add_hint(hint)
        self._ready.set()

    def _fail(self, error: BaseException) -> None:
        self._failure = error
        self._ready.set()

    @staticmethod
    def _from_thread(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
        try:
            loop.call_soon_threadsafe(call)
        except RuntimeError:
            return  # the loop is closed: nobody listens any more

    def _source(self) -> EventSource:
        """Make the source.

        Raises:
            OSError: the system has no room for one.
        """
        if self._backend == "inotify" or (self._backend == "auto" and sys.platform == "linux"):
            from ags_tui.io.inotify import InotifySource

            return InotifySource(self._territory)
        from ags_tui.io.notify import NotifySource

        return NotifySource(self._territory)

    def _polled_parts(self) -> Mapping[Part, str]:
        """Why parts have to be polled from the start."""
        if self._polled:
            return dict.fromkeys(PARTS, "")
        mounts = read_mounts()
        found: dict[Part, str] = {}
        for part in PARTS:
            for top in self._territory.tops(part):
                kind = file_system_of(top, mounts)
                if is_remote(kind):
                    found[part] = (
                        f"{os.path.basename(top) or top} is on {kind}, where others change files silently"
                    )
        return found
