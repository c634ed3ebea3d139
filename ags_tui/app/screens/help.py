"""All keys, searchable: typing narrows the list, Esc closes."""

from collections.abc import Callable, Sequence

from textual import events
from textual.app import ComposeResult
from textual.widgets import Input

from ags_tui.app import keys
from ags_tui.app.look import Look
from ags_tui.app.screens.sheet import Sheet
from ags_tui.view.rows import Row, heading, paragraph
from ags_tui.view.status import KeyHint
from ags_tui.view.text import Span, pad


class HelpScreen(Sheet[str]):
    """Lists every key by group with its sentence, and why it is off; gives the id that was chosen."""

    AUTO_FOCUS = "#help-search"
    DEFAULT_CSS = """
    HelpScreen #help-search { height: 1; border: none; padding: 0; background: $panel; margin: 1 0; }
    """

    def __init__(self, look: Look, why_off: Callable[[str], str]) -> None:
        """Make the screen.

        Args:
            look: Glyphs and keys.
            why_off: Says why a key can do nothing now; empty where it works.
        """
        super().__init__(look, "Keys")
        self.why_off = why_off
        self.needle = ""

    def compose_top(self) -> ComposeResult:
        """Put the search line above the rows."""
        line = Input(placeholder="type to find a key", id="help-search")
        line.cursor_blink = False
        yield line

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow the list."""
        event.stop()
        self.needle = event.value.casefold()
        self.show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Run the first match, or the one under the cursor."""
        event.stop()
        if self.rows.cursor:
            self.choose(self.rows.cursor)

    def on_key(self, event: events.Key) -> None:
        """Let arrows move the list while the search line is focused; Esc closes."""
        step = {"down": 1, "up": -1}.get(event.key)
        if step is not None:
            event.stop()
            self.rows.move(step)

    def choose(self, key: str) -> None:
        """Close and run what was chosen; fixed keys of dialogs only show."""
        if key in keys.BY_ID and keys.BY_ID[key].bound and not self.why_off(key):
            self.dismiss(key)

    def hints(self) -> list[KeyHint]:
        """Give the keys of the last line."""
        return [
            KeyHint("type", "to find", True, 3),
            KeyHint("Enter", "run", True, 2),
            KeyHint("Esc", "close", True, 1),
        ]

    def make_rows(self, width: int) -> Sequence[Row]:
        """Make the rows of the matching keys."""
        rows: list[Row] = []
        for group in keys.GROUPS:
            found = [key for key in self.look.registry.values() if key.group == group and self._matches(key)]
            if found:
                rows.append(heading(f"group:{group}", Span(group.upper(), "title")))
            rows += [self._row(key, width) for key in found]
        return rows or [paragraph("none", "No key does that.", width, style="muted")]

    def _matches(self, key: keys.Key) -> bool:
        """Tell whether a key holds what was typed."""
        names = " ".join(keys.shown(name) for name in key.keys)
        return self.needle in f"{names} {key.label} {key.tooltip} {key.id}".casefold()

    def _row(self, key: keys.Key, width: int) -> Row:
        """Draw one key."""
        names = pad(" ".join(keys.shown(name) for name in key.keys), 14)
        off = self.why_off(key.id) if key.bound else ""
        sentence = paragraph("", f"{key.tooltip}{f' ({off})' if off else ''}", max(10, width - 16))
        first, *rest = (line[1:] for line in sentence.lines)
        style = "muted" if off else ""
        lines = [(Span(f"{names}  ", "off" if off else "key"), *(Span(s.text, style) for s in first))]
        lines += [(Span(" " * 16), *(Span(s.text, style) for s in line)) for line in rest]
        return Row(key.id, tuple(lines))
