"""``run``: a client with hooks, environment, task and baseline in place, in this terminal."""

import os
import shutil
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from ags_tui.agents.connect.clients import CLIENTS, Client
from ags_tui.agents.connect.start import Start, start_of
from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import CommandFailed, UsageProblem
from ags_tui.cli.tasks import snapshot_of
from ags_tui.io.trees import Tree, opt_in, tree_at
from ags_tui.io.workspace import Workspace

app = new_app()

TASK = "AGS_TASK"
"""Variable by which hooks learn the task that a session is to join."""


@command(app)
def run(
    call: Call,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="claude-code, codex or gemini.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[-- ARGS]...", help="For the client, behind --.")
    ] = None,
    *,
    task: Annotated[
        str | None, typer.Option("--task", metavar="TASK", help="Task that the session joins.")
    ] = None,
    client: Annotated[
        Path | None, typer.Option("--client", metavar="FILE", help="The client's program; default: on PATH.")
    ] = None,
) -> int:
    """Start a coding agent so that its tool calls pass ags-tui; the exit code is the agent's.

    Its hooks come from outside the repository, and this work tree has a say from now on. Open ags-tui in a
    second terminal: what needs you waits there.
    """
    chosen = client_named(agent)
    tree = tree_here(call)
    program = _program(call, chosen, client, tree)
    environment = dict(call.environment)
    if task is not None:
        _join(call, task)
        environment[TASK] = task
    opt_in(tree.top, call.places)
    start = start_of(
        chosen,
        program,
        arguments or [],
        folder=call.directory,
        environment=environment,
        places=call.places,
    )
    for note in start.notes:
        call.out.note(note)
    return become(start, call.directory)


def client_named(agent: str) -> Client:
    """Find a client by the name of its adapter.

    Args:
        agent: as the human wrote it.

    Raises:
        UsageProblem: there is none of that name.
    """
    chosen = CLIENTS.get(agent)
    if chosen is None:
        raise UsageProblem(f"{agent}: no such agent; there are: {', '.join(CLIENTS)}")
    return chosen


def tree_here(call: Call) -> Tree:
    """The work tree in which the command works.

    Raises:
        UsageProblem: there is none.
    """
    tree = tree_at(str(call.directory), call.places)
    if tree is None:
        raise UsageProblem(
            f"{call.directory}: is not inside a git repository; change into one, or make one: git init"
        )
    return tree


def found_program(chosen: Client, given: Path | None, environment: Mapping[str, str]) -> str:
    """Absolute path of a client's program; empty where it is not found.

    Args:
        chosen: Which client.
        given: What the human named; None looks on ``PATH``.
        environment: Where ``PATH`` is.
    """
    word = str(given) if given is not None else chosen.program
    found = shutil.which(word, path=environment.get("PATH"))
    return os.path.abspath(found) if found else ""


def become(start: Start, folder: Path) -> int:
    """Become the client: it gets this process, so its terminal, signals and exit code are its own.

    Args:
        start: What to become.
        folder: Where it works.

    Returns:
        Never.

    Raises:
        CommandFailed: It cannot be started.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.chdir(folder)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and a child would, too
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        os.execve(start.words[0], list(start.words), dict(start.environment))
    except OSError as error:
        raise CommandFailed(f"{start.words[0]}: cannot be started: {error.strerror}", 126) from error


def _program(call: Call, chosen: Client, given: Path | None, tree: Tree) -> str:
    program = found_program(chosen, call.path(given) if given is not None else None, call.environment)
    if not program and given is not None:
        raise UsageProblem(f"--client {given}: no such program")
    if not program:
        raise CommandFailed(
            f"{chosen.program}: not found on PATH; install {chosen.title}, or name its program (--client)",
            127,
        )
    if Path(os.path.realpath(program)).is_relative_to(tree.top):
        call.out.note(f"{program} lies in the work tree, where an agent can change it")
    return program


def _join(call: Call, task_id: str) -> None:
    """Have the task's baseline in place before the agent's first step.

    Raises:
        UsageProblem: there is no such task, or it is over.
    """
    workspace: Workspace = call.workspace()
    task = snapshot_of(workspace.read(), task_id)
    if task.log.frozen:
        raise UsageProblem(f"--task {task_id}: is finalized or closed; make another: ags-tui task new TITLE")
    if task.log.baseline is None:
        workspace.record_baseline(task_id, via="runner")
        call.out.note(f"{task_id}: recorded its baseline, the state of the work tree as it is now")
