"""The diff view alone on a screen, with the diff in the file that is named; ends with q."""

import gc
import sys
from pathlib import Path
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType

from ags_tui.app.themes import variables
from ags_tui.app.widgets.diff_view import DiffView
from ags_tui.core.diffs import parse
from ags_tui.view.diff import DiffDocument


class DiffApp(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [("q", "quit", "Quit")]

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self.view = DiffView(id="diff")

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return variables()

    def compose(self) -> ComposeResult:
        yield self.view

    def on_mount(self) -> None:
        self.view.show(DiffDocument(parse(Path(self.path).read_bytes())))


if __name__ == "__main__":
    gc.freeze()  # as in the app, where all that was imported is out of the collector's way before any diff
    DiffApp(sys.argv[1]).run()
