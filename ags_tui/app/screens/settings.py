"""Settings that only look: theme, glyphs, notifications; and where all others are written."""

from collections.abc import Mapping, Sequence

from ags_tui.app.look import Look
from ags_tui.app.messages import SettingChanged
from ags_tui.app.screens.sheet import Sheet
from ags_tui.view.rows import Row, blank, heading, paragraph, spread
from ags_tui.view.status import KeyHint
from ags_tui.view.text import Span, printable

CHOICES: Mapping[str, tuple[str, ...]] = {
    "glyphs": ("auto", "unicode", "narrow", "ascii"),
    "notifications": ("bell", "title", "off"),
}
"""Values that Enter goes through, by name."""

_WORDS = {
    "theme": "Enter opens the themes with live preview.",
    "glyphs": "Symbols: pretty, of settled width, or ASCII. Other glyphs show from the next start.",
    "notifications": "A new request rings the bell and counts in the title, only counts, or is silent.",
}


class SettingsScreen(Sheet[str]):
    """Shows the settings; Enter goes to the next value; gives ``theme`` where the picker is wanted."""

    DEFAULT_CSS = """
    SettingsScreen > #sheet { height: auto; }
    SettingsScreen.-narrow > #sheet { height: auto; }
    SettingsScreen #sheet-rows { height: auto; max-height: 30; }
    """

    def __init__(self, look: Look, values: Mapping[str, str], path: str, notices: Sequence[str] = ()) -> None:
        """Make the screen.

        Args:
            look: Glyphs and keys.
            values: ``theme``, ``glyphs`` and ``notifications`` as they are.
            path: Where the settings file is; foreign text.
            notices: What could not be used of settings, keys and themes; foreign text.
        """
        super().__init__(look, "Settings")
        self.values = dict(values)
        self.path = path
        self.notices = tuple(notices)

    def make_rows(self, width: int) -> Sequence[Row]:
        """Make one row a setting."""
        rows: list[Row] = []
        for name, words in _WORDS.items():
            line = spread((Span(name),), (Span(printable(self.values.get(name, "")), "accent"),), width)
            body = paragraph("", words, width, style="muted", indent=2)
            rows += [Row(name, (line, *body.lines)), blank(f"gap:{name}")]
        rows.append(heading("keys", Span("Keys, roots, guard time and polling", "title")))
        where = self.path or "config.toml in your configuration folder"
        text = f'are written in {where}, for example:\n[keys]\napprove = "ctrl+j"'
        rows.append(paragraph("path", text, width, style="muted"))
        if self.notices:
            rows += [blank("gap:notices"), heading("notices", Span("Could not be used", "title"))]
        rows += [
            paragraph(f"notice:{index}", notice, width, style="warn")
            for index, notice in enumerate(self.notices)
        ]
        return rows

    def choose(self, key: str) -> None:
        """Go to the next value, or to the theme picker."""
        if key == "theme":
            self.dismiss("theme")
            return
        values = CHOICES[key]
        now = self.values.get(key, values[0])
        self.values[key] = values[(values.index(now) + 1) % len(values) if now in values else 0]
        self.post_message(SettingChanged(key, self.values[key]))
        self.show()

    def hints(self) -> list[KeyHint]:
        """Give the keys of the last line."""
        return [KeyHint("Enter", "change", True, 1), KeyHint("Esc", "close", True, 2)]
