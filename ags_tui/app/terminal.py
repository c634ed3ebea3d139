"""The terminal around the app: title, width of symbols, signals; the one place that reaches into the driver.

Titles are pushed on the terminal's stack at the start and popped at the end: the shell gets its own back.
"""

import asyncio
import re
import signal
from collections.abc import Callable
from types import FrameType
from typing import Any

from textual.app import App

_PUSH_TITLE = "\x1b[22;2t"
_POP_TITLE = "\x1b[23;2t"
_PROBE = "\x1b7\x1b[H\x1b[8m●▲\x1b[6n\x1b[0m\x1b8"
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f]")

PROBED_CELLS = 2
"""Cells that the two probed symbols take where ambiguous characters are narrow."""


def _write(app: App[Any], sequence: str) -> None:
    """Write a control sequence of our own; nothing in a headless run."""
    driver = app._driver  # pyright: ignore[reportPrivateUsage]
    if driver is not None and not app.is_headless:
        driver.write(sequence)


def push_title(app: App[Any]) -> None:
    """Keep the title that the terminal has."""
    _write(app, _PUSH_TITLE)


def set_title(app: App[Any], title: str) -> None:
    """Set the title of the terminal.

    Args:
        app: The running app.
        title: Inert text; control characters are dropped once more.
    """
    _write(app, f"\x1b]2;{_UNSAFE.sub('', title)}\x07")


def pop_title(app: App[Any]) -> None:
    """Give the terminal its title back."""
    _write(app, _POP_TITLE)


def probe_width(app: App[Any]) -> None:
    """Ask how many cells two ambiguous symbols take; a ``CursorPosition`` event answers, or nothing does."""
    _write(app, _PROBE)


def follow_stops(app: App[Any]) -> Callable[[], None]:
    """Start the terminal anew where the process goes on after somebody else stopped it.

    Textual starts its input on every SIGCONT. Where it had not ended it before (SIGSTOP cannot be caught),
    two threads would read the keys: a paste would be torn between them, and the first would never end.

    Args:
        app: The running app.

    Returns:
        Takes the handler away again.
    """
    driver: Any = app._driver  # pyright: ignore[reportPrivateUsage]
    before = signal.getsignal(signal.SIGCONT)
    if driver is None or app.is_headless or not callable(before):
        return lambda: None
    loop = asyncio.get_running_loop()

    def went_on(number: int, frame: FrameType | None) -> None:
        reading = getattr(driver, "_key_thread", None)
        if driver._auto_restart and reading is not None and reading.is_alive():
            driver.suspend_application_mode()
        before(number, frame)
        loop.call_soon_threadsafe(lambda: app.refresh(layout=True))

    signal.signal(signal.SIGCONT, went_on)

    def release() -> None:
        if signal.getsignal(signal.SIGCONT) is went_on:
            signal.signal(signal.SIGCONT, before)

    return release


def catch_signals(stop: Callable[[int], None], interrupt: Callable[[], None]) -> Callable[[], None]:
    """Let signals end the app properly, so that the terminal is restored.

    Args:
        stop: Called with the number of SIGTERM or SIGHUP, in the event loop.
        interrupt: Called on SIGINT, in the event loop.

    Returns:
        Takes the handlers away again.
    """
    loop = asyncio.get_running_loop()
    caught: list[int] = []
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        call = interrupt if number == signal.SIGINT else lambda number=number: stop(number)
        try:
            loop.add_signal_handler(number, call)
        except (RuntimeError, ValueError):  # not in the main thread: somebody else owns the signals
            break
        caught.append(number)

    def release() -> None:
        for number in caught:
            loop.remove_signal_handler(number)

    return release
