"""``mcp``: the server that agents call over the Model Context Protocol."""

import sys
from pathlib import Path

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.crash import crash_line, write_crash
from ags_tui.cli.failures import OK, UsageProblem
from ags_tui.io.workspace import Workspace

app = new_app()


@command(app)
def mcp(call: Call) -> int:
    """Serve the tools of ags-tui to an agent's client, on stdin and stdout.

    Clients start it: claude mcp add ags -- ags-tui mcp, or codex mcp add ags -- ags-tui mcp.
    """
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageProblem("mcp speaks the Model Context Protocol on stdin; let an agent's client start it")
    from ags_tui.agents.mcp_server.calls import Caller
    from ags_tui.agents.mcp_server.desk import Desk
    from ags_tui.agents.mcp_server.serve import serve  # the SDK takes half a second: for this command alone

    def opened(root: Path | None) -> Workspace:
        return Workspace.open(call.directory, root=root, places=call.places)

    def crash(error: Exception, what: str) -> str:
        line = crash_line(error, write_crash(error, what, call.places, call.now()))
        call.out.note(line)
        return line

    desk = Desk(
        directory=call.directory,
        root=lambda: call.chosen_root() or call.session_root(),
        open_at=opened,
        now=call.now,
        say=call.out.note,
    )
    serve(Caller(desk, crash))
    return OK
