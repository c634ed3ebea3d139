"""The thread of the watch: waits for events, sweeps, and says where to look again.

A thread of its own, because listing folders and asking what is ignored may block, and because the queue of
the kernel must be emptied also while the loop of the terminal is busy. It touches nothing else: hints leave
it by one call. Idle, it wakes only for the sweep.
"""

import os
import threading
import time
from collections.abc import Callable, Mapping

from ags_tui.core.hints import Hint, WatchState
from ags_tui.io.event_source import EventSource
from ags_tui.io.hints import Pace, Pending
from ags_tui.io.polled import NoEvents
from ags_tui.io.sweep import Sweep
from ags_tui.io.territory import PARTS, Part, Territory

SWEEP_EVERY = 2.0
"""Seconds between sweeps of the state folders while events come."""
POLL_EVERY = 1.0
"""Seconds between sweeps of the state folders where no events come."""
POLL_TREE_EVERY = 2.0
"""Seconds between sweeps of work tree and git folders where no events come."""
QUICK_SHARE = 2000
"""Quick sweeps beside events cost at most one part in so many of a core, else they come more rarely."""
FULL_SHARE = 4000
"""The same for full sweeps beside events: they find what no event tells (a file written through a map)."""
POLL_SHARE = 50
"""The same for sweeps that replace events."""
TOO_LARGE = 3.0
"""Seconds of one sweep of the work tree after which it is no longer swept, only looked at by git."""
HEARTBEAT = 60.0
"""Seconds between full looks while any part is polled."""
OVERFLOW_SHOWN = 10.0
"""Seconds for which a loss of events is told."""


class _Round:
    """When a sweep comes next: the dearer it is, the rarer."""

    __slots__ = ("due", "every", "share")

    def __init__(self, every: float, share: int) -> None:
        self.every = every
        self.share = share
        self.due = 0.0

    def done(self, ended: float, cost: float) -> None:
        self.due = ended + max(self.every, cost * self.share)


class WatchThread(threading.Thread):
    """Runs one source and the sweeps; ends after ``stop``."""

    def __init__(
        self,
        territory: Territory,
        source: Callable[[], EventSource],
        polled: Callable[[], Mapping[Part, str]],
        tell: Callable[[Hint, WatchState], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        """Prepare; nothing is opened before the thread runs.

        Args:
            territory: what is watched.
            source: makes the source; an OSError means that there are no events.
            polled: says in words why parts have to be polled (network, asked for); called once.
            tell: takes each hint with the state that holds then; called from this thread.
            failed: takes the error that ended the thread; called from this thread.
        """
        super().__init__(name="watch", daemon=True)
        self.sweeps = 0
        self._territory = territory
        self._make_source = source
        self._ask_polled = polled
        self._tell = tell
        self._failed = failed
        self._stopping = threading.Event()
        self._source: EventSource = NoEvents("")
        self._reasons: dict[str, None] = {}
        self._polled: set[Part] = set()
        self._pending = Pending()
        self._pace = Pace()
        self._state = WatchState()
        self._completed = 0
        self._why = "walked again"
        self._overflow_until = 0.0
        self._sweep = Sweep(territory.tops("state"), territory.descends)
        self._quick = _Round(SWEEP_EVERY, QUICK_SHARE)
        self._full = _Round(SWEEP_EVERY, FULL_SHARE)
        self._poll = _Round(POLL_TREE_EVERY, POLL_SHARE)
        self._polls: dict[Part, Sweep] = {}
        self._heartbeat = 0.0
        self._reminder: tuple[float, frozenset[str]] | None = None
        self._tops: dict[str, tuple[int, int] | None] = {}

    def stop(self) -> None:
        """Ask the thread to end; returns at once."""
        self._stopping.set()
        self._source.wake()

    def remind(self, tasks: frozenset[str], seconds: float) -> None:
        """Hint at these task folders after some time; from any thread, the latest call counts."""
        self._reminder = (time.monotonic() + seconds, tasks)
        self._source.wake()

    def run(self) -> None:
        """Open the source, loop, give everything back."""
        try:
            self._open()
            while not self._stopping.is_set():
                self._turn()
        except BaseException as error:  # noqa: BLE001 - carried to the loop, which raises it where it is awaited
            self._failed(error)
        finally:
            self._source.close()

    def _open(self) -> None:
        for part, reason in self._ask_polled().items():
            self._polled.add(part)
            self._reasons[reason] = None
        events = frozenset(PARTS) - self._polled
        if events:
            try:
                self._source = self._make_source()
            except OSError as error:
                self._source = NoEvents(f"the system gives no events ({error.strerror or error})")
        self._tops = self._look_at_tops()
        self._source.start(frozenset(events))

    def _turn(self) -> None:
        now = time.monotonic()
        self._source.wait(max(0.0, self._next() - now))
        if self._stopping.is_set():
            return
        now = time.monotonic()
        fresh = Pending()
        changed = self._source.collect(now, fresh)
        if fresh:
            fresh.because("events")
        if changed:
            self._sweep.absorb(path for path in changed if self._territory.part_of(path) == "state")
        self._after_walk(now, fresh)
        self._sweep_state(now, fresh)
        self._sweep_polled(now, fresh)
        self._take_reminder(now, fresh)
        self._update_state(now, fresh)
        if fresh:
            self._pace.note(now, urgent=fresh.urgent)
            self._pending.add_hint(fresh.take())
        if self._pace.due is not None and self._pace.due <= now:
            storm = self._pending.large
            self._tell(self._pending.take(), self._state)
            self._pace.told(now, storm=storm)

    def _next(self) -> float:
        times = [self._quick.due, self._full.due]
        if self._polled:
            times += [self._poll.due, self._heartbeat]
        if self._pace.due is not None:
            times.append(self._pace.due)
        reminder = self._reminder
        if reminder is not None:
            times.append(reminder[0])
        return min(times)

    def _take_reminder(self, now: float, fresh: Pending) -> None:
        reminder = self._reminder
        if reminder is not None and reminder[0] <= now:
            if self._reminder is reminder:
                self._reminder = None
            for name in reminder[1]:
                fresh.add_task(name)
            fresh.because("reminder")
            fresh.urgent = True

    def _after_walk(self, now: float, fresh: Pending) -> None:
        """After a walk over all folders, everything may differ from what was told."""
        trouble = self._source.trouble
        if trouble.overflowed:
            trouble.overflowed = False
            self._why = "overflow"
            self._overflow_until = now + OVERFLOW_SHOWN
        if self._source.completed == self._completed:
            return
        first = self._completed == 0
        self._completed = self._source.completed
        self._everything(fresh, "start" if first else self._why)
        self._why = "walked again"
        for part in trouble.unwatched - self._polled:
            self._polled.add(part)
            self._reasons[trouble.reason] = None
        if "state" in self._polled:
            self._full.every, self._full.share = POLL_EVERY, POLL_SHARE
        self._sweep.reset()
        began = time.monotonic()
        self._quick.done(began, 0.0)
        self._full.done(began, 0.0)
        for part in self._polled - {"state"}:
            self._polls[part] = Sweep(self._territory.tops(part), self._descends_polled)
            self._polls[part].reset()
        if self._polled:
            self._end_poll(began)
            self._heartbeat = now + HEARTBEAT

    def _descends_polled(self, path: str) -> bool:
        return self._territory.part_of(path) != "state" and self._territory.descends(path)

    def _sweep_state(self, now: float, fresh: Pending) -> None:
        full = self._full.due <= now
        if not self._completed or not (full or self._quick.due <= now):
            return
        self._check_tops()
        # Beside events a sweep is measured by its processor time: that it had to wait on a busy machine must
        # not put off the next. Where it stands in for events, it is the disk that is to be spared.
        clock = time.monotonic if "state" in self._polled else time.thread_time
        began = clock()
        self._take(self._sweep.look(full=full), fresh, "sweep")
        cost, ended = clock() - began, time.monotonic()
        (self._full if full else self._quick).done(ended, cost)
        if full:
            self._quick.due = max(self._quick.due, ended + self._quick.every)
        self.sweeps += 1

    def _end_poll(self, began: float) -> None:
        ended = time.monotonic()
        self._poll.done(ended, ended - began)

    def _sweep_polled(self, now: float, fresh: Pending) -> None:
        if not self._polls or not self._completed:
            return
        if self._poll.due <= now:
            began = time.monotonic()
            for part, sweep in list(self._polls.items()):
                self._take(sweep.look(full=True), fresh, "poll")
                if part == "tree" and time.monotonic() - began > TOO_LARGE:
                    del self._polls[part]
            self._end_poll(began)
        if self._heartbeat <= now:
            self._heartbeat = now + HEARTBEAT
            self._everything(fresh, "heartbeat")

    def _take(self, changed: list[str], fresh: Pending, why: str) -> None:
        rules = False
        for path in changed:
            rules = self._territory.note(path, fresh) or rules
        if changed:
            fresh.because(why)
            fresh.urgent = True
        if rules:
            self._source.restart()

    def _check_tops(self) -> None:
        """A top that was deleted, re-created or swapped: begin again, for old watches see the old folder."""
        tops = self._look_at_tops()
        if tops != self._tops:
            self._tops = tops
            self._why = "folder replaced"
            self._source.restart()

    def _look_at_tops(self) -> dict[str, tuple[int, int] | None]:
        found: dict[str, tuple[int, int] | None] = {}
        for top in self._territory.outer_tops:
            try:
                facts = os.stat(top)
                found[top] = (facts.st_dev, facts.st_ino)
            except OSError:
                found[top] = None
        return found

    @staticmethod
    def _everything(fresh: Pending, why: str) -> None:
        fresh.add_all_tasks()
        fresh.add_all_paths()
        fresh.add_git()
        fresh.because(why)
        fresh.urgent = True

    def _update_state(self, now: float, fresh: Pending) -> None:
        messages = list(self._reasons)
        if self._tops.get(self._territory.work_tree, (0, 0)) is None:
            messages.insert(0, f"{self._territory.work_tree} is gone; waiting for it to come back")
        if now < self._overflow_until:
            messages.append("events came faster than they could be read; everything is read again")
        if self._source.trouble.blind:
            messages.append(f"{self._source.trouble.blind} folders cannot be watched (permission denied)")
        if self._polled:
            messages.append(self._polling_words())
        state = WatchState("polling" if self._polled else "events", "; ".join(filter(None, messages)))
        if state != self._state:
            self._state = state
            fresh.add_state()

    def _polling_words(self) -> str:
        words = {"state": "task folders", "git": "git folder", "tree": "work tree"}
        parts = ", ".join(words[part] for part in PARTS if part in self._polled)
        slow = "tree" in self._polled and "tree" not in self._polls and self._completed
        tree = f"; the work tree is large: every {HEARTBEAT:.0f} s" if slow else ""
        return f"polling: {parts}{tree}"
