"""The conformance list of AGS 2.x, one row a test id; ``DRIFT`` rows hold what 2.x does.

Rows that are not covered stand in ``NOT_COVERED`` with the reason and are skipped by their number. No row of
the list is about leases or convergence roots: those are left out with the tools that would make them.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ags_tui.core.digests import digest
from ags_tui.core.snapshot import LoadProblem
from ags_tui.core.workflow.documents import data_of
from ags_tui.core.workflow.providers import read_providers
from ags_tui.core.workflow.transitions import World, finalize, read_result, record
from tests.core.workflow.decision_records import INVALID_RECORDS, VALID_RECORDS
from tests.core.workflow.making import (
    ACTORS,
    ALL_ACTORS,
    BASE,
    DELIBERATION,
    HEAD,
    POLICY,
    RECORD,
    SUITE,
    Workshop,
    artifact,
    audit_output,
    context,
    envelope,
    error,
    evidence,
    failing,
    policy_provider,
    provider,
    refusal,
    result,
)

Row = Callable[[Path], None]
ROWS: dict[int, Row] = {}
DRIFT = {7, 10, 31}
"""Rows whose 1.x expectation was another one: planning adds nothing but the audit by itself."""
NOT_COVERED = {
    1: "AGS's own SQLite file of version 1; runs here are files in the task folder, with nothing to migrate",
    2: "AGS's own SQLite file of a newer version",
}
COUNT = 85


def row(number: int) -> Callable[[Row], Row]:
    def add(function: Row) -> Row:
        assert number not in ROWS
        ROWS[number] = function
        return function

    return add


def name(number: int) -> str:
    return f"{number:02}{'-DRIFT' if number in DRIFT else ''}"


PARAMETERS = [
    pytest.param(number, id=name(number), marks=[pytest.mark.skip(reason=NOT_COVERED[number])])
    if number in NOT_COVERED
    else pytest.param(number, id=name(number))
    for number in range(1, COUNT + 1)
]


@pytest.mark.parametrize("number", PARAMETERS)
def test_row(number: int, tmp_path: Path):
    ROWS[number](tmp_path)


def test_every_row_is_covered_or_listed():
    assert ROWS.keys() | NOT_COVERED.keys() == set(range(1, COUNT + 1))
    assert not ROWS.keys() & NOT_COVERED.keys()


def says(refused: Any, code: str, **details: Any) -> None:
    assert (refused.code, refused.details) == (code, details), refused


def unchanged(shop: Workshop, receipt: Any) -> None:
    assert shop.status(receipt).receipt == receipt


# -- restart ---------------------------------------------------------------------------------------------


@row(3)
def status_survives_a_restart(folder: Path) -> None:
    shop = Workshop(folder)
    receipt = shop.record(shop.start(), 0)
    assert shop.again().status(receipt).receipt == receipt
    assert receipt.revision == 1


@row(4)
def an_old_revision_is_stale_after_a_restart(folder: Path) -> None:
    shop = Workshop(folder)
    first = shop.start()
    shop.record(first, 0)
    found = refusal(shop.again().store.record, result(first, 1))
    says(found, "STALE_REVISION", expectedRevision=0, actualRevision=1)


@row(5)
def the_right_revision_goes_on_after_a_restart(folder: Path) -> None:
    shop = Workshop(folder)
    receipt = shop.record(shop.start(), 0)
    assert shop.again().record(receipt, 1).revision == 2


@row(6)
def a_plan_signed_before_a_restart_starts_after_it(folder: Path) -> None:
    shop = Workshop(folder)
    shop.start(taskId="signed-before-restart")
    plan = shop.plan(taskId="signed-before-restart")
    assert shop.again().store.start(data_of(plan)).receipt.run_id == "run-signed-before-restart-2"


# -- planning and starting -------------------------------------------------------------------------------


@row(7)
def a_high_risk_plan(folder: Path) -> None:
    plan = Workshop(folder).plan()
    capabilities = [stage.required_capability for stage in plan.stages]
    assert (plan.state, capabilities) == ("ready", [*BASE, "independent-audit"])
    assert (plan.current_stage_id, plan.next_stage_id) == (None, plan.stages[0].stage_id)
    assert all(stage.selection_reason for stage in plan.stages)
    assert Workshop(folder).plan(requiredCapabilities=[]).selected_skills == ("auditing",)


@row(8)
def planning_stores_no_run(folder: Path) -> None:
    shop = Workshop(folder)
    shop.plan()
    says(refusal(shop.store.status, "run-task-001-1"), "RUN_NOT_FOUND", runId="run-task-001-1")


@row(9)
def required_artifacts_are_in_the_plan(folder: Path) -> None:
    stages = Workshop(folder).plan().stages
    assert [stage.required_artifacts for stage in stages] == [
        (), ("decision-record",), ("draft",), ("audit-report", "gate-verdict"),
    ]  # fmt: skip


@row(10)
def one_provider_of_two_capabilities_is_one_stage(folder: Path) -> None:
    plan = Workshop(folder).plan(requiredCapabilities=["draft", "outline"], riskLevel="low")
    (stage,) = plan.stages
    assert stage.satisfied_capabilities == ("draft", "outline")
    assert stage.stage_id == "stage-01-draft"


@row(11)
def the_registry_is_read_for_every_plan(folder: Path) -> None:
    shop = Workshop(folder)
    assert shop.plan().stages[2].provider_key == "drafting"
    shop.provide([*SUITE, provider("better", ["draft"], 50, priority=10)])
    assert shop.plan().stages[2].provider_key == "better"


@row(12)
def a_started_run(folder: Path) -> None:
    receipt = Workshop(folder).start()
    stages = [stage.stage_id for stage in receipt.plan.stages]
    assert (receipt.state, receipt.revision) == ("running", 0)
    assert [receipt.plan.current_stage_id, receipt.plan.next_stage_id] == stages[:2]


@row(23)
def a_direct_task_needs_no_server(folder: Path) -> None:
    plan = Workshop(folder).plan(orchestration={"requested": False, "mcpAvailable": False})
    assert (plan.state, plan.execution_mode) == ("ready", "direct")


@row(24)
def an_orchestrated_task_without_a_server_is_blocked(folder: Path) -> None:
    shop = Workshop(folder)
    plan = shop.plan(orchestration={"requested": True, "mcpAvailable": False})
    assert (plan.state, plan.errors[0].code, plan.errors[0].details) == ("blocked", "MCP_UNAVAILABLE", None)
    assert plan.next_stage_id is None
    assert refusal(shop.store.start, data_of(plan)).code == "MCP_UNAVAILABLE"


def unit(name: str, *before: str) -> dict[str, Any]:
    return {"id": name, "objective": name, "dependencies": list(before), "writeTargets": []}


@row(25)
def an_unknown_dependency(folder: Path) -> None:
    shop = Workshop(folder)
    assert refusal(shop.store.plan, envelope(workUnits=[unit("a", "b")])).code == "INVALID_INPUT"


@row(26)
def cyclic_work_units(folder: Path) -> None:
    units = [unit("a", "b"), unit("b", "a")]
    assert refusal(Workshop(folder).store.plan, envelope(workUnits=units)).code == "INVALID_INPUT"


@row(27)
def a_bootstrap_capability(folder: Path) -> None:
    plan = Workshop(folder).plan(requiredCapabilities=["boot"])
    details = {"capability": "boot", "providerKey": "bootstrap"}
    assert (plan.state, plan.errors[0].code, plan.errors[0].details) == ("blocked", "GATE_FAILED", details)


@row(28)
def a_recovery_capability_alone(folder: Path) -> None:
    (stage,) = Workshop(folder).plan(requiredCapabilities=["repair"], riskLevel="low").stages
    assert stage.execution_class == "recovery"


@row(29)
def recovery_beside_workflow(folder: Path) -> None:
    plan = Workshop(folder).plan(requiredCapabilities=["repair", "draft"], riskLevel="low")
    assert plan.state == "blocked"
    found = {one.code: one.details for one in plan.errors}
    assert found["INVALID_TRANSITION"] == {"executionClasses": ["recovery", "workflow"]}


@row(31)
def dependent_work_units_add_no_stage(folder: Path) -> None:
    plan = Workshop(folder).plan(
        workUnits=[unit("a"), unit("b", "a")], requiredCapabilities=["draft"], riskLevel="low"
    )
    assert [stage.required_capability for stage in plan.stages] == ["draft"]


def audit_is_last(risk: str) -> Row:
    def check(folder: Path) -> None:
        plan = Workshop(folder).plan(requiredCapabilities=["independent-audit", *BASE], riskLevel=risk)
        assert [stage.required_capability for stage in plan.stages] == [*BASE, "independent-audit"]

    return check


row(32)(audit_is_last("high"))
row(33)(audit_is_last("low"))
row(34)(audit_is_last("medium"))


def refused_start(folder: Path, spoil: Callable[[dict[str, Any]], object]) -> None:
    shop = Workshop(folder)
    plan = data_of(shop.plan())
    spoil(plan)
    assert refusal(shop.store.start, plan).code == "INVALID_INPUT"


@row(35)
def a_plan_without_its_stages(folder: Path) -> None:
    refused_start(folder, lambda plan: plan.update(stages=[]))


@row(36)
def a_mandatory_gate_made_none(folder: Path) -> None:
    refused_start(folder, lambda plan: plan["stages"][3].update(riskGate="none"))


@row(37)
def a_plan_of_another_store(folder: Path) -> None:
    other = Workshop(folder, name="other").plan()
    assert refusal(Workshop(folder).store.start, data_of(other)).code == "INVALID_INPUT"


@row(38)
def refused_plans_use_no_number(folder: Path) -> None:
    shop = Workshop(folder)
    plan = data_of(shop.plan())
    for spoilt in ({**plan, "stages": []}, {**plan, "taskId": "x"}):
        refusal(shop.store.start, spoilt)
    assert shop.store.start(plan).receipt.run_id == "run-task-001-1"


@row(63)
def a_direct_plan_is_not_started(folder: Path) -> None:
    shop = Workshop(folder)
    plan = shop.plan(orchestration={"requested": False, "mcpAvailable": True})
    assert refusal(shop.store.start, data_of(plan)).code == "INVALID_TRANSITION"


# -- recording and finalizing ----------------------------------------------------------------------------


@row(13)
def the_second_stage_first(folder: Path) -> None:
    shop = Workshop(folder)
    receipt = shop.start()
    first, second = (stage.stage_id for stage in receipt.plan.stages[:2])
    found = refusal(shop.store.record, result(receipt, 1))
    says(found, "INVALID_TRANSITION", requiredStageId=first, requestedStageId=second)


@row(14)
def passed_without_evidence(folder: Path) -> None:
    shop = Workshop(folder)
    receipt = shop.start()
    found = refusal(shop.store.record, result(receipt, 0, evidence=[]))
    says(found, "MISSING_EVIDENCE", stageId=receipt.plan.stages[0].stage_id)


@row(15)
def recording_moves_on(folder: Path) -> None:
    shop = Workshop(folder)
    receipt = shop.record(shop.start(), 0)
    assert receipt.plan.current_stage_id == receipt.plan.stages[1].stage_id


@row(16)
def all_passed_is_finalized(folder: Path) -> None:
    shop = Workshop(folder)
    receipt = shop.finalize(shop.all_passed(shop.start()))
    assert (receipt.state, receipt.plan.state, receipt.plan.stages[3].state) == ("passed",) * 3
    assert (receipt.plan.current_stage_id, receipt.plan.next_stage_id) == (None, None)


@row(17)
def revision_comes_before_state(folder: Path) -> None:
    shop = Workshop(folder)
    receipt = shop.finalize(shop.all_passed(shop.start()))
    found = refusal(shop.store.abort, receipt.run_id, receipt.revision - 1)
    says(found, "STALE_REVISION", expectedRevision=receipt.revision - 1, actualRevision=receipt.revision)


@row(18)
def a_wrong_artifact_of_the_audit(folder: Path) -> None:
    shop = Workshop(folder)
    receipt = shop.start()
    for number in range(3):
        receipt = shop.record(receipt, number)
    made = [artifact("audit-rapport"), artifact("gate-verdict")]
    found = refusal(shop.store.record, result(receipt, 3, made=made))
    stage = receipt.plan.stages[3].stage_id
    says(found, "MISSING_EVIDENCE", stageId=stage, missingArtifacts=["audit-report"])


def at_the_draft(folder: Path) -> tuple[Workshop, Any]:
    shop = Workshop(folder)
    return shop, shop.record(shop.record(shop.start(), 0), 1)


@row(19)
def a_wrong_artifact_of_a_stage(folder: Path) -> None:
    shop, receipt = at_the_draft(folder)
    assert (
        refusal(shop.store.record, result(receipt, 2, made=[artifact("sketch")])).code == "MISSING_EVIDENCE"
    )


@row(20)
def the_stage_after_a_refused_one(folder: Path) -> None:
    shop, receipt = at_the_draft(folder)
    refusal(shop.store.record, result(receipt, 2, made=[artifact("sketch")]))
    assert refusal(shop.store.record, result(receipt, 3)).code == "INVALID_TRANSITION"


def failed_audit(folder: Path, **fields: Any) -> tuple[Workshop, Any]:
    shop, receipt = at_the_draft(folder)
    receipt = shop.record(receipt, 2)
    out = audit_output(gateVerdict="FAIL")
    return shop, shop.store.record(failing(receipt, 3, out, **fields)).receipt


@row(21)
def a_failed_audit_with_a_blocker(folder: Path) -> None:
    _, receipt = failed_audit(folder, blockers=["it leaks"])
    assert (receipt.state, receipt.blockers) == ("failed", ("it leaks",))
    assert receipt.unresolved == ("it leaks", f"{receipt.plan.stages[3].stage_id}:failed")


@row(22)
def finalizing_a_failed_run(folder: Path) -> None:
    shop, receipt = failed_audit(folder, blockers=["it leaks"])
    found = refusal(shop.store.finalize, receipt.run_id, receipt.revision)
    says(found, "INVALID_TRANSITION", state="failed")


@row(30)
def a_schema_that_changed_by_a_newline(folder: Path) -> None:
    shop, receipt = at_the_draft(folder)
    file = shop.root / "contracts/Draft/1.0.0.schema.json"
    file.write_bytes(file.read_bytes() + b"\n")
    reference = receipt.plan.stages[2].output_schema
    found = refusal(shop.store.record, result(receipt, 2))
    says(
        found, "STALE_REVISION", schemaPath=reference.path, expectedDigest=reference.digest,
        actualDigest=digest(file.read_bytes()),
    )  # fmt: skip


@row(39)
def a_blocker_of_a_passed_stage(folder: Path) -> None:
    shop = Workshop(folder)
    receipt = shop.all_passed(shop.start(), findings=["odd"], blockers=["left over"])
    assert receipt.stage_results[0].findings == ("odd",)
    assert receipt.unresolved == ("left over",)
    found = refusal(shop.store.finalize, receipt.run_id, receipt.revision)
    says(found, "GATE_FAILED", blockers=["left over"], unresolved=["left over"])


@row(40)
def a_failed_audit_with_its_error(folder: Path) -> None:
    _, receipt = failed_audit(folder)
    assert (receipt.state, receipt.error and receipt.error.code) == ("failed", "GATE_FAILED")


def refused_audit(folder: Path, **fields: Any) -> Any:
    shop, receipt = at_the_draft(folder)
    receipt = shop.record(receipt, 2)
    found = refusal(shop.store.record, result(receipt, 3, out=audit_output(**fields)))
    unchanged(shop, receipt)
    return found


@row(41)
def the_auditor_is_the_implementer(folder: Path) -> None:
    found = refused_audit(folder, auditorId="worker")
    says(
        found, "GATE_FAILED", stageId="stage-04-independent-audit", auditorId="worker",
        implementationActorIds=["worker"],
    )  # fmt: skip


def refused_record(folder: Path, out: dict[str, Any]) -> Any:
    shop = Workshop(folder)
    receipt = shop.record(shop.start(), 0)
    found = refusal(shop.store.record, result(receipt, 1, out=out))
    unchanged(shop, receipt)
    return found


@row(42)
def a_deliberation_without_a_record(folder: Path) -> None:
    assert refused_record(folder, {"conditionsVerified": True}).code == "GATE_FAILED"


@row(43)
def a_provisional_record(folder: Path) -> None:
    record = {**RECORD, "run": {**RECORD["run"], "assurance": "provisional"}}
    found = refused_record(folder, {"decisionRecord": record})
    says(
        found, "GATE_FAILED", stageId="stage-02-independent-deliberation", assurance="provisional",
        capabilityShortfall=False, consensusStatus="consensus",
    )  # fmt: skip


@row(44)
def another_provider_of_deliberation(folder: Path) -> None:
    shop = Workshop(folder)
    shop.provide([*SUITE, provider("council", ["independent-deliberation"], 40, priority=20, **DELIBERATION)])
    receipt = shop.record(shop.record(shop.start(), 0), 1)
    assert receipt.plan.stages[1].skill_id == "council"
    assert receipt.plan.stages[1].state == "passed"


@row(45)
def an_audit_without_its_safety_fields(folder: Path) -> None:
    shop, receipt = at_the_draft(folder)
    receipt = shop.record(receipt, 2)
    for field in audit_output().keys() - {"gateVerdict"}:
        out = {name: value for name, value in audit_output().items() if name != field}
        assert refusal(shop.store.record, result(receipt, 3, out=out)).code == "GATE_FAILED", field


@row(46)
def a_stale_audit(folder: Path) -> None:
    says(refused_audit(folder, stale=True), "GATE_FAILED", stageId="stage-04-independent-audit")


@row(47)
def an_audit_of_something_else(folder: Path) -> None:
    found = refused_audit(folder, currentTarget=digest(b"another tree"))
    says(found, "GATE_FAILED", stageId="stage-04-independent-audit")


@row(48)
def decision_records(folder: Path) -> None:
    """With records of our own: AGS's 24 and 24 are not at hand as a whole."""
    receipt = Workshop(folder).record(Workshop(folder).start(), 0)
    for label, made in VALID_RECORDS.items():
        turned = dict(reversed(made["decisionRecord"].items()))
        for out in (made, {**made, "decisionRecord": turned}):
            taken = record(receipt, read_result(result(receipt, 1, out=out)), Workshop(folder).store.world)
            assert taken.plan.stages[1].state == "passed", label


@row(49)
def invalid_decision_records(folder: Path) -> None:
    receipt = Workshop(folder).record(Workshop(folder).start(), 0)
    for label, made in INVALID_RECORDS.items():
        given = read_result(result(receipt, 1, out=made))
        assert refusal(record, receipt, given, Workshop(folder).store.world).code == "GATE_FAILED", label


# -- receipt policy --------------------------------------------------------------------------------------


def policy_shop(folder: Path, providers: list[str] | None = None) -> tuple[Workshop, Any]:
    shop = Workshop(folder, providers or POLICY)
    capabilities = [f"cap-{number}" for number in range(1, 5)]
    return shop, shop.start(requiredCapabilities=capabilities, riskLevel="low")


def policy_refusal(folder: Path, **fields: Any) -> Any:
    shop, receipt = policy_shop(folder)
    found = refusal(shop.store.record, result(receipt, 0, **fields))
    unchanged(shop, receipt)
    return found


@row(50)
def a_policy_edited_in_a_signed_plan(folder: Path) -> None:
    shop, receipt = policy_shop(folder)
    plan = data_of(shop.store.plan(envelope(requiredCapabilities=["cap-1"], riskLevel="low")))
    del plan["stages"][0]["receiptPolicy"]["uniqueness"]
    assert refusal(shop.store.start, plan).code == "INVALID_INPUT"
    del plan["stages"][0]["receiptPolicy"]
    assert refusal(shop.store.start, plan).code == "INVALID_INPUT"
    assert receipt.revision == 0


@row(51)
def half_an_actor_policy(folder: Path) -> None:
    for half in (
        "actor_ids_pointer = '/actorIds'",
        "actor_ids_match = 'prior-policy-actors'",
        "uniqueness = 'run'",
    ):
        text = HEAD + policy_provider(1, half)
        assert isinstance(read_providers(text, "providers.toml"), LoadProblem), half
    wrong = ALL_ACTORS.replace("/actorIds", "actorIds")
    assert isinstance(read_providers(HEAD + policy_provider(1, wrong), "providers.toml"), LoadProblem)
    shop = Workshop(folder, POLICY)
    plan = data_of(shop.store.plan(envelope(requiredCapabilities=["cap-4"], riskLevel="low")))
    del plan["stages"][0]["receiptPolicy"]["actorIdsMatch"]
    assert refusal(shop.store.start, plan).code == "INVALID_INPUT"


@row(52)
def the_last_list_of_actors(folder: Path) -> None:
    shop, receipt = policy_shop(folder)
    for number in range(3):
        receipt = shop.record(receipt, number)
    one, two, three, four = ACTORS[:4]
    wrong = [[], [one, two], [one, two, three, four], [two, one, three], [one, two, two], [four] * 3, None]
    for actors in wrong:
        out = {"warning": "none"} if actors is None else {"actorIds": actors}
        found = refusal(shop.store.record, result(receipt, 3, out=out))
        stage = receipt.plan.stages[3].stage_id
        says(found, "GATE_FAILED", stageId=stage, actorIdsPointer="/actorIds")
        unchanged(shop, receipt)


@row(53)
def a_word_of_the_schema(folder: Path) -> None:
    shop, receipt = policy_shop(folder)
    assert shop.record(receipt, 0, out={"actorId": ACTORS[0], "warning": "slow-but-fine"}).revision == 1


@row(54)
def a_time_in_the_output(folder: Path) -> None:
    shop, receipt = policy_shop(folder)
    out = {"actorId": ACTORS[0], "observedAt": "2026-07-21T09:00:00Z"}
    assert shop.record(receipt, 0, out=out).revision == 1


@row(55)
def a_time_as_external_evidence(folder: Path) -> None:
    shown = [evidence("made-1"), evidence("brief", locator="2026-07-21T09:00:00Z")]
    found = policy_refusal(folder, evidence=shown)
    says(found, "MISSING_EVIDENCE", stageId="stage-01-cap-1", missingInputs=["brief"])


@row(56)
def free_text(folder: Path) -> None:
    out = {"actorId": ACTORS[0], "label": "as discussed with the team"}
    says(policy_refusal(folder / "a", out=out), "INVALID_INPUT", location="/output/output/label")
    says(policy_refusal(folder / "b", findings=["looks good"]), "INVALID_INPUT", location="/findings/0")


@row(57)
def missing_evidence_and_artifacts(folder: Path) -> None:
    found = policy_refusal(folder / "a", evidence=[evidence("made-1")])
    says(found, "MISSING_EVIDENCE", stageId="stage-01-cap-1", missingInputs=["brief"])
    found = policy_refusal(folder / "b", made=[])
    says(found, "MISSING_EVIDENCE", stageId="stage-01-cap-1", missingArtifacts=["made-1"])


@row(58)
def a_prerequisite_that_was_removed(folder: Path) -> None:
    shop, receipt = policy_shop(folder)
    for number in range(3):
        receipt = shop.record(receipt, number)
    third = receipt.stage_results[2]
    bare = third.model_copy(update={"output": third.output.model_copy(update={"artifacts": ()})})
    without = receipt.model_copy(update={"stage_results": (*receipt.stage_results[:2], bare)})
    last = read_result(result(receipt, 3))
    world = World(shop.store.world.schemas)
    assert refusal(record, without, last, world).code == "MISSING_EVIDENCE"
    receipt = record(receipt, last, world)
    assert finalize(receipt, receipt.revision, world).state == "passed"


@row(59)
def an_actor_used_again_after_a_restart(folder: Path) -> None:
    shop, receipt = policy_shop(folder)
    receipt = shop.record(receipt, 0)
    found = refusal(shop.again().store.record, result(receipt, 1, out={"actorId": ACTORS[0]}))
    says(found, "GATE_FAILED", stageId="stage-02-cap-2", conflictingStageId="stage-01-cap-1")
    assert shop.status(receipt).receipt.revision == 1


@row(60)
def raw_text_anywhere(folder: Path) -> None:
    blocked = {"kind": "adapter-error", "output": None}
    plain = error("MISSING_EVIDENCE", "MISSING_EVIDENCE")
    secret = {**plain, "details": {"password": "INVALID_INPUT"}}
    raw = {**plain, "details": {"cause": "the disk is full"}}
    cases: list[dict[str, Any]] = [
        {"evidence": [evidence("made-1", note="seen by me"), evidence("brief")]},
        {"evidence": [evidence("made-1", locator="in the drawer"), evidence("brief")]},
        {"made": [artifact("made-1", locator="over there")]},
        {"findings": ["odd thing"]},
        {"blockers": ["odd thing"]},
    ]
    for wrong in (error("MISSING_EVIDENCE", "no file"), secret, raw):
        provided = {**blocked, "error": wrong}
        cases.append({"state": "blocked", "provided": provided, "error": wrong, "made": [], "evidence": []})
    for number, fields in enumerate(cases):
        assert policy_refusal(folder / str(number), **fields).code == "INVALID_INPUT", fields


@row(61)
def an_actor_that_is_no_uuid(folder: Path) -> None:
    for actor in ("artifact:0001-0001", ACTORS[0].replace("1", "0").replace("4", "0").replace("8", "0")):
        found = policy_refusal(
            folder / actor[:8], out={"actorId": f"artifact:{actor}" if ":" in actor else actor}
        )
        says(found, "INVALID_INPUT", stageId="stage-01-cap-1", actorIdPointer="/actorId")


@row(62)
def four_stages_and_the_end(folder: Path) -> None:
    shop, receipt = policy_shop(folder)
    receipt = shop.finalize(shop.all_passed(receipt))
    assert (receipt.state, receipt.revision) == ("passed", 5)


# -- outputs in files ------------------------------------------------------------------------------------


def filed(folder: Path, data: bytes, **fields: Any) -> tuple[Workshop, Any, dict[str, Any]]:
    """A draft whose output lies in a file."""
    shop, receipt = at_the_draft(folder)
    file = folder / "out.json"
    file.write_bytes(data)
    output_file = {"locator": str(file), "digest": digest(data), **fields}
    return shop, receipt, result(receipt, 2, outputFile=output_file, provided={"output": None})


FINE = b'{"text": "fine"}'


@row(64)
def an_output_in_a_file(folder: Path) -> None:
    shop, _, given = filed(folder, FINE)
    receipt = shop.store.record(given).receipt
    stored = receipt.stage_results[2]
    assert stored.output.output is None
    assert stored.output_file is not None
    assert shop.finalize(shop.record(receipt, 3)).state == "passed"


@row(65)
def an_inline_output(folder: Path) -> None:
    shop, receipt = at_the_draft(folder)
    stored = shop.record(receipt, 2).stage_results[2]
    assert (stored.output.output, stored.output_file) == ({"text": "fine"}, None)


@row(66)
def an_output_in_both(folder: Path) -> None:
    shop, _, given = filed(folder, FINE)
    given["output"]["output"] = {"text": "fine"}
    assert refusal(shop.store.record, given).code == "INVALID_INPUT"


@row(67)
def a_file_with_another_digest(folder: Path) -> None:
    shop, _, given = filed(folder, FINE, digest=digest(b"other"))
    assert refusal(shop.store.record, given).code == "INTEGRITY_FAILED"


@row(68)
def files_that_hold_no_output(folder: Path) -> None:
    shop, receipt, given = filed(folder, FINE)
    for data in (b"no json", b"[1]", b'{"a": 1, "a": 2}'):
        (folder / "out.json").write_bytes(data)
        given["outputFile"]["digest"] = digest(data)
        assert refusal(shop.store.record, given).code == "INVALID_INPUT", data
    for locator in ("out.json", str(folder / "gone.json"), str(folder)):
        given["outputFile"]["locator"] = locator
        assert refusal(shop.store.record, given).code == "INVALID_INPUT", locator
    unchanged(shop, receipt)


@row(69)
def a_byte_order_mark_and_a_large_file(folder: Path) -> None:
    shop, receipt, given = filed(folder, b'{"text": "' + b"x" * (16 << 20) + b'"}')
    assert refusal(shop.store.record, given).code == "INVALID_INPUT"
    data = b"\xef\xbb\xbf" + FINE
    (folder / "out.json").write_bytes(data)
    given["outputFile"]["digest"] = digest(data)
    assert shop.store.record(given).receipt.revision == receipt.revision + 1


@row(70)
def an_output_file_with_more_or_less(folder: Path) -> None:
    shop, _, given = filed(folder, FINE)
    assert (
        refusal(shop.store.record, {**given, "outputFile": {**given["outputFile"], "size": 1}}).code
        == "INVALID_INPUT"
    )
    bare = given["outputFile"]["digest"].removeprefix("sha256:")
    given["outputFile"]["digest"] = bare
    assert refusal(shop.store.record, given).code == "INVALID_INPUT"


@row(71)
def a_digest_without_its_prefix(folder: Path) -> None:
    shop, receipt = at_the_draft(folder)
    receipt = shop.record(receipt, 2, made=[artifact("draft", digest="a" * 64)])
    assert receipt.stage_results[2].output.artifacts[0].digest == "a" * 64


@row(72)
def digests_that_are_none(folder: Path) -> None:
    shop, receipt = at_the_draft(folder)
    for wrong in ("A" * 64, "a" * 63, "g" * 64, "sha512:" + "a" * 64, "sha256:sha256:" + "a" * 64):
        given = result(receipt, 2, made=[artifact("draft", digest=wrong)])
        assert refusal(shop.store.record, given).code == "INVALID_INPUT", wrong


@row(73)
def an_unknown_key(folder: Path) -> None:
    shop, receipt = at_the_draft(folder)
    found = refusal(shop.store.record, result(receipt, 2, provided={"logs": []}))
    assert (found.code, found.details["validationErrors"][0]["path"]) == ("INVALID_INPUT", "output.logs")  # type: ignore[index]


@row(74)
def a_baseline_that_is_missing(folder: Path) -> None:
    shop = Workshop(folder, [])
    receipt = shop.start(requiredCapabilities=["change-scope-baseline-capture"], riskLevel="low")
    out = {"schemaVersion": "1.0.0", "treeDigest": digest(b"tree")}
    found = refusal(shop.store.record, result(receipt, 0, out=out, made=[]))
    stage = receipt.plan.stages[0].stage_id
    says(found, "MISSING_EVIDENCE", stageId=stage, missingArtifacts=["workspace-baseline"])


# -- from the source only --------------------------------------------------------------------------------


@row(75)
def a_stage_without_a_result(folder: Path) -> None:
    shop, receipt = at_the_draft(folder)
    found = refusal(shop.store.finalize, receipt.run_id, receipt.revision)
    says(found, "GATE_FAILED", stageId=receipt.plan.stages[2].stage_id, stageState="ready")


@row(76)
def stale_comes_before_blocked(folder: Path) -> None:
    shop = Workshop(folder)
    receipt = shop.record(shop.start(), 0, blockers=["wait"])
    assert refusal(shop.store.finalize, receipt.run_id, 0).code == "STALE_REVISION"
    for wrong in ("1", 1.0, True, None, [1]):
        assert refusal(shop.store.finalize, receipt.run_id, wrong).code == "STALE_REVISION"
    assert refusal(shop.store.finalize, receipt.run_id, 1).code == "GATE_FAILED"


@row(77)
def findings_hold_nothing(folder: Path) -> None:
    shop = Workshop(folder)
    assert shop.finalize(shop.all_passed(shop.start(), findings=["odd"])).state == "passed"


@row(78)
def a_run_that_needs_approval(folder: Path) -> None:
    shop, receipt = at_the_draft(folder)
    receipt = shop.record(receipt, 2, state="needs-approval", out={"text": "ask"}, made=[], evidence=[])
    stage = receipt.plan.stages[2].stage_id
    assert (receipt.state, receipt.plan.current_stage_id, receipt.plan.next_stage_id) == (
        "needs-approval", stage, None,
    )  # fmt: skip
    assert refusal(shop.store.record, result(receipt, 3)).code == "INVALID_TRANSITION"
    assert refusal(shop.store.finalize, receipt.run_id, receipt.revision).code == "INVALID_TRANSITION"
    receipt = shop.store.abort(receipt.run_id, receipt.revision).receipt
    assert (receipt.state, receipt.blockers) == ("blocked", ("aborted-by-caller",))
    assert receipt.unresolved == (f"{stage}:needs-approval", "aborted-by-caller")


@row(79)
def aborting_twice(folder: Path) -> None:
    shop = Workshop(folder)
    receipt = shop.start()
    receipt = shop.store.abort(receipt.run_id, 0).receipt
    says(refusal(shop.store.abort, receipt.run_id, 1), "INVALID_TRANSITION", state="blocked")


@row(80)
def execution_below_the_floor(folder: Path) -> None:
    shop = Workshop(folder)
    receipt = shop.store.start(data_of(shop.plan(context()))).receipt
    assert refusal(shop.store.record, result(receipt, 0)).code == "BINDING_REQUIRED"
    for fields in ({"model_class": "lightweight"}, {"reasoning_effort": "low"}, {"source": "rumour"}):
        given = result(receipt, 0, executionContext=data_of(context(**fields)))
        assert refusal(shop.store.record, given).code == "BINDING_INVALID", fields
    assert shop.record(receipt, 0, executionContext=data_of(context())).revision == 1
    found = refusal(
        lambda value: shop.store.record(value, strict=True), result(receipt, 0, executionContext=None)
    )
    says_nothing = (found.code, found.details)
    assert says_nothing == ("BINDING_INVALID", None)


@row(81)
def an_evaluation_of_another_purpose(folder: Path) -> None:
    shop = Workshop(folder, [])
    task = envelope(requiredCapabilities=["evaluation-validity-audit"], riskLevel="low")
    assert refusal(shop.store.plan, task).code == "INVALID_INPUT"
    request = {"schemaVersion": "1.0.0", "taskEnvelope": task, "evaluationAuditPurpose": "design-readiness"}
    receipt = shop.store.start(data_of(shop.store.plan(request))).receipt
    out = {"schemaVersion": "1.0.0", "auditStage": "post-execution", "verdict": "PASS"}
    out |= {"qualifiesAsQualityOrReleaseEvidence": True}  # type: ignore[dict-item]
    found = refusal(shop.store.record, result(receipt, 0, out=out))
    says(
        found, "GATE_FAILED", stageId=receipt.plan.stages[0].stage_id, purpose="design-readiness",
        auditStage="post-execution", verdict="PASS", qualifiesAsQualityOrReleaseEvidence=True,
    )  # fmt: skip


@row(82)
def one_of_two_pieces_of_evidence_unverified(folder: Path) -> None:
    shop = Workshop(folder)
    receipt = shop.start()
    shown = [evidence("a"), evidence("b", verified=False)]
    assert refusal(shop.store.record, result(receipt, 0, evidence=shown)).code == "MISSING_EVIDENCE"


@row(83)
def a_stage_twice(folder: Path) -> None:
    shop = Workshop(folder)
    receipt = shop.record(shop.start(), 0)
    found = refusal(shop.store.record, result(receipt, 0))
    says(found, "INVALID_TRANSITION", stageId=receipt.plan.stages[0].stage_id, stageState="passed")


@row(84)
def a_refusal_changes_nothing(folder: Path) -> None:
    shop, receipt = at_the_draft(folder)
    before = shop.status(receipt).data
    files = sorted(path for path in (shop.root / "tasks").rglob("*") if path.is_file())
    refusal(shop.store.record, result(receipt, 2, made=[]))
    refusal(shop.store.finalize, receipt.run_id, receipt.revision)
    refusal(shop.store.abort, receipt.run_id, 0)
    assert shop.status(receipt).data == before
    assert sorted(path for path in (shop.root / "tasks").rglob("*") if path.is_file()) == files


@row(85)
def a_plan_without_stages(folder: Path) -> None:
    shop = Workshop(folder)
    receipt = shop.start(requiredCapabilities=[], riskLevel="low")
    assert receipt.plan.stages == ()
    assert shop.finalize(receipt).state == "passed"


def test_skips_say_why():
    assert all(len(reason) > 20 for reason in NOT_COVERED.values())
    assert json.dumps(NOT_COVERED)
