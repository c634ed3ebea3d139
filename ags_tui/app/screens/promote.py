"""The form that makes a session a planned task: what it touched is filled in, the human says what for."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static, TextArea

from ags_tui.app.look import Look
from ags_tui.app.screens.task_form import AREAS, TaskForm
from ags_tui.core.globs import compile_patterns
from ags_tui.core.promotion import Promotion, Sketch, plan_of
from ags_tui.core.wording import counted
from ags_tui.view.text import printable

_PLAN = MappingProxyType({
    "paths": ("What the plan allows to change", "one a line, as touched so far; you approve it next"),
    "tests": ("Tests", "one command a line; at least one"),
})  # fmt: skip


_ORDER = ("description", "paths", "tests", "expected", "forbidden", "evidence")


class PromoteScreen(TaskForm[Promotion]):
    """Asks for what a session is for, and gives its task and its plan, or None."""

    heading: ClassVar[tuple[str, str]] = (
        "Session to planned task", "its baseline and log stay; you approve the plan after this"
    )  # fmt: skip
    areas: ClassVar[Mapping[str, tuple[str, str]]] = MappingProxyType(
        {name: {**AREAS, **_PLAN}[name] for name in _ORDER}
    )

    def __init__(self, task_id: str, drawn: Sketch, look: Look) -> None:
        """Make the form.

        Args:
            task_id: The session's task.
            drawn: What it has done so far.
            look: Glyphs and keys.
        """
        super().__init__(look)
        self.task_id = task_id
        self.drawn = drawn

    def folder_field(self) -> ComposeResult:
        """Name the session, and what of its changes is left out."""
        left = len(self.drawn.left_out)
        out = f"; {counted(left, 'changed path')} of others left out" if left else ""
        yield Static(Content(f"{printable(self.task_id)}{out}"), classes="label", id="session")

    def on_mount(self) -> None:
        """Fill in what is known."""
        super().on_mount()
        self.query_one("#paths", TextArea).text = "\n".join(self.drawn.paths)
        self.query_one("#tests", TextArea).text = "\n".join(self.drawn.tests)

    def wrong(self) -> dict[str, str]:
        """Say what is wrong with each field; empty texts where it is right."""
        paths = self.lines("paths")
        problems = compile_patterns(paths, side="allow").problems
        path = f"{printable(problems[0].pattern)}: {problems[0].message}" if problems else ""
        return {
            **super().wrong(),
            "paths": path if paths else "A plan names what may change; the session has touched nothing yet.",
            "tests": "" if self.lines("tests") else "Name one command that proves the result.",
        }

    def made(self) -> Promotion:
        """Make task and plan."""
        task = self.contract(self.task_id)
        plan = plan_of(
            task, paths=self.lines("paths"), tests=self.lines("tests"), operations=self.drawn.operations
        )
        return Promotion(task, plan)
