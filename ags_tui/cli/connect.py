"""``connect``: what an agent needs to call our hook, shown before it is written, proven and taken back."""

import difflib
import os
import pwd
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ags_tui.agents.connect.checks import CheckRow, Surroundings, check
from ags_tui.agents.connect.clients import CODEX, Client, wanted
from ags_tui.agents.connect.command import installed_command
from ags_tui.agents.connect.git_hooks import (
    RECIPE,
    GitHook,
    hooks_folder,
    hooks_to_remove,
    wanted_hooks,
    write_hook,
)
from ags_tui.agents.connect.settings_files import Proposal, proposal, removal, write
from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import FAILED, OK, UsageProblem
from ags_tui.cli.run import client_named, found_program, tree_here
from ags_tui.io.trees import opt_in, tree_at
from ags_tui.view.text import Span

app = new_app()

GIT = "git"
"""Stands for the hooks of git itself."""

_STYLES = {"ok": "ok", "hole": "warn", "broken": "error"}


@command(app)
def connect(
    call: Call,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="claude-code, codex, gemini; or git.")],
    *,
    show: Annotated[bool, typer.Option("--print", help="Only show what would be written.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take it out again.")] = False,
    check_it: Annotated[
        bool, typer.Option("--check", help="Prove that it holds, and name what it cannot.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking.")] = False,
    home: Annotated[
        Path | None, typer.Option("--home", metavar="DIR", help="Home folder of the agent's user.")
    ] = None,
    client: Annotated[
        Path | None, typer.Option("--client", metavar="FILE", help="Its program, for --check.")
    ] = None,
) -> int:
    """Have an agent that you start by hand call the hook of ags-tui; shown first, then asked.

    For one session, ags-tui run AGENT needs no entry in your settings (Gemini CLI does).
    """
    if sum((show, remove, check_it)) > 1:
        raise UsageProblem("--print, --remove and --check exclude each other; give one of them")
    if agent == GIT:
        return _git(call, show=show, remove=remove, check_it=check_it, yes=yes)
    chosen = client_named(agent)
    at = call.path(home) if home is not None else home_of_user()
    if check_it:
        return _check(call, chosen, at, call.path(client) if client is not None else None)
    return _settings(call, chosen, at, show=show, remove=remove, yes=yes)


def home_of_user() -> Path:
    """The home folder by the password database; the environment is not asked.

    Raises:
        UsageProblem: It knows none.
    """
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError as error:
        raise UsageProblem("the password database does not know you; pass --home DIR") from error


def _settings(call: Call, chosen: Client, home: Path, *, show: bool, remove: bool, yes: bool) -> int:
    entries = wanted(chosen, installed_command(chosen.agent, call.places))
    made = removal(chosen, entries, home, call.places) if remove else proposal(chosen, entries, home)
    _say_diff(call, made)
    written = False
    if not made.changes:
        call.out.line(Span("nothing to write  ", "ok"), str(made.path))
    elif not show and _agreed(call, yes):
        write(chosen, made, entries, call.places, connected=not remove)
        written = True
        call.out.line(Span("written  ", "ok"), str(made.path))
    if not remove and not show and (written or not made.changes):
        _after(call, chosen)
    call.out.document({
        "agent": chosen.agent, "path": str(made.path), "changes": made.changes, "written": written,
        "diff": _diff(made), "note": made.note,
    })  # fmt: skip
    return OK if show or written or not made.changes else FAILED


def _after(call: Call, chosen: Client) -> None:
    """Opt this work tree in, and say what only the human can do."""
    tree = tree_at(str(call.directory), call.places)
    if tree is not None:
        opt_in(tree.top, call.places)
        call.out.note(f"{tree.top}: the hook has a say here from now on; in other work trees it is silent")
    else:
        call.out.note("the hook is silent until a work tree is opened with ags-tui, or has .ai/")
    if chosen is CODEX:
        call.out.note("Codex skips untrusted hooks in silence: open codex, /hooks, trust these")
    call.out.note(f"prove it: ags-tui connect {chosen.agent} --check")


def _check(call: Call, chosen: Client, home: Path, client: Path | None) -> int:
    tree = tree_at(str(call.directory), call.places)
    around = Surroundings(
        home=home,
        program=found_program(chosen, client, call.environment),
        folder=call.directory,
        top=tree.top if tree is not None else "",
        environment=call.environment,
        places=call.places,
    )
    rows = check(chosen, installed_command(chosen.agent, call.places), around)
    _say_rows(call, rows)
    broken = [row for row in rows if row.state == "broken"]
    call.out.document({
        "agent": chosen.agent,
        "ok": not broken,
        "checks": [
            {"area": row.area, "state": row.state, "message": row.message, "nextStep": row.next_step}
            for row in rows
        ],
    })  # fmt: skip
    return FAILED if broken else OK


def _say_rows(call: Call, rows: Sequence[CheckRow]) -> None:
    for row in rows:
        call.out.line(Span(f"{row.state:<7}", _STYLES[row.state]), f"{row.area:<15} ", row.message)
        if row.next_step:
            call.out.line(" " * 23, Span(row.next_step, "muted"))


def _git(call: Call, *, show: bool, remove: bool, check_it: bool, yes: bool) -> int:
    folder = hooks_folder(tree_here(call).top)
    hooks = hooks_to_remove(folder) if remove else wanted_hooks(folder, call.places)
    changed = [one for one in hooks if one.made.changes]
    if check_it:
        return _check_git(call, hooks, changed)
    for hook in hooks:
        _say_diff(call, hook.made)
    written = bool(changed) and not show and _agreed(call, yes)
    for hook in changed if written else []:
        write_hook(hook)
        call.out.line(Span("removed  " if remove else "written  ", "ok"), str(hook.made.path))
    if not changed:
        call.out.line(Span("nothing to write  ", "ok"), str(folder))
    if not remove:
        for line in RECIPE.rstrip().split("\n"):
            call.out.line(line)
    call.out.document({
        "agent": GIT,
        "hooks": [{"name": one.name, "path": str(one.made.path), "diff": _diff(one.made)} for one in changed],
        "written": written,
        "recipe": RECIPE,
    })  # fmt: skip
    return OK if show or written or not changed else FAILED


def _check_git(call: Call, hooks: Sequence[GitHook], changed: Sequence[GitHook]) -> int:
    for hook in hooks:
        state = "broken" if hook in changed else "ok"
        said = "is not there as it should be" if hook in changed else "calls the gate"
        call.out.line(Span(f"{state:<7}", _STYLES[state]), f"{hook.made.path}: {said}")
    skipped = "git commit --no-verify and git push --no-verify skip them: the barrier is the check in CI"
    call.out.line(Span("hole   ", "warn"), skipped)
    call.out.document({
        "agent": GIT,
        "ok": not changed,
        "checks": [
            {"area": one.name, "state": "broken" if one in changed else "ok"} for one in hooks
        ] + [{"area": "no-verify", "state": "hole", "message": skipped}],
    })  # fmt: skip
    return FAILED if changed else OK


def _agreed(call: Call, yes: bool) -> bool:
    """Ask on a terminal; elsewhere nothing is written without ``--yes``.

    Raises:
        UsageProblem: there is no terminal to ask on.
    """
    if yes:
        return True
    if call.out.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageProblem("there is no terminal to ask on; look with --print, then write with --yes")
    sys.stdout.write("Write this? [y/N] ")
    sys.stdout.flush()
    agreed = sys.stdin.readline().strip().lower() in ("y", "yes")
    if not agreed:
        call.out.note("nothing was written")
    return agreed


def _diff(made: Proposal) -> str:
    old, new = ((data or b"").decode("utf-8", "backslashreplace") for data in (made.before, made.after))
    before, after = (str(made.path) if data is not None else os.devnull for data in (made.before, made.after))
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), before, after, lineterm="")
    return "\n".join(lines)


def _say_diff(call: Call, made: Proposal) -> None:
    for line in _diff(made).split("\n") if made.changes else []:
        style = {"+": "added", "-": "removed", "@": "accent"}.get(line[:1], "")
        call.out.line(Span(line, style))
    if made.note:
        call.out.note(made.note)
