"""A terminal for programs that are measured: a real pty, and the moment at which a text arrives on it."""

import os
import re
import select
import signal
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ptyprocess import PtyProcess, PtyProcessError

SIZE = (50, 200)
"""Rows and columns."""
PATIENCE = 60.0
"""Seconds after which a text that does not come is a failure."""
_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-9;:?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])"
)
_KEPT = 4096


class NothingCame(Exception):
    """The program ended, or did not write the awaited text in time."""


class Terminal:
    """One program on a pty. All times are seconds of ``time.perf_counter``."""

    def __init__(self, words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.began = time.perf_counter()
        self._process = PtyProcess.spawn(list(words), cwd=str(folder), env=dict(environment), dimensions=SIZE)
        self.pid: int = self._process.pid
        self._fd: int = self._process.fd
        self._rest = b""
        self.tail = b""

    def texts(self, until: float) -> Iterator[tuple[float, bytes]]:
        """What arrives, with its time, escape sequences left out, until a moment or the program's end."""
        while (left := until - time.perf_counter()) > 0:
            if not select.select([self._fd], [], [], left)[0]:
                return
            try:
                data = os.read(self._fd, 1 << 16)
            except OSError:
                return
            now = time.perf_counter()
            if not data:
                return
            yield now, self._plain(data)

    def wait_for(self, pattern: bytes, *, patience: float = PATIENCE) -> float:
        """The moment at which a text that matches arrives.

        Raises:
            NothingCame: it does not; the message ends with what was on the terminal.
        """
        wanted = re.compile(pattern)
        self.tail = b""
        for now, text in self.texts(time.perf_counter() + patience):
            text = self.tail + text  # a whole frame may come at once: nothing is cut off before the search
            self.tail = text[-_KEPT:]
            if wanted.search(text):
                return now
        raise NothingCame(f"{pattern!r} did not come; last: {self.tail[-300:]!r}")

    def settle(self, quiet: float, *, patience: float = PATIENCE) -> None:
        """Read until nothing has come for so many seconds."""
        end = time.perf_counter() + patience
        last = time.perf_counter()
        while time.perf_counter() < end:
            for now, _text in self.texts(last + quiet):
                last = now
                break
            else:
                return
        raise NothingCame(f"the terminal was not quiet for {quiet} s within {patience} s")

    def send(self, keys: bytes) -> None:
        """Type."""
        os.write(self._fd, keys)

    def end(self) -> None:
        """End the program as a closing terminal would, by force if it does not go."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                break
            for _moment in self.texts(time.perf_counter() + 5):
                continue
            if not self._process.isalive():
                break
        try:
            self._process.close(force=True)
        except PtyProcessError:
            return

    def _plain(self, data: bytes) -> bytes:
        data = self._rest + data
        cut = data.rfind(b"\x1b")
        if cut >= 0 and not _ESCAPES.match(data, cut) and len(data) - cut < _KEPT:
            data, self._rest = data[:cut], data[cut:]
        else:
            self._rest = b""
        return _ESCAPES.sub(b"", data)


@contextmanager
def opened(words: Sequence[str], folder: Path, scratch: Path) -> Generator[Terminal]:
    """Run a program on a terminal; it is ended with the block."""
    terminal = Terminal(words, folder, environment(scratch))
    try:
        yield terminal
    finally:
        terminal.end()


def environment(scratch: Path) -> dict[str, str]:
    """Nothing of the developer's own environment but the path."""
    home = scratch / "home"
    home.mkdir(exist_ok=True)
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TMPDIR": str(home),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
    }
