"""Runs the app on a made-up workspace in a terminal: ``python -m tests.app.terminal_app [SCENE] [FAULT]``.

Faults: ``crash`` raises in a handler after the first reading, ``worker`` in a worker, ``notices`` starts with
a notice full of escapes.
"""

import os
import sys
from pathlib import Path

from ags_tui.app.app import AgsApp
from ags_tui.app.messages import AssessmentReady
from ags_tui.app.shell import Outside
from tests.app import driver, scenes


class CrashingApp(AgsApp):
    """Fails in a handler, as a fault of ours would."""

    def on_assessment_ready(self, message: AssessmentReady) -> None:
        """Fail."""
        raise RuntimeError("a fault of ours \x1b]0;evil\x07 [/]")


def main(scene: str, fault: str) -> int:
    """Run until something ends it."""
    behind = driver.door(getattr(scenes, scene)())
    notices = ("theme \x1b[2J [/] broken",) if fault == "notices" else ()
    outside = Outside(assess=behind.assess, watched=("api/.ai",), notices=notices, keep_crash=keep)
    app = (CrashingApp if fault == "crash" else AgsApp)(
        behind, None, outside, ansi_color=True if "NO_COLOR" in os.environ else None
    )
    if fault == "worker":
        behind.read_error = RuntimeError("oops")
    app.run()
    return app.return_code or 0


def keep(text: str) -> str:
    """Keep a crash beside the test."""
    path = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    if path is not None:
        path.write_text(text, "utf-8")
    return str(path or "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "busy", sys.argv[2] if len(sys.argv) > 2 else ""))
