"""Clients that their user starts by hand, with the hooks in the user's own settings."""

from ags_tui.agents.connect.codex_trust import known_hooks
from tests.clients.scene import DONE, Scene
from tests.clients.servers import ModelServer


def trust_as_codex_does(scene: Scene, server: ModelServer) -> None:
    """What Codex writes when its user says "trust all" in ``/hooks``."""
    environment = scene.environment(server)
    rows = [
        f'[hooks.state."{one.key}"]\ntrusted_hash = "{one.digest}"\n'
        for one in known_hooks(str(scene.program), (), scene.repo, environment)
    ]
    with (scene.desk.home / ".codex/config.toml").open("a") as stream:
        stream.write("\n".join(rows))


def test_by_hand_and_by_run_every_call_is_judged_once(scene: Scene):
    scene.connect()
    with scene.model([scene.shell("echo x > made.txt")], DONE) as model:
        scene.environment(model)  # lays the settings of the client
        before = scene.check()
        assert before["entries"]["state"] == before["call"]["state"] == before["version"]["state"] == "ok"
        if scene.agent == "codex":
            assert before["trust"]["state"] == "broken"
            assert "in silence" in before["trust"]["message"]
            trust_as_codex_does(scene, model)
        after = scene.check()
        assert "broken" not in [row["state"] for row in after.values()], after
        assert scene.start_by_hand(model).end().exit_code == 0
    assert "Nobody is at ags-tui" in str(model.requests[-1])
    assert not (scene.repo / "made.txt").exists()
    known = len(scene.lines())
    with scene.human() as human, scene.model([scene.shell("echo x > made.txt")], DONE) as model:
        client = scene.start(model)
        human.approve(human.asked("made.txt"))
        assert client.end().exit_code == 0
    assert (scene.repo / "made.txt").exists()
    verdicts = [one.decision for one in scene.lines()[known:] if one.event == "verdict"]
    assert verdicts == ["ask", "allow"], "one question, also where both ways are set up"


def test_what_was_taken_out_is_not_called(scene: Scene):
    scene.connect()
    settings = (
        scene.desk.home / {"claude-code": ".claude", "codex": ".codex", "gemini": ".gemini"}[scene.agent]
    )
    done = scene.command("connect", scene.agent, "--home", scene.desk.home, "--remove", "--yes")
    assert done.returncode == 0, done.stderr
    assert "hook.py" not in "".join(path.read_text() for path in settings.glob("*.json"))
    with scene.model([scene.shell("echo x > made.txt")], DONE) as model:
        assert scene.start_by_hand(model, free=True).end().exit_code == 0
    assert (scene.repo / "made.txt").exists()
    assert scene.lines() == []


def test_a_work_tree_that_never_opted_in_hears_nothing(scene: Scene):
    scene.connect()
    for marker in (scene.places.state / "trees").glob("*/opted-in"):
        marker.unlink()
    with scene.model([scene.shell("echo x > made.txt")], DONE) as model:
        scene.environment(model)
        if scene.agent == "codex":
            trust_as_codex_does(scene, model)
        assert scene.start_by_hand(model, free=True).end().exit_code == 0
    assert (scene.repo / "made.txt").exists()
    assert scene.lines() == []
