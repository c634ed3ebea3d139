"""``wait``: every exit code, the claim, the race, and that it works without a TUI and over restarts."""

import json
import signal
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ags_tui.core.digests import digest
from ags_tui.core.drafts import approve
from ags_tui.io.places import Places
from ags_tui.io.workspace import Workspace
from tests.cli.conftest import Cli, Done
from tests.cli.human import SEEN, Human

TASK = "login"
EDIT = (
    "--tool",
    "edit_file",
    "--path",
    "src/app.py",
    "--after",
    "print('bye')\n",
    "--reason",
    "r",
    "--risk",
    "low",
)


@dataclass
class Asked:
    """A request that was filed."""

    cli: Cli
    name: str
    claim: str

    @property
    def item(self) -> str:
        return self.name.partition("/")[2]

    @property
    def file(self) -> Path:
        return self.cli.task(TASK) / "tool-requests" / f"{self.item}.json"

    def wait(self, *words: str) -> Done:
        return self.cli("wait", self.name, "--claim", self.claim, *(words or ("--timeout", "20")))

    def start(self) -> "subprocess.Popen[bytes]":
        """A waiter that has looked at the request once and waits now."""
        waiter = self.cli.start("wait", self.name, "--claim", self.claim, "--timeout", "40")
        assert waiter.stderr is not None
        assert b"waits for a human" in waiter.stderr.readline()
        return waiter


@pytest.fixture
def human(cli: Cli) -> Human:
    done = cli("task", "new", "Login", "--id", TASK, "--description", "d", "--risk", "low")
    assert done.code == 0, done.err
    return Human(cli)


@pytest.fixture
def asked(cli: Cli, human: Human) -> Asked:
    return ask(cli, *EDIT)


def ask(cli: Cli, *words: str) -> Asked:
    done = cli("request", "--task", TASK, *words)
    assert done.code == 0, done.err
    name, claim = done.out.split()
    return Asked(cli, name, claim)


def document(done: Done) -> dict[str, Any]:
    return done.json


def test_approved_is_0_and_says_exactly_what_was_approved(cli: Cli, human: Human, asked: Asked):
    human.approve(TASK, asked.item)
    done = asked.wait()
    assert (done.code, done.err) == (0, "")
    said = document(done)
    assert said["state"] == "approved"
    assert said["digest"] == digest(asked.file.read_bytes())
    assert said["effective"]["proposedChange"]["after"] == "print('bye')\n"
    claimed = json.loads((cli.task(TASK) / "consumptions" / f"{asked.item}.json").read_text())
    assert claimed["requestId"] == asked.item
    assert claimed["digest"] == said["digest"]
    assert asked.claim not in json.dumps(claimed)


def test_second_taker_gets_14_before_and_after_the_tui_recorded_it(human: Human, asked: Asked):
    human.approve(TASK, asked.item)
    assert asked.wait().code == 0
    second = asked.wait()
    assert (second.code, document(second)["effective"]) == (14, None)
    human.look()
    third = asked.wait()
    assert (third.code, document(third)["state"]) == (14, "consumed")


def test_two_waiters_race_for_one_approval_and_one_wins(human: Human, asked: Asked):
    waiters = [asked.start() for _ in range(3)]
    human.approve(TASK, asked.item)
    codes = sorted(waiter.wait(60) for waiter in waiters)
    assert codes == [0, 14, 14]
    outs = [json.loads(waiter.communicate()[0]) for waiter in waiters]
    assert len([out for out in outs if out["effective"]]) == 1


def test_waiter_wakes_for_a_denial_and_hears_the_reason(cli: Cli, asked: Asked):
    waiter = asked.start()
    assert cli("deny", asked.name, "--reason", "nicht so \x1b[2J").code == 0
    assert waiter.wait(60) == 10
    said = json.loads(waiter.communicate()[0])
    assert said["state"] == "denied"
    assert said["reason"].startswith("nicht so")
    assert not (cli.task(TASK) / "consumptions").exists()


def test_still_pending_is_13_at_once_and_after_the_timeout(asked: Asked):
    for timeout in ("0", "0.3"):
        done = asked.wait("--timeout", timeout)
        assert (done.code, document(done)["state"]) == (13, "pending")


def test_expired_by_the_agents_own_limit_is_11(cli: Cli, human: Human):
    asked = ask(cli, *EDIT, "--expires", "1")
    assert asked.wait().code == 11


def test_approval_that_has_ended_is_11(human: Human, asked: Asked):
    ended = approve(human.pending(TASK, asked.item), SEEN, expires_at=datetime.now(UTC))
    human.workspace.record(ended)
    assert asked.wait().code == 11


@pytest.mark.parametrize("what", ["request", "file", "policy"])
def test_whatever_changed_after_the_approval_is_12(cli: Cli, human: Human, asked: Asked, what: str):
    human.approve(TASK, asked.item)
    if what == "request":
        asked.file.write_bytes(asked.file.read_bytes() + b" ")
    elif what == "file":
        (cli.work / "src" / "app.py").write_text("print('changed')\n")
    else:
        (cli.root / "policy.toml").write_text("[limits]\nrequest_timeout_s = 77\n")
    done = asked.wait()
    assert (done.code, document(done)["state"]) == (12, "changed")
    assert not (cli.task(TASK) / "consumptions").exists()


def test_rewritten_while_it_waited_is_12(asked: Asked):
    waiter = asked.start()
    asked.file.write_bytes(asked.file.read_bytes().replace(b"bye", b"boo"))
    assert waiter.wait(60) == 12


def test_deleted_request_is_14(asked: Asked):
    waiter = asked.start()
    asked.file.unlink()
    assert waiter.wait(60) == 14


def test_waiting_survives_a_restart_of_the_waiter(human: Human, asked: Asked):
    first = asked.start()
    first.kill()
    first.wait(30)
    human.approve(TASK, asked.item)
    assert asked.wait().code == 0


def test_tampered_log_is_3_whatever_it_says(cli: Cli, human: Human, asked: Asked):
    human.approve(TASK, asked.item)
    last = sorted((cli.task(TASK) / "log").iterdir())[-1]
    last.write_bytes(last.read_bytes().replace(b'"approved"', b'"approvee"'))
    done = asked.wait()
    assert (done.code, document(done)["state"]) == (3, "log-not-intact")
    assert not (cli.task(TASK) / "consumptions").exists()


def test_approval_by_a_key_that_is_not_trusted_here_is_3(
    cli: Cli, human: Human, asked: Asked, tmp_path: Path
):
    stranger = Cli(tmp_path / "stranger", cli.work, cli.zygote)
    (tmp_path / "stranger").mkdir()
    Human(stranger).approve(TASK, asked.item)
    done = asked.wait()
    assert done.code == 3
    assert not (cli.task(TASK) / "consumptions").exists()


def test_escalation_gives_the_chosen_option_or_the_text(cli: Cli, human: Human):
    words = ("--question", "q", "--option", "a=A", "--option", "b=B", "--free-text")
    for chosen, wanted in (({"option": "b"}, {"option": "b"}), ({"text": "표"}, {"text": "표"})):
        done = cli("escalate", "--task", TASK, *words)
        name, claim = done.out.split()
        asked = Asked(cli, name, claim)
        human.answer(TASK, asked.item, **chosen)
        waited = asked.wait()
        assert (waited.code, document(waited)["state"]) == (0, "answered")
        assert document(waited)["effective"] == wanted


def test_wrong_token_and_requests_without_one_are_2(cli: Cli, human: Human, asked: Asked):
    wrong = cli("wait", asked.name, "--claim", "guess", "--timeout", "0")
    assert (wrong.code, wrong.out) == (2, "")
    bare = cli.task(TASK) / "tool-requests" / "tool-bare.json"
    bare.write_text(json.dumps({
        "requestId": "tool-bare", "tool": "shell", "command": "x", "reason": "r", "riskLevel": "low",
        "requiresApproval": True,
    }))  # fmt: skip
    assert cli("wait", f"{TASK}/tool-bare", "--claim", "x", "--timeout", "0").code == 2
    assert cli("wait", f"{TASK}/nope", "--claim", "x").code == 2


def test_bare_id_works_where_it_is_unique(cli: Cli, human: Human, asked: Asked):
    human.approve(TASK, asked.item)
    assert cli("wait", asked.item, "--claim", asked.claim, "--timeout", "20").code == 0
    (cli.task("other") / "tool-requests").mkdir(parents=True)
    (cli.task("other") / "tool-requests" / f"{asked.item}.json").write_text("{}")
    done = cli("wait", asked.item, "--claim", asked.claim)
    assert done.code == 2
    assert f"other/{asked.item}" in done.err
    assert f"{TASK}/{asked.item}" in done.err


def test_three_pending_only_the_approved_one_goes(cli: Cli, human: Human):
    three = [ask(cli, *EDIT) for _ in range(3)]
    human.approve(TASK, three[2].item)
    assert three[2].wait().code == 0
    assert [asked.wait("--timeout", "0").code for asked in three[:2]] == [13, 13]
    assert cli("deny", three[0].name, "--reason", "no").code == 0
    assert three[1].wait("--timeout", "0").code == 13


def test_interrupt_is_130_and_takes_nothing(cli: Cli, human: Human, asked: Asked):
    waiter = asked.start()
    waiter.send_signal(signal.SIGINT)
    assert waiter.wait(30) == 130
    assert not (cli.task(TASK) / "consumptions").exists()


def test_nothing_in_the_environment_changes_whose_word_counts(cli: Cli, asked: Asked):
    cli.environment.update({"XDG_STATE_HOME": "/tmp/x", "AGS_TUI_STATE": "/tmp/x", "AGS_STATE": "/tmp/x"})
    Workspace.open(cli.work, places=Places(cli.folder / "state", cli.folder / "config"))
    assert asked.wait("--timeout", "0").code == 13
