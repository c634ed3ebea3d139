"""How hints grow and merge while the watch notices things, and how fast they may come."""

from collections.abc import Iterable

from ags_tui.core.hints import Hint

MAX_PATHS = 500
"""More changed paths than this are one hint about everything: a full ``git status`` is cheaper then."""

SOFT_DELAY = 0.02
"""Seconds to wait after an event that more events follow (a file was created: its content comes)."""

LEAST_GAP = 0.02
"""Least time between two hints, seconds."""

MOST_GAP = 0.08
"""The gap under a steady stream of events, seconds."""

STORM_GAP = 0.5
"""The gap while more than ``MAX_PATHS`` paths change at once, seconds."""


class Pending:
    """Changes that were noticed and not yet told; grows by ``add…``, leaves as a ``Hint``."""

    __slots__ = ("_git", "_paths", "_root", "_state_changed", "_tasks", "_why", "urgent")

    def __init__(self) -> None:
        self._tasks: set[str] | None = set()
        self._paths: set[str] | None = set()
        self._git = False
        self._root = False
        self._state_changed = False
        self._why: dict[str, None] = {}
        self.urgent = False

    def __bool__(self) -> bool:
        """Whether there is anything to tell."""
        return self._tasks != set() or self._paths != set() or self._git or self._root or self._state_changed

    @property
    def git(self) -> bool:
        """Whether git's own files are among it."""
        return self._git

    @property
    def large(self) -> bool:
        """Whether this is a storm, or something that asks for everything."""
        return self._paths is None or self._tasks is None

    def add_task(self, name: str) -> None:
        """Look again at one task folder."""
        if self._tasks is not None:
            self._tasks.add(name)
            if len(self._tasks) > MAX_PATHS:
                self._tasks = None

    def add_all_tasks(self) -> None:
        """Look again at all task folders."""
        self._tasks = None

    def add_path(self, path: str) -> None:
        """Look again at one path of the work tree."""
        if self._paths is not None:
            self._paths.add(path)
            if len(self._paths) > MAX_PATHS:
                self._paths = None

    def add_all_paths(self) -> None:
        """Look again at the whole work tree."""
        self._paths = None

    def add_git(self) -> None:
        """Look again at HEAD, index, refs and configuration."""
        self._git = True

    def add_root(self) -> None:
        """Look again at the root's own files (``policy.toml``)."""
        self._root = True

    def add_state(self) -> None:
        """The state of the watch changed."""
        self._state_changed = True

    def because(self, why: str) -> None:
        """Remember why, in words."""
        self._why[why] = None

    def add_hint(self, hint: Hint) -> None:
        """Join a hint that was made elsewhere."""
        self._tasks = None if self._tasks is None or hint.tasks is None else self._tasks | hint.tasks
        self._paths = None if self._paths is None or hint.paths is None else self._paths | hint.paths
        if self._paths is not None and len(self._paths) > MAX_PATHS:
            self._paths = None
        self._git = self._git or hint.git
        self._root = True
        self._state_changed = self._state_changed or hint.state_changed
        for why in filter(None, hint.why.split(", ")):
            self._why[why] = None

    def take(self) -> Hint:
        """Empty this into a hint."""
        hint = Hint(
            tasks=None if self._tasks is None else frozenset(self._tasks),
            paths=None if self._paths is None else frozenset(self._paths),
            git=self._git,
            why=", ".join(self._why),
            state_changed=self._state_changed,
        )
        self.__init__()
        return hint


def merge(hints: Iterable[Hint]) -> Hint:
    """Join hints into one that covers them all."""
    pending = Pending()
    for hint in hints:
        pending.add_hint(hint)
    return pending.take()


class Pace:
    """When the next hint may leave: at once after silence, ever more rarely under a stream.

    All times are seconds of one monotonic clock, given as arguments.
    """

    __slots__ = ("_due", "_gap", "_last")

    def __init__(self) -> None:
        self._last = float("-inf")
        self._gap = LEAST_GAP
        self._due: float | None = None

    @property
    def due(self) -> float | None:
        """When the next hint leaves; None while there is nothing to tell."""
        return self._due

    def note(self, now: float, *, urgent: bool) -> None:
        """Something was noticed; what is not urgent waits for more of the same file."""
        due = max(now if urgent else now + SOFT_DELAY, self._last + self._gap)
        self._due = due if self._due is None else min(self._due, due)

    def told(self, now: float, *, storm: bool) -> None:
        """A hint has left."""
        if now - self._last > 4 * self._gap:
            self._gap = LEAST_GAP
        else:
            self._gap = min(self._gap * 2, STORM_GAP if storm else MOST_GAP)
        self._last = now
        self._due = None
