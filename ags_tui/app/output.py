"""The driver of a terminal that may vanish: Textual's own waits for ever for output that nobody takes.

Its writer ends with the first failed write, and the app then hangs in a full queue, deaf to signals. Here a
failed write is dropped; the hang-up that comes with it ends the app.
"""

from typing import TextIO, cast

from textual.app import App
from textual.drivers.linux_driver import LinuxDriver


class LastingOutput:
    """A file whose writes never fail: what a closed terminal does not take is dropped."""

    def __init__(self, file: TextIO) -> None:
        """Take the file.

        Args:
            file: The terminal.
        """
        self._file = file

    def write(self, text: str) -> None:
        """Write, or drop."""
        try:
            self._file.write(text)
        except OSError:  # hung up
            return

    def flush(self) -> None:
        """Hand on what is buffered, or drop it."""
        try:
            self._file.flush()
        except OSError:  # hung up
            return

    def fileno(self) -> int:
        """Give the descriptor of the terminal."""
        return self._file.fileno()

    def isatty(self) -> bool:
        """Tell whether it is a terminal."""
        return self._file.isatty()


class TerminalDriver(LinuxDriver):
    """Textual's driver with an output that outlives its terminal."""

    def __init__(
        self,
        app: App[object],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        """Put the lasting output in place.

        Args:
            app: The app.
            debug: Textual's debug mode.
            mouse: Whether the mouse is reported.
            size: Columns and lines; those of the terminal where not given.
        """
        super().__init__(app, debug=debug, mouse=mouse, size=size)  # pyright: ignore[reportUnknownMemberType]
        self._file = cast("TextIO", LastingOutput(self._file))
