"""Runs one command: every end is an exit code and at most one line on stderr, never a traceback."""

import os
from datetime import UTC, datetime
from pathlib import Path

import typer
from typer.exceptions import TyperException

from ags_tui.cli.arguments import COMMANDS, VALUED
from ags_tui.cli.call import Globals, make_places
from ags_tui.cli.commands import all_commands
from ags_tui.cli.crash import crash_line, flush_streams, write_crash
from ags_tui.cli.failures import FAILED, INTERNAL, INTERRUPTED, OK, USAGE, CommandFailed, UsageProblem
from ags_tui.cli.output import Output
from ags_tui.core.failures import AgsError
from ags_tui.io.places import Places, PlaceUnusable


def run_command(arguments: list[str]) -> int:
    """Run a command.

    Args:
        arguments: what follows the program name.

    Returns:
        The exit code.
    """
    out = Output(json_wanted="--json" in arguments, environment=os.environ)
    name = next((word for word in arguments if word in COMMANDS), "")
    try:
        code = all_commands()(arguments, prog_name="ags-tui", standalone_mode=False)
        return code if isinstance(code, int) else OK
    except UsageProblem as error:
        return _explain(out, str(error), USAGE)
    except CommandFailed as error:
        return _explain(out, str(error), error.code)
    except AgsError as error:
        return _explain(out, str(error), FAILED)
    except TyperException as error:
        see = f"ags-tui {name} --help" if name else "ags-tui --help"
        message = error.format_message().strip().rstrip(".")
        return _explain(out, f"{name + ': ' if name else ''}{message}; see: {see}", USAGE)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  the outermost guard: an own failure is a line and a file
        return report_crash(error, name or "command", arguments, out)
    finally:
        flush_streams()


def report_crash(error: Exception, what: str, arguments: list[str], out: Output) -> int:
    """Write a crash file and say so in one line.

    Args:
        error: what happened.
        what: which command.
        arguments: what followed the program name; only ``--state`` is looked for.
        out: where to print.

    Returns:
        The exit code.
    """
    places = _places_of(arguments)
    path = write_crash(error, what, places, datetime.now(UTC)) if places else None
    return _explain(out, crash_line(error, path), INTERNAL)


def _explain(out: Output, message: str, code: int) -> int:
    out.note(message)
    out.document({"error": {"message": message, "exitCode": code}})
    return code


def _places_of(arguments: list[str]) -> Places | None:
    found: dict[str, Path] = {}
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name in ("--state", "--config"):
            found[VALUED[name]] = Path(value if equals else following)
    try:
        return make_places(Globals(state=found.get("state"), config=found.get("config")), Path.cwd())
    except (PlaceUnusable, OSError, RuntimeError):
        return None
