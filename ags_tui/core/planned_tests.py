"""Which planned test commands may be run, and what a run leaves in the log: pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ags_tui.core.assessment import RequestState, TaskAssessment
from ags_tui.core.checks.terms import terms_of
from ags_tui.core.contracts.tool_request import ToolRequest
from ags_tui.core.decisions import Draft, Via

RUNNING_TOOLS = ("run_tests", "shell")
"""Tools whose approved request lets its command be run."""

_WAITING = (RequestState.PENDING, RequestState.CHANGED)


@dataclass(frozen=True, slots=True)
class PlannedCommand:
    """One command of ``testsToRun`` of the plan in force."""

    command: str
    """The command line."""
    approved: bool
    """A human approved it: the plan, or a request for exactly this command."""
    request_id: str = ""
    """The approved request that a run uses up; empty where the plan is approved."""
    request_digest: str = ""
    """Digest of that request."""
    waiting_id: str = ""
    """A request for exactly this command that still waits; empty where there is none."""


@dataclass(frozen=True, slots=True)
class PlannedTests:
    """The commands to run."""

    commands: tuple[PlannedCommand, ...]
    """In the order of the plan, each once."""
    plan_digest: str
    """Digest of the plan in force; empty where there is none."""

    @property
    def approved(self) -> tuple[PlannedCommand, ...]:
        """Those that may be run."""
        return tuple(command for command in self.commands if command.approved)

    @property
    def unapproved(self) -> tuple[PlannedCommand, ...]:
        """Those that a human must approve first."""
        return tuple(command for command in self.commands if not command.approved)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What was observed of one run."""

    command: str
    """The command line."""
    number: int
    """Number of the run in its task."""
    exit_code: int | None
    """Exit code; None where it was cancelled or ran into its time limit."""
    duration_ms: int
    """Wall time."""
    artifact: str
    """Its log, relative to the task folder."""
    digest: str
    """Digest of the log's bytes."""
    tree_before: str
    """Tree digest when it began: what was tested."""
    tree_after: str
    """Tree digest when it had ended."""
    timed_out: bool = False
    """The time limit ended it."""
    cancelled: bool = False
    """A human ended it."""
    left_out: int = 0
    """Bytes of output that the log does not hold."""
    entries: tuple[tuple[str, ...], ...] | None = None
    """All that differed from the baseline when it began (``core.checks.trees.entries_of``), so that later
    changes of other tasks can be told from its own; None where that is not known."""


def planned_tests(task: TaskAssessment, now: datetime, *, ignore_case: bool = False) -> PlannedTests:
    """Find the planned commands and whether a human approved them.

    Args:
        task: the assessed task.
        now: UTC.
        ignore_case: ``core.ignoreCase`` of the repository.
    """
    terms = terms_of(task.task, now, ignore_case=ignore_case)
    if terms.plan is None:
        return PlannedTests((), "")
    by_plan = terms.plan_term.approved
    planned = dict.fromkeys(command for command in terms.plan.tests_to_run if command.strip())
    return PlannedTests(
        tuple(
            PlannedCommand(command, True) if by_plan else _by_request(task, command) for command in planned
        ),
        terms.plan_term.digest,
    )


def run_draft(task_id: str, run: RunFacts, plan_digest: str, *, via: Via) -> Draft:
    """Make the observation that a run leaves in the log.

    The tree digest is the one that was tested; a run that changed the tree says so and is stale at once.

    Args:
        task_id: task folder.
        run: what was observed.
        plan_digest: digest of the plan in force.
        via: through which door it was started.
    """
    data: Mapping[str, Any] = {
        "testRun": True,
        "command": run.command,
        "exitCode": run.exit_code,
        "durationMs": run.duration_ms,
        "artifact": run.artifact,
        "treeDigest": run.tree_before,
        "treeDigestAfter": run.tree_after,
        "changedTree": run.tree_before != run.tree_after,
        "planDigest": plan_digest,
        "timedOut": run.timed_out,
        "cancelled": run.cancelled,
        "leftOutBytes": run.left_out,
        **({} if run.entries is None else {"entries": [list(row) for row in run.entries]}),
    }
    return Draft(
        task_id=task_id,
        kind="observation",
        verdict="recorded",
        subject_id=f"test-run/{run.number}",
        subject_digest=run.digest,
        source="system",
        via=via,
        actor="ags-tui",
        data=data,
    )


def _by_request(task: TaskAssessment, command: str) -> PlannedCommand:
    states = {status.item_id: status for status in task.requests}
    waiting = ""
    for path, artifact in sorted(task.task.files.artifacts.items()):
        request = artifact.document
        if not path.startswith("tool-requests/") or not isinstance(request, ToolRequest):
            continue
        status = states.get(request.request_id)
        if status is None or request.tool not in RUNNING_TOOLS or request.command != command:
            continue
        if status.state is RequestState.APPROVED:
            return PlannedCommand(command, True, request.request_id, status.digest)
        if status.state in _WAITING:
            waiting = request.request_id
    return PlannedCommand(command, False, waiting_id=waiting)
