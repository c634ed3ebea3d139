"""``hook`` in the help. Clients never come here: ``__main__`` answers them before anything is imported."""

from typing import Annotated

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import UsageProblem

app = new_app()


@command(app)
def hook(
    call: Call,
    agent: Annotated[
        str | None, typer.Argument(metavar="claude-code|codex|gemini", help="Whose form the event has.")
    ] = None,
) -> int:
    """What a client calls before and after a tool call: its event on stdin, one verdict on stdout.

    "hook" is the first word: ags-tui hook claude-code [--state DIR] [--config DIR]. ags-tui connect writes
    the call into the client's settings. What cannot be judged is denied, with exit code 2.
    """
    raise UsageProblem(
        f"hook: it is the first word: ags-tui hook {agent or 'claude-code|codex|gemini'} [--state DIR] "
        "[--config DIR], with the client's event on stdin"
    )
