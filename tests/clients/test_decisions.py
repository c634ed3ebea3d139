"""What a human decides is what a real client does: exactly that, for exactly that call."""

from collections.abc import Callable

import pytest

from tests.clients.scene import DONE, Scene, until

TEXT = "첫 줄  \n\ttab, 'quotes' and \\ and $HOME\n끝 \u202eend\n"
"""Bytes that a careless road would change."""


def test_allowed_runs_approved_runs_as_shown_and_denied_does_not(scene: Scene):
    script = (
        [scene.shell("cat base.txt")],
        [scene.new_file("new.txt", TEXT)],
        [scene.shell("echo approved > approved.txt")],
        [scene.shell("echo denied > denied.txt")],
        DONE,
    )
    with scene.human() as human, scene.model(*script) as model:
        client = scene.start(model)
        item = human.asked("new.txt")
        assert "base" in str(model.requests[1]), "what policy allows has run"
        shown = human.proposed(item)
        assert not (scene.repo / "new.txt").exists()
        human.approve(item)
        item = human.asked("approved.txt")
        assert item.command == "echo approved > approved.txt"
        human.approve(item)
        human.deny(human.asked("denied.txt"), "not before the review")
        assert client.end().exit_code == 0
    # Claude Code takes blanks at ends of lines away before it calls a hook: what was shown is what counts
    assert (scene.repo / "new.txt").read_bytes() == shown.encode()
    assert shown.replace(" ", "") == TEXT.replace(" ", "")
    assert (scene.repo / "approved.txt").read_text() == "approved\n"
    assert not (scene.repo / "denied.txt").exists()
    assert "not before the review" in str(model.requests[-1]), "the reason reaches the model"
    verdicts = [(one.decision, one.source) for one in scene.lines() if one.event == "verdict"]
    assert ("allow", "human") in verdicts
    assert ("deny", "human") in verdicts
    assert not [one for one in scene.lines() if one.event in ("ungated", "alarm")]


def test_nobody_there_means_nothing_runs(scene: Scene):
    with scene.model([scene.shell("echo x > made.txt")], DONE) as model:
        assert scene.run(model).exit_code == 0
    assert not (scene.repo / "made.txt").exists()
    assert "Nobody is at ags-tui" in str(model.requests[-1])


def test_of_three_parallel_calls_only_the_approved_one_runs(scene: Scene):
    calls = [scene.shell(f"echo {name} > {name}.txt") for name in ("one", "two", "three")]
    with scene.human() as human, scene.model(calls, DONE) as model:
        client = scene.start(model)
        for name in ("one", "two"):
            human.deny(human.asked(f"{name}.txt"), f"not {name}")
        human.approve(human.asked("three.txt"))
        assert client.end().exit_code == 0
    assert sorted(path.name for path in scene.repo.glob("*.txt")) == ["base.txt", "three.txt"]


def test_no_answer_in_time_means_nothing_runs(scene: Scene):
    config = scene.places.config_folder()
    (config / "policy.toml").write_text("[limits]\nrequest_timeout_s = 2\n")
    with scene.human() as human, scene.model([scene.shell("echo x > made.txt")], DONE) as model:
        client = scene.start(model)
        human.asked("made.txt")
        assert client.end().exit_code == 0
    assert not (scene.repo / "made.txt").exists()
    assert "nobody decided in time" in str(model.requests[-1])


def test_a_client_that_goes_away_takes_its_question_along(scene: Scene):
    with scene.human() as human, scene.model([scene.shell("echo x > made.txt")], DONE) as model:
        client = scene.start(model)
        human.asked("made.txt")
        client.kill()
        client.process.communicate()
        until(lambda: not human.look(), "withdrawing")
        until(lambda: not scene.hooks(), "the end of the hook")
    assert not (scene.repo / "made.txt").exists()


def test_two_megabytes_are_shown_and_written_whole(scene: Scene):
    text = "".join(f"{number:06} {'x' * 56}\n" for number in range(32_768))
    assert len(text) == 2 * 1024 * 1024
    with scene.human() as human, scene.model([scene.new_file("large.txt", text)], DONE) as model:
        client = scene.start(model)
        item = human.asked("large.txt")
        if item.malformed:  # a patch of that length is nothing that a human could read
            assert scene.agent == "codex"
            human.deny(item, item.malformed)
        else:
            human.approve(item)
        assert client.end().exit_code == 0
    made = scene.repo / "large.txt"
    assert not made.exists() if item.malformed else made.read_text() == text
    assert (item.malformed or "large.txt") in str(model.requests[-1])


def test_the_tui_leaves_while_a_hook_waits(scene: Scene):
    with scene.model([scene.shell("echo x > made.txt")], DONE) as model:
        with scene.human() as human:
            client = scene.start(model)
            human.asked("made.txt")
        assert client.end().exit_code == 0
    assert not (scene.repo / "made.txt").exists()
    assert "Nobody is at ags-tui" in str(model.requests[-1])


SLOW = """import sys, time
if sys.argv[sys.argv.index("--event") + 1] in ("PreToolUse", "BeforeTool"):
    time.sleep(40)
"""


def killed(scene: Scene) -> None:
    with scene.human() as human, scene.model([scene.shell("echo x > made.txt")], DONE) as model:
        client = scene.start(model, words=scene.free)
        human.asked("made.txt")
        scene.kill_hook()
        assert client.end().exit_code == 0
        until(lambda: not human.look(), "taking the question back")


def crashing(scene: Scene) -> None:
    replaced(scene, "raise SystemExit(1)\n")


def slow(scene: Scene) -> None:
    replaced(scene, SLOW)


def replaced(scene: Scene, program: str) -> None:
    """The hook of an installation that is broken, in its user's settings."""
    broken = scene.folder / "broken/ags_tui/agents/hook.py"
    broken.parent.mkdir(parents=True)
    broken.write_text(program)
    with scene.model([scene.shell("echo x > made.txt")], DONE) as model:
        assert scene.start_with_hook(model, broken).end().exit_code == 0


@pytest.mark.parametrize("attack", [killed, crashing, slow])
def test_a_hook_that_ends_without_a_word(scene: Scene, attack: Callable[[Scene], None]):
    attack(scene)
    ran = (scene.repo / "made.txt").exists()
    named = "fail-open" in scene.check()
    assert ran is named, "nothing runs, or connect --check says that it would"
    assert ran is (scene.agent != "claude-code")
    if attack is killed and ran:
        assert [one.call_id for one in scene.lines() if one.event == "ungated"], "what went past is seen"
