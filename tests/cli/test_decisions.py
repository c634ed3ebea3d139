"""``deny``, ``block``, ``close``, ``baseline``, ``log``, ``verify``: the safe direction and the record."""

import json
from pathlib import Path

import pytest

from ags_tui.core.drafts import lift
from ags_tui.io.keys import Keys
from ags_tui.io.places import Places
from tests.cli.conftest import Cli
from tests.cli.human import Human
from tests.cli.test_wait import TASK, Asked, ask

SHELL = ("--tool", "shell", "--command", "make it", "--reason", "r", "--risk", "low")


@pytest.fixture
def human(cli: Cli) -> Human:
    assert cli("task", "new", "Login", "--id", TASK, "--description", "d", "--risk", "low").code == 0
    return Human(cli)


@pytest.fixture
def asked(cli: Cli, human: Human) -> Asked:
    return ask(cli, *SHELL)


def test_denial_holds_and_is_signed_by_the_system_key(cli: Cli, human: Human, asked: Asked):
    done = cli("deny", asked.name, "--reason", "not like this", "--json")
    assert done.code == 0
    entry = done.json["entry"]
    assert (entry["kind"], entry["verdict"], entry["reason"]) == ("tool-request", "denied", "not like this")
    assert (entry["actor"]["source"], entry["actor"]["via"]) == ("human", "cli")
    assert (entry["signer"], entry["counted"]) == ("system", True)
    assert [status.state.value for status in human.task(TASK).requests] == ["denied"]


def test_denial_after_an_approval_wins(cli: Cli, human: Human, asked: Asked):
    human.approve(TASK, asked.item)
    assert cli("deny", asked.name, "--reason", "second thoughts").code == 0
    assert asked.wait().code == 10


def test_bare_id_is_enough_where_it_is_unique(cli: Cli, human: Human, asked: Asked):
    assert cli("deny", asked.item, "--reason", "no").code == 0


@pytest.mark.parametrize("words", [("nope",), (f"{TASK}/nope",), ("other/nope",)])
def test_unknown_request_is_2_and_lists_what_there_is(cli: Cli, asked: Asked, words: tuple[str, ...]):
    done = cli("deny", *words, "--reason", "no")
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert asked.item in done.err or "there are none" in done.err


def test_denial_needs_words(cli: Cli, asked: Asked):
    assert cli("deny", asked.name).code == 2
    assert cli("deny", asked.name, "--reason", "  ").code == 2
    assert cli("deny", asked.name, "--reason", "x" * 5000).code == 2


def test_question_is_answered_not_denied(cli: Cli, human: Human):
    name = cli("escalate", "--task", TASK, "--question", "q", "--free-text").out.split()[0]
    done = cli("deny", name, "--reason", "no")
    assert done.code == 2
    assert "ags-tui block" in done.err


def test_no_command_approves():
    from ags_tui.cli.arguments import COMMANDS

    forbidden = {"approve", "answer", "attest", "lift", "finalize", "allow", "unblock", "reopen"}
    assert not forbidden & set(COMMANDS)


def test_block_holds_the_gate_until_a_human_lifts_it(cli: Cli, human: Human):
    assert cli("block", TASK, "--reason", "wait for legal").code == 0
    done = cli("gate", TASK, "--json")
    assert done.code == 1
    (row,) = done.json["tasks"]
    rung = next(one for one in row["gate"]["conditions"] if one["name"] == "block")
    assert rung["outcome"] == "failed"
    assert "wait for legal" in json.dumps(rung, ensure_ascii=False)
    human.record(TASK, lambda task: lift(task, task.task.log.blocks[0], "legal agreed"))
    after = cli("gate", TASK, "--json").json["tasks"][0]["gate"]["conditions"]
    assert next(one for one in after if one["name"] == "block")["outcome"] == "passed"


def test_block_of_an_unknown_task_is_2(cli: Cli, human: Human):
    done = cli("block", "nope", "--reason", "x")
    assert (done.code, TASK in done.err) == (2, True)


def test_only_sessions_close_headless(cli: Cli, human: Human):
    done = cli("close", TASK)
    assert (done.code, "TUI" in done.err or "ags-tui" in done.err) == (1, True)
    session = "session-20260721-1"
    (cli.task(session) / "tool-requests").mkdir(parents=True)
    assert cli("baseline", session).code == 0
    assert cli("close", session, "--json").json["entry"]["verdict"] == "closed"
    assert cli("close", session).code == 0
    late = cli("request", "--task", session, *SHELL)
    assert (late.code, "closed" in late.err) == (1, True)
    assert cli("escalate", "--task", session, "--question", "q", "--free-text").code == 1
    assert cli("gate", "--json").json["tasks"][0]["taskId"] == TASK


def test_baseline_is_recorded_once_and_again_only_for_a_human(cli: Cli, human: Human):
    first = cli("baseline", TASK)
    assert first.code == 1
    assert "--again" in first.err
    again = cli("baseline", TASK, "--again")
    assert again.code == 0
    assert "human" in again.err
    assert "baseline" in [one.kind.value for one in human.task(TASK).pending]
    assert cli("baseline", "nope").code == 2


def test_baseline_holds_what_was_dirty(cli: Cli):
    (cli.work / "src" / "app.py").write_text("print('dirty')\n")
    (cli.work / "new.txt").write_text("new\n")
    assert cli("task", "new", "T", "--id", "t", "--risk", "low").code == 0
    (entry,) = [row for row in cli("log", "t", "--json").json["entries"] if row["kind"] == "baseline"]
    assert sorted(file["path"] for file in entry["data"]["files"]) == ["new.txt", "src/app.py"]
    assert entry["data"]["head"] == cli.git("rev-parse", "HEAD").strip()


def test_without_a_reachable_key_the_baseline_is_unsigned_and_says_so(cli: Cli):
    (cli.task("t") / "tool-requests").mkdir(parents=True)
    (cli.folder / "state").write_text("a file, not a folder")
    done = cli("baseline", "t", "--json")
    assert done.code == 0, done.err
    assert done.json["signed"] is False
    assert "unsigned" in done.err
    assert cli("scope", "t").code in (3, 4)
    assert cli("task", "new", "Second", "--risk", "low").code == 0
    assert cli("log", "second", "--json").json["entries"][0]["signer"] == "none"


def test_log_shows_every_entry_and_stays_inert(cli: Cli, human: Human, asked: Asked):
    cli("deny", asked.name, "--reason", "a\x1b]0;b\x07 \u202e")
    done = cli("log", TASK)
    assert done.code == 0
    assert "tool-request denied" in done.out
    assert not set(done.out) & set("\x1b\x07\u202e")
    document = cli("log", TASK, "--json").json
    assert [row["sequence"] for row in document["entries"]] == list(range(len(document["entries"])))
    assert document["integrity"] == "passed"
    assert cli("log", "nope").code == 2


def test_tampering_is_1_for_log_and_verify_and_gate(cli: Cli, human: Human, asked: Asked):
    cli("deny", asked.name, "--reason", "no")
    assert cli("verify").code == 0
    last = sorted((cli.task(TASK) / "log").iterdir())[-1]
    last.write_bytes(last.read_bytes().replace(b'"denied"', b'"approved"'))
    assert cli("log", TASK).code == 1
    done = cli("verify", "--json")
    assert (done.code, done.json["outcome"]) == (1, "failed")
    assert done.json["tasks"][0]["findings"][0]["code"] == "LOG_TAMPERED"
    assert cli("gate", TASK).code == 1


def test_rolled_back_log_is_seen(cli: Cli, human: Human, asked: Asked):
    cli("deny", asked.name, "--reason", "no")
    sorted((cli.task(TASK) / "log").iterdir())[-1].unlink()
    assert cli("verify", TASK).code == 1


def test_other_machine_needs_the_trust_file(cli: Cli, human: Human, tmp_path: Path):
    elsewhere = Cli(tmp_path / "elsewhere", cli.work, cli.zygote)
    (tmp_path / "elsewhere").mkdir()
    assert elsewhere("verify").code == 3
    assert elsewhere("verify", TASK, "--json").json["tasks"][0]["findings"][0]["code"] == "UNKNOWN_SIGNER"
    places = Places(cli.folder / "state", cli.folder / "config")
    trust = tmp_path / "trusted-keys"
    trust.write_text(Keys.open(places).export_trust())
    assert elsewhere("verify", "--trust", trust).code == 0
    assert elsewhere("verify", "--trust", tmp_path / "nowhere").code == 2
    assert cli("verify", "nope").code == 2


def test_verify_without_tasks_is_0(cli: Cli):
    assert cli("verify").code == 0


def test_a_bare_gate_says_that_nothing_is_finalized(cli: Cli):
    assert cli("task", "new", "Greet", "--id", "greet").code == 0
    done = cli("gate", "--finalized")
    assert done.code == 0
    assert "no task is finalized, so there is nothing to compare" in done.out
    assert cli("gate", "--finalized", "greet").code == 1
