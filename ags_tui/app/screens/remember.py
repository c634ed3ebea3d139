"""Makes a rule of one exact call: nothing of it is wider than the human made it, and it ends by itself."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ags_tui.app.beside_messages import PreviewMade, PreviewWanted
from ags_tui.app.look import Look
from ags_tui.app.screens.coded import CodedScreen
from ags_tui.core.decisions import Draft
from ags_tui.core.drafts import Viewing
from ags_tui.core.policy.calls import RememberedRule
from ags_tui.core.rule_making import LIVES, Base, Preview, Widening, rule_for
from ags_tui.core.tree_rules import remember
from ags_tui.view.decision import needs_code
from ags_tui.view.rules import remember_document, remember_keys


class RememberScreen(CodedScreen[Draft]):
    """Shows the rule with its preview; dismisses with the draft that makes it, or None.

    Every change of the rule is another content: the guard starts again, and the preview is made again.
    """

    heading = "Remember a rule for calls like this?"
    verb = "make this rule"

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

    def on_mount(self) -> None:
        """Show the exact call as a rule."""
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
        self.fill(remember_document(self.base, self.chosen, self.rule, self.preview, problem=self.problem))

    def changes(self) -> Mapping[str, Callable[[], object]]:
        """What keys do that change the rule."""

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
            "plus": lambda: step(1), "equals_sign": lambda: step(1),
            "minus": lambda: step(-1), "backspace": lambda: step(-1),
            "f": lambda: change(any_cwd=not self.chosen.any_cwd),
            "a": lambda: change(any_agent=not self.chosen.any_agent),
            "h": lambda: change(life=(self.chosen.life + 1) % len(LIVES)),
            "right_square_bracket": lambda: part(1), "left_square_bracket": lambda: part(-1),
        }  # fmt: skip

    def keys_text(self) -> str:
        """The keys that change the rule."""
        return remember_keys(self.base, self.chosen)

    # -- deciding ------------------------------------------------------------------------------------

    def coded(self) -> bool:
        """A rule for risky calls asks for the second step, as their approval does."""
        return needs_code(self.base.verdict.risk)

    def reading(self) -> bool:
        """The past is being looked through."""
        return self.rule is not None and self.preview is None and not self.problem

    def obstacle(self) -> str:
        """Why no rule can be made."""
        return self.problem

    def commit(self, viewing: Viewing) -> Draft | None:
        """Make the rule as it is shown."""
        rule, preview, call = self.rule, self.preview, self.base.call
        if rule is None or preview is None:
            return None
        exact = {
            "tool": call.tool, "name": call.name, "command": call.command, "paths": list(call.paths),
            "cwd": call.cwd, "agent": call.agent,
        }  # fmt: skip
        draft = remember(self.tree_key, rule, preview=preview.matched, call=exact)
        return replace(draft, data={**draft.data, **viewing.data})


def _first(base: Base) -> int:
    """The first part that a rule can be made for."""
    return next((index for index, one in enumerate(base.targets) if not one.refusal), 0)
