"""What a command prints: inert text or one JSON document on stdout, messages on stderr."""

import errno
import json
import os
import sys
from collections.abc import Mapping
from typing import Any, TextIO

from ags_tui.view.text import Line, Span, printable

DOCUMENT_VERSION = 1
"""Version of the JSON documents on stdout."""

_COLOURS = {
    "muted": "2", "accent": "36", "ok": "32", "warn": "33", "error": "31", "added": "32", "removed": "31",
    "title": "1", "escape": "7", "risk-low": "32", "risk-medium": "33", "risk-high": "31",
    "risk-critical": "1;31",
}  # fmt: skip
"""SGR codes by the names of styles."""


class Output:
    """The two streams of one command; a reader that went away silences it and changes no exit code."""

    def __init__(self, *, json_wanted: bool, environment: Mapping[str, str]) -> None:
        """Look at the streams once.

        Args:
            json_wanted: whether stdout carries one JSON document instead of text.
            environment: ``NO_COLOR`` and ``TERM`` are looked at.
        """
        self.json = json_wanted
        """Whether stdout carries one JSON document."""
        plain = bool(environment.get("NO_COLOR")) or environment.get("TERM") in (None, "", "dumb")
        self._colour = not plain and not json_wanted and _is_terminal(sys.stdout)

    def line(self, *parts: str | Span) -> None:
        """Print one line of text; nothing where JSON is wanted. Every part is made inert."""
        if not self.json:
            self._write(sys.stdout, self._styled(parts) + "\n")

    def lines(self, rows: "tuple[Line, ...] | list[Line]") -> None:
        """Print rows of the view."""
        for row in rows:
            self.line(*row)

    def document(self, value: Mapping[str, Any]) -> None:
        """Print the one JSON document, where JSON is wanted.

        Args:
            value: its members beside ``version``.
        """
        if self.json:
            self.print_json(value)

    def print_json(self, value: Mapping[str, Any]) -> None:
        """Print a JSON document even where ``--json`` was not given."""
        text = json.dumps(
            {"version": DOCUMENT_VERSION, **value}, ensure_ascii=False, allow_nan=False, indent=2
        )
        self._write(sys.stdout, _escaped(text) + "\n")

    def note(self, message: str) -> None:
        """Say something on stderr, as one line that begins with the name of the program."""
        self._write(sys.stderr, f"ags-tui: {printable(message)}\n")

    def raw(self, data: bytes) -> None:
        """Pass output of a child on, made inert; to stderr where stdout carries JSON."""
        text = data.decode("utf-8", "backslashreplace")
        target = sys.stderr if self.json else sys.stdout
        self._write(target, printable(text, newline=True))

    def _styled(self, parts: "tuple[str | Span, ...]") -> str:
        text = ""
        for part in parts:
            span = Span(part) if isinstance(part, str) else part
            inert = printable(span.text)
            code = _COLOURS.get(span.style, "") if self._colour else ""
            text += f"\x1b[{code}m{inert}\x1b[0m" if code and inert else inert
        return text

    @staticmethod
    def _write(stream: TextIO | None, text: str) -> None:
        if stream is None:
            return  # started with the stream closed
        try:
            stream.buffer.write(text.encode("utf-8", "backslashreplace"))
            stream.buffer.flush()
        except OSError as error:
            if error.errno not in (errno.EPIPE, errno.EIO):
                raise
            # The reader, or the terminal, has gone: what else is printed goes nowhere, the exit code stays.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def _escaped(text: str) -> str:
    """Write every character that a terminal could take as a command as a JSON escape."""
    if text.isascii() and "\x7f" not in text:
        return text
    return "".join(
        char if char == "\n" or char.isprintable() else json.dumps(char)[1:-1].replace("\x7f", "\\u007f")
        for char in text
    )


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False
