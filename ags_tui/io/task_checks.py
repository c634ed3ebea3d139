"""``check TASK`` and the key ``t``: runs the approved test commands and records what came out."""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

from ags_tui.core.assessment import TaskAssessment
from ags_tui.core.checks.assess import assess
from ags_tui.core.checks.trees import entries_of
from ags_tui.core.contracts.base import FullRisk
from ags_tui.core.contracts.tool_request import ToolRequestV2
from ags_tui.core.decisions import Draft, Via
from ags_tui.core.failures import AgsError
from ags_tui.core.hints import Hint
from ags_tui.core.log_state import LoggedEntry
from ags_tui.core.planned_tests import PlannedCommand, PlannedTests, RunFacts, planned_tests, run_draft
from ags_tui.core.snapshot import Snapshot
from ags_tui.io.request_files import TOOL_REQUESTS, file_contract, new_claim, new_id, take_approval
from ags_tui.io.test_runs import CommandRunner

ASKER = "ags-tui check"
"""Name under which a run asks for approval."""


class ChecksDoor(Protocol):
    """What a run needs of the workspace."""

    def read(self, hint: Hint) -> Snapshot:
        """Read everything, looking again where the hint says so."""
        ...

    def record(self, draft: Draft) -> LoggedEntry:
        """Add to the log of a task."""
        ...


_RISKS = ("low", "medium", "high", "critical")


class NothingToRun(AgsError):
    """There is no plan, or it plans no tests."""


@dataclass(frozen=True, slots=True)
class ChecksRun:
    """What a check of a task has run."""

    runs: tuple[RunFacts, ...]
    """Runs in order; each is in the log."""
    unapproved: tuple[PlannedCommand, ...] = ()
    """Commands that wait for a human, each with its request."""
    cancelled: bool = False
    """A human ended it before all commands were run."""

    @property
    def passed(self) -> bool:
        """Every planned command was run and ended with 0."""
        return bool(self.runs) and not self.unapproved and not self.cancelled and not self.failed

    @property
    def failed(self) -> tuple[RunFacts, ...]:
        """Runs that did not end with 0."""
        return tuple(run for run in self.runs if run.exit_code != 0)

    @property
    def summary(self) -> str:
        """One line."""
        if self.unapproved:
            many = len(self.unapproved)
            return f"{many} planned command{'s' if many > 1 else ''} not approved yet: approve in the inbox"
        if self.cancelled:
            return f"cancelled after {len(self.runs)} commands"
        bad = len(self.failed)
        return f"{bad} of {len(self.runs)} failed" if bad else f"{len(self.runs)} passed"


def run_checks(
    door: ChecksDoor,
    task_id: str,
    *,
    on_output: Callable[[bytes], None],
    on_command: Callable[[int, int, str], None],
    cancel: threading.Event,
    timeout_s: float,
    via: Via,
) -> ChecksRun:
    """Run the planned test commands that a human approved, one after the other; blocks.

    Where a command is not approved nothing is run: a request for it is filed, so that the inbox shows it.

    Args:
        door: the workspace.
        task_id: task folder.
        on_output: called from this thread with each piece of output, raw.
        on_command: called before each command with its index from 1, the number of commands and its line.
        cancel: ends the running command and the whole run.
        timeout_s: seconds after which one command is ended.
        via: through which door this was started.

    Raises:
        NothingToRun: no such task, no plan, or no tests in it.
        RunImpossible: the log of a run cannot be written.
        AgsError: the run could not be recorded.
    """
    snapshot, task = _look(door, task_id, "check")
    plan = planned_tests(task, snapshot.taken_at, ignore_case=snapshot.repo.ignore_case)
    if not plan.commands:
        raise NothingToRun(f"{task_id}: no test commands are planned; add testsToRun to plan.json")
    waiting = plan.unapproved or _taken_by_others(door, task, plan)
    if waiting:
        return ChecksRun((), _file_requests(task, waiting, snapshot))
    runner = CommandRunner(
        Path(task.task.files.folder),
        Path(snapshot.repo.top),
        environment=os.environ,
        timeout_s=timeout_s,
        cancel=cancel,
    )
    runs: list[RunFacts] = []
    for index, planned in enumerate(plan.commands, start=1):
        if cancel.is_set():
            break
        on_command(index, len(plan.commands), planned.command)
        facts = _run_one(runner, task, planned.command, len(task.task.log.tests) + 1, on_output)
        _, task = _look(door, task_id, "after a test run")
        facts = replace(facts, tree_after=_tree(task))
        door.record(run_draft(task_id, facts, plan.plan_digest, via=via))
        runs.append(facts)
    return ChecksRun(tuple(runs), cancelled=cancel.is_set())


def _look(door: ChecksDoor, task_id: str, why: str) -> tuple[Snapshot, TaskAssessment]:
    """Read and assess again: the run may have changed any file."""
    snapshot = door.read(Hint(frozenset({task_id}), None, git=True, why=why))
    assessment = assess(snapshot, snapshot.taken_at)
    for task in assessment.tasks:
        if task.task_id == task_id:
            return snapshot, task
    raise NothingToRun(f"{task_id}: no such task; ags-tui status lists the tasks")


def _taken_by_others(
    door: ChecksDoor, task: TaskAssessment, plan: PlannedTests
) -> tuple[PlannedCommand, ...]:
    """Take the approved requests that this run uses up; gives those that somebody else has taken already."""
    lost: list[PlannedCommand] = []
    for planned in plan.commands:
        if not planned.request_id:
            continue
        claim = new_claim()
        folder = Path(task.task.files.folder)
        if not take_approval(folder, planned.request_id, planned.request_digest, claim.digest, _now()):
            lost.append(planned)
            continue
        door.record(
            Draft(
                task_id=task.task_id,
                kind="request",
                verdict="consumed",
                subject_id=planned.request_id,
                subject_digest=planned.request_digest,
                source="system",
                via="cli",
                actor=ASKER,
                data={"claim": claim.digest},
            )
        )
    return tuple(lost)


def _file_requests(
    task: TaskAssessment, commands: tuple[PlannedCommand, ...], snapshot: Snapshot
) -> tuple[PlannedCommand, ...]:
    """Ask a human for each command that does not wait already."""
    asked: list[PlannedCommand] = []
    for planned in commands:
        if planned.waiting_id:
            asked.append(planned)
            continue
        now = _now()
        request_id = new_id("check", now)
        document = ToolRequestV2(
            request_id=request_id,
            tool="run_tests",
            command=planned.command,
            reason="a test command of the plan that no human has approved yet",
            risk_level=_risk(task.risk),
            requires_approval=True,
            task_id=task.task_id,
            agent=ASKER,
            session_id="",
            cwd=snapshot.repo.top,
            input={"command": planned.command},
            proposed_change=None,
            created_at=now,
            expires_at=now + timedelta(seconds=snapshot.policy.request_timeout_s),
            claim=None,
        )
        file_contract(Path(task.task.files.folder), TOOL_REQUESTS, request_id, document)
        asked.append(PlannedCommand(planned.command, False, waiting_id=request_id))
    return tuple(asked)


def _risk(risk: str) -> FullRisk:
    return risk if risk in _RISKS else "high"


def _tree(task: TaskAssessment) -> str:
    changes = task.task.changes
    return "" if changes is None or changes.unknown else changes.tree_digest


def _now() -> datetime:
    return datetime.now(UTC)


def _run_one(
    runner: CommandRunner,
    task: TaskAssessment,
    command: str,
    first_number: int,
    on_output: Callable[[bytes], None],
) -> RunFacts:
    run = runner.run(command, first_number, on_output)
    return RunFacts(
        command=command,
        number=run.number,
        exit_code=run.end.exit_code,
        duration_ms=run.end.duration_ms,
        artifact=run.artifact,
        digest=run.digest,
        tree_before=_tree(task),
        tree_after="",
        timed_out=run.end.timed_out,
        cancelled=run.end.cancelled,
        left_out=run.left_out,
        entries=_entries(task),
    )


def _entries(task: TaskAssessment) -> tuple[tuple[str, ...], ...] | None:
    changes = task.task.changes
    rows = None if changes is None else entries_of(changes)
    return None if rows is None else tuple(map(tuple, rows))
