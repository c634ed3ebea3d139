"""The passphrase of the human key: asked on the terminal before the TUI opens, and nowhere else."""

from collections.abc import Iterator

import pytest

from ags_tui.io.keys import Keys
from ags_tui.io.places import Places
from tests.cli.conftest import Cli
from tests.cli.test_tui_start import Terminal

SECRET = "비밀 문장 7"


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.process.close(force=True)


def places(cli: Cli) -> Places:
    return Places(state=cli.folder / "state", config=cli.folder / "config")


def say(terminal: Terminal, words: str) -> None:
    terminal.process.write(f"{words}\n".encode())


def test_it_is_set_asked_for_and_opens_the_key(cli: Cli, terminals: list[Terminal]):
    setting = Terminal(cli, "config", "passphrase")
    terminals.append(setting)
    setting.until("New passphrase")
    say(setting, SECRET)
    setting.until("Once more")
    say(setting, SECRET)
    setting.until("has a passphrase")
    assert setting.end() == 0
    keys = Keys.open(places(cli), create=False)
    assert keys.locked
    keys.unlock(SECRET)
    assert keys.can_sign("human")

    opening = Terminal(cli, cli.work)
    terminals.append(opening)
    opening.until("Passphrase of the human key")
    opening.screen.reset()
    say(opening, "wrong")
    opening.until("does not open")
    opening.until("Passphrase of the human key")  # what is typed before a prompt is thrown away
    say(opening, SECRET)
    opening.until("NEEDS YOU")
    opening.process.write(b"q")
    assert opening.end() == 0
    assert SECRET.encode() not in opening.raw + setting.raw


def test_three_wrong_ones_open_nothing(cli: Cli, terminals: list[Terminal]):
    keys = Keys.open(places(cli))
    keys.set_passphrase(SECRET)
    opening = Terminal(cli, cli.work)
    terminals.append(opening)
    for count in range(3):
        opening.until("Passphrase of the human key")
        opening.screen.reset()
        say(opening, f"wrong {count}")
    opening.until("stays locked")
    assert opening.end() == 1


def test_without_a_terminal_it_is_a_usage_error(cli: Cli):
    done = cli.exec("config", "passphrase")
    assert done.code == 2
    assert "terminal" in done.err
