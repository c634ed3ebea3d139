"""The common ground of the app's stories: workspace, look, state, and the screens that follow it."""

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from rich.text import Text
from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen

from ags_tui.app.keys import BY_ID, keymap
from ags_tui.app.last_shown import LastRows
from ags_tui.app.look import Look
from ags_tui.app.ports import Beside, Door, Memory
from ags_tui.app.reading import Reader
from ags_tui.app.recording import Clerk
from ags_tui.app.screens.main import MainScreen
from ags_tui.app.state import ShellState
from ags_tui.app.themes import BUILT_IN, ThemeFile, to_textual, variables
from ags_tui.view.text import printable

if TYPE_CHECKING:
    from datetime import datetime

    from ags_tui.core.assessment import Assessment
    from ags_tui.core.snapshot import Snapshot


@runtime_checkable
class Follower(Protocol):
    """A screen that shows the state as it changes."""

    def follow(self, state: ShellState) -> None:
        """Show a new state."""
        ...


@runtime_checkable
class Judge(Protocol):
    """A decision screen: it must know at once when what it shows is not what is there any more."""

    def update(self, assessment: "Assessment") -> None:
        """Take a new assessment."""
        ...


@dataclass(frozen=True, slots=True)
class Outside:
    """What the composition root gives the app beside the workspace."""

    themes: Sequence[ThemeFile] = (BUILT_IN,)
    """Themes that could be read."""
    theme: ThemeFile = BUILT_IN
    """The theme to start with."""
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """``theme``, ``glyphs``, ``notifications`` as they are in the settings."""
    settings_path: str = ""
    """Where the settings file is."""
    save: Callable[[str, str], None] = lambda _name, _value: None
    """Keeps a changed setting; raises OSError or ValueError."""
    keep_crash: Callable[[str], str] = lambda _text: ""
    """Keeps a traceback without locals; gives the path of the file, empty where it was not kept."""
    watched: Sequence[str] = ()
    """Names of the watched folders."""
    demo: str = ""
    """Folder of the demo that is played; empty outside of one."""
    notices: Sequence[str] = ()
    """Sentences about settings, themes and keys that could not be used; foreign text."""
    assess: "Callable[[Snapshot, datetime], Assessment] | None" = None
    """Runs the checks; those of ``core.checks`` where not given."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """Environment of the process, for the editor."""
    memory: "Memory | None" = None
    """Keeps what the list of tasks shows, for the first frame of the next start."""
    beside: "Beside | None" = None
    """Agents' clients beside the app; None where only task folders are looked at."""


class ShellApp(App[str], inherit_bindings=False):
    """Holds door, look and state; stories change the state through ``change`` alone."""

    CSS_PATH = Path(__file__).with_name("app.tcss")
    TITLE = "ags-tui"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+c", "interrupt", BY_ID["interrupt"].label, show=False, id="interrupt",
            tooltip=BY_ID["interrupt"].tooltip,
        ),
    ]  # fmt: skip

    def __init__(
        self,
        door: Door,
        look: Look | None = None,
        outside: Outside | None = None,
        *,
        ansi_color: bool | None = None,
    ) -> None:
        """Make the app; nothing is read before it runs.

        Args:
            door: The workspace.
            look: Glyphs, clocks and keys.
            outside: Themes, settings and what keeps them.
            ansi_color: Leave colours to the terminal (``NO_COLOR``).
        """
        self.outside = outside or Outside()
        super().__init__(ansi_color=ansi_color)
        self.door = door
        self.look = look or Look()
        self.last_rows = LastRows(self.outside.memory, self.look.clock)
        self.state = ShellState(
            names=door.task_names(), watched=tuple(self.outside.watched), demo=self.outside.demo,
            last_shown=self.last_rows.first(), beside=self.outside.beside is not None,
        )  # fmt: skip
        self.main_screen = MainScreen(self.look, self.state)
        self.reader = Reader(door, self.post_message, self.look.clock, self.outside.assess, self.last_rows)
        self.clerk = Clerk(door, self.post_message, self.outside.beside)
        for theme in self.outside.themes:
            self.register_theme(to_textual(theme))
        self.theme = self.outside.theme.name
        self.set_keymap(keymap(self.look.registry))
        self.set_class(self.no_color, "-no-color")

    def get_default_screen(self) -> Screen[Any]:
        """Start with the main screen."""
        return self.main_screen

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give the colours of our own, so that the style sheets parse under every theme."""
        return variables()

    def change(self, **parts: Any) -> None:  # noqa: ANN401 (fields of a dataclass)
        """Replace parts of the state and show it on every screen that follows it.

        Args:
            parts: Fields of ``ShellState``.
        """
        self.state = replace(self.state, **parts)
        for screen in self.screen_stack:
            if isinstance(screen, Follower):
                screen.follow(self.state)
            elif isinstance(screen, Judge) and self.state.assessment is not None:
                screen.update(self.state.assessment)

    def say(self, text: str, level: str = "muted") -> None:
        """Put one sentence into the status line; foreign text is made inert there."""
        self.main_screen.say(text, level)

    def blocking(self, work: Callable[[], None], name: str) -> None:
        """Run blocking work in a thread; its failures are messages, so it never ends the app."""
        self.run_worker(work, name=name, group=name, thread=True, exit_on_error=False)

    def _fatal_error(self) -> None:
        """End after a fault of ours: a traceback without locals, its text inert, kept in a file."""
        text = traceback.format_exc()
        kept = self.outside.keep_crash(text)
        where = f"\nKept in {kept}" if kept else ""
        self.bell()
        self.panic(Text(printable(f"{text}{where}", newline=True)))
