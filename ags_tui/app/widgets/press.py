"""A word to press: focusable, found by Tab and mouse. What Enter does there is the screen's business."""

from dataclasses import dataclass

from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget


class Press(Widget, can_focus=True, inherit_bindings=False):
    """A label of our own in brackets."""

    DEFAULT_CSS = """
    Press {
        width: auto;
        height: 1;
        padding: 0 1;
        color: $foreground;
        background: $panel;
        &:focus { color: $background; background: $accent; text-style: bold; }
    }
    """

    @dataclass(eq=False)
    class Clicked(Message):
        """The mouse pressed it."""

        press: "Press"
        """Which one."""
        at: float
        """When, on the clock of events."""

    def __init__(self, label: str, *, key: str = "Enter", id: str | None = None) -> None:
        """Take the label.

        Args:
            label: Our own words, ASCII.
            key: The key that does it while the word has the focus.
            id: Id in the screen.
        """
        super().__init__(id=id)
        self.label = label
        self.key = key

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Give room for the longer of both faces, so that nothing moves with the focus."""
        return len(f"[ {self.key}: {self.label} ]")

    def render(self) -> Text:
        """Draw the label in brackets, and its key while it has the focus: told without any colour."""
        return Text(f"[ {self.key}: {self.label} ]" if self.has_focus else f"[ {self.label} ]")

    def on_click(self, event: events.Click) -> None:
        """Tell the screen; a click decides nothing by itself."""
        event.stop()
        self.post_message(self.Clicked(self, event.time))
