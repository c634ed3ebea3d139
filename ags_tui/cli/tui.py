"""Opens the TUI; commands and their library stay unimported."""

import gc
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ags_tui.cli.arguments import COMMANDS
from ags_tui.cli.call import Call, Globals, make_call
from ags_tui.cli.failures import FAILED, USAGE, UsageProblem, is_wrong_call
from ags_tui.cli.late_door import LateDoor, work_tree_above
from ags_tui.cli.output import Output
from ags_tui.cli.passphrase import ask_to_unlock
from ags_tui.core.failures import AgsError

if TYPE_CHECKING:
    from ags_tui.app.app import AgsApp
    from ags_tui.app.look import Look
    from ags_tui.app.shell import Outside
    from ags_tui.cli.beside import BesideAgents
    from ags_tui.io.places import Places
    from ags_tui.io.settings import SettingsRead
    from ags_tui.io.workspace import Workspace

LARGEST_THEME = 64 * 1024
"""Most bytes of a theme file."""


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
        return USAGE if is_wrong_call(error) else FAILED
    except Exception as error:  # noqa: BLE001  the outermost guard: an own failure is a line and a file
        from ags_tui.cli.entry import report_crash

        return report_crash(error, "tui", _as_arguments(asked), out)


def _open(asked: dict[str, str]) -> int:
    chosen = {name: Path(value) for name, value in asked.items()}
    given = Globals(chosen.get("directory"), chosen.get("root"), chosen.get("state"), chosen.get("config"))
    call = make_call(given, os.environ)
    folder = call.path(Path(asked.get("path", ".")))
    if not folder.is_dir():
        raise UsageProblem(_no_folder(asked["path"]))
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageProblem(
            "the TUI needs a terminal on stdin and stdout; in scripts use: ags-tui status --json"
        )
    passphrase = ask_to_unlock(call.places)
    # Collecting while thousands of objects are made for the first frame costs a tenth of a second; the app
    # turns it on again after its first reading.
    gc.disable()
    app = make_app(call, folder, passphrase)
    app.run()
    if isinstance(app.door, LateDoor) and app.door.refused is not None:
        raise app.door.refused
    from ags_tui.app.stories.working import DEMO

    if app.return_value == DEMO:
        from ags_tui.cli.demo.play import play

        return play(call, None, 1.0, headless=False)
    return app.return_code or 0


def make_app(call: Call, folder: Path, passphrase: str | None = None, *, demo: str = "") -> "AgsApp":
    """Put workspace, settings, themes and app together.

    Args:
        call: where the user's folders and the environment come from.
        folder: a folder inside the work tree.
        passphrase: opens the human key; None where it has none, or where nothing is to be decided.
        demo: folder of the demo that is played, for the header; empty outside of one.
    """
    from ags_tui.cli.own_log import start_log
    from ags_tui.cli.surroundings import keep_looks_only
    from ags_tui.io.outline import RememberedRows
    from ags_tui.io.settings import read_settings

    keep_looks_only(os.environ)
    start_log(call.places)
    read = read_settings(call.places, call.environment)
    door, beside, watched = _door(call, folder, read, passphrase)
    # Textual takes NO_COLOR out of the environment while the app is made; children of ours get it back.
    no_color = os.environ.get("NO_COLOR")
    if no_color == "":
        del os.environ["NO_COLOR"]
    from ags_tui.app.app import AgsApp

    look, problems = _look(read, call.environment)
    memory = RememberedRows(call.places.state, door.root)
    outside = replace(_outside(call, watched, read, problems), demo=demo, memory=memory, beside=beside)
    app = AgsApp(door, look, outside, ansi_color=True if no_color else None)
    if no_color is not None:
        os.environ["NO_COLOR"] = no_color
    door.on_refused = lambda: app.call_from_thread(app.exit, return_code=FAILED)
    return app


def _door(
    call: Call, folder: Path, read: "SettingsRead", passphrase: str | None
) -> tuple[LateDoor, "BesideAgents", str]:
    """The door that opens the workspace after the first frame, what stands beside it, and what is watched."""
    from ags_tui.cli.beside import BesideAgents

    own: Path | None = None
    usual = folder

    def open_it(root: Path | None) -> "Workspace":
        from ags_tui.io.session_move import move_sessions
        from ags_tui.io.workspace import Workspace

        if own is not None and root == usual:
            move_sessions(own, usual)  # of sessions that began before the repository had a root
        workspace = Workspace.open(folder, root=root, places=call.places, poll=read.settings.poll)
        if passphrase is not None:
            workspace.keys.unlock(passphrase)
        return workspace

    top = work_tree_above(folder)
    if top is None:
        open_it(None)  # raises: there is no repository, and no screen has to come and go to say so
        top = folder
    usual = top / read.settings.root_for(top)
    own = _session_root(top, call.places) if call.chosen_root() is None else None
    outside = own is not None and not usual.is_dir()
    root = own if outside and own is not None else call.chosen_root() or usual

    def settle() -> "Workspace":
        if beside.waiting:
            raise UsageProblem("calls of agents wait for you; decide them before the first task is written")
        beside.stop()
        workspace = open_it(usual)
        beside.move(usual)
        return workspace

    door = LateDoor(lambda: open_it(root), root, settle if outside else None, usual)
    beside = BesideAgents(top, call.places, lambda: door.workspace.keys, root=root)
    return door, beside, top.name if outside else f"{top.name}/{root.name}"


def _session_root(top: Path, places: "Places") -> Path | None:
    """Where tasks of sessions lie while the repository has no root: nothing is written into it then."""
    from ags_tui.io.trees import OWN_ROOT, tree_of

    tree = tree_of(str(top), places)
    return None if tree is None else tree.folder / OWN_ROOT


def _look(read: "SettingsRead", environment: Mapping[str, str]) -> tuple["Look", tuple[str, ...]]:
    from ags_tui.app.keys import with_overrides
    from ags_tui.app.look import Look
    from ags_tui.view.glyphs import ASCII, UNICODE, glyph_set

    settings = read.settings
    registry, problems = with_overrides(settings.keys)
    glyphs = glyph_set(settings.glyphs)
    if settings.glyphs == "auto":
        utf8 = "utf" in (sys.stdout.encoding or "").lower() and environment.get("TERM") not in (
            "linux",
            "dumb",
        )
        glyphs = UNICODE if utf8 else ASCII
    look = Look(
        glyphs=glyphs,
        registry=registry,
        zone=datetime.now().astimezone().tzinfo or UTC,
        guard_seconds=settings.guard_ms / 1000,
    )
    return look, problems


def _outside(call: Call, watched: str, read: "SettingsRead", problems: tuple[str, ...]) -> "Outside":
    from ags_tui.app.shell import Outside
    from ags_tui.app.themes import choose, read_themes
    from ags_tui.cli.crash import write_crash_text
    from ags_tui.io.settings import save_settings, settings_path

    themes, broken = read_themes(_theme_files(call))
    theme, notice = choose(read.settings.theme, themes, light_terminal=_is_light(call.environment))

    def save(name: str, value: str) -> None:
        call.places.config_folder()
        save_settings(call.places, replace(read.settings, **{name: value}), (name,))

    def keep_crash(text: str) -> str:
        return str(write_crash_text(text, "tui", call.places, datetime.now(UTC)) or "")

    faults = tuple(f"{one.origin}: {one.reason}" for one in broken)
    return Outside(
        themes=themes,
        theme=theme,
        settings={
            "theme": read.settings.theme,
            "glyphs": read.settings.glyphs,
            "notifications": read.settings.notifications,
        },
        settings_path=str(settings_path(call.places)),
        save=save,
        keep_crash=keep_crash,
        watched=(watched,),
        notices=(*read.warnings, *problems, *faults, *([notice] if notice else [])),
        environment=call.environment,
    )


def _theme_files(call: Call) -> list[tuple[str, str]]:
    """Packaged themes, then the user's own, which may replace them."""
    from ags_tui.io.plain_files import NotPlain, read_plain
    from ags_tui.io.resources import themes

    found: list[tuple[str, str]] = []
    for path in (*themes(), *sorted((call.places.config / "themes").glob("*.toml"))):
        try:
            text = read_plain(path, limit=LARGEST_THEME, follow=True).decode("utf-8", "replace")
        except (NotPlain, FileNotFoundError) as error:
            text = f"# {error}"
        found.append((str(path), text))
    return found


def _is_light(environment: Mapping[str, str]) -> bool:
    """Whether the terminal says that its ground is light (``COLORFGBG=0;15``)."""
    ground = environment.get("COLORFGBG", "").rpartition(";")[2]
    return ground in ("7", "15")


def _no_folder(word: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(word, COMMANDS, n=1)
    hint = f"did you mean: ags-tui {close[0]}" if close else "see: ags-tui --help"
    return f"{word}: no such command or folder; {hint}"


def _as_arguments(asked: dict[str, str]) -> list[str]:
    return [word for name in ("state", "config") if name in asked for word in (f"--{name}", asked[name])]
