"""One line to type what is searched for, or what the lists are filtered by."""

from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.widgets import Input

_PLACEHOLDERS = {
    "search": "search in this pane; Enter keeps the hits for n and N, Esc ends it",
    "filter": "show only requests and tasks that contain this; Enter keeps it, Esc shows all",
}


class SearchBar(Input):
    """An input at the bottom; Enter keeps the text, Esc gives it up. New requests never take its focus."""

    DEFAULT_CSS = """
    SearchBar {
        height: 1;
        border: none;
        padding: 0 1;
        background: $panel;
        color: $foreground;
        &:focus { border: none; }
    }
    """

    @dataclass(eq=False)
    class Typed(Message):
        """The text changed."""

        purpose: str
        """``search`` or ``filter``."""
        text: str
        """What stands there now."""

    @dataclass(eq=False)
    class Closed(Message):
        """The line is done."""

        purpose: str
        """``search`` or ``filter``."""
        text: str
        """What was typed; empty where it was given up."""

    def __init__(self, purpose: str, text: str = "") -> None:
        """Make the line.

        Args:
            purpose: ``search`` or ``filter``.
            text: What stands there at first.
        """
        super().__init__(text, placeholder=_PLACEHOLDERS[purpose], id="search", select_on_focus=True)
        self.purpose = purpose
        self.cursor_blink = False

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tell what is typed."""
        event.stop()
        self.post_message(self.Typed(self.purpose, event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep the text."""
        event.stop()
        self.post_message(self.Closed(self.purpose, self.value))

    def on_key(self, event: events.Key) -> None:
        """Give the text up."""
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            self.post_message(self.Closed(self.purpose, ""))
