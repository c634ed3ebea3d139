"""Cuts a stream of bytes into lines of text."""

from collections.abc import Callable

LONGEST = 1 << 16
"""A line longer than this, bytes, is handed on in pieces."""


class LineCutter:
    """Takes pieces of output and hands on whole lines, without their ends."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        r"""Begin.

        Args:
            on_line: Called with each line; bytes that are not UTF-8 as ``\\xNN``.
        """
        self._on_line = on_line
        self._rest = b""

    def feed(self, data: bytes) -> None:
        """Take a piece."""
        *whole, self._rest = (self._rest + data).split(b"\n")
        for line in whole:
            self._on_line(line.decode("utf-8", "backslashreplace"))
        while len(self._rest) > LONGEST:
            piece, self._rest = self._rest[:LONGEST], self._rest[LONGEST:]
            self._on_line(piece.decode("utf-8", "backslashreplace"))

    def end(self) -> None:
        """Hand on what is left."""
        if self._rest:
            self._on_line(self._rest.decode("utf-8", "backslashreplace"))
            self._rest = b""
