"""The real ``ags-tui`` in a pseudo-terminal: keys go in as bytes, all bytes that come out are kept."""

import os
import re
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import ptyprocess
import pyte

from tests.emulator import Screen

TOP = Path(__file__).resolve().parents[2]
PATIENCE = 20.0
"""Seconds after which a fact that was waited for counts as missing."""
APPROVE = "\x0f"
"""``Ctrl+O``."""
GUARD_MS = 300
"""Guard time of these terminals: the shortest that the settings take."""

AGAIN = 0.8
"""Seconds between two tries: more than the program drops keys for."""
MODES = {
    b"\x1b[?1000h": b"\x1b[?1000l", b"\x1b[?1003h": b"\x1b[?1003l", b"\x1b[?1006h": b"\x1b[?1006l",
    b"\x1b[?1049h": b"\x1b[?1049l", b"\x1b[?25l": b"\x1b[?25h", b"\x1b[?2004h": b"\x1b[?2004l",
    b"\x1b[?1004h": b"\x1b[?1004l",
}  # fmt: skip
"""How a mode is switched on, and off again: mouse, alternate screen, hidden cursor, pastes, focus."""

_OWN = re.compile(
    rb"\x1b\[[0-9;]*[mHJKABCDGdu]"  # colours, cursor, keyboard mode
    rb"|\x1b\[[?<>=][0-9;]*[a-zA-Z]"  # modes
    rb"|\x1b\[\?[0-9]+\$p|\x1b\[[0-9;]+t|\x1b\[6n|\x1b[78]"  # questions, titles on the stack, saved cursor
    rb"|\x1b\]2;[^\x00-\x1f\x7f]*\x07"  # the title
    rb"|\x1b\]22;[a-z-]+(?:\x1b\\\\|\x07)"  # the shape of the pointer
)
_ACTING = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
"""Characters that a terminal may act on, or that nobody sees."""


class Tui:
    """One running program."""

    def __init__(
        self,
        work: Path,
        home: Path,
        *words: str,
        size: tuple[int, int] = (40, 130),
        **environment: str,
    ) -> None:
        """Start it.

        Args:
            work: Folder to work in.
            home: Holds ``state`` and ``config``, throw-away.
            words: Further arguments.
            size: Lines and columns.
            environment: Further variables.
        """
        config = home / "config"
        config.mkdir(mode=0o700, exist_ok=True)
        settings = config / "config.toml"
        if not settings.exists():
            settings.write_text(f'version = 1\nguard_ms = {GUARD_MS}\nglyphs = "unicode"\n')
        self.process = ptyprocess.PtyProcess.spawn(
            [
                sys.executable, "-m", "ags_tui", *words,
                "--state", str(home / "state"), "--config", str(config),
            ],
            cwd=str(work), dimensions=size,
            env={
                "PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(TOP), "LC_ALL": "C.UTF-8",
                "TERM": "xterm-256color", "TEXTUAL_ANIMATIONS": "none", "EDITOR": "true", **environment,
            },
        )  # fmt: skip
        self.output = b""
        self.screen = Screen(size[1], size[0])
        self.stream = pyte.ByteStream(self.screen)

    def read(self, seconds: float) -> bool:
        """Take what comes within a time; False at the end."""
        ready, _, _ = select.select([self.process.fd], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.process.fd, 1 << 16)
        except OSError:
            return False
        self.output += data
        self.stream.feed(data.replace(b"\x1b[22;2t", b"").replace(b"\x1b[23;2t", b""))
        return bool(data)

    @property
    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def wait(self, fact: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
        """Wait for a fact, reading meanwhile."""
        end = time.monotonic() + seconds
        while not fact():
            alive = self.read(0.02)
            waits = time.monotonic() < end and alive
            assert waits or fact(), f"{what}\n{self.text}\n{self.tail()}"

    def until(self, *texts: str) -> None:
        """Wait until texts are on the screen."""
        self.wait(lambda: all(text in self.text for text in texts), f"not shown: {texts}")

    def gone(self, text: str) -> None:
        """Wait until a text is nowhere on the screen."""
        self.wait(lambda: text not in self.text, f"still shown: {text}")

    def press(self, keys: str | bytes) -> None:
        """Type."""
        self.process.write(keys.encode() if isinstance(keys, str) else keys)

    def bring(self, keys: str, *texts: str) -> None:
        """Type again and again until texts are on the screen; what is there before counts, too."""
        self._insist(keys, lambda: all(text in self.text for text in texts), f"not brought: {texts}")

    def back(self) -> None:
        """Leave whatever lies over the main screen; what was typed before has been taken by then."""
        self._insist("\x1b", lambda: "NEEDS YOU" in self.text and not self.covered, "still open")

    @property
    def covered(self) -> bool:
        """Whether a dialog, or a part of one that is not painted over yet, is on the screen."""
        return any(border in self.text for border in (*"╭╮╰╯", "▔▔", "▁▁"))

    def _insist(self, keys: str, fact: Callable[[], bool], what: str) -> None:
        """Type until a fact holds: keys are dropped for a moment after a dialog, those of a later try not."""
        end = time.monotonic() + PATIENCE
        while not fact():
            assert time.monotonic() < end, f"{what} by {keys!r}\n{self.text}\n{self.tail()}"
            self.press(keys)
            again = time.monotonic() + AGAIN
            while not fact() and time.monotonic() < again:
                assert self.read(0.05), self.tail()

    def resize(self, lines: int, columns: int) -> None:
        """Give the terminal another size."""
        self.process.setwinsize(lines, columns)
        self.screen.resize(max(1, lines), max(1, columns))

    def kill(self, number: signal.Signals) -> None:
        """Send a signal."""
        self.process.kill(number)

    def still(self, seconds: float) -> None:
        """Read until nothing has come for a time: what was typed is painted, on a machine of usual speed."""
        length = -1
        while length != len(self.output):
            length = len(self.output)
            end = time.monotonic() + seconds
            while (left := end - time.monotonic()) > 0:
                assert self.read(left), self.tail()

    def effect(self) -> None:
        """Leave a deciding key, if one was taken, the time in which the program waits for further keys."""
        self.still(0.3)

    def stop(self) -> None:
        """Stop the process as nothing can catch it, and return when it does stand still."""
        self.kill(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOWAIT)

    def left_on(self) -> list[bytes]:
        """Modes of the terminal that were changed and not changed back."""
        return [on for on, off in MODES.items() if self.output.rfind(on) > self.output.rfind(off)]

    def end(self) -> int:
        """End it by SIGTERM, from whatever screen, and give 0 where it ended as it should."""
        self.kill(signal.SIGTERM)
        return self.ended() - 128 - signal.SIGTERM

    def ended(self) -> int:
        """Wait for the end and give the exit code."""
        stop = time.monotonic() + PATIENCE
        while self.read(0.1):
            assert time.monotonic() < stop, f"it did not end\n{self.text}"
        self.process.wait()
        status = self.process.exitstatus
        return -int(self.process.signalstatus or 0) if status is None else int(status)

    def close(self) -> None:
        """End it, whatever it does."""
        with suppress(OSError):
            self.process.kill(signal.SIGCONT)
        self.process.close(force=True)

    def tail(self) -> str:
        """The last bytes, for messages."""
        return self.output[-400:].decode("utf-8", "replace").replace("\x1b", "␛")

    def acting(self) -> list[str]:
        """Characters that reached the terminal and that the program itself never writes."""
        bare = _OWN.sub(b"", self.output).replace(b"\x07", b"")
        return sorted({ascii(found) for found in _ACTING.findall(bare.decode("utf-8", "surrogateescape"))})
