"""The form for a new task: a name for its folder, made from the title until the human types one."""

import re
import unicodedata
from collections.abc import Collection
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.widgets import Input

from ags_tui.app.look import Look
from ags_tui.app.screens.task_form import TaskForm, field_label
from ags_tui.core.layout import valid_task_id

if TYPE_CHECKING:
    from ags_tui.core.contracts.task import AgentTask


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


class NewTaskScreen(TaskForm["AgentTask"]):
    """Asks for a task and gives a valid AgentTask, or None."""

    heading = ("New task", "with its baseline: what is dirty now is not its work")

    def __init__(self, look: Look, taken: Collection[str]) -> None:
        """Make the form.

        Args:
            look: Glyphs and keys.
            taken: Names of the task folders that exist.
        """
        super().__init__(look)
        self.taken = frozenset(taken)
        self._made_id = ""

    def folder_field(self) -> ComposeResult:
        """Ask for the name of the folder."""
        yield from field_label("id", "Name of the folder", "made from the title")
        yield Input(id="id")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Make the name of the folder from the title until the human types one."""
        event.stop()
        name = self.query_one("#id", Input)
        if event.input.id == "title" and name.value == self._made_id:
            self._made_id = task_id_from(event.value, self.taken) if event.value.strip() else ""
            name.value = self._made_id

    def wrong(self) -> dict[str, str]:
        """Say what is wrong with each field; empty texts where it is right."""
        return {**super().wrong(), "id": self._wrong_id(self.text("id"))}

    def _wrong_id(self, task_id: str) -> str:
        """Say what is wrong with the name of the folder."""
        if task_id in self.taken:
            return f"There is a task “{task_id}” already."
        if not valid_task_id(task_id):
            return "Letters, digits and . _ - only, not starting with a dot, at most 128 bytes."
        return ""

    def made(self) -> "AgentTask":
        """Make the contract."""
        return self.contract(self.text("id"))
