"""No byte of foreign text acts on the terminal, whatever field it stands in and whichever screen shows it."""

import json
from pathlib import Path

from tests.attacks import nasty
from tests.attacks.conftest import Open
from tests.attacks.facts import ask
from tests.attacks.terminal import Tui
from tests.flows.stage import Stage

STRINGS = json.loads((Path(__file__).parents[1] / "cases/119-markup-crash/strings.json").read_bytes())


def look_around(screen: Tui, keys: str) -> None:
    """Press keys one by one, each painted before the next."""
    for key in keys:
        screen.press(key)
        screen.still(0.04)


def leave(screen: Tui) -> None:
    """Go back to the main screen, and let the time pass in which it drops repeated keys."""
    screen.back()
    screen.still(0.45)


def open_each(screen: Tui, count: int) -> None:
    """Open the screen of each inbox item from the top."""
    for step in range(count):
        look_around(screen, "1g" + "j" * step)
        screen.bring("ra", "Esc back")  # one of them opens it
        look_around(screen, "eGw" if "Answer" in screen.text else "Gw")
        leave(screen)


def run_tests(screen: Tui) -> None:
    """Run the approved tests, whose output is hostile."""
    screen.press("t")
    screen.until("run-begins", "run-ends", "1 passed")
    leave(screen)


def assert_inert(screen: Tui) -> None:
    """Nothing of the foreign text came through."""
    assert screen.acting() == []
    for piece in (nasty.SGR + b"m\x1b", b"\x1b[2J", b"\x1b]52", b"\x1b]8", b"\x1bP", b"\x1b]0;"):
        assert piece not in screen.output


def test_every_field_on_every_screen(stage: Stage, tui: Open) -> None:
    stage.git("checkout", "-q", "-b", "branch\u202e\u200b\ufeff")
    nasty.build(stage)
    nasty.themes(stage.cli.folder / "config")
    screen = tui()
    screen.until("5 need you", "\\x1b[38;2;13;37;73m")
    open_each(screen, 5)
    look_around(screen, "1g23456")
    run_tests(screen)
    for key in "Fb?:N":
        screen.press(key)
        screen.wait(lambda: screen.covered, f"{key} opened nothing")
        look_around(screen, "jj" if key in "F?" else "x")
        leave(screen)
    nasty.foreign_entry(stage)
    nasty.broken_files(stage)
    screen.until("cannot be read")
    screen.press("6")
    screen.until("UNKNOWN_SIGNER")
    look_around(screen, "jG\r")
    leave(screen)
    look_around(screen, "jjjjjj")
    assert_inert(screen)
    assert screen.end() == 0


def test_markup_is_shown_letter_by_letter(stage: Stage, tui: Open) -> None:
    stage.new_task()
    ask(stage, "tool-1", "\n".join(STRINGS), "--agent", "[/] [@click=app.quit]a[/]")
    screen = tui()
    screen.until("1 needs you", "[@click=app.quit]a[/]")
    screen.bring("a", "approve once")
    shown = {line[1:].strip(" │").removeprefix("command").strip() for line in screen.screen.display}
    assert set(STRINGS) <= shown
    assert screen.end() == 0
