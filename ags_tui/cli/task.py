"""``task new``: a task with its baseline, from options or from a form in ``$EDITOR``."""

import sys
from typing import Annotated, Any, Literal, cast

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import add_group, command, new_app
from ags_tui.cli.failures import OK, UsageProblem
from ags_tui.cli.task_form import edit_form, slug
from ags_tui.core.contracts.task import AgentTask
from ags_tui.core.layout import valid_task_id
from ags_tui.io.filing import built
from ags_tui.view.text import Span

app = new_app()
add_group(app, "Make a task with its baseline.")

Category = Literal["bug_fix", "feature", "review", "test", "documentation"]
Risk = Literal["low", "medium", "high"]
Texts = list[str] | None


@command(app)
def new(
    call: Call,
    *,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="One line for lists.")],
    description: Annotated[str | None, typer.Option("--description", help="What is to be done.")] = None,
    category: Annotated[Category | None, typer.Option("--category", help="Sort of task.")] = None,
    risk: Annotated[Risk | None, typer.Option("--risk", help="high asks for an approved plan.")] = None,
    expect: Annotated[Texts, typer.Option("--expect", help="What must hold afterwards; repeatable.")] = None,
    forbid: Annotated[Texts, typer.Option("--forbid", help="What must stay untouched; repeatable.")] = None,
    evidence: Annotated[Texts, typer.Option("--evidence", help="What must be shown; repeatable.")] = None,
    identity: Annotated[
        str | None,
        typer.Option("--id", metavar="ID", help="Name of the task folder; default: from the title."),
    ] = None,
) -> int:
    """Make a task and record the state of the work tree from which it is measured.

    Without options, on a terminal, a form opens in $EDITOR.
    """
    from ags_tui.cli.gate import observe_young
    from ags_tui.cli.init import root_for
    from ags_tui.cli.session_tasks import Sessions
    from ags_tui.io.workspace import Workspace

    root, sessions = root_for(call), Sessions(call)
    workspace = Workspace.open(call.directory, root=root, places=call.places)
    for name in sessions.move(root):  # the first task makes a root, which the hooks take from then on
        call.out.note(f"tasks/{name}: moved into {root}")
    names = frozenset(workspace.task_names())
    task_id = _task_id(identity, title, names)
    given: dict[str, Any] = {
        "description": description,
        "category": category,
        "risk_level": risk,
        "expected_behavior": expect,
        "forbidden_changes": forbid,
        "required_evidence": evidence,
    }
    fields = {name: value for name, value in given.items() if value is not None}
    if not fields and sys.stdin.isatty() and sys.stdout.isatty():
        fields = edit_form(call, title)
    task = built(AgentTask, **_complete(task_id, title, fields))
    folder = workspace.new_task(task, via="cli")
    # The first version binds from here on, also where the agent rewrites the file before anybody looks.
    observe_young(call, workspace, workspace.read())
    call.out.line(Span("made  ", "ok"), task_id, Span(f"  {folder}", "muted"))
    call.out.document({"taskId": task_id, "folder": str(folder)})
    return OK


def _complete(task_id: str, title: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Fill in what was not said: an empty list is a statement, not a gap."""
    complete: dict[str, Any] = {
        "id": task_id,
        "title": title,
        "description": title,
        "category": "feature",
        "risk_level": "medium",
        "expected_behavior": (),
        "forbidden_changes": (),
        "required_evidence": (),
        **fields,
    }
    return {name: tuple(cast("list[Any]", v)) if isinstance(v, list) else v for name, v in complete.items()}


def _task_id(identity: str | None, title: str, taken: frozenset[str]) -> str:
    if not title.strip():
        raise UsageProblem("TITLE is empty; say in one line what the task is")
    if identity is None:
        return slug(title, taken)
    if not valid_task_id(identity):
        raise UsageProblem(f"--id {identity}: cannot name a task folder; use letters, digits and ._-")
    if identity in taken:
        raise UsageProblem(f"--id {identity}: this task exists already; choose another id")
    return identity
