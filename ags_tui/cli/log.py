"""``log``: what was decided and observed about a task."""

from typing import Annotated

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import FAILED, OK, UNKNOWN
from ags_tui.cli.render import say_finding
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.contracts.log_entry import LogEntry
from ags_tui.core.log_state import LoggedEntry, LogState
from ags_tui.io.log import verify
from ags_tui.view.documents import entry_document, finding_document
from ags_tui.view.events import ended_words, observed_words
from ags_tui.view.text import Span

app = new_app()

CODES = {Outcome.PASSED: OK, Outcome.FAILED: FAILED, Outcome.UNKNOWN: UNKNOWN, Outcome.NOT_APPLICABLE: OK}
"""Exit codes by integrity."""


@command(app, cannot=UNKNOWN)
def log(call: Call, task: Annotated[str, typer.Argument(metavar="TASK", help="A task.")]) -> int:
    """Show the log of a task; 0 intact, 1 tampered with, 3 unknown signer."""
    workspace = call.workspace()
    state = verify(workspace.folder(task), workspace.keys, workspace.places)
    for row in state.entries:
        _say_entry(call, row)
    if not state.entries:
        call.out.line(Span("the log is empty", "muted"))
    say_integrity(call, task, state)
    call.out.document({
        "taskId": task,
        "logId": state.log_id,
        "integrity": state.integrity.value,
        "torn": list(state.torn),
        "entries": [entry_document(row) for row in state.entries],
        "findings": [finding_document(finding) for finding in state.findings],
    })  # fmt: skip
    return CODES[state.integrity]


def say_integrity(call: Call, task_id: str, state: LogState) -> None:
    """Say whether a log is intact, with what is wrong."""
    style = {Outcome.PASSED: "ok", Outcome.FAILED: "error"}.get(state.integrity, "warn")
    words = {Outcome.PASSED: "intact", Outcome.FAILED: "tampered with"}.get(state.integrity, "not sure")
    call.out.line(f"{task_id}: ", Span(words, style), Span(f"  {len(state.entries)} entries", "muted"))
    for finding in state.findings:
        say_finding(call.out, finding, "  ")


def _say_entry(call: Call, row: LoggedEntry) -> None:
    entry = row.entry
    counted = "" if row.counted else "  does not count"
    when = f"{entry.decided_at:%Y-%m-%d %H:%M:%S}Z"
    who = f"{entry.actor.source} via {entry.actor.via}, {row.signer} key"
    verdict, why = ended_words(entry)
    reason = f"  “{entry.reason}”" if entry.reason else f"  {why}" if why else ""
    call.out.line(
        Span(f"{entry.sequence:>4}  {when}  ", "muted"),
        f"{entry.kind} ",
        Span(
            verdict,
            {"approved": "ok", "denied": "error", "blocked": "error"}.get(entry.verdict, "accent"),
        ),
        f"  {entry.subject.id}{_said(entry)}{reason}",
        Span(f"  {who}", "muted"),
        Span(counted, "warn"),
    )


def _said(entry: LogEntry) -> str:
    """What an observation saw, behind the name of its file."""
    seen = observed_words(entry)
    return f"  {seen[1]}" if seen is not None and seen[1] else ""
