"""One of a few words, chosen with the arrow keys: no list that opens, no mouse needed."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from ags_tui.app.widgets.paint import follow_theme, looks_of, paint
from ags_tui.view.text import Span


class ChoiceLine(Widget, can_focus=True):
    """Shows all words in one line, the chosen one in brackets."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,up", "step(-1)", "before", show=False, id="choice.before", tooltip="The word before."),
        Binding(
            "right,down,space", "step(1)", "after", show=False, id="choice.after", tooltip="The word after."
        ),
    ]
    DEFAULT_CSS = """
    ChoiceLine {
        height: 1;
        width: 1fr;
        background: $panel;
        &:focus { background: $selection; }
    }
    """

    value: reactive[str] = reactive("")
    """The chosen word."""

    def __init__(self, words: Sequence[str], value: str, *, id: str) -> None:
        """Make the line.

        Args:
            words: What can be chosen; inert text.
            value: The word chosen at first.
            id: Id in the screen.
        """
        super().__init__(id=id)
        self.words = tuple(words)
        self.set_reactive(ChoiceLine.value, value)

    def on_mount(self) -> None:
        """Follow the theme."""
        follow_theme(self, self.refresh)

    def action_step(self, step: int) -> None:
        """Choose the next or previous word."""
        place = self.words.index(self.value) if self.value in self.words else 0
        self.value = self.words[(place + step) % len(self.words)]

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Take all there is."""
        return container.width

    def render_line(self, y: int) -> Strip:
        """Paint the words."""
        spans = [
            Span(f"[{word}]", "tab-active") if word == self.value else Span(f" {word} ", "muted")
            for word in self.words
        ]
        return paint((Span(" "), *spans), self.size.width, self.rich_style, looks_of(self))
