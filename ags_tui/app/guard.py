"""The guard of deciding keys: when a key counts, by the times of its events. No clock of its own, no screen.

A deciding key counts only if what it decides about has been painted for a while, if nothing was typed just
before it (a word, a held key, a paste), and if the terminal has the focus. After it the screen waits a
moment: a key that is followed at once by another one came in a burst and decides nothing.

All times are monotonic seconds, on the clock of Textual's events.
"""

import signal
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType

QUIET = 0.25
"""Seconds without any key before a deciding key: faster is typing, a key that repeats, or a paste."""

SETTLE = 0.15
"""Seconds without any key after a deciding key before it takes effect."""


@dataclass(slots=True)
class Guard:
    """When a deciding key counts."""

    seconds: float = 0.7
    """How long the content must have been on the screen."""
    quiet: float = QUIET
    """Seconds without any key before a deciding key."""
    painted_at: float | None = None
    """When the present content was on the screen; None while it is not."""
    typed_at: float = float("-inf")
    """When the last key, paste or click came."""
    focused: bool = True
    """Whether the terminal has the focus, as far as it reports that."""

    def restart(self) -> None:
        """Start again: the content, the size or the attention is not what it was."""
        self.painted_at = None

    def painted(self, at: float) -> None:
        """The content is on the screen."""
        self.painted_at = at

    def typed(self, at: float) -> None:
        """Any key, paste or click came."""
        self.typed_at = max(self.typed_at, at)

    def focus(self, focused: bool) -> None:
        """The terminal got or lost the focus; both start the guard again."""
        self.focused = focused
        self.restart()

    def left(self, at: float) -> float:
        """Seconds until the content has been shown long enough; the whole time while it is not painted."""
        if self.painted_at is None:
            return self.seconds
        return max(0.0, self.painted_at + self.seconds - at)

    def refusal(self, at: float) -> str:
        """Say why a deciding key of this time does not count; empty where it does."""
        if not self.focused:
            return "the terminal is not focused"
        if self.painted_at is None or at < self.painted_at:
            return "it was pressed before this was shown"
        if self.left(at) > 0:
            return "this has only just been shown; look first"
        if at - self.typed_at < self.quiet:
            return "it came together with other keys"
        return ""


class _Continue:
    """Handler of one watcher, in front of the handler that was there before."""

    def __init__(self, callback: Callable[[], None], before: object) -> None:
        self.callback = callback
        self.before = before
        self.active = True

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if callable(self.before):
            self.before(number, frame)
        if self.active:
            self.callback()


def on_continue(callback: Callable[[], None]) -> Callable[[], None]:
    """Call back when the process goes on after it was stopped (SIGCONT); earlier handlers stay in place.

    Must be called in the main thread; elsewhere nothing is watched.

    Returns:
        A function that takes the watch away again, in whatever order watchers end.
    """
    before = signal.getsignal(signal.SIGCONT)
    while isinstance(before, _Continue) and not before.active:
        before = before.before
    watch = _Continue(callback, before)
    try:
        signal.signal(signal.SIGCONT, watch)
    except ValueError:  # not the main thread
        return lambda: None

    def undo() -> None:
        watch.active = False
        if signal.getsignal(signal.SIGCONT) is watch:
            earlier = watch.before
            while isinstance(earlier, _Continue) and not earlier.active:
                earlier = earlier.before
            signal.signal(signal.SIGCONT, earlier if callable(earlier) else signal.SIG_DFL)

    return undo
