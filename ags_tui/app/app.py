"""The app: what it looks like, how it ends, and all stories together."""

from collections.abc import Callable
from dataclasses import replace

from textual import events
from textual.driver import Driver

from ags_tui.app import terminal
from ags_tui.app.attention import HearsFocus
from ags_tui.app.messages import (
    Narrated,
    QuitAsked,
    Said,
    SettingChanged,
    SettingsAsked,
    ThemePreviewed,
    ThemesAsked,
)
from ags_tui.app.screens.too_small import LEAST, TooSmallScreen
from ags_tui.app.stories.beside import BesideStory
from ags_tui.view.glyphs import NARROW

ASIDES = 4
"""Most lines of agents of the demo that stand under the inbox."""


class AgsApp(HearsFocus, BesideStory):
    """The terminal that a developer keeps open beside a coding agent."""

    _releases: tuple[Callable[[], None], ...] = ()

    def get_driver_class(self) -> type[Driver]:
        """Give the driver that survives a closed terminal; the environment cannot choose another."""
        from ags_tui.app.output import TerminalDriver

        return TerminalDriver

    def on_mount(self) -> None:
        """Take over title and signals, and probe the width of symbols."""
        terminal.push_title(self)
        self._releases = (
            terminal.catch_signals(self._stop, self.action_interrupt), terminal.follow_stops(self),
        )  # fmt: skip
        if self.outside.settings.get("glyphs", "auto") == "auto":
            terminal.probe_width(self)
        first, *more = (*self.outside.notices, "")
        if first:
            rest = f" (and {len(more) - 1} more: see the settings)" if more[:-1] else ""
            self.say(f"{first}{rest}", "warn")

    def on_unmount(self) -> None:
        """Give title and signals back; running tests end with the app."""
        self.clerk.cancel()
        for release in self._releases:
            release()
        terminal.pop_title(self)

    def on_cursor_position(self, event: events.CursorPosition) -> None:
        """Use symbols of settled width where the terminal draws ambiguous ones wide."""
        if event.y == 0 and event.x > terminal.PROBED_CELLS and self.look.glyphs is not NARROW:
            self.look = replace(self.look, glyphs=NARROW)
            self.main_screen.panes.relook(self.look)

    def on_resize(self, event: events.Resize) -> None:
        """Cover everything where it cannot be shown, and uncover it again."""
        small = event.size.width < LEAST[0] or event.size.height < LEAST[1]
        covered = isinstance(self.screen, TooSmallScreen)
        if small and not covered:
            self.push_screen(TooSmallScreen())
        elif covered and not small:
            self.pop_screen()

    def on_said(self, message: Said) -> None:
        """Show a sentence of a screen."""
        self.say(message.text, message.level)

    def on_narrated(self, message: Narrated) -> None:
        """Show what the demo says under the inbox; it decides nothing."""
        self.change(aside=(*self.state.aside[1 - ASIDES :], message.text))

    # -- ending --------------------------------------------------------------------------------------

    def on_quit_asked(self, message: QuitAsked) -> None:
        """Leave, unless a decision is on its way to the log."""
        self.action_interrupt()

    def action_interrupt(self) -> None:
        """Leave as q does: not while a decision is being recorded."""
        if self.state.recording:
            self.say("a decision is being recorded; once more in a moment", "warn")
        elif self.may_leave():
            self.exit()

    def _stop(self, number: int) -> None:
        """End because of a signal; the terminal is restored on the way out."""
        self.exit(return_code=128 + number)

    # -- looks ---------------------------------------------------------------------------------------

    def on_themes_asked(self, message: ThemesAsked) -> None:
        """Open the theme picker."""
        from ags_tui.app.screens.theme_picker import ThemePicker

        picker = ThemePicker(self.look, self.outside.themes, self.theme)
        self.push_screen(picker, self._theme_chosen)

    def on_settings_asked(self, message: SettingsAsked) -> None:
        """Open the settings."""
        from ags_tui.app.screens.settings import SettingsScreen

        values = {"glyphs": "auto", "notifications": "bell", **self.outside.settings, "theme": self.theme}
        screen = SettingsScreen(self.look, values, self.outside.settings_path, self.outside.notices)
        self.push_screen(screen, self._settings_closed)

    def _theme_chosen(self, name: str | None) -> None:
        """Keep the theme that was chosen."""
        if name:
            self._keep("theme", name)

    def _settings_closed(self, wanted: str | None) -> None:
        """Go on to the theme picker where that was wanted."""
        if wanted:
            self.post_message(ThemesAsked())

    def on_theme_previewed(self, message: ThemePreviewed) -> None:
        """Show a theme without keeping it."""
        if message.name in self.available_themes:
            self.theme = message.name

    def on_setting_changed(self, message: SettingChanged) -> None:
        """Keep a changed setting."""
        self._keep(message.name, message.value)

    def _keep(self, name: str, value: str) -> None:
        """Use a setting now and write it into the settings file."""
        if name == "theme":
            self.theme = value
        self.outside = replace(self.outside, settings={**self.outside.settings, name: value})
        try:
            self.outside.save(name, value)
        except (OSError, ValueError) as error:
            self.say(f"{name} is {value} until the end; it could not be kept: {error}", "warn")
