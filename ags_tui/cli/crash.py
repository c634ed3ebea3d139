"""What is left behind when this program itself fails: a file without locals, and one line."""

import os
import platform
import sys
import traceback
from datetime import datetime
from pathlib import Path
from typing import TextIO

from ags_tui import __version__
from ags_tui.io.places import Places, PlaceUnusable

KEPT = 20
"""Crash files that stay; older ones are removed."""


def write_crash(error: BaseException, what: str, places: Places, now: datetime) -> Path | None:
    """Write a crash file about an exception.

    Args:
        error: what happened.
        what: name of the command, or ``tui``.
        places: where the state is.
        now: the time, UTC.

    Returns:
        The file, or None where none could be written.
    """
    return write_crash_text("".join(traceback.format_exception(error, chain=True)), what, places, now)


def write_crash_text(trace: str, what: str, places: Places, now: datetime) -> Path | None:
    """Write a crash file.

    It holds the traceback without local variables, the versions, and which command ran; no arguments, no
    environment.

    Args:
        trace: the traceback.
        what: name of the command, or ``tui``.
        places: where the state is.
        now: the time, UTC.

    Returns:
        The file, or None where none could be written.
    """
    head = f"ags-tui {__version__}, Python {platform.python_version()}, {platform.platform()}\n{what}\n\n"
    try:
        folder = places.state_folder("crashes")
        path = folder / f"crash-{now:%Y%m%dT%H%M%S}-{os.getpid()}.txt"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(head + trace)
        _sweep(folder)
    except (OSError, PlaceUnusable):
        return None
    return path


def crash_line(error: BaseException, path: Path | None) -> str:
    """One line for stderr.

    Args:
        error: what happened.
        path: the crash file, None where there is none.
    """
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    details = f"details: {path}" if path else "no crash file could be written into the state folder"
    return f"internal failure ({type(error).__name__}{where}); {details}"


def _sweep(folder: Path) -> None:
    for old in sorted(folder.glob("crash-*.txt"))[:-KEPT]:
        old.unlink(missing_ok=True)


def flush_streams() -> None:
    """Flush stdout and stderr, so that a reader that has gone causes no noise while the interpreter ends."""
    streams: tuple[TextIO | None, ...] = (sys.stdout, sys.stderr)
    for stream in streams:
        if stream is None:
            continue
        try:
            stream.flush()
        except (BrokenPipeError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
