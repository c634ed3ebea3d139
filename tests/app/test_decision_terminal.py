"""The decision screen in a real terminal: what reaches it, and what raw bytes decide."""

import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import ptyprocess
import pytest

TOP = Path(__file__).resolve().parents[2]
FOCUS_OUT, FOCUS_IN = b"\x1b[O", b"\x1b[I"
APPROVE = b"\x0f"


class Desk:
    """The screen in a pseudo-terminal, and the file in which it writes down what came back."""

    def __init__(self, folder: Path, case: str) -> None:
        self.file = folder / "result"
        self.file.touch()
        self.output = b""
        self.process = ptyprocess.PtyProcess.spawn(
            [sys.executable, "-m", "tests.app.decision_app", case, str(self.file)],
            cwd=str(TOP), dimensions=(30, 100),
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "xterm-256color",
                 "LC_ALL": "C.UTF-8", "TEXTUAL_ANIMATIONS": "none"},
        )  # fmt: skip

    def read(self, seconds: float) -> None:
        ready, _, _ = select.select([self.process.fd], [], [], seconds)
        if ready:
            try:
                self.output += os.read(self.process.fd, 65536)
            except OSError:
                return

    @property
    def words(self) -> list[str]:
        return self.file.read_text().split()

    def until(self, word: str, count: int) -> None:
        """Wait until the screen has said a word so many times."""
        end = time.monotonic() + 20
        while self.words.count(word) < count:
            assert time.monotonic() < end, (self.words, self.output[-2000:])
            self.read(0.05)

    def ready_again(self, data: bytes) -> None:
        """Send bytes, see that they end the readiness, and wait until it is back: nothing was decided."""
        ready, waiting = self.words.count("ready"), self.words.count("waiting")
        self.process.write(data)
        self.until("waiting", waiting + 1)
        self.until("ready", ready + 1)
        assert set(self.words) == {"ready", "waiting"}, data


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    opened = Desk(tmp_path, "012-esc-osc")
    try:
        yield opened
    finally:
        opened.process.close(force=True)


def test_raw_bytes_decide_only_as_one_deliberate_key(desk: Desk) -> None:
    desk.until("ready", 1)
    for data in (
        b"yes" + APPROVE,
        APPROVE + b"y",
        APPROVE + APPROVE,
        b"\x1b[200~text" + APPROVE + b"\r\x1b[201~",
        b"\t" + APPROVE,
        b"\x1b[<0;10;10M\x1b[<0;10;10m" + APPROVE,
        FOCUS_OUT + APPROVE + FOCUS_IN,
        FOCUS_IN + APPROVE,
    ):
        desk.ready_again(data)
    os.kill(desk.process.pid, signal.SIGSTOP)
    desk.process.write(APPROVE)
    waiting, ready = desk.words.count("waiting"), desk.words.count("ready")
    os.kill(desk.process.pid, signal.SIGCONT)
    desk.until("waiting", waiting + 1)
    desk.until("ready", ready + 1)
    assert "approved" not in desk.words, "typed while the process was stopped"
    desk.process.write(APPROVE)
    desk.until("approved", 1)


def test_nothing_of_the_command_acts_on_the_terminal(desk: Desk) -> None:
    desk.until("ready", 1)
    for sequence in (b"\x1b]52", b"\x1b]8;", b"\x1b]0;unterminated", b"\x1b[1A\x1b[2K", b"QUdTX01BUks=\x07"):
        assert sequence not in desk.output
    assert b"\\x1b]52;c;" in desk.output
    assert b"AGS_MARK" in desk.output
