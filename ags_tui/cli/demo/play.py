"""Plays the demo: stage, agents, the TUI on it (by a viewer or a scripted human), and what is left."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING

from ags_tui.cli.call import Call
from ags_tui.cli.crash import crash_line, write_crash
from ags_tui.cli.demo.desk import Layout
from ags_tui.cli.demo.narrator import narrated
from ags_tui.cli.demo.project import TASK_ID
from ags_tui.cli.demo.stage import agents, choose_folder, set_stage
from ags_tui.cli.demo.texts import language_of
from ags_tui.cli.failures import FAILED, INTERNAL, OK, UsageProblem
from ags_tui.cli.tui import make_app
from ags_tui.core.failures import AgsError
from ags_tui.io.places import Places
from ags_tui.view.text import Span

if TYPE_CHECKING:
    from ags_tui.app.app import AgsApp


def play(call: Call, given: Path | None, speed: float, *, headless: bool, language: str | None = None) -> int:
    """Play in a scratch folder that is kept afterwards.

    Args:
        call: Where to print.
        given: A new or empty folder; None makes one.
        speed: How many times faster than for a human viewer.
        headless: Let a scripted human drive the TUI, without a terminal.
        language: Key of ``TEXTS``; None for that of the locale.

    Raises:
        UsageProblem: There is no terminal, or the folder holds something.
    """
    if not headless and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageProblem("the demo needs a terminal; without one use: ags-tui demo --headless")
    top = choose_folder(given)
    layout = Layout(top)
    inside = replace(
        call, directory=layout.repository, root=None, places=Places(state=layout.state, config=layout.config)
    )
    try:
        set_stage(top, language or language_of(call.environment))
        return _play(inside, top, speed, headless=headless)
    except AgsError:
        raise
    except Exception as error:  # noqa: BLE001  what the demo broke is kept in its own state, not in the user's
        path = write_crash(error, "demo", inside.places, datetime.now(UTC))
        call.out.note(crash_line(error, path))
        return INTERNAL


def _play(call: Call, top: Path, speed: float, *, headless: bool) -> int:
    """Play on the stage that is set, and say what is left; gives the exit code."""
    layout = Layout(top)
    app = make_app(call, layout.repository, demo=str(top))
    with agents(top, speed) as director, narrated(app, layout, director):
        code = _act(call, app, director, layout, headless=headless)
    _say_what_is_left(call, layout)
    call.out.document({
        "folder": str(top),
        "repository": str(layout.repository),
        "trustedKeys": str(top / "trusted-keys"),
        "finished": code == OK,
    })  # fmt: skip
    return code


def _act(
    call: Call, app: "AgsApp", director: "subprocess.Popen[bytes]", layout: Layout, *, headless: bool
) -> int:
    """Let a human act, or a scripted one; gives the exit code."""
    if not headless:
        app.run()
        return app.return_code or OK
    from ags_tui.cli.demo.human import drive

    story = drive(app, director, layout.texts)
    for line in story.lines:
        call.out.line(line)
    return OK if story.finished else FAILED


def _say_what_is_left(call: Call, layout: Layout) -> None:
    """Name what the viewer can look at afterwards."""
    words = layout.command()
    own = join([_program(), *words[words.index("-C") :]])
    call.out.line(Span("The demo is kept in ", "muted"), str(layout.top))
    for command, what in (
        (f"gate {TASK_ID}", "the same gate as on the screen"),
        (f"log {TASK_ID}", "every decision, signed"),
        (f"verify --trust {join([str(layout.top / 'trusted-keys')])}", "as CI would check it"),
    ):
        call.out.line(f"  {own} {command}", Span(f"   {what}", "muted"))
    call.out.line(Span("What the agents said: ", "muted"), str(layout.journal))


def _program() -> str:
    """How the viewer calls this program: by its name, or as it was called where that is not on the path."""
    called = sys.argv[0]
    found = shutil.which("ags-tui") is not None or not os.access(called, os.X_OK) or os.path.isdir(called)
    return "ags-tui" if found else called
