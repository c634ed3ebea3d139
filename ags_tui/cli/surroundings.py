"""The part of the environment that could press keys, choose a driver or feign a size: taken away first.

Textual reads variables when it is imported: ``TEXTUAL_PRESS`` types keys by itself, and ``COLUMNS`` and
``LINES`` make it paint, and count as seen, what lies beyond the edge of the real terminal.
"""

from collections.abc import MutableMapping

LOOKS = frozenset({"TEXTUAL_ANIMATIONS", "TEXTUAL_COLOR_SYSTEM", "TEXTUAL_DISABLE_KITTY_KEY"})
"""Variables of Textual that set looks only."""

_SIZES = ("COLUMNS", "LINES")


def keep_looks_only(environment: MutableMapping[str, str]) -> None:
    """Remove what drives Textual from an environment, before Textual is imported.

    Args:
        environment: the environment of this process; children of ours do without these variables, too.
    """
    driving = [name for name in environment if name == "TEXTUAL" or name.startswith("TEXTUAL_")]
    for name in (*driving, *_SIZES):
        if name not in LOOKS:
            environment.pop(name, None)
