"""Decision records of our own: such as the deliberation gate takes, and such as it refuses."""

import copy
from collections.abc import Callable
from typing import Any

from tests.core.workflow.making import RECORD


def changed(change: Callable[[dict[str, Any]], object], **output: Any) -> dict[str, Any]:
    record = copy.deepcopy(RECORD)
    change(record)
    return {"decisionRecord": record, **output}


def low(record: dict[str, Any]) -> None:
    run = record["run"]
    run.update(stage="LOW", strict=False, workers=[], fresh_judge_id=None, assurance="single_agent")
    record["panel_manifest"] = []
    record["cross_examination"].update(
        decision="skip", trigger_items=[], selected_item_ids=[], coverage=[], followups=[]
    )


def conditional(record: dict[str, Any]) -> None:
    record["consensus_proposal"].update(status="conditional_consensus", conditions=["tests stay green"])


def both(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """The same change of the first worker in the run and in the manifest."""

    def change(record: dict[str, Any]) -> None:
        record["run"]["workers"][0][name] = value
        record["panel_manifest"] = copy.deepcopy(record["run"]["workers"])

    return change


def at(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(record: dict[str, Any]) -> None:
        part: Any = record
        for step in path[:-1]:
            part = part[step]
        part[path[-1]] = value

    return change


def gone(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(record: dict[str, Any]) -> None:
        part: Any = record
        for step in path[:-1]:
            part = part[step]
        del part[path[-1]]

    return change


VALID_RECORDS: dict[str, dict[str, Any]] = {
    "as it is": changed(lambda _: None),
    "low": changed(low),
    "conditional": changed(conditional, conditionsVerified=True),
    "critical": changed(at("run", "stage", value="CRITICAL")),
    "medium without a judge": changed(
        lambda record: record["run"].update(stage="MEDIUM", strict=False, fresh_judge_id=None)
    ),
    "a fallback for the judge": changed(
        lambda record: record["run"].update(fresh_judge_id=None, judge_fallback="none was free")
    ),
    "one re-deliberation": changed(
        at(
            "run", "redeliberations",
            value=[{"id": "d", "impacted_scope": ["c-1"], "participant_worker_ids": ["r-1"], "reason": "news",
                    "non_independent": True}],
        )
    ),
    "nothing observable": changed(
        at("observability", value=dict.fromkeys(RECORD["observability"], "NOT_OBSERVABLE"))
    ),
}  # fmt: skip

INVALID_RECORDS: dict[str, dict[str, Any]] = {
    "no record": {"conditionsVerified": True},
    "a field is missing": changed(gone("method_notes")),
    "an unknown field": changed(at("raw_output", value="…")),
    "an unknown stage": changed(at("run", "stage", value="EXTREME")),
    "an unknown issue status": changed(at("issue_ledger", 0, "status", value="MAYBE")),
    "n/a for not observable": changed(at("observability", "tokens", value="n/a")),
    "an unknown worker status": changed(both("status", "asleep")),
    "too many follow-ups": changed(at("cross_examination", "followups", 0, "item_ids", value=list("abc"))),
    "constraints differ": changed(at("case_brief", "constraints", value=[])),
    "required is no constraint": changed(at("required_constraints", value=["another"])),
    "skipped with items": changed(at("cross_examination", "decision", value="skip")),
    "an item left out": changed(at("cross_examination", "selected_item_ids", value=[])),
    "examined by its origin": changed(at("cross_examination", "coverage", 0, "reviewer_ids", value=["r-1"])),
    "another manifest": changed(at("panel_manifest", value=[])),
    "over the cap": changed(at("run", "worker_cap", value=2)),
    "a judge who is none": changed(at("run", "fresh_judge_id", value="r-1")),
    "one reviewer was not blind": changed(both("blind_round1", False)),
    "no fresh judge": changed(at("run", "fresh_judge_id", value=None)),
    "not strict": changed(at("run", "strict", value=False)),
    "nothing verified": changed(
        at("material_claims", 0, "provenance", 0, "verification_status", value="unverified")
    ),
    "constraints not satisfied": changed(at("consensus_proposal", "satisfied_constraints", value=[])),
    "an axis nobody decided": changed(
        at("consensus_proposal", "axis_alignment", value=[{"axis": "Speed", "decision_ref": "Speed"}])
    ),
    "an open issue": changed(at("issue_ledger", 0, "status", value="UNRESOLVED")),
    "dissent": changed(at("consensus_proposal", "unresolved_dissent", value=["r-2 disagrees"])),
    "conditions not verified": changed(conditional),
    "no conditions": changed(
        at("consensus_proposal", "status", value="conditional_consensus"), conditionsVerified=True
    ),
    "no consensus": changed(
        lambda record: record["consensus_proposal"].update(
            status="no_consensus", no_consensus_reason="they differ"
        )
    ),
    "no proposal": changed(at("consensus_proposal", value=None)),
    "a shortfall": changed(at("run", "capability_shortfall", value=True)),
    "an independent re-deliberation": changed(
        at(
            "run", "redeliberations",
            value=[{"id": "d", "impacted_scope": ["c-1"], "participant_worker_ids": ["r-1"], "reason": "news",
                    "non_independent": False}],
        )
    ),
}  # fmt: skip
