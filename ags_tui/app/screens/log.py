"""One log entry in full: every field, every digest it is bound to, who signed it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ags_tui.app.look import Look
from ags_tui.app.screens.sheet import Sheet
from ags_tui.view.rows import Row
from ags_tui.view.text import printable
from ags_tui.view.timeline import entry_rows

if TYPE_CHECKING:
    from ags_tui.core.log_state import LoggedEntry


class EntryScreen(Sheet[None]):
    """Shows one entry of a log."""

    def __init__(self, look: Look, logged: "LoggedEntry") -> None:
        """Make the screen.

        Args:
            look: Glyphs, zone and keys.
            logged: The entry.
        """
        entry = logged.entry
        super().__init__(look, printable(f"{entry.kind} {entry.verdict} {entry.subject.id}"))
        self.logged = logged

    def make_rows(self, width: int) -> Sequence[Row]:
        """Make one row a field."""
        return entry_rows(self.logged, width, self.look.zone)
