"""The log of this program itself: in the state folder, bounded, readable by its user alone."""

import io
import logging
import os
from logging.handlers import RotatingFileHandler

from ags_tui.io.places import Places
from ags_tui.view.text import printable

NAME = "ags-tui.log"
"""File in the state folder."""
LARGEST = 1024 * 1024
"""Bytes of one file."""
KEPT = 2
"""Older files that stay beside it: three in all."""


class OwnLog(RotatingFileHandler):
    """Makes its file when the first line is written; where that is impossible it stays silent."""

    def __init__(self, places: Places) -> None:
        """Prepare; nothing is opened yet.

        Args:
            places: where the state is.
        """
        super().__init__(
            places.state / NAME, maxBytes=LARGEST, backupCount=KEPT, encoding="utf-8", delay=True
        )
        self._places = places
        self.setFormatter(_OneLine("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))

    def _open(self) -> io.TextIOWrapper:
        folder = self._places.state_folder()
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(folder / NAME, flags, 0o600)
        return os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace")

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        try:
            super().emit(record)
        except Exception:  # noqa: BLE001  a log that cannot be written must never end the program
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Stay silent: stderr belongs to the command, and in the TUI to the screen."""


class _OneLine(logging.Formatter):
    """Keeps what others contributed on one inert line; tracebacks follow on lines of their own."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record), newline=bool(record.exc_info))


def start_log(places: Places) -> None:
    """Send the log of this process to the state folder, and nothing of it to stderr.

    Args:
        places: where the state is.
    """
    root = logging.getLogger()
    for old in [handler for handler in root.handlers if isinstance(handler, OwnLog)]:
        root.removeHandler(old)
    root.addHandler(OwnLog(places))
    logging.getLogger("ags_tui").setLevel(logging.INFO)
