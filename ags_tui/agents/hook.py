"""The file that clients call: ``[absolute python, -I, -S, absolute …/agents/hook.py, AGENT, …]``.

All it does is to start ``quick_road`` from its compiled form: Python compiles the file that it is called with
each time, which for a file of that length costs a quarter of a bare start. Where even that fails the call is
denied with what every client holds a call for: exit code 2 and a reason on stderr.
"""

import posix
import sys


def start(words: list[str]) -> None:
    """Answer one call and end the process.

    Args:
        words: The agent, then options.
    """
    try:
        name, path = "ags_tui.agents.quick_road", __file__.rpartition("/")[0] + "/quick_road.py"
        loader = sys.modules["_frozen_importlib_external"].SourceFileLoader(name, path)
        space = {"__name__": name, "__file__": path}
        exec(loader.get_code(name), space)
        main = space["main"]
        assert callable(main)
        main(words)
    except BaseException as error:  # noqa: BLE001 (a crash would let the call through)
        refuse(type(error).__name__)


def refuse(kind: str) -> None:
    """Deny, with nothing but what is built in.

    Args:
        kind: What went wrong, one word.
    """
    try:
        posix.write(2, f"ags-tui: the hook could not start ({kind}); install ags-tui again\n".encode())
        while posix.read(0, 1 << 16):  # a client whose write fails goes its own way
            pass
    finally:
        posix._exit(2)  # pyright: ignore[reportPrivateUsage]


if __name__ == "__main__":
    start(sys.argv[1:])
