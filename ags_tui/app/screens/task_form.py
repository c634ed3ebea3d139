"""The form that makes a task: text fields, a message at each that is wrong, nothing written before that."""

import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static, TextArea

from ags_tui.app.keys import form_bindings
from ags_tui.app.look import Look
from ags_tui.app.widgets.choice_line import ChoiceLine
from ags_tui.app.widgets.line_bar import LineBar
from ags_tui.view.status import KeyHint, key_line
from ags_tui.view.text import Span, printable

if TYPE_CHECKING:
    from ags_tui.core.contracts.task import AgentTask

CATEGORIES = ("bug_fix", "feature", "review", "test", "documentation")
"""Sorts of tasks, as the contract has them."""

RISKS = ("low", "medium", "high")
"""Risks, as the contract has them."""

AREAS: Mapping[str, tuple[str, str]] = MappingProxyType({
    "description": ("Description", "what is to be done"),
    "expected": ("What must hold afterwards", "one a line; you attest each before finalization"),
    "forbidden": ("What must not change", "one a line: paths, patterns or sentences"),
    "evidence": ("What must be shown", "one a line: computed, or attested by you"),
})  # fmt: skip
"""Fields of several lines, with label and note."""

Made = TypeVar("Made")
"""What a form gives back."""


class TaskForm(ModalScreen["Made | None"], Generic[Made], inherit_bindings=False):
    """Asks for what makes a task; what it gives back is made by who inherits from it."""

    BINDINGS: ClassVar[list[BindingType]] = [*form_bindings()]
    heading: ClassVar[tuple[str, str]] = ("", "")
    """Title, and what it means."""
    areas: ClassVar[Mapping[str, tuple[str, str]]] = AREAS
    """Fields of several lines, with label and note."""
    DEFAULT_CSS = """
    TaskForm {
        align: center middle;
        background: $background 50%;
        & VerticalScroll { scrollbar-size-vertical: 1; }
        & > #form {
            width: 92%;
            max-width: 100;
            height: 94%;
            border: round $accent;
            background: $background;
            padding: 0 1;
        }
        & .label { color: $muted; width: 1fr; height: 1; }
        & .wrong { color: $error; height: auto; display: none; }
        & .wrong.-shown { display: block; }
        & Input { height: 1; border: none; padding: 0 1; background: $panel; margin: 0 0 1 0; }
        & Input:focus { border: none; background: $selection; }
        & ChoiceLine { margin: 0 0 1 0; }
        & TextArea { height: 3; border: none; padding: 0; background: $panel; margin: 0 0 1 0; }
        & TextArea:focus { border: none; background: $selection; }
    }
    TaskForm.-plain-lines > #form { border: ascii $accent; }
    """

    def __init__(self, look: Look) -> None:
        """Make the form.

        Args:
            look: Glyphs and keys.
        """
        super().__init__()
        self.look = look

    def compose(self) -> ComposeResult:
        """Lay out the fields, each with a line for what is wrong with it."""
        plain = self.look.ascii_only
        with Vertical(id="form"):
            yield LineBar(id="form-title", ascii_only=plain)
            with VerticalScroll(can_focus=False):
                yield from field_label("title", "Title", "one line for lists")
                yield Input(id="title")
                yield from self.folder_field()
                yield from field_label("category", "Category", "arrow keys")
                yield ChoiceLine(CATEGORIES, "feature", id="category")
                yield from field_label("risk", "Risk", "high asks for an approved plan")
                yield ChoiceLine(RISKS, "medium", id="risk")
                for name, (label, note) in self.areas.items():
                    yield from field_label(name, label, note)
                    area = TextArea(id=name, tab_behavior="focus", show_line_numbers=False)
                    area.cursor_blink = False
                    yield area
            yield LineBar(id="form-keys", ascii_only=plain)

    def on_mount(self) -> None:
        """Draw title and keys."""
        self.call_after_refresh(self.query_one(VerticalScroll).scroll_home, animate=False)
        self.set_class(self.look.plain_lines, "-plain-lines")
        for line in self.query(Input):
            line.cursor_blink = False
        title = (Span(self.heading[0], "title"), Span(f"  {self.heading[1]}", "muted"))
        hints = [
            KeyHint("^s", "write", True, 1), KeyHint("Tab", "next field", True, 2),
            KeyHint("Esc", "back", True, 3),
        ]  # fmt: skip
        self.query_one("#form-title", LineBar).draw(lambda _width: [title])
        self.query_one("#form-keys", LineBar).draw(lambda width: [key_line(hints, width)])

    def folder_field(self) -> ComposeResult:
        """Lay out what names the folder, where that is asked for."""
        return ()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the next field."""
        event.stop()
        self.focus_next()

    def action_cancel(self) -> None:
        """Leave without writing."""
        self.dismiss(None)

    def action_save(self) -> None:
        """Check every field; give the task where all are right, else say what is wrong at each."""
        wrong = {name: message for name, message in self.wrong().items() if message}
        for line in self.query(".wrong").results(Static):
            name = (line.id or "").removeprefix("wrong-")
            line.set_class(name in wrong, "-shown")
            line.update(Content(printable(wrong.get(name, ""))))
        if wrong:
            self.query_one(f"#{next(iter(wrong))}").focus()
            return
        self.dismiss(self.made())

    def wrong(self) -> dict[str, str]:
        """Say what is wrong with each field; empty texts where it is right."""
        return {
            "title": "" if self.text("title") else "A task needs a title.",
            "description": "" if self.text("description") else "Say what is to be done.",
            "expected": "" if self.lines("expected") else "Name one thing that must hold.",
        }

    def text(self, name: str) -> str:
        """Give what stands in a field, composed and without blanks around it."""
        field = self.query_one(f"#{name}")
        text = field.text if isinstance(field, TextArea) else field.value if isinstance(field, Input) else ""
        return unicodedata.normalize("NFC", text).strip()

    def lines(self, name: str) -> tuple[str, ...]:
        """Give the lines of a field that say something."""
        return tuple(line.strip() for line in self.text(name).splitlines() if line.strip())

    def contract(self, task_id: str) -> "AgentTask":
        """Make the contract of what stands in the fields.

        Args:
            task_id: Name of its folder.
        """
        from ags_tui.core.contracts.task import AgentTask

        return AgentTask.model_validate(
            {
                "id": task_id,
                "title": self.text("title"),
                "description": self.text("description"),
                "category": self.query_one("#category", ChoiceLine).value,
                "risk_level": self.query_one("#risk", ChoiceLine).value,
                "expected_behavior": self.lines("expected"),
                "forbidden_changes": self.lines("forbidden"),
                "required_evidence": self.lines("evidence"),
            }
        )

    def made(self) -> "Made":
        """Give what the form is for; every field is right."""
        raise NotImplementedError


def field_label(name: str, label: str, note: str) -> ComposeResult:
    """Make the label of a field and the hidden line for what is wrong with it."""
    yield Static(Content(f"{label}  ·  {note}"), classes="label")
    yield Static(Content(""), id=f"wrong-{name}", classes="wrong")
