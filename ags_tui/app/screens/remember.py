"""Makes a rule of one exact call: nothing of it is wider than the human made it, and it ends by itself."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from textual.widget import Widget

from ags_tui.app.beside_messages import PreviewMade, PreviewWanted
from ags_tui.app.look import Look
from ags_tui.app.screens.guarded import GuardedScreen, scrolling
from ags_tui.app.widgets.content_view import ContentView
from ags_tui.app.widgets.line_bar import LineBar
from ags_tui.core.decisions import Draft
from ags_tui.core.drafts import Viewing
from ags_tui.core.policy.calls import RememberedRule
from ags_tui.core.rule_making import LIVES, Base, Preview, Widening, rule_for
from ags_tui.core.tree_rules import remember
from ags_tui.view.decision import Missing, missing_line, place_line
from ags_tui.view.rules import remember_document, remember_keys
from ags_tui.view.text import Line, Span


class RememberScreen(GuardedScreen[Draft | None]):
    """Shows the rule with its preview; dismisses with the draft that makes it, or None.

    Every change of the rule is another content: the guard starts again, and the preview is made again.
    """

    DEFAULT_CSS: ClassVar[str] = ""
    heading = "Remember a rule for calls like this?"

    def __init__(self, base: Base, look: Look, *, key: str, tty: str = "") -> None:
        """Make the screen.

        Args:
            base: The exact call.
            look: How the shell looks.
            key: Name of the work tree's own log.
            tty: Terminal, for the log.
        """
        super().__init__(look, tty=tty)
        self.base = base
        self.tree_key = key
        self.chosen = Widening(target=_first(base))
        self.rule: RememberedRule | None = None
        self.preview: Preview | None = None
        self.problem = ""
        self.view = ContentView(id="content", wrap=True, ascii_only=look.ascii_only)
        self._harmless = self._harmless_keys()

    def parts(self) -> Iterator[Widget]:
        """The rule, what is missing, keys."""
        yield self.view
        yield LineBar(id="foot", height=2, ascii_only=self.look.ascii_only)
        yield LineBar(id="keys", ascii_only=self.look.ascii_only)

    def on_mount(self) -> None:
        """Show the exact call as a rule."""
        self.query_one("#foot", LineBar).draw(self._foot)
        self.query_one("#keys", LineBar).draw(
            lambda width: (place_line(remember_keys(self.base, self.chosen), self.view.place, width),)
        )
        self.view.focus()
        self._choose(self.chosen)

    # -- the rule ------------------------------------------------------------------------------------

    def _choose(self, chosen: Widening) -> None:
        """Make the rule that is chosen, and ask what it would have done."""
        self.chosen, self.preview, self.problem = chosen, None, ""
        try:
            self.rule = rule_for(self.base, chosen, self.look.clock())
        except ValueError as error:
            self.rule, self.problem = None, str(error)
        else:
            self.post_message(PreviewWanted(self.base, self.rule))
        self._fill()

    def preview_made(self, message: PreviewMade) -> None:
        """Show what the rule would have done; an answer about another rule is dropped."""
        if message.rule == self.rule and not self.recording:
            self.preview, self.problem = message.preview, message.problem
            self._fill()

    def _fill(self) -> None:
        document = remember_document(self.base, self.chosen, self.rule, self.preview, problem=self.problem)
        self.view.show(document)
        self.settling.cancel()
        self.attention.again()
        self.redraw()

    def _harmless_keys(self) -> Mapping[str, Callable[[], object]]:
        """What keys do that decide nothing; all but the moving ones change the rule."""

        def change(**parts: Any) -> None:  # noqa: ANN401 (fields of a dataclass)
            self._choose(replace(self.chosen, **parts))

        def step(by: int) -> None:
            most = self.base.targets[self.chosen.target].steps
            change(steps=min(max(self.chosen.steps + by, 0), most))

        def part(by: int) -> None:
            count = len(self.base.targets)
            if count > 1:
                change(target=(self.chosen.target + by) % count, steps=0)

        return {
            **scrolling(self.view),
            "escape": lambda: self.dismiss(None), "q": lambda: self.dismiss(None),
            "plus": lambda: step(1), "equals_sign": lambda: step(1),
            "minus": lambda: step(-1), "backspace": lambda: step(-1),
            "f": lambda: change(any_cwd=not self.chosen.any_cwd),
            "a": lambda: change(any_agent=not self.chosen.any_agent),
            "h": lambda: change(life=(self.chosen.life + 1) % len(LIVES)),
            "right_square_bracket": lambda: part(1), "left_square_bracket": lambda: part(-1),
        }  # fmt: skip

    # -- deciding ------------------------------------------------------------------------------------

    def pressed(self, key: str, refusal: str) -> None:
        """Change the rule, scroll, leave; only ``Ctrl+O`` makes it."""
        if key != "ctrl+o":
            self.say("")
            self._harmless.get(key, self.redraw)()
            self.redraw()
        elif self.missing().done:
            self.decide(self._commit, refusal)
        else:
            self.say("Not taken: first do what the next line says.")

    def missing(self) -> Missing:
        """What still keeps ``Ctrl+O`` from making the rule."""
        return Missing(
            over="" if self.rule is not None else self.problem,
            loading=self.rule is not None and self.preview is None and not self.problem,
            malformed=self.problem if self.rule is not None else "",
            below=0 if self.view.end_seen else max(1, self.view.unseen_below),
            focused=self.guard.focused,
            left=self.guard.left(self.look.ticks()),
        )

    def _commit(self) -> None:
        rule, preview = self.rule, self.preview
        if rule is None or preview is None or not self.missing().open:
            return
        call = self.base.call
        exact = {
            "tool": call.tool, "name": call.name, "command": call.command, "paths": list(call.paths),
            "cwd": call.cwd, "agent": call.agent,
        }  # fmt: skip
        viewing = Viewing(self.view.seen_lines, self.view.document.size, self.tty, self.guard.focused)
        draft = remember(self.tree_key, rule, preview=preview.matched, call=exact)
        self.recording = True
        self.dismiss(replace(draft, data={**draft.data, **viewing.data}))

    def _foot(self, _width: int) -> tuple[Line, ...]:
        missing = self.missing()
        if missing.loading:
            line: Line = (Span("Looking through the past 30 days…", "muted"),)
        else:
            line = missing_line(missing, self.look.glyphs, "make this rule")
        return (Span(self.said, "warn"),), line


def _first(base: Base) -> int:
    """The first part that a rule can be made for."""
    return next((index for index, one in enumerate(base.targets) if not one.refusal), 0)
