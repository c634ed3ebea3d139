"""What the keys of the main screen start: decision screens, editor, clipboard, tests, new tasks, help.

Nothing is decided here: a decision comes back from a decision screen as a draft and goes on as a message.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ags_tui.app import past_gate
from ags_tui.app.beside_messages import AlarmsAsked, RulesAsked
from ags_tui.app.desk import Desk
from ags_tui.app.messages import CopyAsked, DecisionDrafted, DemoAsked, EditorAsked, QuitAsked
from ags_tui.app.state import item_of, passed_of, selection_of, task_of
from ags_tui.app.widgets.row_list import RowList
from ags_tui.core.assessment import Pending, PendingKind, TaskAssessment
from ags_tui.view.sessions import call_of_key
from ags_tui.view.text import printable

if TYPE_CHECKING:
    from textual.message import Message

    from ags_tui.app.screens.main import MainScreen
    from ags_tui.core.decisions import Draft


class Acts:
    """The keys that open or ask, by id."""

    def __init__(self, screen: "MainScreen") -> None:
        """Take the screen on whose selection they act."""
        self.screen = screen
        self.desk = Desk(screen, self._decided)

    def actions(self) -> Mapping[str, Callable[[], None]]:
        """Give what each key id does."""
        return {
            "open": self.open,
            "back": self._back,
            "wrap": self._wrap,
            "next-hunk": lambda: self._hunk(1),
            "previous-hunk": lambda: self._hunk(-1),
            "reviewed": self.screen.diffs.toggle_reviewed,
            "approve": self._with_item(self.desk.decide),
            "deny": self._with_item(self.desk.deny),
            "answer": self._with_item(self.desk.answer),
            "attest": self._with_task(self.desk.finalize),
            "block": self._with_task(self.desk.block),
            "lift": self._with_task(self.desk.lift),
            "finalize": self._with_task(self.desk.finalize),
            "close": self._with_task(self.desk.close),
            "dismiss": self._dismiss,
            "edit": self._edit,
            "new-task": self.desk.new_task,
            "promote": self._with_task(self.desk.promote),
            "tests": self._with_task(self.desk.tests),
            "copy": self._copy,
            "demo": self._post_demo,
            "rules": lambda: self._post(RulesAsked()),
            "alarms": lambda: self._post(AlarmsAsked()),
            "settings": self.desk.settings,
            "theme": self.desk.themes,
            "palette": self.desk.palette,
            "help": self.desk.help,
            "quit": self._quit,
        }

    # -- the selected thing --------------------------------------------------------------------------

    def _item(self) -> Pending | None:
        """Give the selected item."""
        return item_of(self.screen.state, self.screen.selection)

    def _task(self) -> TaskAssessment | None:
        """Give the selected task."""
        return task_of(self.screen.state, self.screen.selection)

    def _with_item(self, act: Callable[[Pending], None]) -> Callable[[], None]:
        """Make an action on the selected item; it may have vanished since the key was found to work."""

        def run() -> None:
            item = self._item()
            if item is not None:
                act(item)

        return run

    def _with_task(self, act: Callable[[TaskAssessment], None]) -> Callable[[], None]:
        """Make an action on the selected task."""

        def run() -> None:
            task = self._task()
            if task is not None:
                act(task)

        return run

    # -- opening -------------------------------------------------------------------------------------

    def open(self) -> None:
        """Open what the focused pane stands on: never more than one step, and nothing is decided."""
        moves = self.screen.moves
        pane = moves.focused_pane()
        if pane in ("inbox", "tasks"):
            self._open_left(pane)
        elif pane == "scope":
            moves.focus("diff")
        elif pane == "log":
            self._open_entry()
        elif pane == "calls":
            self._open_call()
        elif pane == "gate":
            self._with_task(self.desk.finalize)()
        else:
            item = self._item()
            if item is None:
                self.screen.say("Nothing waits here. 1 goes to the inbox.", "muted")
            else:
                self._open_item(item)

    def _open_left(self, pane: str) -> None:
        """Select the row with the cursor; where that is selected already, open it or go to it."""
        rows = self.screen.query_one(f"#{pane}", RowList)
        chosen = selection_of(rows.cursor or "")
        same = chosen == self.screen.selection
        self.screen.selection = chosen
        item = self._item()
        if item is not None and self.screen.moves.wide and same:
            self._open_item(item)
        elif not self.screen.moves.wide or same:
            self.screen.moves.focus("request" if chosen.kind != "tree" else "scope")

    def _open_item(self, item: Pending) -> None:
        """Open the screen for a kind of item."""
        if item.kind is PendingKind.ESCALATION:
            self.desk.answer(item)
        elif item.kind is PendingKind.FINALIZATION:
            self._with_task(self.desk.finalize)()
        else:
            self.desk.decide(item)

    def _open_entry(self) -> None:
        """Open a log entry in full."""
        task = self._task()
        cursor = self.screen.query_one("#log", RowList).cursor or ""
        if task is not None and cursor.startswith("entry:"):
            self.desk.entry(task, int(cursor.removeprefix("entry:")))

    def _open_call(self) -> None:
        """Open a call in full."""
        cursor = self.screen.query_one("#calls", RowList).cursor or ""
        call = call_of_key(self.screen.state.sessions, cursor, self.screen.state.away)
        if call is not None:
            self.desk.call(call)

    def _back(self) -> None:
        """Go back; at the inbox there is nothing to go back from."""
        if not self.screen.moves.back():
            self.screen.say("q quits", "muted")

    def _quit(self) -> None:
        """Go back, or quit from the inbox."""
        if not self.screen.moves.back():
            self.screen.post_message(QuitAsked())

    # -- working -------------------------------------------------------------------------------------

    def _decided(self, draft: "Draft | None") -> None:
        """Hand a decision on; None means that nothing was decided."""
        if draft is not None:
            self.screen.moves.decide_selected()
            self.screen.post_message(DecisionDrafted(draft))

    def _dismiss(self) -> None:
        """Put away a request that is over, or a call that went past the gate."""
        from ags_tui.core import drafts

        past = past_gate.meant(self.screen)
        if past is not None:
            self._put_away(past)
            return
        if self.screen.moves.focused_pane() == "calls":  # never what is selected elsewhere
            self.screen.say("Only a call past the gate is put away here; 1 goes to the inbox.", "warn")
            return
        over = passed_of(self.screen.state, self.screen.selection)
        if over is not None:
            self._decided(drafts.dismiss(over.task_id, over.status.item_id, over.status.digest))

    def _put_away(self, past: past_gate.PastGate) -> None:
        """Put away a call that went past the gate: from the gate it is shown first."""
        row = past_gate.row_of(self.screen.state, past)
        if self.screen.moves.focused_pane() == "gate" and row:
            calls = self.screen.query_one("#calls", RowList)
            calls.cursor = row  # its rows are made only when the pane has got its size
            self.screen.moves.focus("calls")
            self.screen.call_after_refresh(calls.select, row, by_human=True)
            self.screen.say("It ran past the gate. Look at what it did; x puts it away.", "warn")
            return
        self.screen.post_message(DecisionDrafted(past.draft()))

    def _edit(self) -> None:
        """Open the request, or the selected file, in an editor."""
        from_inbox = self.screen.moves.focused_pane() in ("inbox", "tasks", "request")
        request = self.screen.panes.readable()
        if request is not None and (from_inbox or not self.screen.diffs.path):
            self.screen.post_message(EditorAsked(request[0], request[1]))
            return
        snapshot = self.screen.state.snapshot
        if snapshot is not None and self.screen.diffs.path:
            self.screen.post_message(EditorAsked(f"{snapshot.repo.top}/{self.screen.diffs.path}"))

    def _copy(self) -> None:
        """Copy what is most useful of the selected thing."""
        item = self._item()
        if item is not None and self.screen.moves.focused_pane() not in ("scope", "diff"):
            text, what = item.command or item.path or f"{item.task_id}/{item.item_id}", "request"
        elif self.screen.diffs.path:
            text, what = self.screen.diffs.path, "path"
        else:
            text, what = self.screen.selection.task_id, "task id"
        self.screen.post_message(CopyAsked(printable(text), what))

    def _wrap(self) -> None:
        """Wrap long lines of the diff, or not."""
        self.screen.diffs.toggle_wrap()

    def _hunk(self, step: int) -> None:
        """Go to another hunk."""
        self.screen.diffs.hunk(step)

    def _post(self, message: "Message") -> None:
        """Tell the app."""
        self.screen.post_message(message)

    def _post_demo(self) -> None:
        """Ask for the demo."""
        self.screen.post_message(DemoAsked())
