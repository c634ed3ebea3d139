"""AGS runs at the gate: real files of real runs, read as all is read, judged beside a finished task."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ags_tui.core import drafts
from ags_tui.core.assessment import Condition, TaskAssessment
from ags_tui.core.checks.assess import assess_task
from ags_tui.core.checks.findings import Outcome, Severity
from ags_tui.core.contracts.workflow import WorkflowReceipt
from ags_tui.core.decisions import Draft
from ags_tui.core.digests import canonical, digest
from ags_tui.core.observations import due
from ags_tui.core.snapshot import RunFacts, TaskSnapshot
from ags_tui.core.workflow.transitions import Supervision
from ags_tui.io.run_files import run_facts
from ags_tui.io.tasks import TaskReader
from tests import builders as make
from tests.core.checks.looking import rung
from tests.core.workflow.making import Workshop, audit_output, failing, refusal, result

TREE = make.changes().tree_digest
TASK = make.TASK_ID


def started(folder: Path, **fields: Any) -> tuple[Workshop, WorkflowReceipt]:
    shop = Workshop(folder)
    usual = {"taskId": TASK, "requiredCapabilities": ["draft", "independent-audit"], "riskLevel": "low"}
    return shop, shop.start(**{**usual, **fields})


def done(folder: Path, target: str = TREE) -> tuple[Workshop, WorkflowReceipt]:
    """A run whose draft and audit have passed and that is finalized."""
    shop, receipt = started(folder)
    receipt = shop.record(receipt, 0)
    receipt = shop.record(receipt, 1, out=audit_output(auditTarget=target, currentTarget=target))
    return shop, shop.finalize(receipt)


def snapshot_of(shop: Workshop, **fields: Any) -> TaskSnapshot:
    """A task that may be finalized, with the runs on disk."""
    (read,) = TaskReader(shop.root, shop.root.parent).read(now=4e9).tasks
    assert read.problems == ()
    task = make.task_snapshot(**fields)
    files = replace(
        task.files, workflow=read.workflow, receipts=read.receipts, workflow_problems=read.workflow_problems
    )
    return replace(task, files=files, run_facts=run_facts(read, shop.places))


def assessed(task: TaskSnapshot) -> TaskAssessment:
    return assess_task(task, make.snapshot(task), make.NOW)


def ninth(shop: Workshop, **fields: Any) -> Condition:
    return rung(assessed(snapshot_of(shop, **fields)), 9)


def codes(row: Condition) -> list[str]:
    return [one.code for one in row.findings if one.severity is Severity.ERROR or one.unknown]


def test_a_task_without_runs_is_as_it_was():
    task = make.task_snapshot()
    found = assessed(task)
    row = rung(found, 9)
    assert (row.name, row.outcome, row.reason) == (
        "workflow",
        Outcome.NOT_APPLICABLE,
        "no run of the Agent Governance Suite (AGS)",
    )
    assert found.gate.outcome is Outcome.PASSED


def test_a_finalized_run_passes(tmp_path: Path):
    shop, _ = done(tmp_path)
    found = assessed(snapshot_of(shop))
    assert rung(found, 9).outcome is Outcome.PASSED, rung(found, 9).findings
    assert found.gate.outcome is Outcome.PASSED


def test_an_unfinished_run_fails_with_what_finalizing_says(tmp_path: Path):
    shop, receipt = started(tmp_path)
    row = ninth(shop)
    assert (row.outcome, codes(row)) == (Outcome.FAILED, ["GATE_FAILED"])
    receipt = shop.record(receipt, 0)
    shop.record(receipt, 1, out=audit_output(auditTarget=TREE, currentTarget=TREE))
    row = ninth(shop)
    assert (row.outcome, codes(row)) == (Outcome.UNKNOWN, ["GATE_FAILED"])
    assert "nobody has finalized" in row.reason


def test_an_audit_of_another_tree_is_stale(tmp_path: Path):
    shop, _ = done(tmp_path, digest(b"another tree"))
    row = ninth(shop)
    assert (row.outcome, codes(row)) == (Outcome.FAILED, ["STALE_EVIDENCE"])


def test_an_audit_target_that_is_no_tree_is_unknown(tmp_path: Path):
    shop, _ = done(tmp_path, "commit abc123")
    row = ninth(shop)
    assert (row.outcome, codes(row)) == (Outcome.UNKNOWN, ["STALE_EVIDENCE"])


def runs(shop: Workshop) -> Path:
    return shop.root / "tasks" / TASK / "workflow" / f"run-{TASK}-1"


def rewritten(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    value = json.loads(path.read_bytes())
    change(value)
    path.write_bytes(canonical(value) + b"\n")


def edit_receipt(run: Path) -> None:
    rewritten(run / "receipts/000001.json", lambda value: value.update(blockers=["x"]))


def edit_last_receipt(run: Path) -> None:
    rewritten(run / "receipts/000003.json", lambda value: value["plan"]["stages"][0].update(phase="x"))


def other_bytes(run: Path) -> None:
    path = run / "receipts/000002.json"
    path.write_bytes(json.dumps(json.loads(path.read_bytes()), indent=1).encode() + b"\n")


def edit_result(run: Path) -> None:
    rewritten(run / "results/0001.json", lambda value: value.update(findings=["none"]))


def soften_audit(run: Path) -> None:
    rewritten(run / "results/0002.json", lambda value: value["output"]["output"].update(auditorId="worker"))


def edit_plan(run: Path) -> None:
    rewritten(run / "plan.json", lambda value: value.update(stages=value["stages"][:1]))


def remove_receipt(run: Path) -> None:
    (run / "receipts/000001.json").unlink()


def remove_result(run: Path) -> None:
    (run / "results/0001.json").unlink()


def one_more_receipt(run: Path) -> None:
    (run / "receipts/000004.json").write_bytes((run / "receipts/000003.json").read_bytes())


def no_receipt(run: Path) -> None:
    (run / "receipts/000003.json").write_bytes(b'{"revision": 3}\n')


TAMPERING = (
    edit_receipt, edit_last_receipt, other_bytes, edit_result, soften_audit, edit_plan, remove_receipt,
    remove_result, one_more_receipt, no_receipt,
)  # fmt: skip


@pytest.mark.parametrize("tamper", TAMPERING, ids=lambda tamper: tamper.__name__)
def test_tampering(tmp_path: Path, tamper: Callable[[Path], None]):
    shop, _ = done(tmp_path)
    tamper(runs(shop))
    row = ninth(shop)
    assert row.outcome is Outcome.FAILED
    assert codes(row)[0] == "LOG_TAMPERED"


def vouchers(task: TaskSnapshot) -> list[Draft]:
    return [one for one in due(task, make.snapshot(), make.NOW) if "genuine" in one.data]


def test_a_plan_of_another_machine_needs_a_voucher(tmp_path: Path):
    shop, _ = done(tmp_path)
    task = snapshot_of(shop)
    for genuine in ({}, {f"run-{TASK}-1": False}):
        strange = replace(task, run_facts=RunFacts(genuine, task.run_facts.schemas))
        row = rung(assessed(strange), 9)
        assert (row.outcome, codes(row)) == (Outcome.UNKNOWN, ["UNKNOWN_SIGNER"])
        assert vouchers(strange) == []
    (draft,) = vouchers(task)
    seen = make.observation(draft.subject_id, draft.subject_digest, sequence=40, data=dict(draft.data))
    log = replace(task.log, observations=(*task.log.observations, seen))
    elsewhere = replace(task, log=log, run_facts=replace(task.run_facts, genuine={}))
    assert rung(assessed(elsewhere), 9).outcome is Outcome.PASSED
    assert vouchers(replace(task, log=log)) == []
    files = replace(task.files, workflow={}, receipts={})
    row = rung(assessed(replace(task, log=log, files=files, run_facts=RunFacts())), 9)
    assert (row.outcome, codes(row)) == (Outcome.FAILED, ["LOG_TAMPERED"])


def test_a_schema_that_changed_makes_a_run_unknown(tmp_path: Path):
    shop, _ = done(tmp_path)
    (shop.root / "contracts/Draft/1.0.0.schema.json").write_text("{}")
    row = ninth(shop)
    assert (row.outcome, codes(row)) == (Outcome.UNKNOWN, ["STALE_REVISION"])


def test_a_failed_run_holds_until_one_that_covers_it_has_passed(tmp_path: Path):
    shop, receipt = started(tmp_path)
    shop.store.record(failing(receipt, 0, {"text": "bad"}))
    row = ninth(shop)
    assert (row.outcome, codes(row)) == (Outcome.FAILED, ["GATE_FAILED"])
    lesser = shop.start(taskId=TASK, requiredCapabilities=["draft"], riskLevel="low")
    shop.finalize(shop.all_passed(lesser))
    assert ninth(shop).outcome is Outcome.FAILED
    shop, _ = done(tmp_path)
    assert ninth(shop).outcome is Outcome.PASSED


def test_a_run_without_stages_warns(tmp_path: Path):
    shop, receipt = started(tmp_path, requiredCapabilities=[])
    shop.finalize(receipt)
    row = ninth(shop)
    assert row.outcome is Outcome.PASSED
    assert [one.severity for one in row.findings] == [Severity.WARNING]


def test_a_risky_task_needs_a_run_with_an_audit(tmp_path: Path):
    shop, receipt = started(tmp_path, requiredCapabilities=["draft"])
    shop.finalize(shop.all_passed(receipt))
    assert ninth(shop).outcome is Outcome.PASSED
    row = ninth(shop, task=make.agent_task(risk_level="high"))
    assert codes(row) == ["RISK_LOWERED"]


def test_a_finalization_is_bound_to_the_receipts(tmp_path: Path):
    shop, _ = done(tmp_path)
    one = assessed(snapshot_of(shop)).digest
    assert one == assessed(snapshot_of(shop)).digest
    assert one != assessed(make.task_snapshot()).digest
    shop, _ = done(tmp_path)
    other = assessed(snapshot_of(shop))
    assert other.gate.outcome is Outcome.PASSED
    assert other.digest != one
    receipts = {f"run-{TASK}-{number}": shop.store.status(f"run-{TASK}-{number}").data for number in (1, 2)}
    draft = drafts.finalize(other, drafts.Viewing())
    assert draft.subject_digest == other.digest
    assert draft.data["receipts"] == {run: digest(data) for run, data in receipts.items()}


def test_a_human_block_refuses_to_finalize(tmp_path: Path):
    shop, receipt = started(tmp_path, requiredCapabilities=["draft"])
    receipt = shop.all_passed(receipt)
    row = make.entry("block", "blocked", "task", reason="wait for me")
    log = make.log_state([row])
    assert log.blocks

    def finalize() -> object:
        return shop.store.finalize(receipt.run_id, receipt.revision, Supervision(log=log))

    found = refusal(finalize)
    assert (found.code, found.details) == ("GATE_FAILED", {"humanBlock": ["wait for me"]})
    assert shop.status(receipt).receipt == receipt
    free = Supervision(log=make.log_state())
    assert shop.store.finalize(receipt.run_id, receipt.revision, free).receipt.state == "passed"


def test_a_stale_audit_refuses_to_finalize(tmp_path: Path):
    shop, receipt = started(tmp_path)
    receipt = shop.record(receipt, 0)
    receipt = shop.store.record(
        result(receipt, 1, out=audit_output(auditTarget=TREE, currentTarget=TREE))
    ).receipt
    other = digest(b"another tree")
    for tree in (other, ""):
        found = refusal(shop.store.finalize, receipt.run_id, receipt.revision, Supervision(tree=tree))
        details = {"stageId": "stage-02-independent-audit", "auditTarget": TREE, "currentTarget": tree}
        assert (found.code, found.details) == ("GATE_FAILED", details)
    fine = shop.store.finalize(receipt.run_id, receipt.revision, Supervision(tree=TREE))
    assert fine.receipt.state == "passed"


def test_reading_keeps_what_did_not_change(tmp_path: Path):
    shop, receipt = started(tmp_path)
    reader = TaskReader(shop.root, tmp_path)
    (first,) = reader.read(now=4e9).tasks
    (again,) = reader.read(now=4e9).tasks
    assert again is first
    shop.record(receipt, 0)
    (later,) = reader.read(now=4e9 + 10).tasks
    assert later is not first
    top = f"workflow/{receipt.run_id}/"
    assert later.workflow[top + "plan.json"] is first.workflow[top + "plan.json"]
    assert sorted(later.receipts) == [f"{top}receipts/000000.json", f"{top}receipts/000001.json"]
    assert top + "receipts/000001.json" in later.workflow
