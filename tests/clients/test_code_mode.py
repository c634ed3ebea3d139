"""Codex code mode goes on while a human thinks: its turn does not end before that, nothing runs after it."""

import pytest

from tests.clients.scene import DONE, Scene, until
from tests.clients.servers import Call, Say
from tests.clients.test_without_hooks import look

CELL = """// @exec: {"yield_time_ms": 300}
const r = await tools.exec_command({cmd: "echo x > made.txt"}); text(JSON.stringify(r));"""
"""Yields to the model at once; by itself it would after thirty seconds."""


@pytest.fixture(autouse=True)
def codex_alone(request: pytest.FixtureRequest) -> None:
    """Leave the others out before anything is laid for them."""
    if request.node.callspec.params["scene"] != "codex":
        pytest.skip("code mode is Codex's")


@pytest.mark.parametrize("approves", [True, False])
def test_the_turn_waits_for_the_decision_about_a_call_that_it_left_behind(scene: Scene, approves: bool):
    # the third turn looks at the cell, as the model is told to
    wait = Call("wait", {"cell_id": "1", "yield_time_ms": 20_000})
    script = ([Call("exec", CELL)], [Say("I am done")], [wait], DONE)
    with scene.human() as human, scene.model(*script) as model:
        client = scene.start(model, words=("-m", "gpt-6-sol"))
        item = human.asked("made.txt")
        until(lambda: len(scene.hooks()) == 2, "a Stop hook beside the one of the call")
        assert len(model.requests) == 2, "the model goes on, and its turn is held"
        assert not (scene.repo / "made.txt").exists()
        if approves:
            human.approve(item)
        else:
            human.deny(item, "not now")
        assert client.end().exit_code == 0
    assert "a human has decided about Bash" in str(model.requests[2]), "the model is told to look"
    assert (scene.repo / "made.txt").exists() is approves
    assert approves or "not now" in str(model.requests[3])
    assert look(scene) == []
    assert not [one for one in scene.lines() if one.event == "ungated"], "its transcript agrees"
