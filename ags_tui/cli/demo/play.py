"""Plays the demo: stage, agents, the TUI on it (by a viewer or a scripted human), and what is left."""

import sys
from dataclasses import replace
from pathlib import Path
from shlex import join

from ags_tui.cli.call import Call
from ags_tui.cli.demo.desk import Layout
from ags_tui.cli.demo.stage import agents, choose_folder, set_stage
from ags_tui.cli.failures import FAILED, OK, UsageProblem
from ags_tui.cli.tui import make_app
from ags_tui.io.places import Places
from ags_tui.view.text import Span


def play(call: Call, given: Path | None, speed: float, *, headless: bool) -> int:
    """Play in a scratch folder that is kept afterwards.

    Args:
        call: Where to print.
        given: A new or empty folder; None makes one.
        speed: How many times faster than for a human viewer.
        headless: Let a scripted human drive the TUI, without a terminal.

    Raises:
        UsageProblem: There is no terminal, or the folder holds something.
    """
    if not headless and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageProblem("the demo needs a terminal; without one use: ags-tui demo --headless")
    top = choose_folder(given)
    layout = Layout(top)
    set_stage(top)
    inside = replace(
        call, directory=layout.repository, root=None, places=Places(state=layout.state, config=layout.config)
    )
    app = make_app(inside, layout.repository, demo=str(top))
    with agents(top, speed) as director:
        if headless:
            from ags_tui.cli.demo.human import drive

            story = drive(app, director)
            for line in story.lines:
                call.out.line(line)
            code = OK if story.finished else FAILED
        else:
            app.run()
            code = app.return_code or OK
    _say_what_is_left(call, layout)
    call.out.document({
        "folder": str(top),
        "repository": str(layout.repository),
        "trustedKeys": str(top / "trusted-keys"),
        "finished": code == OK,
    })  # fmt: skip
    return code


def _say_what_is_left(call: Call, layout: Layout) -> None:
    """Name what the viewer can look at afterwards."""
    words = layout.command()
    own = join(["ags-tui", *words[words.index("-C") :]])
    call.out.line(Span("The demo is kept in ", "muted"), str(layout.top))
    for command, what in (
        ("gate", "the same gate as on the screen"),
        ("log login-error-message", "every decision, signed"),
        (f"verify --trust {join([str(layout.top / 'trusted-keys')])}", "as CI would check it"),
    ):
        call.out.line(f"  {own} {command}", Span(f"   {what}", "muted"))
    call.out.line(Span("What the agents said: ", "muted"), str(layout.journal))
