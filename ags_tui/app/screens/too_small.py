"""Below the smallest size nothing can be decided: a plain sentence, everything else kept underneath."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

LEAST = (40, 12)
"""Columns and lines below which nothing is shown."""


class TooSmallScreen(ModalScreen[None], inherit_bindings=False):
    """Covers everything, takes every key, and goes by itself when there is room again."""

    BINDINGS: ClassVar[list[BindingType]] = []
    AUTO_FOCUS = None
    DEFAULT_CSS = """
    TooSmallScreen { background: $background; }
    TooSmallScreen > Static { width: 100%; height: 100%; color: $foreground; background: $background; }
    """

    def compose(self) -> ComposeResult:
        """Say what is wrong and that nothing is lost."""
        columns, lines = LEAST
        yield Static(Content(f"Too small. ags-tui needs {columns}x{lines}. Nothing is lost or decided."))
