"""The smallest Textual app: one Static. What it costs, every Textual app costs."""

from textual.app import App, ComposeResult
from textual.widgets import Static


class Minimal(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("the minimal app", markup=False)


if __name__ == "__main__":
    Minimal().run()
