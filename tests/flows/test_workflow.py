"""An AGS run of a real task: the default providers, the command's gate, the scope."""

from pathlib import Path

from ags_tui.core.assessment import TaskAssessment, Verdict
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.contracts.workflow import WorkflowReceipt
from ags_tui.core.workflow.documents import data_of
from ags_tui.core.workflow.transitions import Supervision
from ags_tui.io.places import Places
from ags_tui.io.workflow_store import WorkflowStore
from tests.core.checks.looking import rung
from tests.core.workflow.making import audit_output, envelope, refusal, result
from tests.flows.stage import MAPPER, TASK, Stage


def store_of(stage: Stage) -> WorkflowStore:
    folder = Path(stage.cli.folder)
    return WorkflowStore(stage.work / ".ai", Places(folder / "state", folder / "config"))


def tree_of(task: TaskAssessment) -> str:
    assert task.task.changes is not None
    return task.task.changes.tree_digest


def supervised(task: TaskAssessment) -> Supervision:
    return Supervision(log=task.task.log, tree=tree_of(task))


def audited(store: WorkflowStore, tree: str) -> WorkflowReceipt:
    """A run with a passed audit of a tree, not finalized."""
    task = envelope(taskId=TASK, requiredCapabilities=["independent-audit"], riskLevel="low")
    receipt = store.start(data_of(store.plan(task))).receipt
    return store.record(result(receipt, 0, out=audit_output(auditTarget=tree, currentTarget=tree))).receipt


def test_a_run_from_its_start_to_a_tree_that_changed(stage: Stage):
    stage.new_task()
    stage.plan()
    stage.edit(MAPPER, "friendly\n")
    before = stage.task()
    assert rung(before, 9).outcome is Outcome.NOT_APPLICABLE
    store = store_of(stage)
    receipt = audited(store, tree_of(before))
    open_one = stage.task()
    assert rung(open_one, 9).outcome is Outcome.UNKNOWN
    assert [run.run_id for run in open_one.runs] == [f"run-{TASK}-1"]
    assert open_one.scope.verdict is Verdict.PASS
    assert tree_of(open_one) == tree_of(before)

    assert stage.cli("block", TASK, "--reason", "wait for me").code == 0
    found = refusal(store.finalize, receipt.run_id, receipt.revision, supervised(stage.task()))
    assert found.details == {"humanBlock": ["wait for me"]}
    unblocked = Supervision(tree=tree_of(before))
    assert store.finalize(receipt.run_id, receipt.revision, unblocked).receipt.state == "passed"
    assert rung(stage.task(), 9).outcome is Outcome.PASSED
    rows = stage.gate().json["tasks"][0]["gate"]["conditions"]
    assert rows[8]["outcome"] == "passed"

    stage.edit(MAPPER, "friendlier\n")
    row = rung(stage.task(), 9)
    assert (row.outcome, [one.code for one in row.findings]) == (Outcome.FAILED, ["STALE_EVIDENCE"])
    again = audited(store, tree_of(before))
    found = refusal(store.finalize, again.run_id, again.revision, Supervision(tree=tree_of(stage.task())))
    assert found.code == "GATE_FAILED"


def test_a_run_that_vanishes_is_missed(stage: Stage):
    stage.new_task()
    store = store_of(stage)
    receipt = audited(store, tree_of(stage.task()))
    stage.look()
    stage.look()
    (stage.folder() / "workflow" / receipt.run_id).rename(stage.cli.folder / "away")
    row = rung(stage.task(), 9)
    assert (row.outcome, row.findings[0].code) == (Outcome.FAILED, "LOG_TAMPERED")
