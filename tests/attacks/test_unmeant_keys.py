"""No key, click, paste or burst that a human did not mean as a decision lets anything pass.

Each test ends with the one thing that does approve: nothing before it had, and the log tells the truth.
"""

import signal

from ags_tui.core.digests import digest
from tests.attacks.conftest import Open
from tests.attacks.facts import ask, entries, loosened, replace
from tests.attacks.terminal import APPROVE, Tui
from tests.flows.stage import TASK, Stage

DIALOG, READY = "Approve this request?", "approve once"
AHEAD = (
    "a" + APPROVE * 40,
    "a\x1b[200~x" + APPROVE + "\r\x1b[201~" + APPROVE,
    "a" + "\x1b[111;5u" * 9,
    "a y1\t" + APPROVE + "\t\t" + APPROVE,
)
"""Typed at once on the main screen; the first key opens the dialog."""
INTO = ("\x1b[200~" + APPROVE + "\x1b[201~", "yYnaok123 0", "\x1b[200~\r\ry\r" + APPROVE * 3 + "\x1b[201~")
"""Sent into a dialog that would take the one key."""


def begun(stage: Stage, tui: Open) -> Tui:
    """Two low-risk requests in the inbox."""
    stage.new_task()
    ask(stage, "tool-1", "touch MARK")
    ask(stage, "tool-2", "touch OTHER")
    screen = tui()
    screen.until("2 need you", "touch MARK")
    return screen


def approve(screen: Tui, name: str) -> None:
    """What a human does."""
    screen.bring("a", READY)
    screen.bring(APPROVE, f"approved: {name}")


def click_everywhere(screen: Tui) -> None:
    """Press and release on a grid over the whole screen, with the other buttons here and there."""
    for y in range(1, 41, 2):
        cells = [(x, 2 if x % 40 == 2 else 0) for x in range(2, 130, 8)]
        screen.press("".join(f"\x1b[<{button};{x};{y}M\x1b[<{button};{x};{y}m" for x, button in cells))
        screen.read(0)


def test_bursts_pastes_and_words(stage: Stage, tui: Open) -> None:
    screen = begun(stage, tui)
    for keys in AHEAD:
        screen.bring(keys, DIALOG)
        screen.effect()
        screen.back()
    for keys in INTO:
        screen.bring("a", READY)
        screen.press(keys)
        screen.effect()
        screen.back()
    assert loosened(stage) == []
    approve(screen, "tool-1")
    screen.press(APPROVE * 3)  # the next request is selected now
    screen.bring("a" + APPROVE, DIALOG, "touch OTHER")
    screen.effect()
    screen.back()
    assert screen.end() == 0
    assert loosened(stage) == [("tool-1", "approved")]
    assert stage.cli("deny", f"{TASK}/tool-2", "--reason", "it still waits").code == 0


def test_clicks_focus_and_stops(stage: Stage, tui: Open) -> None:
    screen = begun(stage, tui)
    screen.bring("a", READY)
    click_everywhere(screen)
    screen.back()
    click_everywhere(screen)
    screen.back()
    screen.bring("1", "touch MARK")
    screen.bring("a", READY)
    screen.press("\x1b[O")
    screen.gone(READY)
    screen.press(APPROVE)
    screen.effect()
    screen.press("\x1b[I")
    screen.until(READY)
    screen.stop()
    screen.press(APPROVE)
    screen.kill(signal.SIGCONT)
    screen.effect()
    screen.back()
    assert loosened(stage) == []
    approve(screen, "tool-1")
    assert screen.left_on()
    screen.kill(signal.SIGHUP)
    assert screen.ended() == 128 + signal.SIGHUP
    assert screen.left_on() == []
    assert loosened(stage) == [("tool-1", "approved")]


def test_what_is_approved_is_what_was_shown(stage: Stage, tui: Open) -> None:
    """The request is rewritten between the painting and the key, then the policy."""
    screen = begun(stage, tui)
    request = stage.folder() / "tool-requests" / "tool-1.json"
    other = request.read_bytes().replace(b"touch MARK", b"touch HARM")
    screen.bring("a", READY)
    replace(request, other)
    screen.press(APPROVE)
    screen.effect()
    screen.back()
    screen.until("touch HARM")
    assert loosened(stage) == []
    screen.bring("a", READY, "touch HARM")
    (stage.cli.root / "policy.toml").write_text("[limits]\nrequest_timeout_s = 60\n")
    screen.gone(READY)
    screen.press(APPROVE)
    screen.effect()
    screen.back()
    assert loosened(stage) == []
    approve(screen, "tool-1")
    assert screen.end() == 0
    (made,) = [entry for entry in entries(stage) if entry["verdict"] == "approved"]
    assert made["subject"] == {"id": "tool-1", "digest": digest(other)}
