"""Clients that work here without hooks are noticed by the transcripts that they write themselves."""

import pytest

from ags_tui.agents.transcript_watch import TranscriptWatch
from ags_tui.io.sessions import sessions_of
from ags_tui.io.trees import opt_in
from tests.clients.scene import DONE, Scene
from tests.clients.servers import Say


def look(scene: Scene) -> list[str]:
    """What the TUI would say after a look."""
    alarms: list[str] = []
    watch = TranscriptWatch(scene.tree, scene.places, alarms.append, homes=[str(scene.desk.home)])
    watch.look(sessions_of(scene.tree))
    return alarms


def test_a_session_without_hooks_is_an_alarm(scene: Scene):
    if scene.agent == "gemini":
        scene.command("connect", "gemini", "--home", scene.desk.home, "--remove", "--yes")
    opt_in(str(scene.repo), scene.places)
    calls = ([scene.shell("echo x > made.txt")], [scene.new_file("new.txt", "x\n")])
    with scene.model(*calls, DONE) as model:
        words = ("--permission-mode", "acceptEdits") if scene.agent == "claude-code" else ()
        client = scene.start_by_hand(model, free=True, words=words)
        assert client.end().exit_code == 0
    assert (scene.repo / "made.txt").exists()
    assert (scene.repo / "new.txt").exists()
    (alarm,) = look(scene)
    assert alarm.startswith(f"{scene.agent} session ")
    assert "works here without hooks: 2 calls past the gate" in alarm
    assert f"ags-tui connect {scene.agent} --check" in alarm


def test_a_gated_session_is_none_and_its_transcript_agrees_with_what_was_said(scene: Scene):
    calls = (
        [scene.shell("cat base.txt")],
        [scene.shell("echo x > made.txt")],
        [scene.shell("echo y > no.txt")],
    )
    with scene.human() as human, scene.model(*calls, DONE) as model:
        client = scene.start(model)
        human.approve(human.asked("made.txt"))
        human.deny(human.asked("no.txt"), "no")
        assert client.end().exit_code == 0
    assert look(scene) == []
    assert not [one for one in scene.lines() if one.event == "ungated"]
    for path in (scene.places.state / "activity").glob("*.jsonl"):
        path.unlink()  # as if the hooks had been off: every call that ran stands in the transcript
    look(scene)
    past = [one.command for one in scene.lines() if one.event == "ungated"]
    assert past == ["cat base.txt", "echo x > made.txt"]


def test_a_session_that_goes_on_without_its_hooks_holds_the_gate_of_its_task(scene: Scene):
    if scene.agent != "claude-code":
        pytest.skip("tried with the one client that goes on in the same transcript by an argument")
    with scene.human() as human, scene.model([scene.shell("cat base.txt")], DONE) as model:
        assert scene.run(model).exit_code == 0
        (session,) = sessions_of(scene.tree)
    more = [Say("now without"), scene.shell("echo x > made.txt")]  # with an id of its own by its place
    with scene.model(more, DONE) as model:
        client = scene.start_by_hand(model, free=True, words=("--resume", session.session))
        assert client.end().exit_code == 0
    assert (scene.repo / "made.txt").exists()
    assert look(scene) == []
    assert [one.command for one in scene.lines() if one.event == "ungated"] == ["echo x > made.txt"]
    assert "UNGATED_CALL" in human.findings(session.task)
