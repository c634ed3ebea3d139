"""All alarms in full, newest first."""

from collections.abc import Sequence

from ags_tui.app.look import Look
from ags_tui.app.screens.sheet import Sheet
from ags_tui.core.session_calls import Alarm
from ags_tui.view.alarms import alarm_rows
from ags_tui.view.rows import Row


class AlarmsScreen(Sheet[None]):
    """Shows what a human must look at; to open it is to have read it."""

    def __init__(self, look: Look, alarms: Sequence[Alarm]) -> None:
        """Make the screen.

        Args:
            look: Glyphs, clock and keys.
            alarms: Oldest first.
        """
        super().__init__(look, "Alarms")
        self.alarms = tuple(alarms)

    def make_rows(self, width: int) -> Sequence[Row]:
        """Make one row an alarm."""
        return alarm_rows(self.alarms, width, self.look.glyphs, self.look.clock())
