"""A change outside the plan leaves a trace in the log, changes no verdict, and starts nothing by itself."""

from datetime import UTC, datetime, timedelta

from ags_tui.core.checks.assess import Assessor
from ags_tui.core.outside import SETTLED_S, OutsideWatch
from ags_tui.core.seen import entry_of
from tests.flows.stage import MAPPER, TASK, VIEW, Stage


class Screen:
    """What a running TUI does, with a clock that the test moves."""

    def __init__(self, stage: Stage) -> None:
        self.workspace = stage.human.workspace
        self.assessor = Assessor()
        self.watch = OutsideWatch()
        self.now = datetime.now(UTC)

    def look(self) -> int:
        """Read, assess, record what is due; gives the entries written."""
        snapshot = self.workspace.read()
        self.watch.look(self.assessor.assess(snapshot, self.now).tasks, self.now)
        return self.workspace.observe(snapshot, self.now, self.watch.take(self.now))

    def settle(self) -> int:
        """Look, and once more when what is there has settled."""
        written = self.look()
        self.now += timedelta(seconds=SETTLED_S)
        return written + self.look()


def verdicts(stage: Stage) -> list[tuple[str, str, tuple[str, ...]]]:
    """Every condition of the gate with its outcome and codes."""
    conditions = stage.gate().json["tasks"][0]["gate"]["conditions"]
    return [
        (one["name"], one["outcome"], tuple(finding["code"] for finding in one["findings"]))
        for one in conditions
    ]


def test_left_and_taken_back_are_two_entries_and_no_verdict_differs(stage: Stage):
    stage.new_task()
    stage.plan(MAPPER)
    stage.look()
    screen, other = Screen(stage), Screen(stage)
    screen.settle()
    before = verdicts(stage)

    stage.edit(VIEW, "strayed\n")
    assert screen.settle() == 1
    during = verdicts(stage)
    assert ("scope", "failed", ("UNPLANNED_FILE",)) in during
    assert screen.settle() == other.settle() == 0, "it is on record, whoever looks"
    assert verdicts(stage) == during

    stage.edit(VIEW, "label\n")
    other.look()
    screen.look()
    screen.now += timedelta(seconds=SETTLED_S)
    other.now += timedelta(seconds=SETTLED_S)
    stale = other.workspace.read()
    other.watch.look(other.assessor.assess(stale, other.now).tasks, other.now)
    assert screen.look() == 1
    assert other.workspace.observe(stale, other.now, other.watch.take(other.now)) == 0, "one was faster"
    assert verdicts(stage) == before

    log = stage.cli("log", TASK)
    assert f"outside-the-plan  {VIEW} changed" in log.out
    assert f"outside-the-plan  {VIEW} taken back" in log.out
    entries = stage.cli("log", TASK, "--json").json["entries"]
    assert sum(entry_of(entry["data"]) is not None for entry in entries) == 2
    assert stage.cli("verify", TASK).code == 0
