"""``ags-tui [PATH]`` on a real terminal: opens, shows, leaves properly, and explains in one line."""

import os
import select
import time
from collections.abc import Iterator
from pathlib import Path

import ptyprocess
import pyte
import pytest

from tests.cli.conftest import Cli
from tests.emulator import Screen


class Terminal:
    """A terminal with the TUI in it."""

    def __init__(self, cli: Cli, *words: str | Path) -> None:
        self.screen = Screen(120, 36)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.process = ptyprocess.PtyProcess.spawn(
            cli.arguments(*words), cwd=str(cli.work), env=cli.env(), dimensions=(36, 120)
        )

    def until(self, text: str) -> None:
        """Read until a text stands on the screen."""
        end = time.monotonic() + 40
        while text not in "\n".join(self.screen.display):
            assert time.monotonic() < end, "\n".join(self.screen.display)
            assert self.read(), "\n".join(self.screen.display)

    def read(self) -> bool:
        if select.select([self.process.fd], [], [], 0.2)[0]:
            try:
                data = self.process.read(65536)
            except EOFError:
                return False
            self.raw += data
            self.stream.feed(data)
        return True

    def end(self) -> int:
        while self.read():
            pass
        self.process.wait()
        status = self.process.exitstatus
        return status if status is not None else -(self.process.signalstatus or 0)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.process.close(force=True)


def test_it_opens_on_a_path_shows_it_and_leaves_with_0(cli: Cli, terminals: list[Terminal]):
    assert cli("task", "new", "Login screen", "--id", "login", "--risk", "low").code == 0
    terminal = Terminal(cli, cli.work / "src")
    terminals.append(terminal)
    terminal.until("Login screen")
    terminal.process.write(b"q")
    assert terminal.end() == 0
    assert b"\x1b[?1049l" in terminal.raw


def test_no_color_draws_without_colours(cli: Cli, terminals: list[Terminal]):
    cli.environment["NO_COLOR"] = "1"
    terminal = Terminal(cli)
    terminals.append(terminal)
    terminal.until("NEEDS YOU")
    terminal.process.write(b"q")
    assert terminal.end() == 0
    assert b"[38;2" not in terminal.raw
    assert b"[48;2" not in terminal.raw


def test_termination_restores_the_terminal(cli: Cli, terminals: list[Terminal]):
    terminal = Terminal(cli)
    terminals.append(terminal)
    terminal.until("NEEDS YOU")
    os.kill(terminal.process.pid, 15)
    assert terminal.end() == 143
    assert b"\x1b[?1049l" in terminal.raw


@pytest.mark.parametrize(("word", "needle"), [("/", "not"), ("nowhere", "no such command or folder")])
def test_wrong_folder_is_one_line_and_2(cli: Cli, terminals: list[Terminal], word: str, needle: str):
    terminal = Terminal(cli, word)
    terminals.append(terminal)
    assert terminal.end() == 2
    assert b"\x1b[?1049h" not in terminal.raw
    assert terminal.raw.decode().strip().count("\n") == 0
    assert needle in terminal.raw.decode()
