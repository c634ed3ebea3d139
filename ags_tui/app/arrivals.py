"""What has begun to need the human while they looked at something: announced, never put under their eyes."""

from typing import TYPE_CHECKING

from ags_tui.app import keys
from ags_tui.app.state import ShellState, item_of, selection_of
from ags_tui.app.widgets.row_list import RowList
from ags_tui.core.assessment import Pending
from ags_tui.view.arrivals import arrivals_line
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.inbox import item_key
from ags_tui.view.text import Line

if TYPE_CHECKING:
    from ags_tui.app.screens.main import MainScreen


class Arrivals:
    """Keeps which items of the inbox are new, until each is selected or gone."""

    def __init__(self, screen: "MainScreen") -> None:
        """Take the screen whose selection counts as having looked."""
        self.screen = screen
        self.new: frozenset[str] = frozenset()

    def take(self, old: ShellState) -> None:
        """Find what a new state asks that the one before did not; nothing is new to the first reading.

        Args:
            old: The state before.
        """
        now = {_key(item): item.digest for item in self.screen.state.pending}
        if old.assessment is None:
            return
        known = {_key(item): item.digest for item in old.pending}
        came = {key for key, digest in now.items() if known.get(key) != digest}
        self._keep((self.new | came) & now.keys() - {self.screen.selection.key})

    def seen(self) -> bool:
        """What is selected now is new no more; True where it was."""
        return self._keep(self.new - {self.screen.selection.key})

    def _keep(self, new: frozenset[str]) -> bool:
        differs, self.new = new != self.new, new
        if differs:
            self.screen.query_one("#inbox", RowList).hold(new)
        return differs

    def items(self) -> list[Pending]:
        """Give what is new, most urgent first."""
        return [item for item in self.screen.state.pending if _key(item) in self.new]

    def line(self, room: int, glyphs: Glyphs) -> Line:
        """Draw the announcement with the key that jumps there, as the user has bound it.

        Args:
            room: Cells of the line.
            glyphs: Symbols.
        """
        names = ("back", "search-next") if self.screen.search else ("search-next",)
        typed = " ".join(keys.shown(self.screen.look.registry[name].keys[0], short=True) for name in names)
        return arrivals_line(self.items(), typed, room, glyphs)

    def jump(self) -> None:
        """Go to what is new; where nothing is, to the item after the selected one."""
        rows = self.screen.query_one("#inbox", RowList)
        order = [row.key for row in rows.rows if row.selectable]
        waiting = [key for key in order if item_of(self.screen.state, selection_of(key)) is not None]
        if not waiting:
            return
        here = waiting.index(self.screen.selection.key) if self.screen.selection.key in waiting else -1
        new = (key for key in waiting if key in self.new)
        self.screen.selection = selection_of(next(new, waiting[(here + 1) % len(waiting)]))
        self.screen.moves.follow_selection()
        self.screen.moves.focus("inbox" if self.screen.moves.wide else "request")


def _key(item: Pending) -> str:
    return item_key(item.task_id, item.item_id, item.place)
