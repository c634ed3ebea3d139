"""Imports what the next key may need while nothing else is to be done: no first press waits for a disk.

Screens are left out of the start for the sake of the first frame, and imported by the desk when they are
opened. Here they are imported before that, in a worker, once the first assessment is on the screen.
"""

from importlib import import_module

SCREENS = (
    "decision", "reason", "new_task", "promote", "escalation", "finalize", "help", "check_run", "log",
    "settings", "call", "remember", "rules", "alarms",
)  # fmt: skip
"""Modules of ``app.screens``, what is needed soonest first."""


def import_screens() -> None:
    """Import the screens; blocks for some hundredths of a second where none was imported yet."""
    for name in SCREENS:
        import_module(f"ags_tui.app.screens.{name}")
