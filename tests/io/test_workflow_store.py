"""The store of AGS runs on real folders: two writers, kills between any two files, numbers, bad names."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ags_tui.core.contracts.workflow import WorkflowReceipt
from ags_tui.core.workflow.documents import data_of, file_bytes
from ags_tui.core.workflow.failures import WorkflowRefused
from ags_tui.core.workflow.replay import Replayed, replay, runs_of
from ags_tui.core.workflow.transitions import abort
from ags_tui.io.create_once import DISK
from ags_tui.io.providers import read_registry
from ags_tui.io.run_files import run_facts
from ags_tui.io.tasks import TaskReader
from ags_tui.io.workflow_store import Stored, WorkflowStore
from tests.core.workflow.making import SUITE, Workshop, envelope, failing, provider, refusal, result

FAST = replace(DISK, sync=lambda _: None)
OVER = {"passed", "failed", "blocked"}
STAGES = [provider(f"step-{n}", [f"cap-{n}"], n * 10, produces=[f"made-{n}"]) for n in range(1, 4)]
CAPABILITIES = [f"cap-{n}" for n in range(1, 4)]


def replays(shop: Workshop) -> list[Replayed]:
    (task,) = TaskReader(shop.root, shop.root.parent).read(now=4e9).tasks
    assert task.problems == task.workflow_problems == ()
    facts = run_facts(task, shop.places)
    return [replay(run, facts.schemas) for run in runs_of(task)]


def tried(call: Callable[[], Stored]) -> Stored | WorkflowRefused:
    try:
        return call()
    except WorkflowRefused as refused:
        return refused


def consistent(shop: Workshop) -> Replayed:
    (found,) = replays(shop)
    assert (found.differs, found.refused, found.outdated) == ("", None, "")
    return found


class TwoWriters(RuleBasedStateMachine):
    """Two writers that know the run as it was when they last looked, beside a model of it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.shop = Workshop(self.folder, STAGES)
        self.shop.store = WorkflowStore(self.shop.root, self.shop.places, disk=FAST)

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    @initialize()
    def begin(self) -> None:
        plan = self.shop.plan(requiredCapabilities=CAPABILITIES, riskLevel="low")
        first = self.shop.store.start(data_of(plan)).receipt
        self.known = [first, first]
        self.newest = first
        self.successes = 0
        self.recorded: list[str] = []

    def attempt(self, who: int, call: Callable[[WorkflowReceipt], Stored]) -> None:
        known, before = self.known[who], self.newest
        found = tried(lambda: call(known))
        if isinstance(found, Stored):
            assert known.revision == before.revision
            assert before.state not in OVER
            self.successes += 1
            self.newest = self.known[who] = found.receipt
            return
        if known.revision != before.revision:
            details = {"expectedRevision": known.revision, "actualRevision": before.revision}
            assert (found.code, found.details) == ("STALE_REVISION", details)
        assert self.shop.status(before).receipt == before

    @rule(who=st.integers(0, 1))
    def look(self, who: int) -> None:
        self.known[who] = self.shop.status(self.newest).receipt

    @rule(who=st.integers(0, 1), stage=st.integers(0, 2), blocked=st.booleans())
    def record(self, who: int, stage: int, blocked: bool) -> None:
        more: dict[str, Any] = {"blockers": ["left"]} if blocked else {}
        self.attempt(who, lambda known: self.shop.store.record(result(known, stage, **more)))

    @rule(who=st.integers(0, 1))
    def finalize(self, who: int) -> None:
        self.attempt(who, lambda known: self.shop.store.finalize(known.run_id, known.revision))

    @rule(who=st.integers(0, 1))
    def abort(self, who: int) -> None:
        self.attempt(who, lambda known: self.shop.store.abort(known.run_id, known.revision))

    @rule(who=st.integers(0, 1))
    def both_at_once(self, who: int) -> None:
        """The other writer comes between this one's reading and its writing."""
        known, before = self.known[who], self.newest
        passed: list[WorkflowReceipt] = []

        def change(receipt: WorkflowReceipt) -> WorkflowReceipt:
            passed.append(self.shop.store.abort(receipt.run_id, receipt.revision).receipt)
            return abort(receipt, receipt.revision)

        found = tried(lambda: self.shop.store.change(known.run_id, known.revision, change))
        assert isinstance(found, WorkflowRefused)
        if passed:
            details = {"expectedRevision": known.revision, "actualRevision": before.revision + 1}
            assert (found.code, found.details) == ("STALE_REVISION", details)
            self.successes += 1
            self.newest = passed[0]

    @invariant()
    def revision_counts_the_successes(self) -> None:
        if not hasattr(self, "newest"):
            return
        receipt = self.shop.status(self.newest).receipt
        assert receipt == self.newest
        assert receipt.revision == self.successes

    @invariant()
    def a_replay_says_the_same(self) -> None:
        if hasattr(self, "newest"):
            found = consistent(self.shop)
            assert found.receipt == self.newest


TwoWriters.TestCase.settings = settings(
    max_examples=25,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestTwoWriters = TwoWriters.TestCase


def test_of_many_writers_at_one_revision_one_wins(tmp_path: Path):
    shop = Workshop(tmp_path, STAGES)
    receipt = shop.start(requiredCapabilities=CAPABILITIES, riskLevel="low")
    outcomes: list[str] = []
    gate = threading.Barrier(8)

    def write(number: int) -> None:
        store = WorkflowStore(shop.root, shop.places)
        gate.wait()
        given = result(receipt, 0)
        found = tried(lambda: store.record(given) if number % 2 else store.abort(receipt.run_id, 0))
        outcomes.append("won" if isinstance(found, Stored) else f"{found.code} {found.details}")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lost = "STALE_REVISION {'expectedRevision': 0, 'actualRevision': 1}"
    assert sorted(outcomes) == [lost] * 7 + ["won"]
    assert consistent(shop).receipt == shop.status(receipt).receipt


CHILD = """
import json, os, signal, sys
from dataclasses import replace
from pathlib import Path
from ags_tui.io.create_once import DISK
from ags_tui.io.places import Places
from ags_tui.io.workflow_store import WorkflowStore

folder, state, config, left, what, value = sys.argv[1:]
left = [int(left)]

def counted(call):
    def wrapped(*arguments):
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        return call(*arguments)
    return wrapped

disk = replace(DISK, write=counted(DISK.write), sync=counted(DISK.sync), link=counted(DISK.link))
store = WorkflowStore(Path(folder), Places(Path(state), Path(config)), disk=disk)
value = json.loads(value)
store.start(value) if what == "start" else store.record(value)
"""


def killed_after(shop: Workshop, calls: int, what: str, value: object) -> bool:
    """Run one operation in a process that kills itself before a call of the disk; whether it was killed."""
    arguments = [str(shop.root), str(shop.places.state), str(shop.places.config), str(calls), what]
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *arguments, json.dumps(value)], capture_output=True, check=False
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    return done.returncode != 0


def test_killed_while_recording(tmp_path: Path):
    """The result is recorded or it is not, and the next writer goes on from either."""
    for calls in range(12):
        shop = Workshop(tmp_path / str(calls), STAGES)
        receipt = shop.start(requiredCapabilities=CAPABILITIES, riskLevel="low")
        killed = killed_after(shop, calls, "record", result(receipt, 0))
        now = shop.status(receipt).receipt
        assert now.revision in (0, 1)
        assert consistent(shop).receipt == now
        now = now if now.revision == 1 else shop.record(now, 0)
        receipt = shop.finalize(shop.all_passed(now))
        assert (receipt.state, receipt.revision) == ("passed", 4)
        found = consistent(shop)
        assert found.receipt == receipt
        assert len(found.files.results) == 3
        if not killed:
            assert calls > 5
            break
    else:
        raise AssertionError("it was killed every time")


def test_killed_while_starting(tmp_path: Path):
    """A run has begun or there is none; a number may be left out."""
    for calls in range(0, 14, 2):
        shop = Workshop(tmp_path / str(calls), STAGES)
        plan = data_of(shop.plan(requiredCapabilities=CAPABILITIES, riskLevel="low"))
        killed = killed_after(shop, calls, "start", plan)
        begun = not isinstance(status_or_code(shop, "run-task-001-1"), str)
        assert len(replays(shop)) == int(begun)
        assert shop.store.start(plan).receipt.run_id == "run-task-001-2"
        if not killed:
            assert begun
            break
    else:
        raise AssertionError("it was killed every time")


def status_or_code(shop: Workshop, run_id: str) -> Stored | str:
    try:
        return shop.store.status(run_id)
    except WorkflowRefused as refused:
        return refused.code


def test_a_terminal_run_whose_last_result_was_not_written_is_whole(tmp_path: Path):
    shop = Workshop(tmp_path, STAGES)
    receipt = shop.start(requiredCapabilities=CAPABILITIES, riskLevel="low")
    receipt = shop.store.record(result(receipt, 0, blockers=["left"])).receipt
    (file,) = (shop.root / "tasks/task-001/workflow" / receipt.run_id / "results").iterdir()
    file.unlink()
    assert consistent(shop).receipt == receipt


def test_numbers_that_came_with_the_repository_are_passed_over(tmp_path: Path):
    shop = Workshop(tmp_path)
    (shop.root / "tasks/task-001/workflow/run-task-001-1").mkdir(parents=True)
    assert shop.start().run_id == "run-task-001-2"


@pytest.mark.parametrize("task", ["로그인-오류", "a-1", "x.y_z"])
def test_task_ids_of_any_script(tmp_path: Path, task: str):
    shop = Workshop(tmp_path, STAGES)
    receipt = shop.start(taskId=task, requiredCapabilities=CAPABILITIES, riskLevel="low")
    assert receipt.run_id == f"run-{task}-1"
    assert consistent(shop).receipt == shop.status(receipt).receipt


NO_RUNS = (
    "",
    "run-x-1",
    "../../etc",
    "run-../../x-1",
    "run-task-001-1/..",
    "run-task-001-1\0",
    7,
    None,
    ["x"],
)


@pytest.mark.parametrize("run_id", NO_RUNS)
def test_runs_that_do_not_exist(tmp_path: Path, run_id: object):
    store = Workshop(tmp_path).store
    assert refusal(store.status, run_id).code == "RUN_NOT_FOUND"
    assert refusal(store.finalize, run_id, 0).code == "RUN_NOT_FOUND"
    assert refusal(store.abort, run_id, 0).code == "RUN_NOT_FOUND"


def test_a_task_id_that_is_no_folder_name(tmp_path: Path):
    shop = Workshop(tmp_path)
    plan = shop.plan(taskId="a/../b")
    assert refusal(shop.store.start, data_of(plan)).code == "INVALID_INPUT"
    assert not (shop.root / "tasks").exists()


@pytest.mark.parametrize("value", [None, 7, "x", [], {}, {"schemaVersion": "1.0.0"}, {"taskEnvelope": 1}])
def test_input_of_the_wrong_type(tmp_path: Path, value: object):
    shop = Workshop(tmp_path)
    for call in (shop.store.plan, shop.store.start, shop.store.record):
        found = refusal(call, value)
        assert found.code == "INVALID_INPUT"
        assert found.details is not None
        assert found.details["validationErrors"]


def test_input_that_no_json_holds(tmp_path: Path):
    shop = Workshop(tmp_path)
    receipt = shop.start()
    deep: Any = {}
    for _ in range(5_000):
        deep = {"a": deep}
    for out in (
        {"text": float("nan")},
        {"text": 2**60},
        {"text": "\ud800"},
        deep,
        {"text": "x" * (17 << 20)},
    ):
        assert refusal(shop.store.record, result(receipt, 0, out=out)).code == "INVALID_INPUT"
    assert shop.status(receipt).receipt == receipt


def test_a_run_of_many_stages_is_read_as_it_was_written(tmp_path: Path):
    """A plan and receipts of more than 64 KiB take the bounded road of reading."""
    steps = [provider(f"p-{n}", [f"c-{n}"], n, produces=[f"a-{n}"]) for n in range(90)]
    shop = Workshop(tmp_path, steps)
    plan = shop.plan(requiredCapabilities=[f"c-{n}" for n in range(90)], riskLevel="low")
    assert len(file_bytes(plan)) > 64 * 1024
    receipt = shop.store.start(data_of(plan)).receipt
    receipt = shop.record(shop.record(receipt, 0), 1)
    assert consistent(shop).receipt == receipt
    spoilt = data_of(plan)
    spoilt["stages"][59]["order"] = "last"
    found = refusal(shop.store.start, spoilt)
    assert found.details == {
        "validationErrors": [{"path": "stages.59.order", "message": "must be a whole number, not text"}]
    }


def test_receipts_that_no_reader_would_take_are_not_written(tmp_path: Path):
    shop = Workshop(tmp_path, STAGES)
    receipt = shop.start(requiredCapabilities=CAPABILITIES, riskLevel="low")
    long = {"text": "x" * (9 << 20)}
    receipt = shop.record(receipt, 0, out=long)
    assert refusal(shop.store.record, result(receipt, 1, out=long)).code == "INVALID_INPUT"
    assert shop.status(receipt).receipt == receipt


def test_the_project_adds_providers_and_replaces_none(tmp_path: Path):
    shop = Workshop(tmp_path, [])
    text = "version = 1\n" + provider("own", ["translation"], 55) + provider("soft", ["independent-audit"], 1)
    (shop.root / "providers.toml").write_text(text)
    read = read_registry(shop.root, shop.places)
    assert read.registry.provider_for("translation") is not None
    audit = read.registry.provider_for("independent-audit")
    assert audit is not None
    assert audit.key == "independent-audit-gate"
    assert [problem.message.split(" ")[0] for problem in read.problems] == ["soft"]
    (shop.root / "providers.toml").write_text("version = 2")
    assert len(read_registry(shop.root, shop.places).problems) == 1


def test_files_are_canonical_and_state_is_private(tmp_path: Path):
    shop = Workshop(tmp_path, SUITE)
    stored = shop.store.start(data_of(shop.plan()))
    folder = shop.root / "tasks/task-001/workflow/run-task-001-1"
    assert (folder / "receipts/000000.json").read_bytes() == stored.data == file_bytes(stored.receipt)
    secret = shop.places.state / "workflow/secret"
    assert secret.stat().st_mode & 0o777 == 0o600
    assert not [name for name in os.listdir(folder) if name.startswith(".tmp")]


def test_a_failed_stage_ends_the_run(tmp_path: Path):
    shop = Workshop(tmp_path, SUITE)
    receipt = shop.record(shop.record(shop.start(), 0), 1)
    receipt = shop.store.record(failing(receipt, 2, {"text": "bad"})).receipt
    assert (receipt.state, consistent(shop).receipt) == ("failed", receipt)
    assert envelope()["taskId"] == receipt.plan.task_id
