"""One call of an agent in full: what it got, from whom, why."""

from collections.abc import Sequence

from ags_tui.app.look import Look
from ags_tui.app.screens.sheet import Sheet
from ags_tui.core.session_calls import Call
from ags_tui.view.rows import Row
from ags_tui.view.sessions import detail_rows
from ags_tui.view.text import printable


class CallScreen(Sheet[None]):
    """Shows one call."""

    def __init__(self, look: Look, call: Call) -> None:
        """Make the screen.

        Args:
            look: Glyphs, clock and keys.
            call: The call.
        """
        super().__init__(look, printable(f"{call.asked.name} {call.call_id}"))
        self.call = call

    def make_rows(self, width: int) -> Sequence[Row]:
        """Make one row a field."""
        return detail_rows(self.call, width, self.look.glyphs, self.look.clock())
