"""Opens the TUI; commands and their library stay unimported."""

import gc
import os
import sys
from pathlib import Path

from ags_tui.cli.arguments import COMMANDS
from ags_tui.cli.call import Globals, make_call
from ags_tui.cli.failures import FAILED, USAGE, UsageProblem
from ags_tui.cli.output import Output
from ags_tui.core.failures import AgsError


def run_app(asked: dict[str, str]) -> int:
    """Open the TUI.

    Args:
        asked: options by name, as ``arguments.split`` returns them.

    Returns:
        The exit code.
    """
    out = Output(json_wanted=False, environment=os.environ)
    try:
        return _open(asked)
    except UsageProblem as error:
        out.note(str(error))
        return USAGE
    except AgsError as error:
        out.note(str(error))
        return USAGE if _is_no_repository(error) else FAILED
    except Exception as error:  # noqa: BLE001  the outermost guard: an own failure is a line and a file
        from ags_tui.cli.entry import report_crash

        return report_crash(error, "tui", _as_arguments(asked), out)


def _open(asked: dict[str, str]) -> int:
    chosen = {name: Path(value) for name, value in asked.items() if name != "path"}
    call = make_call(Globals(**chosen), os.environ)
    folder = call.path(Path(asked.get("path", ".")))
    if not folder.is_dir():
        raise UsageProblem(_no_folder(asked["path"]))
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageProblem(
            "the TUI needs a terminal on stdin and stdout; in scripts use: ags-tui status --json"
        )
    # Collecting while thousands of objects are made for the first frame costs a tenth of a second.
    gc.disable()
    no_color = _take_no_color()
    from ags_tui.app.app import AgsApp
    from ags_tui.io.settings import read_settings
    from ags_tui.io.workspace import Workspace

    read = read_settings(call.places, call.environment)
    workspace = Workspace.open(folder, root=call.chosen_root(), places=call.places, poll=read.settings.poll)
    app = AgsApp(workspace, read.settings, no_color=no_color, warnings=read.warnings)
    app.run()
    return app.return_code or 0


def _take_no_color() -> bool:
    """Read NO_COLOR and hide it from the terminal library, which would turn every colour grey by itself."""
    return bool(os.environ.get("NO_COLOR"))


def _no_folder(word: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(word, COMMANDS, n=1)
    hint = f"did you mean: ags-tui {close[0]}" if close else "see: ags-tui --help"
    return f"{word}: no such command or folder; {hint}"


def _is_no_repository(error: AgsError) -> bool:
    from ags_tui.io.git.failures import NotARepository

    return isinstance(error, NotARepository)


def _as_arguments(asked: dict[str, str]) -> list[str]:
    return [word for name in ("state", "config") if name in asked for word in (f"--{name}", asked[name])]
