"""Runs one decision screen in a terminal: ``python -m tests.app.decision_app CASE RESULT``.

The result is written to a file as ``verdict`` or ``none``, one line a return of the screen; ``ready`` stands
there each time when the approving key would be taken.
"""

import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from ags_tui.app.look import Look
from ags_tui.app.screens.decision import DecisionScreen
from ags_tui.core.decisions import Draft
from tests.app.makers import agent_task, pending, plan, task_assessment, tool_request
from tests.app.stage import Stage

CASES = Path(__file__).parent.parent / "cases"


class DecisionApp(Stage):
    """One request, decided once."""

    def __init__(self, case: str, result: Path) -> None:
        super().__init__()
        self.case = case
        self.result = result
        self.was_ready = False

    def on_mount(self) -> None:
        """Open the screen."""
        command = json.loads((CASES / self.case / "hook-stdin.json").read_text())["tool_input"]["command"]
        request = tool_request(command, reason=command)
        item = pending(request, title=command, asked_by=command)
        task = task_assessment(agent_task(), plan(), request, items=[item])
        self.deciding = DecisionScreen(item, task, Look(clock=lambda: datetime.now(UTC), guard_seconds=0.3))
        self.push_screen(self.deciding, self.decided)
        self.set_interval(0.02, self.tell)

    def tell(self) -> None:
        """Write down when the guard lets a key through, and when it does no longer."""
        ready = not self.deciding.guard.refusal(time.monotonic()) and self.deciding.missing().open
        if ready != self.was_ready:
            self.was_ready = ready
            self.write("ready" if ready else "waiting")

    def decided(self, draft: Draft | None) -> None:
        """Write down what came back."""
        self.write(draft.verdict if draft else "none")
        self.exit()

    def write(self, word: str) -> None:
        """Add a line to the result."""
        with self.result.open("a") as file:
            file.write(word + "\n")


if __name__ == "__main__":
    DecisionApp(sys.argv[1], Path(sys.argv[2])).run()
