"""The demo: a scratch repository, scripted agents as real processes, and the TUI on it."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import UsageProblem

app = new_app()


class Language(StrEnum):
    """Languages of the play."""

    EN = "en"
    KO = "ko"


@command(app)
def demo(
    call: Call,
    *,
    folder: Annotated[
        Path | None, typer.Option("--dir", metavar="NEW", help="Play in this new folder; it is kept.")
    ] = None,
    speed: Annotated[float, typer.Option("--speed", metavar="X", help="How many times faster.")] = 1.0,
    language: Annotated[
        Language | None,
        typer.Option("--lang", help="Language of the play: en or ko; default: that of the locale, else en."),
    ] = None,
    headless: Annotated[
        bool, typer.Option("--headless", help="Let a scripted human drive the TUI, without a terminal.")
    ] = False,
) -> int:
    """Play a scripted session: agents write, stray and ask; you decide in the TUI and see what follows."""
    if not 0.05 <= speed <= 1000:
        raise UsageProblem(f"--speed {speed}: use a number from 0.05 to 1000")
    from ags_tui.cli.demo.play import play

    chosen = language.value if language is not None else None
    where = call.path(folder) if folder is not None else None
    return play(call, where, speed, headless=headless, language=chosen)
