"""In a real terminal: what comes out of it, and that it is itself again afterwards, however the app ends."""

import os
import re
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import ptyprocess
import pyte
import pytest

from ags_tui.app import terminal
from tests.emulator import Screen

TOP = Path(__file__).resolve().parents[2]
SET = {"mouse": b"?1000h", "motion": b"?1003h", "sgr mouse": b"?1006h", "alternate screen": b"?1049h",
       "hidden cursor": b"?25l", "paste": b"?2004h"}  # fmt: skip
"""Modes that the app switches on, as it writes them."""


class Terminal:
    """A pseudo-terminal with the app in it."""

    def __init__(self, *words: str, size: tuple[int, int] = (36, 120), **environment: str) -> None:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self.process = ptyprocess.PtyProcess.spawn(
            [sys.executable, "-m", "tests.app.terminal_app", *words],
            cwd=str(TOP), dimensions=size,
            env={
                **kept, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "TEXTUAL_ANIMATIONS": "none",
                **environment,
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
            data = os.read(self.process.fd, 65536)
        except OSError:
            return False
        self.output += data
        self.stream.feed(data.replace(b"\x1b[22;2t", b"").replace(b"\x1b[23;2t", b""))
        return bool(data)

    def until(self, text: str, seconds: float = 20.0) -> None:
        """Wait until a text is on the screen."""
        end = time.monotonic() + seconds
        while not any(text in line for line in self.screen.display):
            assert time.monotonic() < end, "\n".join(self.screen.display)
            assert self.read(0.2), "\n".join(self.screen.display)

    def gone(self, text: str, seconds: float = 20.0) -> None:
        """Wait until a text is nowhere on the screen."""
        end = time.monotonic() + seconds
        while any(text in line for line in self.screen.display):
            assert time.monotonic() < end, "\n".join(self.screen.display)
            assert self.read(0.2)

    def press(self, keys: str) -> None:
        """Type."""
        self.process.write(keys.encode())

    def end(self, seconds: float = 20.0) -> int:
        """Wait for the end and give the exit status."""
        stop = time.monotonic() + seconds
        while self.read(0.2):
            assert time.monotonic() < stop, "the app did not end"
        self.process.wait()
        status = self.process.exitstatus
        return -int(self.process.signalstatus or 0) if status is None else int(status)

    def left_on(self) -> list[str]:
        """Modes that were switched on and not off again."""
        return [
            name
            for name, on in SET.items()
            if self.output.rfind(on) > self.output.rfind(on[:-1] + (b"h" if on.endswith(b"l") else b"l"))
        ]


@pytest.fixture
def started() -> Iterator[list[Terminal]]:
    """Terminals to close."""
    made: list[Terminal] = []
    yield made
    for one in made:
        one.process.close(force=True)


def start(
    started: list[Terminal], *words: str, size: tuple[int, int] = (36, 120), **environment: str
) -> Terminal:
    made = Terminal(*words, size=size, **environment)
    started.append(made)
    return made


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGHUP, 128 + signal.SIGHUP), (signal.SIGINT, 0)],
)
def test_a_signal_ends_the_app_and_restores_the_terminal(
    started: list[Terminal], number: int, code: int
) -> None:
    screen = start(started, "busy")
    screen.until("NEEDS YOU")
    screen.until("2 need you")
    assert screen.left_on()

    screen.process.kill(number)

    assert screen.end() == code
    assert screen.left_on() == []
    assert screen.output.count(b"\x1b[22;2t") == screen.output.count(b"\x1b[23;2t") == 1


def test_a_terminal_that_is_closed_ends_the_app(started: list[Terminal]) -> None:
    screen = start(started, "busy")
    screen.until("2 need you")
    process = screen.process.pid

    screen.process.fileobj.close()
    screen.process.closed = True

    end = time.monotonic() + 20
    while not os.waitpid(process, os.WNOHANG)[0]:
        assert time.monotonic() < end, "the app outlives its terminal"
        time.sleep(0.05)
    started.remove(screen)


def test_q_ends_the_app_and_restores_the_terminal(started: list[Terminal]) -> None:
    screen = start(started, "busy")
    screen.until("2 need you")
    screen.press("q")

    assert screen.end() == 0
    assert screen.left_on() == []


def test_a_crash_restores_the_terminal_first_and_tells_without_locals(
    started: list[Terminal], tmp_path: Path
) -> None:
    kept = tmp_path / "crash.txt"
    screen = start(started, "busy", "crash", str(kept))

    assert screen.end() == 1
    assert screen.left_on() == []
    told = screen.output[screen.output.rfind(b"?1049l") :].decode()
    assert "RuntimeError" in told
    assert str(kept) in "".join(told.split())
    assert "\x1b]0;evil" not in told
    assert "a fault of ours" in kept.read_text("utf-8")
    assert "locals" not in told


def test_a_failure_in_a_worker_is_a_sentence_and_the_app_goes_on(started: list[Terminal]) -> None:
    screen = start(started, "busy", "worker")
    screen.until("own failure: RuntimeError: oops")
    screen.press("q")

    assert screen.end() == 0
    assert screen.left_on() == []


FOREIGN = re.compile(rb"\x1b\[2J|\x1b\]52|\x1b\]8;|\x07(?!)|\x1b\]0;")
"""Sequences that only foreign text would write here."""


def test_a_hostile_workspace_writes_nothing_of_its_own_to_the_terminal(started: list[Terminal]) -> None:
    screen = start(started, "hostile", "notices")
    screen.until("NEEDS YOU")
    screen.until("\\x1b")
    for keys in ("j", "j", "2", "j", "4", "5", "6", "1"):
        screen.press(keys)
        screen.read(0.3)
    screen.press("\x03")
    screen.end()

    shown = screen.output[: screen.output.rfind(b"?1049l")]
    assert FOREIGN.findall(shown) == []
    titles = re.findall(rb"\x1b\]2;([^\x07]*)\x07", screen.output)
    assert titles
    assert all(b"\x1b" not in title for title in titles)
    assert b"\xe2\x80\xae" not in shown  # U+202E


def test_the_title_counts(started: list[Terminal]) -> None:
    screen = start(started, "busy")
    screen.until("2 need you")
    screen.read(0.5)

    assert "\x1b]2;● 2 need you — ags-tui\x07".encode() in screen.output


def test_without_colours_everything_is_still_told(started: list[Terminal]) -> None:
    screen = start(started, "busy", NO_COLOR="1")
    screen.until("NEEDS APPROVAL")
    screen.until("5 open")
    colours = set(re.findall(rb"\x1b\[[0-9;]*?[34]8;[0-9;]*m", screen.output))

    assert colours == set()
    screen.press("q")
    assert screen.end() == 0


def test_the_smallest_terminals_do_not_crash_it(started: list[Terminal]) -> None:
    screen = start(started, "busy")
    screen.until("2 need you")
    for lines, columns, shown in ((8, 30, "Too small"), (1, 1, ""), (5, 20, "Too small"), (24, 80, "")):
        screen.process.setwinsize(lines, columns)
        screen.screen.resize(lines, columns)
        screen.read(0.5)
        if shown:
            screen.until(shown)
            screen.press("a")
            screen.read(0.3)
    screen.until("Needs you")
    screen.press("\x03")

    assert screen.end() == 0
    assert screen.left_on() == []


def test_wide_symbols_make_it_use_those_of_settled_width(started: list[Terminal]) -> None:
    screen = start(started, "busy")
    screen.until("2 need you")
    assert "▲" in "".join(screen.screen.display)
    screen.press("\x1b[1;5R")  # the answer of a terminal that draws each probed symbol two cells wide
    screen.until("▴")
    screen.gone("▲")


def test_titles_lose_control_characters_once_more() -> None:
    written: list[str] = []

    class Driver:
        def write(self, text: str) -> None:
            written.append(text)

    class App:
        _driver = Driver()
        is_headless = False

    terminal.set_title(App(), "a\x1b]0;b\x07c")  # type: ignore[arg-type]

    assert written == ["\x1b]2;a]0;bc\x07"]
