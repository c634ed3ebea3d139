"""What the guard of a decision screen must hear (paint, focus, resume), and what surrounds a key."""

import asyncio
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ags_tui.app.guard import SETTLE, Guard, on_continue

if TYPE_CHECKING:
    from textual.app import App
    from textual.message_pump import MessagePump
    from textual.screen import Screen
    from textual.timer import Timer

DIGITS = "2345679"
"""Digits of a code: told apart at a glance, and reachable while a Hangul layout is on."""

CODE_LENGTH = 3
"""Digits of a code, all different."""

CODE_QUIET = 0.03
"""Seconds between two digits of a code; what comes faster was not typed by hand."""


def app_of(node: "MessagePump") -> "App[Any]":
    """The app of a widget or screen, with a type: Textual leaves the result type of its app open."""
    return node.app  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


class HearsFocus:
    """Part of the app: keeps what the terminal itself reports about its focus.

    Textual takes any key for a sign that the terminal has the focus. That is no report: keys can be sent to a
    terminal that nobody looks at.
    """

    terminal_focused: bool = True
    """The last report; true where the terminal reports nothing."""

    def on_app_focus(self) -> None:
        """The terminal reports that it got the focus."""
        self._hear(True)

    def on_app_blur(self) -> None:
        """The terminal reports that it lost the focus."""
        self._hear(False)

    def _hear(self, focused: bool) -> None:
        self.terminal_focused = focused
        stack: list[object] = getattr(self, "screen_stack", [])
        for screen in stack:
            attention = getattr(screen, "attention", None)
            if isinstance(attention, Attention):
                attention.reported(focused)


class Attention:
    """Starts the guard of one screen again whenever what the human looks at is not what it was.

    While the screen is there, the command palette is off: nothing may open over it.
    """

    def __init__(
        self, screen: "Screen[Any]", guard: Guard, ticks: Callable[[], float], redraw: Callable[[], None]
    ) -> None:
        """Take the screen.

        Args:
            screen: Whose paint counts.
            guard: Its guard.
            ticks: Gives monotonic seconds.
            redraw: Called when what the guard says has changed.
        """
        self.screen = screen
        self.guard = guard
        self.ticks = ticks
        self.redraw = redraw
        self._round = 0
        self._palette: bool | None = None
        self._undo: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Begin to listen; called once when the screen is mounted."""
        app = app_of(self.screen)
        self._palette, app.use_command_palette = app.use_command_palette, False
        self.guard.focused = getattr(app, "terminal_focused", True) and app.app_focus
        self.screen.watch(app, "app_focus", self._focus_changed, init=False)
        resume = app.app_resume_signal  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        resume.subscribe(self.screen, self._resumed)  # pyright: ignore[reportUnknownMemberType]
        loop = asyncio.get_running_loop()

        def went_on() -> None:
            self.guard.restart()
            loop.call_soon_threadsafe(self.again)

        self._undo = on_continue(went_on)
        self.again()

    def stop(self) -> None:
        """Stop listening; a screen that opened over another one left the palette off to that one."""
        self._undo()
        if self._palette:
            app_of(self.screen).use_command_palette = True

    def again(self) -> None:
        """Start the guard again: it runs from the moment when the present state is on the screen."""
        self._round += 1
        self.guard.restart()
        if self.screen.is_attached:
            self.screen.call_after_refresh(self._painted, self._round)

    def _painted(self, round_number: int) -> None:
        """The screen was painted; a paint of an earlier round does not count."""
        if round_number != self._round or not self.screen.is_current:
            return
        self.guard.painted(self.ticks())
        self.redraw()
        self.screen.set_timer(self.guard.left(self.ticks()) + 0.01, self.redraw)

    def _resumed(self, app: "App[Any]") -> None:
        """The terminal is ours again, as after an editor."""
        del app
        self.again()

    def reported(self, focused: bool) -> None:
        """The terminal reports that it got or lost the focus."""
        self.guard.focus(focused)
        self.again()
        self.redraw()

    def _focus_changed(self, focused: bool) -> None:
        """Textual changed its mind about the focus: by a report, or because a key came."""
        self.guard.focus(focused and getattr(app_of(self.screen), "terminal_focused", True))
        self.again()
        self.redraw()


class Settling:
    """The moment after a deciding key: it takes effect only if nothing else was pressed in it."""

    def __init__(self, screen: "Screen[Any]", guard: Guard) -> None:
        """Take the screen and its guard."""
        self._screen = screen
        self._guard = guard
        self._timer: Timer | None = None

    def begin(self, action: Callable[[], None]) -> None:
        """Let an action take effect after the moment."""

        def settle() -> None:
            self._timer = None
            if self._guard.focused and self._guard.painted_at is not None:
                action()

        self._timer = self._screen.set_timer(SETTLE, settle)

    def cancel(self) -> bool:
        """Take back what has not taken effect yet; False where there is nothing."""
        if self._timer is None:
            return False
        self._timer.stop()
        self._timer = None
        return True


class CodeEntry:
    """The short code that a risky approval asks for, typed as single keys on the screen."""

    def __init__(self, code: str = "") -> None:
        """Make a code.

        Args:
            code: The digits; random ones where not given.
        """
        self.code = code or "".join(secrets.SystemRandom().sample(DIGITS, CODE_LENGTH))
        self.typed = ""
        self._last = float("-inf")

    @property
    def done(self) -> bool:
        """Whether the whole code was typed."""
        return self.typed == self.code

    def press(self, key: str, at: float) -> bool:
        """Take a key: the next digit of the code goes on, any other key begins anew, and so does a burst.

        Args:
            key: The key.
            at: When it was pressed, monotonic seconds.

        Returns:
            Whether the key was the next digit.
        """
        burst, self._last = at - self._last < CODE_QUIET, at
        wanted = "" if self.done else self.code[len(self.typed)]
        if burst or key != wanted:
            self.typed = key if key == self.code[0] and not burst else ""
            return False
        self.typed += key
        return True

    def reset(self) -> None:
        """Begin anew."""
        self.typed = ""
