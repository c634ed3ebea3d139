"""The ground of screens that decide about rules: a text to read to its end, perhaps a code, one key."""

from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar, TypeVar

from textual.widget import Widget

from ags_tui.app.attention import CodeEntry
from ags_tui.app.look import Look
from ags_tui.app.screens.guarded import GuardedScreen, scrolling
from ags_tui.app.widgets.content_view import ContentView
from ags_tui.app.widgets.line_bar import LineBar
from ags_tui.core.drafts import Viewing
from ags_tui.view.content import Document
from ags_tui.view.decision import Missing, missing_line, place_line
from ags_tui.view.text import Line, Span

Result = TypeVar("Result")


class CodedScreen(GuardedScreen[Result]):
    """Shows a text; ``Ctrl+O`` decides once all of it was seen, and the code typed where one is asked for."""

    DEFAULT_CSS: ClassVar[str] = ""
    verb: str = "decide"
    """What the deciding key does; our own words."""

    def __init__(self, look: Look, *, tty: str = "") -> None:
        """Make the screen.

        Args:
            look: How the shell looks.
            tty: Terminal, for the log.
        """
        super().__init__(look, tty=tty)
        self.view = ContentView(id="content", wrap=True, ascii_only=look.ascii_only)
        self.code = CodeEntry()
        self._moving = scrolling(self.view)

    # -- for subclasses ------------------------------------------------------------------------------

    def coded(self) -> bool:
        """Whether the second step is asked for."""
        return True

    def obstacle(self) -> str:
        """Why nothing can be decided; empty where it can."""
        return ""

    def reading(self) -> bool:
        """Whether a part of the text is still being read."""
        return False

    def changes(self) -> Mapping[str, Callable[[], object]]:
        """What keys do that change the text and decide nothing."""
        return {}

    def keys_text(self) -> str:
        """The keys of the last line; our own words."""
        return "Esc back"

    def commit(self, viewing: Viewing) -> Result | None:
        """Make what the screen gives back; None where nothing can be made.

        Args:
            viewing: How the text was seen.
        """
        raise NotImplementedError

    def fill(self, document: Document) -> None:
        """Show another text: what was seen and typed for the one before is void."""
        self.code = CodeEntry()
        self.view.show(document)
        self.settling.cancel()
        self.attention.again()
        self.redraw()

    # -- Textual -------------------------------------------------------------------------------------

    def parts(self) -> Iterator[Widget]:
        """The text, what is missing, keys."""
        yield self.view
        yield LineBar(id="foot", height=2, ascii_only=self.look.ascii_only)
        yield LineBar(id="keys", ascii_only=self.look.ascii_only)

    def on_mount(self) -> None:
        """Draw the lines below the text."""
        self.query_one("#foot", LineBar).draw(self._foot)
        self.query_one("#keys", LineBar).draw(
            lambda width: (place_line(self.keys_text(), self.view.place, width),)
        )
        self.view.focus()

    def pressed(self, key: str, refusal: str) -> None:
        """Scroll, change, type the code, leave; only ``Ctrl+O`` decides."""
        if key == "ctrl+o":
            if self.missing().done:
                self.decide(self._decide, refusal)
            else:
                self.say("Not taken: first do what the next line says.")
        elif key in ("escape", "q"):
            self.dismiss(None)
        elif key.isdigit() and len(key) == 1:
            self._digit(key)
        else:
            self.code.reset()
            self.say("")
            {**self._moving, **self.changes()}.get(key, self.redraw)()
            self.redraw()

    def missing(self) -> Missing:
        """What still keeps ``Ctrl+O`` from deciding."""
        return Missing(
            over=self.obstacle(),
            loading=self.reading(),
            below=0 if self.view.end_seen else max(1, self.view.unseen_below),
            code=self.code.code if self.coded() else "",
            typed=len(self.code.typed),
            focused=self.guard.focused,
            left=self.guard.left(self.look.ticks()),
        )

    def _digit(self, key: str) -> None:
        missing = self.missing()
        if missing.code and missing.readable and missing.left <= 0 and missing.focused:
            taken = self.code.press(key, self.guard.typed_at)
            self.say("" if taken or self.code.typed else "The code begins anew: one digit after another.")
        else:
            self.code.reset()
            self.say("The code comes after what stands before it." if missing.code else "")

    def _decide(self) -> None:
        if not self.missing().open:
            return
        viewing = Viewing(self.view.seen_lines, self.view.document.size, self.tty, self.guard.focused)
        made = self.commit(viewing)
        if made is not None:
            self.recording = True
            self.dismiss(made)

    def _foot(self, _width: int) -> tuple[Line, ...]:
        said: Line = (Span(self.said, "warn"),)
        if self.reading() and not self.obstacle():
            return said, (Span("Looking through the past…", "muted"),)
        return said, missing_line(self.missing(), self.look.glyphs, self.verb)
