"""The form for a new task: text fields, a message at each that is wrong, nothing written before that."""

import re
import unicodedata
from collections.abc import Collection
from typing import TYPE_CHECKING, ClassVar

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
from ags_tui.core.layout import valid_task_id
from ags_tui.view.status import KeyHint, key_line
from ags_tui.view.text import Span, printable

if TYPE_CHECKING:
    from ags_tui.core.contracts.task import AgentTask

CATEGORIES = ("bug_fix", "feature", "review", "test", "documentation")
"""Sorts of tasks, as the contract has them."""

RISKS = ("low", "medium", "high")
"""Risks, as the contract has them."""

_AREAS = {
    "description": ("Description", "what is to be done"),
    "expected": ("What must hold afterwards", "one a line; you attest each before finalization"),
    "forbidden": ("What must not change", "one a line: paths, patterns or sentences"),
    "evidence": ("What must be shown", "one a line: computed, or attested by you"),
}


def task_id_from(title: str, taken: Collection[str]) -> str:
    """Make a task id from a title: letters and digits of any script, joined by hyphens, free among the taken.

    Args:
        title: What the human typed.
        taken: Names of the task folders that exist.
    """
    words = re.findall(r"\w+", unicodedata.normalize("NFC", title).replace("_", " "))
    base = "-".join(words).lower()
    while len(base.encode()) > 100:
        base = base[:-1]
    base = base.strip("-.") or "task"
    candidate, number = base, 1
    while candidate in taken:
        number += 1
        candidate = f"{base}-{number}"
    return candidate


class NewTaskScreen(ModalScreen["AgentTask | None"], inherit_bindings=False):
    """Asks for a task and gives a valid AgentTask, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [*form_bindings()]
    DEFAULT_CSS = """
    NewTaskScreen {
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
    NewTaskScreen.-plain-lines > #form { border: ascii $accent; }
    """

    def __init__(self, look: Look, taken: Collection[str]) -> None:
        """Make the form.

        Args:
            look: Glyphs and keys.
            taken: Names of the task folders that exist.
        """
        super().__init__()
        self.look = look
        self.taken = frozenset(taken)
        self._made_id = ""

    def compose(self) -> ComposeResult:
        """Lay out the fields, each with a line for what is wrong with it."""
        plain = self.look.ascii_only
        with Vertical(id="form"):
            yield LineBar(id="form-title", ascii_only=plain)
            with VerticalScroll(can_focus=False):
                yield from _label("title", "Title", "one line for lists")
                yield Input(id="title")
                yield from _label("id", "Name of the folder", "made from the title")
                yield Input(id="id")
                yield from _label("category", "Category", "arrow keys")
                yield ChoiceLine(CATEGORIES, "feature", id="category")
                yield from _label("risk", "Risk", "high asks for an approved plan")
                yield ChoiceLine(RISKS, "medium", id="risk")
                for name, (label, note) in _AREAS.items():
                    yield from _label(name, label, note)
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
        title = (
            Span("New task", "title"),
            Span("  with its baseline: what is dirty now is not its work", "muted"),
        )
        hints = [
            KeyHint("^s", "write", True, 1), KeyHint("Tab", "next field", True, 2),
            KeyHint("Esc", "back", True, 3),
        ]  # fmt: skip
        self.query_one("#form-title", LineBar).draw(lambda _width: [title])
        self.query_one("#form-keys", LineBar).draw(lambda width: [key_line(hints, width)])

    def on_input_changed(self, event: Input.Changed) -> None:
        """Make the name of the folder from the title until the human types one."""
        event.stop()
        name = self.query_one("#id", Input)
        if event.input.id == "title" and name.value == self._made_id:
            self._made_id = task_id_from(event.value, self.taken) if event.value.strip() else ""
            name.value = self._made_id

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the next field."""
        event.stop()
        self.focus_next()

    def action_cancel(self) -> None:
        """Leave without writing."""
        self.dismiss(None)

    def action_save(self) -> None:
        """Check every field; give the task where all are right, else say what is wrong at each."""
        wrong = {name: message for name, message in self._wrong().items() if message}
        for name in ("title", "id", *_AREAS):
            line = self.query_one(f"#wrong-{name}", Static)
            line.set_class(name in wrong, "-shown")
            line.update(Content(printable(wrong.get(name, ""))))
        if wrong:
            self.query_one(f"#{next(iter(wrong))}").focus()
            return
        self.dismiss(self._contract())

    def _wrong(self) -> dict[str, str]:
        """Say what is wrong with each field; empty texts where it is right."""
        title, task_id = self._text("title"), self._text("id")
        return {
            "title": "" if title else "A task needs a title.",
            "id": self._wrong_id(task_id),
            "description": "" if self._text("description") else "Say what is to be done.",
            "expected": "" if self._lines("expected") else "Name one thing that must hold.",
        }

    def _wrong_id(self, task_id: str) -> str:
        """Say what is wrong with the name of the folder."""
        if task_id in self.taken:
            return f"There is a task “{task_id}” already."
        if not valid_task_id(task_id):
            return "Letters, digits and . _ - only, not starting with a dot, at most 128 bytes."
        return ""

    def _text(self, name: str) -> str:
        """Give what stands in a field, composed and without blanks around it."""
        field = self.query_one(f"#{name}")
        text = field.text if isinstance(field, TextArea) else field.value if isinstance(field, Input) else ""
        return unicodedata.normalize("NFC", text).strip()

    def _lines(self, name: str) -> tuple[str, ...]:
        """Give the lines of a field that say something."""
        return tuple(line.strip() for line in self._text(name).splitlines() if line.strip())

    def _contract(self) -> "AgentTask":
        """Make the contract."""
        from ags_tui.core.contracts.task import AgentTask

        return AgentTask.model_validate(
            {
                "id": self._text("id"),
                "title": self._text("title"),
                "description": self._text("description"),
                "category": self.query_one("#category", ChoiceLine).value,
                "risk_level": self.query_one("#risk", ChoiceLine).value,
                "expected_behavior": self._lines("expected"),
                "forbidden_changes": self._lines("forbidden"),
                "required_evidence": self._lines("evidence"),
            }
        )


def _label(name: str, label: str, note: str) -> ComposeResult:
    """Make the label of a field and the hidden line for what is wrong with it."""
    yield Static(Content(f"{label}  ·  {note}"), classes="label")
    yield Static(Content(""), id=f"wrong-{name}", classes="wrong")
