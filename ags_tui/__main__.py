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
    try:
        return _run(sys.argv[1:])
    except KeyboardInterrupt:
        return 130
    except ImportError as error:
        sys.stderr.write(f"ags-tui: the installation is incomplete: {error}; install it again\n")
        return 70


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
