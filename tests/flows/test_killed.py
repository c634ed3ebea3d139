"""Commands killed with -9 at any moment: nothing acknowledged is lost, and the next one works."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from ags_tui.core.assessment import RequestState
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.log_state import LogState
from tests.cli.conftest import TOP
from tests.flows.killing import Killer
from tests.flows.stage import COMMAND, MAPPER, TASK, Stage
from tests.leftovers import scratch_of_the_dead

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the killer waits on a pidfd, which only Linux has"
)


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killer]:
    """One process that has imported everything, for all tests of this module."""
    made = Killer(TOP, tmp_path_factory.mktemp("killer") / "out")
    yield made
    made.end()
    temporary = Path(tempfile.gettempdir())
    for name in scratch_of_the_dead(temporary):  # nobody cleans up when killed; a start sweeps it much later
        shutil.rmtree(temporary / name)


@pytest.fixture
def killer(waiting: Killer) -> Killer:
    waiting.took_s = 0.0
    return waiting


def kill(stage: Stage, killer: Killer, after: float, *words: str) -> tuple[int, str]:
    given = stage.cli.arguments(*words)[3:]
    return killer.run(given, cwd=stage.work, env=stage.cli.env(), after=after)


def begin(stage: Stage) -> None:
    stage.new_task()
    stage.plan(MAPPER, tests_to_run=(COMMAND,), requires_human_approval=True)
    stage.look()
    stage.human.approve(TASK, "plan")


def log(stage: Stage) -> LogState:
    """The log, which must be whole."""
    state = stage.only_read().tasks[0].task.log
    assert state.integrity is Outcome.PASSED, state.findings
    assert [row.entry.sequence for row in state.entries] == list(range(len(state.entries)))
    assert all(row.counted for row in state.entries)
    return state


def moments(killer: Killer, seed: int, count: int) -> Iterator[float]:
    """One moment that kills nothing, then random ones within the time that this took."""
    chance = Random(seed)
    yield 60.0
    span = killer.took_s * 1.1
    for _ in range(count):
        yield chance.random() * span


def test_block(stage: Stage, killer: Killer):
    begin(stage)
    acknowledged: list[str] = []
    for number, after in enumerate(moments(killer, 1, 20)):
        code, _ = kill(stage, killer, after, "block", TASK, "--reason", f"no {number}")
        assert code in (0, -9)
        reasons = [row.entry.reason for row in log(stage).blocks]
        if code == 0:
            acknowledged.append(f"no {number}")
        assert set(acknowledged) <= set(reasons)
        assert len(reasons) == len(set(reasons))
    assert acknowledged
    assert "BLOCK" in stage.gate_code()[1] or stage.gate().code == 1


def test_deny(stage: Stage, killer: Killer):
    begin(stage)
    for after in moments(killer, 2, 10):
        words = ("--tool", "shell", "--command", "true", "--reason", "r", "--risk", "low")
        name, claim = stage.cli("request", "--task", TASK, *words).out.split()
        stage.look()
        code, _ = kill(stage, killer, after, "deny", name, "--reason", "no")
        state = next(s.state for s in stage.task().requests if s.item_id == name.partition("/")[2])
        assert state in ((RequestState.DENIED,) if code == 0 else (RequestState.DENIED, RequestState.PENDING))
        wanted = 10 if state is RequestState.DENIED else 13
        assert stage.cli("wait", name, "--claim", claim, "--timeout", "0").code == wanted
        log(stage)


def test_wait_takes_or_does_not_and_never_twice(stage: Stage, killer: Killer):
    begin(stage)
    for after in moments(killer, 3, 10):
        words = ("--tool", "shell", "--command", "true", "--reason", "r", "--risk", "low")
        name, claim = stage.cli("request", "--task", TASK, *words).out.split()
        item = name.partition("/")[2]
        stage.human.approve(TASK, item)
        code, printed = kill(stage, killer, after, "wait", name, "--claim", claim, "--timeout", "20")
        taken = (stage.folder() / "consumptions" / f"{item}.json").exists()
        assert taken or code != 0
        assert taken or '"approved"' not in printed
        again = stage.cli("wait", name, "--claim", claim, "--timeout", "0").code
        assert again == (14 if taken else 0)
        assert stage.cli("wait", name, "--claim", claim, "--timeout", "0").code == 14
        log(stage)


def test_gate_and_its_observations(stage: Stage, killer: Killer):
    begin(stage)
    for number, after in enumerate(moments(killer, 4, 15)):
        stage.write("review-result.json", b'{"verdict": %d}' % number)
        kill(stage, killer, after, "gate", TASK, "--json")
        log(stage)
    assert stage.gate().code == 1


def test_check_and_its_runs(stage: Stage, killer: Killer):
    begin(stage)
    stage.edit(MAPPER, "friendly\n")
    stage.edit("Tests/LoginViewModelTests.swift", "test_timeout\n")
    for after in moments(killer, 5, 8):
        code, _ = kill(stage, killer, after, "check", TASK)
        runs = log(stage).tests
        assert all(run.data["exitCode"] == 0 for run in runs)
        assert code != 0 or runs
    assert stage.cli("check", TASK).code == 0
    numbers = [run.path for run in log(stage).tests]
    assert len(numbers) == len(set(numbers))
    names = [run.data["artifact"] for run in log(stage).tests]
    assert all((stage.folder() / name).is_file() for name in names)
    assert len(names) == len(set(names))


def test_a_human_who_is_killed_while_recording(stage: Stage, killer: Killer):
    begin(stage)
    places = [str(stage.work), str(stage.cli.folder / "state"), str(stage.cli.folder / "config")]
    for after in moments(killer, 6, 12):
        words = ("--tool", "shell", "--command", "true", "--reason", "r", "--risk", "low")
        name, claim = stage.cli("request", "--task", TASK, *words).out.split()
        item = name.partition("/")[2]
        stage.look()
        code, _ = killer.run(
            ["approve", *places, TASK, item], cwd=stage.work, env=stage.cli.env(), after=after
        )
        rows = [row for row in log(stage).entries if row.entry.subject.id == item]
        assert [row.entry.verdict for row in rows] in ([["approved"]] if code == 0 else [["approved"], []])
        wanted = 0 if rows else 13
        assert stage.cli("wait", name, "--claim", claim, "--timeout", "0").code == wanted
    assert log(stage).entries[-1].signer in ("human", "system")


def test_the_very_first_command_on_a_machine(stage: Stage, killer: Killer):
    """Keys, state and task folder come into being; whatever is there when it dies, the next goes on."""
    for number, after in enumerate(moments(killer, 7, 12)):
        name = f"task-{number}"
        words = ["task", "new", name, "--id", name, "--state", f"../state-{number}", "--config", "../config"]
        code, _ = killer.run(words, cwd=stage.work, env=stage.cli.env(), after=after)
        where = ("--state", f"../state-{number}", "--config", "../config")
        done = stage.bare("status", "--json", *where)
        assert done.code == 0, done.err
        if code == 0:
            assert stage.bare("verify", name, *where).code == 0
        elif (stage.folder(name) / "task.json").exists() and not (stage.folder(name) / "log").exists():
            assert stage.bare("baseline", name, *where).code == 0
