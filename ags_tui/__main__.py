"""Entry of ``ags-tui``: decides with nothing imported whether a command runs or the TUI opens."""

import sys


def main() -> int:
    """Run one invocation.

    Returns:
        The exit code.
    """
    if sys.platform == "win32":
        sys.stderr.write("ags-tui: native Windows is not supported; run it inside WSL2\n")
        return 1
    if sys.argv[1:2] == ["hook"] and sys.argv[2:] not in (["--help"], ["-h"]):
        return _hook(sys.argv[2:])
    try:
        return _run(sys.argv[1:])
    except KeyboardInterrupt:
        return 130
    except ImportError as error:
        sys.stderr.write(f"ags-tui: the installation is incomplete: {error}; install it again\n")
        return 70


def _hook(words: list[str]) -> int:
    """Answer a client's hook; the process normally ends in there. Exit code 2 holds the call."""
    try:
        from ags_tui.agents.quick_road import main as answer

        answer(words)
    except BaseException as error:  # noqa: BLE001 (a client would let the call through)
        sys.stderr.write(f"ags-tui: the hook could not start ({type(error).__name__}), so this is a denial\n")
    return 2


def _run(arguments: list[str]) -> int:
    from ags_tui.cli.arguments import split

    asked = split(arguments)
    if asked is None:
        from ags_tui.cli.entry import run_command

        return run_command(arguments)
    from ags_tui.cli.tui import run_app

    return run_app(asked)


if __name__ == "__main__":
    sys.exit(main())
