"""The main screen: what needs you, the selected thing, its scope and gate, on one screen or in six tabs."""

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import var
from textual.screen import Screen

from ags_tui.app import keys
from ags_tui.app.acts import Acts
from ags_tui.app.diffs import Diffs
from ags_tui.app.dispatch import Dispatch
from ags_tui.app.look import Look
from ags_tui.app.moves import Moves
from ags_tui.app.panes import Panes
from ags_tui.app.state import Selection, ShellState, selection_of
from ags_tui.app.widgets.line_bar import LineBar
from ags_tui.app.widgets.row_list import RowList
from ags_tui.view.text import Line, Span, printable

if TYPE_CHECKING:
    from ags_tui.app.widgets.search_bar import SearchBar

WIDE = 120
"""Columns from which everything for one decision stands on one screen."""

LOG_TAB, CALLS_TAB = 5, 6
"""The tabs of the log and the calls; in the wide layout each takes the place of request and diff."""

AGE_CLOCK = 10.0
"""Seconds between two steps of all ages at once; only rows whose text changed are repainted."""


class MainScreen(Screen[None], inherit_bindings=False):
    """Composes the panes and keeps what is selected; drawing, moving and acting have classes of their own."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings()]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 (declared by Textual)
    AUTO_FOCUS = "#inbox"

    selection: var[Selection] = var(Selection(), init=False)
    """What the centre shows."""
    tab: var[int] = var(0, init=False)
    """Index of the tab; in the wide layout the last one puts the log into the centre."""
    needle: var[str] = var("", init=False)
    """What the lists are filtered by."""

    def __init__(self, look: Look, state: ShellState) -> None:
        """Make the screen.

        Args:
            look: Glyphs, clock, zone and keys.
            state: What to show first.
        """
        super().__init__(id="main")
        self.look = look
        self.state = state
        self.search = ""
        self.said: Line = ()
        self.panes = Panes(self, look)
        self.moves = Moves(self)
        self.diffs = Diffs(self)
        self.acts = Acts(self)
        self.dispatch = Dispatch(self, {**self.moves.actions(), **self.acts.actions()})

    def compose(self) -> ComposeResult:
        """Lay out header, panes, status line and key bar."""
        glyphs, plain = self.look.glyphs, self.look.ascii_only
        # Set now, these classes are matched once; set after the panes are there, all of them are laid out
        # and painted once more before anything is to be read.
        wide = self.size.width >= WIDE
        self.set_class(bool(self.size.width), "-wide" if wide else "-narrow")
        self.set_class(self.look.plain_lines, "-plain-lines")
        self.set_class(True, "-tab-0")
        yield LineBar(id="header", ascii_only=plain)
        yield LineBar(id="alarm", ascii_only=plain)
        yield LineBar(id="tabs", ascii_only=plain)
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield RowList(id="inbox", glyphs=glyphs)
                yield RowList(id="tasks", glyphs=glyphs)
            with Vertical(id="centre"):
                yield LineBar(id="about", height=2, ascii_only=plain)
                yield RowList(id="request", glyphs=glyphs, shy=True)
                yield self.diffs.view
                yield RowList(id="log", glyphs=glyphs, shy=True)
                yield RowList(id="calls", glyphs=glyphs, shy=True)
            with Vertical(id="right"):
                yield RowList(id="scope", glyphs=glyphs)
                yield RowList(id="gate", glyphs=glyphs, shy=True)
        yield LineBar(id="status", ascii_only=plain)
        yield LineBar(id="keys", ascii_only=plain)

    def on_mount(self) -> None:
        """Draw what is known, and start the clock of the ages."""
        self.watch(self, "focused", self.moves.focus_moved, init=False)
        self.panes.draw()
        # In the middle of a second, so that a timer that comes a little late makes no step of another length.
        late = self.look.clock().microsecond / 1_000_000

        def start() -> None:
            self.set_interval(AGE_CLOCK, self.panes.tick, name="ages")

        self.set_timer((1.5 - late) % 1.0, start, name="ages-start")

    def follow(self, state: ShellState) -> None:
        """Show a new state; cursor and focus stay where they are."""
        old, self.state = self.state, state
        if not self.query("#inbox"):  # the screen is being taken down; a last reading comes too late
            return
        if _same_reading(old, state):
            self.panes.draw_beside()
            return
        mark = old.assessment is not None
        if not mark:
            self.panes.now = self.look.clock()  # no age has been shown yet
        self.moves.arrivals.take(old)
        self.panes.draw_left(mark=mark)
        self.moves.settle(old)
        self.panes.draw_centre(mark=mark)
        self.panes.draw_right(mark=mark)
        self.panes.draw_edges()
        self.diffs.refresh()

    def watch_selection(self) -> None:
        """Show another thing in the centre and at the right."""
        self.diffs.path = ""
        if self.selection.kind == "item" and self.tab not in (LOG_TAB, CALLS_TAB):
            self.set_class(False, "-log")  # what asks is seen before what was
            self.set_class(False, "-calls")
        self.query_one("#inbox", RowList).hide_cursor(self.selection.kind != "item")
        if self.moves.arrivals.seen():
            self.panes.draw_left()
        self.panes.draw_right()
        self.panes.draw_centre()
        self.panes.draw_edges()
        self.query_one("#request", RowList).scroll_home(animate=False)
        self.diffs.refresh()

    def watch_tab(self) -> None:
        """Show another tab."""
        for index in range(CALLS_TAB + 1):
            self.set_class(index == self.tab, f"-tab-{index}")
        if self.tab in (1, 2, LOG_TAB, CALLS_TAB):
            self.set_class(self.tab == LOG_TAB, "-log")
            self.set_class(self.tab == CALLS_TAB, "-calls")
            self.panes.draw_calls(mark=False)
        self.panes.draw_edges()

    def watch_needle(self) -> None:
        """Filter the lists."""
        self.panes.draw_left(mark=False)

    def say(self, text: str, level: str = "muted") -> None:
        """Put one sentence into the status line.

        Args:
            text: The sentence; made inert here.
            level: Style name.
        """
        self.said = (Span(printable(text), level),) if text else ()
        self.panes.said_at = self.look.clock()
        if self.is_mounted:
            self.panes.draw_edges()

    def action_do(self, key_id: str) -> None:
        """Run what a key does, or say why it does nothing."""
        self.dispatch.run(key_id)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keep keys from acting while a text is typed, and let ``N`` mean the search while one is on."""
        return self.dispatch.allowed(str(parameters[0])) if action == "do" and parameters else True

    def on_key(self, event: events.Key) -> None:
        """Take committed Hangul apart into keys that move."""
        if event.character and self.dispatch.hangul(event.character):
            event.stop()

    def on_screen_resume(self) -> None:
        """Drop repeated keys of the screen that was closed."""
        self.dispatch.resumed()

    def on_row_list_cursor_moved(self, event: RowList.CursorMoved) -> None:
        """Select what the cursor of a list stands on; a vanished row hands over to its neighbour."""
        event.stop()
        if event.rows.id in ("inbox", "tasks"):
            if event.by_human:
                self.moves.touched = True
                self.selection = selection_of(event.key)
                self.moves.follow_selection()
        elif event.rows.id == "scope" and event.by_human:
            self.diffs.choose(event.key.removeprefix("path:"))
        self.panes.draw_edges()

    def on_search_bar_typed(self, event: "SearchBar.Typed") -> None:
        """Search or filter while the text is typed."""
        self.moves.typed(event.purpose, event.text)

    def on_search_bar_closed(self, event: "SearchBar.Closed") -> None:
        """Give the focus back."""
        self.moves.closed(event.purpose, event.text)


def _same_reading(old: ShellState, new: ShellState) -> bool:
    """Whether two states show the same files: only what is told beside them differs."""
    return (
        old.snapshot is new.snapshot
        and old.assessment is new.assessment
        and old.names == new.names
        and old.last_shown is new.last_shown
        and old.watching == new.watching
        and old.recording == new.recording
    )
