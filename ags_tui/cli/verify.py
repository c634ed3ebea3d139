"""``verify``: chain and signatures of logs, without touching anything."""

from pathlib import Path
from typing import Annotated

import typer

from ags_tui.cli.base import Base, held_against
from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import UNKNOWN
from ags_tui.cli.log import CODES, say_integrity
from ags_tui.cli.target import WORK_TREE
from ags_tui.core.base_logs import held_to
from ags_tui.core.checks.findings import Outcome, join_outcomes
from ags_tui.core.log_state import LogState
from ags_tui.io.log import verify as verified
from ags_tui.view.documents import finding_document
from ags_tui.view.text import Span

app = new_app()


@command(app, cannot=UNKNOWN)
def verify(
    call: Call,
    task: Annotated[str | None, typer.Argument(metavar="[TASK]", help="A task; default: all.")] = None,
    trust: Annotated[
        Path | None, typer.Option("--trust", metavar="FILE", help="Trusted public keys; default: the user's.")
    ] = None,
    base: Base = None,
) -> int:
    """Check chain, signatures and rollback of logs; 0 intact, 1 tampered with, 3 unknown signer."""
    workspace = call.workspace(trust)
    altered = held_against(workspace, base, WORK_TREE, () if task is None else (task,))
    here = workspace.task_names()
    names = [task] if task is not None else sorted({*here, *altered})
    states: dict[str, LogState] = {}
    for name in names:
        gone = name in altered and name not in here
        state = LogState() if gone else verified(workspace.folder(name), workspace.keys, workspace.places)
        states[name] = held_to(state, [altered[name]] if name in altered else [])
    for problem in workspace.keys.problems:
        call.out.note(problem)
    for name, state in states.items():
        say_integrity(call, name, state)
    if not states:
        call.out.line(Span("no tasks here", "muted"))
    outcome = join_outcomes(state.integrity for state in states.values()) if states else Outcome.PASSED
    call.out.document({
        "outcome": outcome.value,
        "tasks": [
            {
                "taskId": name,
                "integrity": state.integrity.value,
                "entries": len(state.entries),
                "torn": list(state.torn),
                "findings": [finding_document(finding) for finding in state.findings],
            }
            for name, state in states.items()
        ],
    })  # fmt: skip
    return CODES[outcome]
