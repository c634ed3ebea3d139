"""The checks of ``doctor`` that look at the terminal, with a probe of glyph widths."""

import contextlib
import os
import re
import select
import shutil
import sys
import termios
import time
import tty
from collections.abc import Mapping

from ags_tui.cli.doctor_rows import Row
from ags_tui.view.glyphs import NARROW, UNICODE, Glyphs

LEAST = (80, 24)
"""Columns and rows that the narrow layout needs."""

_PATIENCE_S = 0.5
_POSITION = re.compile(rb"\x1b\[(\d+);(\d+)R")


def check_terminal(environment: Mapping[str, str]) -> list[Row]:
    """Look at size, colours and, where stdin and stdout are a terminal, at the widths of the glyphs.

    Args:
        environment: ``TERM``, ``COLORTERM`` and ``NO_COLOR`` are looked at.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return [
            Row(
                "terminal", "note", "stdin or stdout is no terminal; size, colours and glyphs are not checked"
            )
        ]
    columns, rows = shutil.get_terminal_size()
    size = f"{columns}×{rows}"
    small = columns < LEAST[0] or rows < LEAST[1]
    found = [
        Row("terminal", "note", f"{size} is small", f"make it at least {LEAST[0]}×{LEAST[1]}")
        if small
        else Row("terminal", "ok", size)
    ]
    term = environment.get("TERM", "")
    if term in ("", "dumb"):
        found.append(
            Row("terminal", "broken", f"TERM is {term or 'not set'}", "set TERM, such as xterm-256color")
        )
    elif environment.get("NO_COLOR"):
        found.append(Row("terminal", "ok", f"{term}, colours off by NO_COLOR"))
    else:
        found.append(
            Row("terminal", "ok", f"{term}, {environment.get('COLORTERM') or '256 colours or fewer'}")
        )
    return [*found, _glyphs()]


def _glyphs() -> Row:
    """Ask the terminal how wide it draws each glyph."""
    wide = {name: _wide(glyphs) for name, glyphs in (("unicode", UNICODE), ("narrow", NARROW))}
    if any(found is None for found in wide.values()):
        return Row("glyphs", "note", "the terminal does not answer where the cursor is; widths are not known")
    if not wide["unicode"]:
        return Row("glyphs", "ok", "all symbols are one cell wide")
    if not wide["narrow"]:
        odd = "".join(wide["unicode"] or ())
        return Row("glyphs", "note", f"two cells wide here: {odd}", 'set glyphs = "narrow" in config.toml')
    return Row(
        "glyphs", "note", "many symbols are two cells wide here", 'set glyphs = "ascii" in config.toml'
    )


def _wide(glyphs: Glyphs) -> tuple[str, ...] | None:
    """Glyphs that are not one cell wide; None where the terminal does not answer."""
    marks = sorted({getattr(glyphs, name) for name in Glyphs.__slots__})
    width = measure("".join(marks))
    if width is None:
        return None
    if width == len(marks):
        return ()
    return tuple(mark for mark in marks if measure(mark) != 1)


def measure(text: str) -> int | None:
    """Print a text, ask the terminal where the cursor is, and wipe it again.

    Args:
        text: printable text shorter than a line.

    Returns:
        Cells that the terminal has moved by, None where it does not answer in time.
    """
    terminal = sys.stdin.fileno()
    try:
        before = termios.tcgetattr(terminal)
    except termios.error:
        return None
    try:
        tty.setcbreak(terminal, termios.TCSANOW)
        os.write(sys.stdout.fileno(), b"\r" + text.encode() + b"\x1b[6n")
        answer = _answer(terminal)
        os.write(sys.stdout.fileno(), b"\r\x1b[2K")
    finally:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(terminal, termios.TCSANOW, before)
    found = _POSITION.search(answer)
    return int(found[2]) - 1 if found else None


def _answer(terminal: int) -> bytes:
    deadline, data = time.monotonic() + _PATIENCE_S, b""
    while not _POSITION.search(data) and len(data) < 256:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            break
        data += os.read(terminal, 64)
    return data
