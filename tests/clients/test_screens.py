"""The whole of it: a real client in one terminal, the real ``ags-tui`` in the other, and nothing but keys."""

from collections.abc import Iterator

import pytest

from tests.attacks.terminal import APPROVE, Tui
from tests.clients.scene import DONE, Scene

READY = "approve once"


@pytest.fixture
def screen(scene: Scene) -> Iterator[Tui]:
    """``ags-tui``, opened in the repository that the agent works in."""
    made = Tui(scene.repo, scene.folder)
    yield made
    made.close()


def test_a_human_at_the_keyboard(scene: Scene, screen: Tui):
    lines = ("echo 1 > approved.txt", "echo 2 > denied.txt", "echo 3 > left.txt")
    script = [[scene.shell(line)] for line in lines]
    with scene.model(*script, DONE) as model:
        screen.until("NEEDS YOU")
        client = scene.start(model)
        screen.until("1 needs you", lines[0], scene.agent)
        screen.bring("a", READY, lines[0])
        screen.bring(APPROVE, "approved: call-")
        screen.until("1 needs you", lines[1])
        screen.bring("d", "Why")
        screen.press("rather not")
        screen.bring("\r", "denied: call-")
        screen.until("1 needs you", lines[2])
        screen.bring("q", "leaving answers them")
        screen.press("q")
        assert screen.ended() == 0
        assert client.end().exit_code == 0
    assert [path.name for path in sorted(scene.repo.glob("*.txt"))] == ["approved.txt", "base.txt"]
    assert "rather not" in str(model.requests[2])
    assert "Nobody is at ags-tui" in str(model.requests[3])
