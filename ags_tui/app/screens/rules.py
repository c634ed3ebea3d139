"""The rules in force: read, tried on a line, revoked, and the repository's file trusted or not."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from ags_tui.app.attention import app_of
from ags_tui.app.beside_messages import LineAsked, LineTried, RuleDrafted, RulesFound
from ags_tui.app.look import Look
from ags_tui.app.screens.reason import Purpose, ReasonScreen
from ags_tui.app.screens.sheet import Sheet
from ags_tui.app.screens.trust import TrustScreen
from ags_tui.core import tree_rules
from ags_tui.core.decisions import Draft
from ags_tui.core.rules_read import RulesRead
from ags_tui.view.content import Fact
from ags_tui.view.facts import labelled
from ags_tui.view.rows import Row
from ags_tui.view.rules import FILE, REMEMBERED, rules_rows, verdict_rows
from ags_tui.view.status import KeyHint

REVOKE = Purpose("Revoke the rule", "revoke", safe=True)
"""A remembered rule ends: calls ask again."""
DISTRUST = Purpose("Trust the policy file no longer", "take the trust back", safe=True)
"""Allow rules of the repository do not count any more."""

PLACEHOLDER = "a shell line, as an agent would give it; Enter tries it, nothing runs"


class RulesScreen(Sheet[None]):
    """Lists the rules; a line can be tried on them. Decisions have screens of their own."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t,slash", "sheet('try')", "try a line", show=False, id="rules.try", tooltip="Try a line."),
        Binding("x,delete", "sheet('end')", "revoke", show=False, id="rules.end", tooltip="Revoke the rule."),
    ]
    DEFAULT_CSS = """
    RulesScreen > #sheet { max-width: 140; max-height: 100%; }
    RulesScreen #try { height: 1; border: none; padding: 0 1; background: $panel; margin: 0 0 1 0; }
    RulesScreen #try:focus { border: none; background: $selection; }
    """

    def __init__(self, look: Look, rules: RulesRead) -> None:
        """Make the screen.

        Args:
            look: Glyphs, clock, zone and keys.
            rules: What to show first.
        """
        super().__init__(look, "Rules for tool calls")
        self.rules_read = rules
        self.tried: LineTried | None = None

    def compose_top(self) -> ComposeResult:
        """Put the field for a line above the rules."""
        field = Input(placeholder=PLACEHOLDER, id="try", select_on_focus=True)
        field.cursor_blink = False
        yield field

    def make_rows(self, width: int) -> Sequence[Row]:
        """Make the rows: what was tried, then the rules."""
        look = self.look
        rules = rules_rows(self.rules_read, width, look.glyphs, now=look.clock(), zone=look.zone)
        tried = self.tried
        return rules if tried is None else [*verdict_rows(tried.line, tried.verdict, width), *rules]

    def hints(self) -> list[KeyHint]:
        """Give the keys of the last line."""
        return [
            KeyHint("j/k", "move", True, 4),
            KeyHint("t", "try a line", True, 2),
            KeyHint("Enter", "trust, revoke…", True, 3),
            KeyHint("Esc", "close", True, 1),
        ]

    # -- the app -------------------------------------------------------------------------------------

    def rules_found(self, message: RulesFound) -> None:
        """Show the rules as they are now."""
        self.rules_read = message.rules
        self.show()

    def line_tried(self, message: LineTried) -> None:
        """Show what a line gets."""
        self.tried = message
        self.show()
        self.rows.scroll_home(animate=False)

    # -- keys ----------------------------------------------------------------------------------------

    def action_sheet(self, what: str) -> None:
        """Move, try, open or close."""
        if what == "try":
            self.query_one("#try", Input).focus()
        elif what == "end":
            if (self.rows.cursor or "").startswith(REMEMBERED):
                self.choose(self.rows.cursor or "")
        else:
            super().action_sheet(what)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Ask what the line would get."""
        event.stop()
        if event.value.strip():
            self.post_message(LineAsked(event.value))
            self.rows.focus()

    def on_key(self, event: events.Key) -> None:
        """Let Esc leave the field before it closes the screen."""
        if event.key == "escape" and isinstance(self.focused, Input):
            event.stop()
            event.prevent_default()
            self.rows.focus()

    def choose(self, key: str) -> None:
        """Open the screen that decides about a row; nothing is decided yet."""
        if key.startswith(REMEMBERED):
            self._revoke(key.removeprefix(REMEMBERED))
        elif key == f"{FILE}repository":
            self._trust()

    def _revoke(self, rule_id: str) -> None:
        found = next((one for one in self.rules_read.remembered if one.rule.rule_id == rule_id), None)
        if found is None:
            return
        key = self.rules_read.key
        what = found.rule.command or " ".join(found.rule.paths or ())
        subject = [*labelled("rule", rule_id), *labelled("allows", what, "title")]
        self._ask(REVOKE, subject, lambda reason: tree_rules.revoke(key, found, reason))

    def _trust(self) -> None:
        rules = self.rules_read
        if rules.repository is None:
            return
        digest, key = rules.repository.digest, rules.key
        if rules.trusted:
            subject = [*labelled("file", rules.repository_path), *labelled("digest", digest)]
            self._ask(DISTRUST, subject, lambda reason: tree_rules.distrust_policy(key, digest, reason))
        else:
            app_of(self).push_screen(TrustScreen(rules, self.look, tty=self.look.tty), self._decided)

    def _ask(self, purpose: Purpose, subject: Sequence[Fact], make: Callable[[str], Draft]) -> None:
        screen = ReasonScreen(purpose, make, self.look, subject=subject, tty=self.look.tty)
        app_of(self).push_screen(screen, self._decided)

    def _decided(self, draft: Draft | None) -> None:
        if draft is not None:
            self.post_message(RuleDrafted(draft))
