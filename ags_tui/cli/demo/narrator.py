"""Brings what the agents of the demo say to the screen: a viewer must not need a file to follow the play."""

import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ags_tui.app.messages import Narrated
from ags_tui.cli.demo.desk import Layout

if TYPE_CHECKING:
    from ags_tui.app.app import AgsApp

LOOK_S = 0.2
"""Seconds between two looks into the journal."""


class Narrator:
    """Follows the journal and says its lines to the app, from a thread of its own."""

    def __init__(self, app: "AgsApp", layout: Layout, director: "subprocess.Popen[bytes]") -> None:
        """Prepare.

        Args:
            app: The TUI on the demo.
            layout: Where the journal is.
            director: The process that plays the agents; when it ends, the play is over.
        """
        self.app = app
        self.layout = layout
        self.director = director
        self.over = threading.Event()
        self._told = 0

    def follow(self) -> None:
        """Say what is new until the play or the app is over."""
        while not self.over.wait(LOOK_S):
            if not self.app.is_running:
                continue
            code = self.director.poll()
            for words in self._new():
                self.app.post_message(Narrated(words))
            if code is not None:
                says = self.layout.texts.says
                end = says["ended"] if code == 0 else says["stopped"].format(self.layout.journal)
                self.app.post_message(Narrated(end))
                return

    def _new(self) -> list[str]:
        """The whole lines of the journal that were not told yet."""
        try:
            text = self.layout.journal.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:  # nobody has said anything yet
            return []
        lines = text[: text.rfind("\n") + 1].splitlines()
        new, self._told = lines[self._told :], len(lines)
        return new


@contextmanager
def narrated(app: "AgsApp", layout: Layout, director: "subprocess.Popen[bytes]") -> Generator[None]:
    """Have the play told on the screen while the block runs.

    Args:
        app: The TUI on the demo.
        layout: Where the journal is.
        director: The process that plays the agents.
    """
    narrator = Narrator(app, layout, director)
    thread = threading.Thread(target=narrator.follow, name="narrator", daemon=True)
    thread.start()
    try:
        yield
    finally:
        narrator.over.set()
        thread.join()
