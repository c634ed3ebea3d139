"""``--base REV``: in CI the logs must extend those of the base branch."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Annotated

import typer

from ags_tui.cli.failures import UsageProblem
from ags_tui.core.base_logs import held_to
from ags_tui.core.checks.findings import Finding
from ags_tui.core.snapshot import Snapshot
from ags_tui.io.base_logs import RootOutside, altered_logs
from ags_tui.io.git.failures import GitFailed
from ags_tui.io.workspace import Workspace

Base = Annotated[
    str | None,
    typer.Option(
        "--base",
        metavar="REV",
        help="In CI: every log must begin with the entries that it has in this commit, the base branch; a log"
        " that is other, shorter or gone was tampered with.",
    ),
]


def held_against(
    workspace: Workspace, base: str | None, target: str, wanted: Collection[str] = ()
) -> Mapping[str, Finding]:
    """Find the logs that do not extend those of the base branch, by task id.

    Args:
        workspace: the repository.
        base: what ``--base`` names; None compares nothing.
        target: the tree that is assessed.
        wanted: tasks that were named; empty for all.

    Raises:
        UsageProblem: there is no such commit, or no commit can hold these logs.
        GitFailed: git did not answer.
    """
    if base is None:
        return {}
    try:
        workspace.git.resolve(base)
    except GitFailed as error:
        raise UsageProblem(
            f"--base: {error}; give the base branch, and fetch it first in a shallow clone"
        ) from error
    try:
        altered = altered_logs(workspace.git, workspace.root, base, target)
    except RootOutside as error:
        raise UsageProblem(f"--base: {error}") from error
    return {task_id: finding for task_id, finding in altered.items() if not wanted or task_id in wanted}


def with_altered(snapshot: Snapshot, altered: Mapping[str, Finding]) -> Snapshot:
    """Have the tasks assessed with those logs as tampered with: no decision of theirs counts.

    Args:
        snapshot: what was read.
        altered: what ``held_against`` found.
    """
    if not altered:
        return snapshot
    tasks = tuple(
        replace(task, log=held_to(task.log, [altered[task.task_id]])) if task.task_id in altered else task
        for task in snapshot.tasks
    )
    return replace(snapshot, tasks=tasks)


def apart(altered: Mapping[str, Finding], told: Collection[str]) -> tuple[Finding, ...]:
    """What was found about tasks that have no row of their own: they are gone, or frozen.

    Args:
        altered: what ``held_against`` found.
        told: tasks that have a row.
    """
    return tuple(
        replace(
            finding, message=f"{task_id}: {finding.message}", artifact=f"tasks/{task_id}/{finding.artifact}"
        )
        for task_id, finding in altered.items()
        if task_id not in told
    )
