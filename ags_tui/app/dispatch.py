"""From a key to what it does: whether it may act now, why not, and what a Hangul layout meant."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ags_tui.app import keys, past_gate
from ags_tui.app.hangul import hint, is_hangul, navigation
from ags_tui.app.key_rules import Facts, why_off
from ags_tui.app.state import Selection, facts_of, first_item, item_of, selection_of
from ags_tui.app.widgets.row_list import RowList
from ags_tui.view.status import KeyHint

if TYPE_CHECKING:
    from ags_tui.app.screens.main import MainScreen

QUIET_SECONDS = 0.4
"""After a dialog closed, and after each repeat, keys that open or decide are dropped for this long."""

_DROPPED = frozenset({"open", "quit", "back"})
_OF_ITEMS = frozenset({"approve", "deny", "answer"})


class Dispatch:
    """Runs keys of the main screen by their ids."""

    def __init__(self, screen: "MainScreen", actions: Mapping[str, Callable[[], None]]) -> None:
        """Take the screen and what each id does."""
        self.screen = screen
        self.actions = actions
        self._quiet_until = 0.0
        self._shown = False

    def facts(self) -> Facts:
        """Collect what decides which keys work."""
        screen = self.screen
        return facts_of(screen.state, screen.selection, path=screen.diffs.path, search=bool(screen.search))

    def _facts_for(self, key_id: str) -> Facts:
        """Collect what decides about one key: those that decide on a request may mean one that waits."""
        facts, meant = self.facts(), self._meant(key_id)
        if key_id == "dismiss":
            return replace(facts, past_gate=past_gate.meant(self.screen) is not None)
        if meant is None:
            return facts
        own = facts_of(self.screen.state, meant)
        return replace(facts, item=own.item, passed=own.passed, malformed=own.malformed)

    def _meant(self, key_id: str) -> Selection | None:
        """Give the request that a key means while none is selected: of the task that is shown, else the one
        under the cursor of the inbox.
        """
        screen = self.screen
        if key_id not in _OF_ITEMS or screen.selection.kind == "item":
            return None
        rows = screen.query_one("#inbox", RowList)
        if screen.selection.kind != "task":
            return selection_of(rows.cursor) if rows.cursor else None
        order = (row.key for row in rows.rows if row.selectable)
        return first_item(screen.state, screen.selection.task_id, questions=key_id == "answer", rows=order)

    def run(self, key_id: str) -> None:
        """Do what a key does, or say why it does nothing."""
        if not self._echo(key_id):
            self.choose(key_id)
        elif self.screen.look.registry[key_id].group == keys.DECIDE:
            self.screen.say("That key came as the dialog closed; press it again.", "warn")

    def choose(self, key_id: str) -> None:
        """Do what was chosen by its name, or say why it cannot be done."""
        self.screen.moves.touched = True
        reason = why_off(key_id, self._facts_for(key_id))
        if reason:
            self.screen.say(reason, "warn")
            return
        meant = self._meant(key_id)
        if meant is not None:
            self.screen.selection = meant
            self.screen.moves.follow_selection()
        self.actions[key_id]()

    def allowed(self, key_id: str) -> bool:
        """Tell whether a binding applies: not while typing, and ``N`` searches only during a search."""
        if self._typing():
            return False
        return key_id != "search-previous" or bool(self.screen.search)

    def _typing(self) -> bool:
        """Tell whether a text field has the focus: it takes letters for itself."""
        focused = self.screen.focused
        return focused is not None and focused.check_consume_key("a", "a")

    def resumed(self) -> None:
        """Start dropping keys that a closed dialog left behind, as a held Enter does; not at the start."""
        if self._shown:
            self._quiet_until = self.screen.look.ticks() + QUIET_SECONDS
        self._shown = True

    def _echo(self, key_id: str) -> bool:
        """Tell whether a key is the repeat of one that closed a dialog."""
        if key_id not in _DROPPED and self.screen.look.registry[key_id].group != keys.DECIDE:
            return False
        now = self.screen.look.ticks()
        if now >= self._quiet_until:
            return False
        self._quiet_until = now + QUIET_SECONDS
        return True

    def hangul(self, text: str) -> bool:
        """Move by what a Hangul layout committed; False where it is no Hangul or a text is typed."""
        if not is_hangul(text) or self._typing():
            return False
        registry = self.screen.look.registry
        moving = ((key_id, registry[key_id].keys) for key_id in keys.NAVIGATION)
        by_letter = {name: key_id for key_id, names in moving for name in names if len(name) == 1}
        moved = False
        for letter in navigation(text, by_letter):
            self.run(by_letter[letter])
            moved = True
        if not moved:
            self.screen.say(hint(self._other_ways()), "warn")
        return True

    def _other_ways(self) -> list[tuple[str, str]]:
        """Give what works now and has a key that is no letter, in the order of the key bar."""
        registry = self.screen.look.registry
        ways: list[tuple[str, str]] = []
        for key in (registry[key_id] for key_id in keys.BAR_ORDER):
            reachable = next((name for name in key.keys if name.startswith("ctrl+") or name == "enter"), "")
            facts = self._facts_for(key.id)
            if reachable and self._fits(key, facts) and not why_off(key.id, facts):
                ways.append((keys.shown(reachable, short=True), key.label))
        return ways

    def hints(self) -> list[KeyHint]:
        """Give the keys of the key bar, with those that can do nothing now marked."""
        registry = self.screen.look.registry.values()
        facts = {key.id: self._facts_for(key.id) for key in registry if key.bar}
        shown = [key for key in registry if key.bar and self._fits(key, facts[key.id])]
        works = {key.id: not why_off(key.id, facts[key.id]) for key in shown}
        hints = [
            KeyHint(keys.shown(key.keys[0], short=True), self._label(key), works[key.id], key.bar - 1)
            for key in sorted(shown, key=lambda key: keys.BAR_ORDER.index(key.id))
        ]
        return [*self._diff_hint(), *hints]

    def _label(self, key: keys.Key) -> str:
        """Give the label of a key: ``q`` goes back first, where there is something to go back from."""
        return "back" if key.id == "quit" and self.screen.moves.goes_back else key.label

    def _diff_hint(self) -> list[KeyHint]:
        """Name the key of the diff where tabs hide it: an edit is in two lines there."""
        screen = self.screen
        item = item_of(screen.state, screen.selection)
        if screen.moves.wide or screen.tab > 1 or item is None or item.path is None:
            return []
        return [KeyHint(keys.shown(screen.look.registry["tab-3"].keys[0], short=True), "its diff", True, 1)]

    @staticmethod
    def _fits(key: keys.Key, facts: Facts) -> bool:
        """Leave out of the bar what belongs to another sort of thing."""
        if key.id == "answer":
            return facts.item == "escalation"
        if key.id in ("approve", "deny"):
            return facts.item not in ("escalation", "finalization") and not facts.passed
        if key.id == "dismiss":
            return bool(facts.passed) or facts.past_gate
        if key.id == "lift":
            return facts.blocked
        if key.id == "demo":
            return not facts.tasks
        return key.id != "attest" or facts.attest_due
