"""The ground of all screens on which a human decides: guard, size, and one road for all keys."""

from collections.abc import Callable, Iterator
from typing import ClassVar, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widget import Widget

from ags_tui.app.attention import Attention, Settling, app_of
from ags_tui.app.guard import Guard
from ags_tui.app.hangul import is_hangul, navigation
from ags_tui.app.look import Look
from ags_tui.app.widgets.content_view import ContentView
from ags_tui.app.widgets.diff_view import DiffView
from ags_tui.app.widgets.line_bar import LineBar
from ags_tui.core.assessment import Assessment
from ags_tui.view.text import Line, Span, printable

MIN_WIDTH = 44
"""Columns below which nothing can be decided."""
MIN_HEIGHT = 14
"""Lines below which nothing can be decided."""

SCROLLING = frozenset("jkgG")
"""Letters that only scroll: a Hangul layout reaches them too."""

Result = TypeVar("Result")


class GuardedScreen(ModalScreen[Result], inherit_bindings=False):
    """Keys arrive in :meth:`on_key` alone: there is no binding, no action, no link and no footer to reach
    them by.

    A subclass says in :meth:`pressed` what a key does and hands what decides to :meth:`decide`; it yields its
    widgets in :meth:`parts`. While the screen is too small, or a decision was taken, keys are dead.
    """

    BINDINGS: ClassVar[list[BindingType]] = []
    AUTO_FOCUS = None
    DEFAULT_CSS = """
    GuardedScreen {
        background: $background;
        & > #frame { border: round $accent; border-title-color: $accent; padding: 0 1; height: 1fr; }
        & #head { background: $panel; }
        & > #small { display: none; height: 1fr; padding: 1; }
        &.-warning > #frame { border: heavy $warning; border-title-color: $warning; }
        &.-small > #frame { display: none; }
        &.-small > #small { display: block; }
        &.-plain-lines > #frame { border: ascii $accent; }
        &.-plain-lines.-warning > #frame { border: ascii $warning; }
    }
    """

    heading: str = "Decide"
    """Title in the frame; ours, never foreign text."""

    def __init__(self, look: Look, *, tty: str = "") -> None:
        """Take how the shell looks.

        Args:
            look: Glyphs, clocks and guard time.
            tty: Terminal, for the log.
        """
        super().__init__()
        self.look = look
        self.tty = tty
        self.guard = Guard(look.guard_seconds)
        self.attention = Attention(self, self.guard, look.ticks, self.redraw)
        self.settling = Settling(self, self.guard)
        self.recording = False
        self.said = ""

    # -- for subclasses ------------------------------------------------------------------------------

    def parts(self) -> Iterator[Widget]:
        """The widgets inside the frame, top to bottom."""
        raise NotImplementedError

    def pressed(self, key: str, refusal: str) -> None:
        """Do what a key does.

        Args:
            key: Textual's name of the key.
            refusal: Why the guard does not let it decide; empty where it does.
        """
        raise NotImplementedError

    def takes(self, key: str) -> bool:
        """Whether a key is for the screen; False leaves it to a text field that has the focus."""
        del key
        return True

    def update(self, assessment: Assessment) -> None:
        """Take a new assessment; here it does not matter.

        Args:
            assessment: The newest one; the app hands it to every open screen.
        """
        del assessment

    def redraw(self) -> None:
        """Draw everything but the content anew."""
        if self.is_mounted:
            for bar in self.query(LineBar):
                bar.on_resize()

    def decide(self, action: Callable[[], None], refusal: str) -> None:
        """Do what decides, once no other key followed at once; or say why not."""
        if refusal:
            self.say(f"Not taken: {refusal}.")
            return

        def take() -> None:
            try:
                action()
            except ValueError as error:  # a draft that cannot be made of what is shown
                self.recording = False
                self.say(f"Not taken: {error}.")

        self.say("")
        self.settling.begin(take)

    def say(self, text: str) -> None:
        """Put one sentence under the content.

        Args:
            text: The sentence; made inert here.
        """
        self.said = printable(text)
        self.redraw()

    # -- Textual -------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Lay out the frame and what stands in its place while there is no room."""
        with Vertical(id="frame") as frame:
            frame.border_title = self.heading
            yield from self.parts()
        yield LineBar(id="small", height=6, ascii_only=self.look.ascii_only)

    def on_mount(self) -> None:
        """Begin to guard."""
        self.set_class(self.look.plain_lines, "-plain-lines")
        self.query_one("#small", LineBar).draw(lambda _width: _too_small(app_of(self).size))
        self.attention.start()

    def on_unmount(self) -> None:
        """Stop guarding."""
        self.settling.cancel()
        self.attention.stop()

    @on(events.ScreenResume)
    @on(events.ScreenSuspend)
    @on(events.Resize)
    def guard_anew(self) -> None:
        """Start the guard again: another screen was above, or the size is another one."""
        size = app_of(self).size
        self.set_class(size.width < MIN_WIDTH or size.height < MIN_HEIGHT, "-small")
        self.settling.cancel()
        self.attention.again()
        self.redraw()

    @on(ContentView.SeenChanged)
    def seen_more(self, event: ContentView.SeenChanged) -> None:
        """Draw how much is left to read."""
        event.stop()
        self.redraw()

    @on(events.Paste)
    @on(events.Click)
    def interrupted(self, event: events.Event) -> None:
        """Decide nothing by paste or click; both end the quiet that a deciding key needs."""
        self.guard.typed(event.time)
        self.settling.cancel()

    def on_key(self, event: events.Key) -> None:
        """Take every key; none goes on to anything else, but those of a text field."""
        refusal = self.guard.refusal(event.time)
        self.guard.typed(event.time)
        if not self.takes(event.key):
            return
        event.stop()
        event.prevent_default()
        if self.settling.cancel():
            self.say("Not taken: it came together with other keys.")
        elif self.has_class("-small"):
            if event.key == "escape":
                self.dismiss(None)
        elif not self.recording:
            for key in _meant(event):
                self.pressed(key, refusal)


def scrolling(view: ContentView) -> dict[str, Callable[[], object]]:
    """What keys do that only move in the content."""
    keys: dict[str, Callable[[], object]] = {
        "down": lambda: view.move(1), "j": lambda: view.move(1),
        "up": lambda: view.move(-1), "k": lambda: view.move(-1),
        "pagedown": lambda: view.move_page(1), "pageup": lambda: view.move_page(-1),
        "ctrl+d": lambda: view.move_page(1, half=True), "ctrl+u": lambda: view.move_page(-1, half=True),
        "home": lambda: view.move_end(last=False), "g": lambda: view.move_end(last=False),
        "end": lambda: view.move_end(last=True), "G": lambda: view.move_end(last=True),
        "left": lambda: view.shift(-8), "right": lambda: view.shift(8),
    }  # fmt: skip
    if isinstance(view, DiffView):
        keys |= {
            "right_square_bracket": lambda: view.move_hunk(1),
            "left_square_bracket": lambda: view.move_hunk(-1),
            "right_curly_bracket": lambda: view.move_file(1),
            "left_curly_bracket": lambda: view.move_file(-1),
        }
    return keys


def _too_small(size: Size) -> tuple[Line, ...]:
    return (
        (Span("Too small to decide.", "warn"),),
        (Span(f"{size.width}x{size.height}; needs"),),
        (Span(f"{MIN_WIDTH}x{MIN_HEIGHT}. Esc leaves."),),
    )


def _meant(event: events.Key) -> Iterator[str]:
    """The key that is meant: Hangul that an input method committed stands for scrolling letters only."""
    if event.character and is_hangul(event.character):
        yield from navigation(event.character, SCROLLING)
    else:
        yield event.key
