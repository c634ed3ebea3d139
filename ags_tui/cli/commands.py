"""How a command is declared: a function that gets a :class:`Call`, with the global options added to it."""

import importlib
import importlib.util
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Concatenate, ParamSpec

import typer
from typer.core import TyperGroup
from typer.main import get_command

from ags_tui import __version__
from ags_tui.cli.arguments import COMMANDS
from ags_tui.cli.call import Call, Globals, make_call
from ags_tui.cli.failures import FAILED, USAGE, CommandFailed, UsageProblem, is_wrong_call
from ags_tui.cli.own_log import start_log
from ags_tui.core.failures import AgsError

P = ParamSpec("P")

_VERSION_HELP = "Print the version and exit."


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ags-tui {__version__}")
        raise typer.Exit


Directory = Annotated[Path | None, typer.Option("-C", metavar="DIR", help="Work in this folder.")]
Root = Annotated[Path | None, typer.Option("--root", metavar="DIR", help="Folder that holds tasks/.")]
State = Annotated[Path | None, typer.Option("--state", metavar="DIR", help="Keys and other state.")]
Config = Annotated[Path | None, typer.Option("--config", metavar="DIR", help="Settings and policy.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Version = Annotated[
    bool, typer.Option("--version", callback=_print_version, is_eager=True, help=_VERSION_HELP)
]

_GLOBALS: dict[str, Any] = {
    "directory": Directory,
    "root": Root,
    "state": State,
    "config": Config,
    "json": Json,
    "version": Version,
}


def new_app(kind: type[TyperGroup] = TyperGroup) -> typer.Typer:
    """An empty application in the style of the house: plain help, no completion of its own.

    Args:
        kind: class of the group, where it becomes one.
    """
    return typer.Typer(
        cls=kind,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def command(
    app: typer.Typer, name: str | None = None, *, cannot: int = FAILED
) -> Callable[[Callable[Concatenate[Call, P], int]], Callable[Concatenate[Call, P], int]]:
    """Register a function as a command of ``app``.

    Args:
        app: where to register.
        name: name of the command; None takes the function's.
        cannot: exit code where the command meets a failure that it can only explain.
    """

    def register(function: Callable[Concatenate[Call, P], int]) -> Callable[Concatenate[Call, P], int]:
        app.command(name)(_with_globals(function, cannot))
        return function

    return register


def add_group(app: typer.Typer, summary: str) -> None:
    """Make ``app`` a group even where it has a single command.

    Args:
        app: the application.
        summary: its line of help.
    """

    def group(
        context: typer.Context,
        *,
        directory: Directory = None,
        root: Root = None,
        state: State = None,
        config: Config = None,
        json: Json = False,
        version: Version = False,
    ) -> None:
        outer = context.obj
        given = Globals(directory=directory, root=root, state=state, config=config, json=json)
        context.obj = given.over(outer) if isinstance(outer, Globals) else given

    app.callback(help=summary)(group)


def _with_globals(function: Callable[..., int], cannot: int) -> Callable[..., int]:
    own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    keyword = inspect.Parameter.KEYWORD_ONLY
    added = [
        inspect.Parameter(
            name, keyword, default=False if name in ("json", "version") else None, annotation=kind
        )
        for name, kind in _GLOBALS.items()
    ]
    context = inspect.Parameter("context", keyword, annotation=typer.Context)

    def run(**values: Any) -> int:  # noqa: ANN401
        outer = values.pop("context").obj
        values.pop("version")
        given = Globals(**{name: values.pop(name) for name in _GLOBALS if name != "version"})
        call = make_call(given.over(outer if isinstance(outer, Globals) else Globals()), os.environ)
        start_log(call.places)
        try:
            return function(call, **values)
        except (UsageProblem, CommandFailed):
            raise
        except AgsError as error:
            raise CommandFailed(str(error), USAGE if is_wrong_call(error) else cannot) from error

    run.__name__ = function.__name__
    run.__doc__ = inspect.cleandoc(function.__doc__ or "")
    parameters = [own_one.replace(kind=keyword) for own_one in own]
    run.__signature__ = inspect.Signature([context, *parameters, *added])  # pyright: ignore[reportFunctionMemberAccess]
    return run


class LazyCommands(TyperGroup):
    """All commands; a command's module is imported when the command is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401
        """Names of all commands that this installation has."""
        return [name for name, (module, _) in COMMANDS.items() if importlib.util.find_spec(module)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401
        """Import and return one command, or None where there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        module, summary = COMMANDS[cmd_name]
        if importlib.util.find_spec(module) is None:
            return None
        found = get_command(importlib.import_module(module).app)
        found.name = cmd_name
        found.short_help = summary
        return found

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the list of the help without importing any command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])


def all_commands() -> Callable[..., Any]:
    """The whole command line, as a function of ``args``, ``prog_name`` and ``standalone_mode``."""
    app = new_app(LazyCommands)
    add_group(app, "Supervise coding agents. Without a command: open the TUI (ags-tui [PATH]).")
    return get_command(app).main
