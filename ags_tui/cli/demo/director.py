"""Starts the agents of the demo one after the other, each as a process of its own.

Started as ``python -I -m ags_tui.cli.demo.director FOLDER PACE``; ends when the last agent has ended.
"""

import subprocess
import sys
from pathlib import Path

from ags_tui.cli.demo.agents import ROLES
from ags_tui.cli.demo.desk import Layout

CAST = (
    "planner",
    "implementer",
    "side_worker",
    "reviewer",
    "fixer",
    "second_reviewer",
    "tester",
)
"""Roles in the order of their entrances."""


def main(arguments: list[str]) -> int:
    """Play the whole piece.

    Args:
        arguments: Folder of the demo, pace.
    """
    folder, pace = arguments
    layout = Layout(Path(folder))
    for name in CAST:
        assert name in ROLES
        words = [sys.executable, "-I", "-m", "ags_tui.cli.demo.agents", name, folder, pace]
        with layout.journal.open("ab") as journal:
            done = subprocess.run(
                words, stdin=subprocess.DEVNULL, stdout=journal, stderr=journal, check=False
            )
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
