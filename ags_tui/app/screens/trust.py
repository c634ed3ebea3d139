"""Trust in the repository's policy file: the whole file first, then the one key that trusts these bytes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

from textual.widget import Widget

from ags_tui.app.look import Look
from ags_tui.app.screens.guarded import GuardedScreen, scrolling
from ags_tui.app.widgets.content_view import ContentView
from ags_tui.app.widgets.line_bar import LineBar
from ags_tui.core.decisions import Draft
from ags_tui.core.drafts import Viewing
from ags_tui.core.rules_read import RulesRead
from ags_tui.core.tree_rules import trust_policy
from ags_tui.view.decision import Missing, missing_line, place_line
from ags_tui.view.rules import trust_document
from ags_tui.view.text import Line, Span


class TrustScreen(GuardedScreen[Draft | None]):
    """Dismisses with the draft that trusts exactly the bytes that were shown, or None."""

    DEFAULT_CSS: ClassVar[str] = ""
    heading = "Trust this policy file?"

    def __init__(self, rules: RulesRead, look: Look, *, tty: str = "") -> None:
        """Make the screen.

        Args:
            rules: With the file's bytes.
            look: How the shell looks.
            tty: Terminal, for the log.
        """
        super().__init__(look, tty=tty)
        self.rules_read = rules
        self.view = ContentView(id="content", wrap=True, ascii_only=look.ascii_only)
        self._harmless: Mapping[str, Callable[[], object]] = {
            **scrolling(self.view),
            "escape": lambda: self.dismiss(None),
            "q": lambda: self.dismiss(None),
        }

    def parts(self) -> Iterator[Widget]:
        """The file, what is missing, keys."""
        yield self.view
        yield LineBar(id="foot", height=2, ascii_only=self.look.ascii_only)
        yield LineBar(id="keys", ascii_only=self.look.ascii_only)

    def on_mount(self) -> None:
        """Show the file."""
        self.query_one("#foot", LineBar).draw(self._foot)
        self.query_one("#keys", LineBar).draw(lambda width: (place_line("Esc back", self.view.place, width),))
        self.view.show(trust_document(self.rules_read, self.look.glyphs))
        self.view.focus()

    def pressed(self, key: str, refusal: str) -> None:
        """Scroll, leave, or trust."""
        if key != "ctrl+o":
            self.say("")
            self._harmless.get(key, self.redraw)()
            self.redraw()
        elif self.missing().done:
            self.decide(self._commit, refusal)
        else:
            self.say("Not taken: first do what the next line says.")

    def missing(self) -> Missing:
        """What still keeps ``Ctrl+O`` from trusting."""
        file = self.rules_read.repository
        unread = (
            "the file changed while it was read; open this again"
            if not self.rules_read.repository_text
            else ""
        )
        broken = "the file is broken; correct it first" if file is not None and file.problems else ""
        return Missing(
            over=unread or broken,
            below=0 if self.view.end_seen else max(1, self.view.unseen_below),
            focused=self.guard.focused,
            left=self.guard.left(self.look.ticks()),
        )

    def _commit(self) -> None:
        file = self.rules_read.repository
        if file is None or not self.missing().open:
            return
        viewing = Viewing(self.view.seen_lines, self.view.document.size, self.tty, self.guard.focused)
        draft = trust_policy(self.rules_read.key, file.digest, self.rules_read.repository_path)
        self.recording = True
        self.dismiss(replace(draft, data={**draft.data, **viewing.data}))

    def _foot(self, _width: int) -> tuple[Line, ...]:
        return (Span(self.said, "warn"),), missing_line(self.missing(), self.look.glyphs, "trust these bytes")
