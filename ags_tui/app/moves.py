"""Moving on the main screen: cursor, panes, tabs, search and filter. Nothing here decides anything."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ags_tui.app.arrivals import Arrivals
from ags_tui.app.panes import TABS
from ags_tui.app.state import ShellState, item_of, selection_of
from ags_tui.app.widgets.content_view import ContentView
from ags_tui.app.widgets.row_list import RowList
from ags_tui.view.inbox import task_key

if TYPE_CHECKING:
    from ags_tui.app.screens.main import MainScreen

ORDER = ("inbox", "tasks", "request", "diff", "scope", "gate", "log", "calls")
"""Panes in the order in which Tab goes through them."""

TAB_OF: Mapping[str, int] = {
    "inbox": 0, "tasks": 0, "request": 1, "diff": 2, "scope": 3, "gate": 4, "log": 5, "calls": 6,
}  # fmt: skip
"""Tab on which a pane is."""

FIRST_OF = ("inbox", "request", "diff", "scope", "gate", "log", "calls")
"""Pane that is focused when a tab is chosen."""


class Moves:
    """The keys that move, by id."""

    def __init__(self, screen: "MainScreen") -> None:
        """Take the screen on which they move."""
        self.screen = screen
        self.arrivals = Arrivals(screen)
        self.decided = ""
        self.touched = False
        self._left = ""
        self._wanted = ""

    def actions(self) -> Mapping[str, Callable[[], None]]:
        """Give what each key id does."""
        tabs = {f"tab-{index + 1}": self._tab(index) for index in range(len(TABS))}
        return {
            **tabs,
            "down": lambda: self.step(1),
            "up": lambda: self.step(-1),
            "top": lambda: self.end(last=False),
            "bottom": lambda: self.end(last=True),
            "half-down": lambda: self.page(1),
            "half-up": lambda: self.page(-1),
            "next-pane": lambda: self.pane(1),
            "previous-pane": lambda: self.pane(-1),
            "search": lambda: self.ask("search"),
            "filter": lambda: self.ask("filter"),
            "search-next": self.next_hit,
            "search-previous": lambda: self.find(-1),
            "left": lambda: self.sideways(-8),
            "right": lambda: self.sideways(8),
            "next-file": lambda: self.file(1),
            "previous-file": lambda: self.file(-1),
        }

    def _tab(self, index: int) -> Callable[[], None]:
        """Make the action that shows a tab."""
        return lambda: self.show_tab(index)

    # -- panes ---------------------------------------------------------------------------------------

    def show_tab(self, index: int) -> None:
        """Show a tab and focus its pane; in the wide layout the pane is there already."""
        name = FIRST_OF[index]
        if name == "inbox" and self._list("inbox").cursor is None and self._list("tasks").cursor is not None:
            name = "tasks"
        self.focus(name)

    def decide_selected(self) -> None:
        """What is selected was decided: a request hands over to the next one, a task stays in sight."""
        chosen = self.screen.selection
        self.decided = chosen.key if chosen.kind == "item" else ""
        self.focus("inbox" if chosen.kind == "item" else "tasks")

    def _select_item(self) -> bool:
        """Select what the cursor of the inbox stands on, while something else is selected."""
        cursor = self._list("inbox").cursor
        if cursor is None or self.screen.selection.kind == "item":
            return False
        self.screen.selection = selection_of(cursor)
        self.follow_selection()
        return True

    def focus(self, name: str) -> None:
        """Focus a pane, on whichever tab it is; whoever goes to the inbox means its item."""
        self.screen.tab = TAB_OF[name]
        if name == "inbox":
            self._select_item()
        self.screen.query_one(f"#{name}").focus()

    def pane(self, step: int) -> None:
        """Go to the next pane; in the wide layout the log is reached by its tab alone."""
        names = [name for name in ORDER if self.shows(name) or not self.wide]
        here = self.focused_pane()
        place = names.index(here) if here in names else 0
        self.focus(names[(place + step) % len(names)])

    def focused_pane(self) -> str:
        """Give the id of the focused pane, of the one that is searched, or of the one that the tab shows."""
        if self._left:
            return self._left
        focused = self.screen.focused
        if focused is not None:
            for node in focused.ancestors_with_self:
                if node.id in ORDER:
                    return node.id
        return FIRST_OF[self.screen.tab]

    @property
    def wide(self) -> bool:
        """Whether all panes but the log stand on one screen."""
        return self.screen.has_class("-wide")

    def shows(self, name: str) -> bool:
        """Tell whether a pane is in sight."""
        if not self.wide:
            return TAB_OF[name] == self.screen.tab
        in_place = next((one for one in ("log", "calls") if self.screen.has_class(f"-{one}")), "")
        hidden = {"request", "diff", "log", "calls"} - {in_place} if in_place else {"log", "calls"}
        return name not in hidden

    def focus_moved(self) -> None:
        """Let the tab follow the focus, as after a click."""
        name = self.focused_pane()
        if name and self.screen.focused is not None and not self._left:
            self.screen.tab = TAB_OF[name]

    def settle(self, old: ShellState) -> None:
        """Keep the selection, or hand it on where what it stood on is gone.

        What else begins to need the human is announced. Only where nothing is shown yet is it selected.

        Args:
            old: The state before; it knows what became of a request that is gone.
        """
        screen = self.screen
        now, state = screen.selection, screen.state
        inbox, tasks = self._list("inbox"), self._list("tasks")
        if self._wanted and tasks.has(task_key(self._wanted)):
            screen.selection, self._wanted = selection_of(task_key(self._wanted)), ""
            self.follow_selection()
            return
        now = screen.selection
        if not old.pending and not old.passed and self._showed_nothing(old) and self._select_item():
            return
        if state.assessment is None or inbox.has(now.key) or tasks.has(now.key):
            return
        gone = item_of(old, now)
        if gone is not None:
            self._say_gone(gone.task_id, gone.item_id)
        same_task = task_key(now.task_id) if now.task_id in state.tasks else None
        decided, self.decided = self.decided == now.key, ""
        first = next((row.key for row in tasks.rows if row.key.startswith(task_key(""))), tasks.cursor)
        key = inbox.cursor if decided and inbox.cursor else same_task or inbox.cursor
        key = key or (first if now.kind == "none" else tasks.cursor)
        screen.selection = selection_of(key or "")
        self.follow_selection()

    def _showed_nothing(self, old: ShellState) -> bool:
        """Tell whether the human has not moved yet and had an unchanged work tree before them."""
        tree = None if old.snapshot is None else old.snapshot.work_tree
        empty = tree is not None and not tree.unknown and not tree.entries
        return not self.touched and self.screen.selection.kind == "tree" and empty

    def want_task(self, task_id: str) -> None:
        """Select a task as soon as it has been read: the human has just made it."""
        self._wanted = task_id

    def follow_selection(self) -> None:
        """Put the cursor of the left column on what is selected."""
        selection = self.screen.selection
        self._list("inbox").select(selection.key)
        self._list("tasks").select(task_key(selection.task_id) if selection.task_id else selection.key)

    def _say_gone(self, task_id: str, item_id: str) -> None:
        """Say what became of the request that was selected."""
        task = self.screen.state.tasks.get(task_id)
        states = {} if task is None else {status.item_id: status.state.value for status in task.requests}
        if item_id in states and not self.screen.said:
            self.screen.say(f"{item_id}: {states[item_id]}", "muted")

    def _pane(self) -> RowList | ContentView:
        """Give the widget of the focused pane."""
        name = self.focused_pane()
        return self.screen.diffs.view if name == "diff" else self._list(name)

    def _list(self, name: str) -> RowList:
        """Find a list by its id."""
        return self.screen.query_one(f"#{name}", RowList)

    # -- cursor --------------------------------------------------------------------------------------

    def step(self, step: int) -> None:
        """Move by one row or line; inbox and tasks are one column."""
        pane = self._pane()
        if pane.id == "inbox" and self._select_item():
            return
        beyond = {("inbox", 1): "tasks", ("tasks", -1): "inbox"}.get((pane.id or "", step))
        if not pane.move(step) and beyond and self._list(beyond).cursor:
            self.focus(beyond)
            self._list(beyond).move_end(last=step < 0)
            self.screen.selection = selection_of(self._list(beyond).cursor or "")
            self.follow_selection()

    def page(self, direction: int) -> None:
        """Move by half a page."""
        pane = self._pane()
        if isinstance(pane, ContentView):
            pane.move_page(direction, half=True)
        else:
            pane.move_page(direction)

    def end(self, *, last: bool) -> None:
        """Go to the first or last row or line."""
        self._pane().move_end(last=last)

    def sideways(self, cells: int) -> None:
        """Shift the diff, while its long lines do not wrap."""
        self.screen.diffs.view.shift(cells)

    def file(self, step: int) -> None:
        """Select the next changed file, from whichever pane."""
        self._list("scope").move(step)

    # -- search --------------------------------------------------------------------------------------

    def ask(self, purpose: str) -> None:
        """Open the line in which the text is typed, and remember the pane that it is about."""
        from ags_tui.app.widgets.search_bar import SearchBar

        if self.screen.query(SearchBar):
            return
        self._left = self.focused_pane()
        text = self.screen.search if purpose == "search" else self.screen.needle
        bar = SearchBar(purpose, text)
        self.screen.mount(bar, before="#status")
        bar.focus()

    def typed(self, purpose: str, text: str) -> None:
        """Search or filter while the human types."""
        if purpose == "search":
            self.screen.search = text
            self.find(0)
        else:
            self.screen.needle = text

    def closed(self, purpose: str, text: str) -> None:
        """Put the focus back where it was; an empty text ends search or filter."""
        from ags_tui.app.widgets.search_bar import SearchBar

        self.screen.query(SearchBar).remove()
        self.focus(self._left or "inbox")
        self.typed(purpose, text)  # before the pane is forgotten: the focus reaches it only later
        self._left = ""

    def next_hit(self) -> None:
        """Go to the next hit; while nothing is searched for, to what needs the human next."""
        if self.screen.search:
            self.find(1)
        else:
            self.arrivals.jump()

    def find(self, step: int) -> None:
        """Go to the next hit of the search in the focused pane, or in the list that has hits."""
        number, count = self._pane().find(self.screen.search, step)
        if count:
            self.screen.say(f"hit {number} of {count}", "muted")
        elif self.screen.search:
            self.screen.say("not found here; Tab searches another pane with n", "muted")

    def clear(self) -> bool:
        """Clear search and filter; False where there was nothing to clear."""
        if not self.screen.search and not self.screen.needle:
            return False
        self.screen.search = ""
        self.screen.needle = ""
        for pane in (*self.screen.query(RowList), self.screen.diffs.view):
            pane.find("", 0)
        return True

    @property
    def goes_back(self) -> bool:
        """Whether there is something to go back from."""
        searching = bool(self.screen.search or self.screen.needle)
        return searching or self.focused_pane() not in ("inbox", "tasks")

    def back(self) -> bool:
        """Clear the search, or return to the inbox; False where there is nothing to go back from."""
        if self.clear():
            return True
        if not self.goes_back:
            return False
        self.focus("inbox" if self.screen.selection.kind == "item" else "tasks")
        return True
