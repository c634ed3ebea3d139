"""``check``: runs the planned test commands that a human approved, and records what came out."""

import signal
import threading
from types import FrameType
from typing import Annotated, Any

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import FAILED, INTERRUPTED, OK, UNKNOWN
from ags_tui.cli.tasks import snapshot_of
from ags_tui.core.planned_tests import RunFacts
from ags_tui.io.settings import read_settings
from ags_tui.io.task_checks import ChecksRun, run_checks
from ags_tui.view.text import Span

app = new_app()

TERMINATED = 143
"""Exit code after SIGTERM."""


@command(app, cannot=UNKNOWN)
def check(
    call: Call,
    task: Annotated[str, typer.Argument(metavar="TASK", help="A task.")],
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="S", min=1, help="Seconds for each command.")
    ] = None,
) -> int:
    """Run the approved test commands of the plan; 0 passed, 1 failed, 3 not approved.

    A command runs only after a human approved the plan or exactly this command. Where one is missing nothing
    is run, and a request for it appears in the inbox.
    """
    workspace = call.workspace()
    snapshot_of(workspace.read(), task)
    settings = read_settings(call.places, call.environment).settings
    cancel = threading.Event()
    ended_by = _end_on_signals(cancel)
    run = run_checks(
        workspace,
        task,
        on_output=call.out.raw,
        on_command=lambda index, count, line: _say_start(call, index, count, line),
        cancel=cancel,
        timeout_s=timeout or settings.test_timeout_s,
        via="cli",
    )
    _say(call, task, run)
    call.out.document(_document(task, run))
    if ended_by:
        return INTERRUPTED if ended_by[0] == signal.SIGINT else TERMINATED
    if run.unapproved:
        return UNKNOWN
    return OK if run.passed else FAILED


def _end_on_signals(cancel: threading.Event) -> list[int]:
    """End the command and what it started on SIGINT, SIGTERM and SIGHUP; gives the signal that came."""
    came: list[int] = []

    def end(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        cancel.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    return came


def _say_start(call: Call, index: int, count: int, line: str) -> None:
    call.out.line(Span(f"[{index}/{count}] ", "muted"), Span(line, "title"))


def _say(call: Call, task: str, run: ChecksRun) -> None:
    for one in run.runs:
        changed = "  it changed the tree, so it is stale at once" if one.tree_before != one.tree_after else ""
        style = "ok" if one.exit_code == 0 else "error"
        call.out.line(
            Span(f"{_ending(one):<10} ", style), one.command, Span(f"  {one.artifact}{changed}", "muted")
        )
    for planned in run.unapproved:
        call.out.line(
            Span("waits      ", "warn"), planned.command, Span(f"  {task}/{planned.waiting_id}", "muted")
        )
    if run.unapproved:
        call.out.note(
            f"{task}: nothing was run: a human approves the plan or each command in ags-tui, then check again"
        )
    call.out.line(Span(run.summary, "ok" if run.passed else "warn"))


def _ending(run: RunFacts) -> str:
    if run.timed_out:
        return "timed out"
    if run.cancelled:
        return "cancelled"
    return f"exit {run.exit_code}"


def _document(task: str, run: ChecksRun) -> dict[str, Any]:
    return {
        "taskId": task,
        "passed": run.passed,
        "summary": run.summary,
        "cancelled": run.cancelled,
        "runs": [
            {
                "command": one.command,
                "exitCode": one.exit_code,
                "durationMs": one.duration_ms,
                "artifact": one.artifact,
                "digest": one.digest,
                "treeDigest": one.tree_before,
                "changedTree": one.tree_before != one.tree_after,
                "timedOut": one.timed_out,
                "leftOutBytes": one.left_out,
            }
            for one in run.runs
        ],
        "waiting": [{"command": one.command, "id": f"{task}/{one.waiting_id}"} for one in run.unapproved],
    }
