"""``status``: everything the overview shows."""

from typing import Annotated, Any

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import OK
from ags_tui.cli.render import (
    say_around,
    say_gate,
    say_pending,
    say_problem,
    say_scope,
    say_stages,
    say_task_line,
)
from ags_tui.cli.tasks import task_of
from ags_tui.core.assessment import Assessment, TaskAssessment
from ags_tui.core.checks.assess import assess
from ags_tui.core.snapshot import Snapshot
from ags_tui.view.documents import (
    finding_document,
    pending_document,
    problem_document,
    safe,
    task_document,
)
from ags_tui.view.text import Span

app = new_app()


@command(app)
def status(
    call: Call,
    task: Annotated[str | None, typer.Argument(metavar="[TASK]", help="A task; default: all.")] = None,
) -> int:
    """Show what needs a human, all tasks with stage and verdict, or one task whole."""
    now = call.now()
    snapshot = call.workspace().read()
    assessment = assess(snapshot, now)
    if task is not None:
        found = task_of(assessment, task)
        _say_task(call, found)
        call.out.document({**_around(snapshot), "task": task_document(found)})
        return OK
    _say_overview(call, snapshot, assessment)
    call.out.document({
        **_around(snapshot),
        "pending": [pending_document(pending) for pending in assessment.pending],
        "tasks": [task_document(found) for found in assessment.tasks],
        "findings": [finding_document(finding) for finding in assessment.findings],
    })  # fmt: skip
    return OK


def _around(snapshot: Snapshot) -> dict[str, Any]:
    repo, tree = snapshot.repo, snapshot.work_tree
    return {
        "root": safe(snapshot.root),
        "repository": {
            "top": safe(repo.top),
            "head": repo.head,
            "branch": None if repo.branch is None else safe(repo.branch),
            "operation": repo.operation,
            "unknown": safe(snapshot.git_unknown),
            "changed": None if tree is None or tree.unknown else len(tree.entries),
        },
        "policy": {
            "digest": snapshot.policy.digest,
            "problems": [problem_document(problem) for problem in snapshot.policy.problems],
        },
        "problems": [problem_document(problem) for problem in snapshot.problems],
    }


def _say_overview(call: Call, snapshot: Snapshot, assessment: Assessment) -> None:
    out, repo = call.out, snapshot.repo
    branch = repo.branch or (f"detached at {repo.head[:12]}" if repo.head else "no commit yet")
    out.line(
        Span(repo.top, "title"), f"  {branch}", Span(f"  {repo.operation}" if repo.operation else "", "warn")
    )
    say_around(out, snapshot, assessment, "  ")
    if assessment.pending:
        out.line(Span(f"needs you: {len(assessment.pending)}", "title"))
        for pending in assessment.pending:
            say_pending(out, pending, snapshot.taken_at)
    if assessment.tasks:
        out.line(Span(f"tasks: {len(assessment.tasks)}", "title"))
        for task in assessment.tasks:
            say_task_line(out, task)
    else:
        out.line("no tasks yet; make one: ags-tui task new TITLE")
    tree = snapshot.work_tree
    if tree is not None and not tree.unknown:
        out.line(Span(f"work tree: {len(tree.entries)} changed since HEAD", "muted"))
    elif tree is not None and not repo.unknown:
        out.line(Span(f"work tree: unknown, {tree.unknown}", "error"))


def _say_task(call: Call, task: TaskAssessment) -> None:
    out, log = call.out, task.task.log
    out.line(Span(task.task_id, "title"), f"  {task.title}", Span(f"  risk {task.risk}", f"risk-{task.risk}"))
    if log.frozen:
        out.line(Span("finalized" if log.finalized else "closed", "ok"))
    say_stages(out, task)
    say_scope(out, task)
    say_gate(out, task.gate)
    for pending in task.pending:
        say_pending(out, pending, call.now())
    for request in task.requests:
        out.line(f"  request {request.item_id}  {request.state.value}", Span(f"  {request.reason}", "muted"))
    for block in log.blocks:
        out.line(Span("  blocked: ", "error"), block.entry.reason)
    for problem in task.task.files.problems:
        say_problem(out, problem, "  ")
    out.line(Span(f"  log: {len(log.entries)} entries, {log.integrity.value}", "muted"))
