"""The deliberation gate: a decision record must be whole, consistent and decided (DecisionRecord 1.0)."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ags_tui.core.contracts.workflow import StageResult
from ags_tui.core.contracts.workflow_plan import PlannedStage
from ags_tui.core.workflow.failures import WorkflowRefused
from ags_tui.core.workflow.json_schema import problems
from ags_tui.core.workflow.mapping import load_schema
from ags_tui.core.workflow.planning import SchemaSource
from ags_tui.core.workflow.providers import DECISION_RECORD

Record = Mapping[str, Any]
"""A decision record that fits its schema."""

_DECIDED = ("consensus", "conditional_consensus")
_HARD = ("HIGH", "CRITICAL")


def check_deliberation(stage: PlannedStage, result: StageResult, schemas: SchemaSource) -> None:
    """Judge the decision record of a passed stage that must leave one.

    Raises:
        WorkflowRefused: GATE_FAILED.
    """
    if DECISION_RECORD not in stage.required_artifacts:
        return
    reference = stage.gate.validator_schema
    if reference is None:
        raise _failed(stage, "No schema of decision records was planned.")
    schema = load_schema(reference, schemas)
    output = result.output.output or {}
    record = output.get("decisionRecord")
    wrong = problems(schema.schema, record)
    if wrong:
        cause = f"{wrong[0][0]} {wrong[0][1]}".strip()
        raise _failed(stage, "The decision record is not whole.", cause=cause)
    record = cast("Record", record)
    errors = list(contradictions(record))
    if errors:
        raise _failed(stage, f"The decision record contradicts itself: {errors[0]}.", semanticErrors=errors)
    _check_decided(stage, record, output)


def _check_decided(stage: PlannedStage, record: Record, output: Mapping[str, Any]) -> None:
    run, proposal = record["run"], record["consensus_proposal"]
    status = proposal["status"] if proposal else None
    if run["assurance"] == "provisional" or run["capability_shortfall"] or status not in _DECIDED:
        raise _failed(
            stage,
            "Nothing was decided.",
            assurance=run["assurance"],
            capabilityShortfall=run["capability_shortfall"],
            consensusStatus=status,
        )
    if run["stage"] in _HARD and run["strict"] is not True:
        raise _failed(stage, "A hard decision needs a strict run.", stage=run["stage"])
    if status == "conditional_consensus" and output.get("conditionsVerified") is not True:
        raise _failed(stage, "The conditions of the consensus were not verified.")


def _failed(stage_: PlannedStage, message: str, **details: object) -> WorkflowRefused:
    return WorkflowRefused("GATE_FAILED", message, {"stageId": stage_.stage_id, **details})


def contradictions(record: Record) -> Iterator[str]:
    """Yield what a decision record says against itself, in words.

    Args:
        record: A record that fits the schema.
    """
    yield from _constraints(record)
    yield from _examination(record)
    yield from _people(record)
    yield from _support(record)
    yield from _shortfall(record)


def _constraints(record: Record) -> Iterator[str]:
    if record["case_brief"]["constraints"] != record["constraints"]:
        yield "case_brief.constraints are not constraints"
    if not set(record["required_constraints"]) <= set(record["constraints"]):
        yield "required_constraints are not among constraints"


def _examination(record: Record) -> Iterator[str]:
    examined = record["cross_examination"]
    items = {one["id"] for one in examined["trigger_items"]}
    if examined["decision"] == "skip":
        if any(examined[name] for name in ("trigger_items", "selected_item_ids", "coverage", "followups")):
            yield "a skipped cross-examination has items"
    elif items != set(examined["selected_item_ids"]):
        yield "a cross-examination leaves out items"
    origins = {one["id"]: one["origin_reviewer"] for one in examined["trigger_items"]}
    for one in examined["coverage"]:
        if set(one["reviewer_ids"]) <= {origins.get(one["item_id"])}:
            yield f"nobody else examined {one['item_id']}"


def _people(record: Record) -> Iterator[str]:
    run = record["run"]
    workers = run["workers"]
    if workers != record["panel_manifest"]:
        yield "panel_manifest is not the workers of the run"
    if len({one["id"] for one in workers}) < len(workers):
        yield "two workers have one id"
    if sum(one["instantiated"] for one in workers) > run["worker_cap"]:
        yield "more workers than the cap"
    if len(run["specialist_additions"]) > 1 or len(run["redeliberations"]) > 1:
        yield "more than one specialist or re-deliberation"
    if any(not one["non_independent"] for one in run["redeliberations"]):
        yield "a re-deliberation calls itself independent"
    judges = {one["id"] for one in workers if one["is_judge"]}
    if run["fresh_judge_id"] is not None and run["fresh_judge_id"] not in judges:
        yield "fresh_judge_id is no judge"
    reviewers = [one for one in workers if _is_independent(one)]
    least = {"LOW": 0, "MEDIUM": 2, "HIGH": 2, "CRITICAL": 2}[run["stage"]]
    if not run["capability_shortfall"]:
        if len(reviewers) < least:
            yield f"{run['stage']} needs {least} independent reviewers"
        if run["stage"] in _HARD and run["fresh_judge_id"] is None and run["judge_fallback"] is None:
            yield f"{run['stage']} needs a fresh judge"


def _is_independent(worker: Mapping[str, Any]) -> bool:
    return (
        worker["instantiated"]
        and worker["status"] == "completed"
        and worker["classification"] == "reviewer"
        and worker["blind_round1"]
        and worker["context_isolated"]
    )


def _support(record: Record) -> Iterator[str]:
    proposal = record["consensus_proposal"]
    if proposal is None:
        return
    verified = {
        claim["id"]
        for claim in record["material_claims"]
        if any(one["verification_status"] == "verified" for one in claim["provenance"])
    }
    if proposal["status"] == "no_consensus":
        if not proposal["no_consensus_reason"]:
            yield "no consensus, and no reason for it"
        return
    supports = set(proposal["supported_by_verified_claims"])
    if not supports or not supports <= verified:
        yield "the consensus rests on claims that nobody verified"
    if set(proposal["satisfied_constraints"]) != set(record["required_constraints"]):
        yield "the consensus does not satisfy exactly the required constraints"
    axes = {one["axis"] for one in record["axis_decisions"]}
    if not axes or not {one["axis"] for one in proposal["axis_alignment"]} <= axes:
        yield "the consensus names axes that were not decided"
    for axis in record["axis_decisions"]:
        if not set(axis["evidence_claim_ids"]) & verified:
            yield f"the axis {axis['axis']} rests on nothing verified"
    open_issues = any(one["status"] in ("UNRESOLVED", "NOT_OBSERVABLE") for one in record["issue_ledger"])
    if proposal["status"] == "consensus" and (open_issues or proposal["unresolved_dissent"]):
        yield "a full consensus with open issues"
    if proposal["status"] == "conditional_consensus" and not proposal["conditions"]:
        yield "a conditional consensus without conditions"


def _shortfall(record: Record) -> Iterator[str]:
    run = record["run"]
    if not run["capability_shortfall"]:
        if record["consensus_proposal"] is None:
            yield "no proposal without a shortfall"
        return
    empty = ("material_claims", "issue_ledger", "axis_decisions", "panel_manifest")
    if run["assurance"] != "provisional" or record["consensus_proposal"] is not None:
        yield "a shortfall that decides"
    if not record["preflight"]["missing_capabilities"] or any(record[name] for name in empty):
        yield "a shortfall that names nothing missing, or went on"
