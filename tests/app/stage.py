"""A bare app around one widget or screen, and waiting on facts."""

import asyncio
from collections.abc import Callable

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widget import Widget

from ags_tui.app.attention import HearsFocus
from ags_tui.app.themes import variables


class Stage(HearsFocus, App[None]):
    """Shows one widget under the variables of our themes."""

    ENABLE_COMMAND_PALETTE = True

    def __init__(self, widget: Widget | None = None) -> None:
        super().__init__()
        self.shown = widget

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return variables()

    def compose(self) -> ComposeResult:
        if self.shown is not None:
            yield self.shown


async def until(pilot: Pilot[None], fact: Callable[[], object], *, seconds: float = 5.0) -> None:
    """Wait for a fact; the test fails if it does not come true in time."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not fact():
        assert loop.time() < end, "the awaited fact did not come true"
        await pilot.pause(0.01)


def screen_text(app: App[None]) -> str:
    """Everything that is on the screen, as lines of text."""
    width, height = app.size
    lines: list[str] = []
    for strip in app.screen._compositor.render_strips(app.size):  # pyright: ignore[reportPrivateUsage]
        lines.append(strip.text[:width])
    return "\n".join(lines[:height])
