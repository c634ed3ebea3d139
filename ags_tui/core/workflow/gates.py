"""What a passed stage must show: artifacts, an independent audit, a fitting evaluation audit."""

from collections.abc import Mapping
from typing import Any, cast

from ags_tui.core.contracts.workflow import ProviderArtifact, StageResult, WorkflowReceipt
from ags_tui.core.contracts.workflow_plan import PlannedStage
from ags_tui.core.workflow.failures import WorkflowRefused
from ags_tui.core.workflow.providers import EVALUATION_AUDIT

_PHASES = ("pre-execution", "post-execution", "pre-deploy", "post-deploy")
_AFTER = ("post-execution", "post-deploy")
_PURPOSES = {"design-readiness": ("pre-execution", False), "quality-or-release": ("post-execution", True)}


def counts(artifact: ProviderArtifact) -> bool:
    """Whether an artifact is there: verified, with a place, a digest and what it speaks of."""
    return artifact.verified and bool(artifact.locator and artifact.digest and artifact.target_digest)


def check_artifacts(stage: PlannedStage, result: StageResult) -> None:
    """Make sure that a passed result holds every artifact that its stage must leave.

    Raises:
        WorkflowRefused: MISSING_EVIDENCE.
    """
    there = {one.artifact_id for one in result.output.artifacts if counts(one)}
    missing = [name for name in stage.required_artifacts if name not in there]
    if missing:
        details = {"stageId": stage.stage_id, "missingArtifacts": missing}
        message = f"{stage.stage_id} lacks {', '.join(missing)}."
        raise WorkflowRefused("MISSING_EVIDENCE", message, details)


def check_inputs(receipt: WorkflowReceipt, stage: PlannedStage) -> None:
    """Make sure that what a stage takes from others of its plan was left there.

    Raises:
        WorkflowRefused: MISSING_EVIDENCE.
    """
    missing: list[dict[str, str]] = []
    results = {one.stage_id: one for one in receipt.stage_results}
    for artifact in stage.required_input_artifacts:
        for producer in receipt.plan.stages:
            if producer.stage_id == stage.stage_id or artifact not in producer.produced_artifacts:
                continue
            result = results.get(producer.stage_id)
            if result is None or result.state != "passed" or not _holds(result, artifact):
                missing.append({"artifactId": artifact, "producerStageId": producer.stage_id})
    if missing:
        names = ", ".join(one["artifactId"] for one in missing)
        details = {"stageId": stage.stage_id, "missingInputs": missing}
        raise WorkflowRefused("MISSING_EVIDENCE", f"{stage.stage_id} lacks its inputs {names}.", details)


def _holds(result: StageResult, artifact: str) -> bool:
    return any(one.artifact_id == artifact and counts(one) for one in result.output.artifacts)


def check_audit(stage: PlannedStage, output: Mapping[str, Any] | None) -> None:
    """Hold a passed mandatory audit against what makes it independent, fresh and about the right thing.

    Args:
        stage: The stage; another than a mandatory one is not looked at.
        output: What the auditor said.

    Raises:
        WorkflowRefused: GATE_FAILED.
    """
    if stage.risk_gate != "mandatory":
        return
    said = output or {}
    auditor, target = said.get("auditorId"), said.get("auditTarget")
    actors: object = said.get("implementationActorIds")
    sound = (
        said.get("gateVerdict") == "PASS"
        and _is_text(auditor)
        and _are_texts(actors)
        and _is_text(target)
        and said.get("currentTarget") == target
        and said.get("freshContext") is True
        and said.get("delegationAllowed") is False
        and said.get("blockingFindings") == []
        and said.get("stale") is False
        and said.get("phase") in _PHASES
        and isinstance(said.get("postExecutionVerified"), bool)
    )
    if not sound:
        message = f"{stage.stage_id} does not show that the audit is independent, current and clean."
        raise WorkflowRefused("GATE_FAILED", message, {"stageId": stage.stage_id})
    if said["phase"] in _AFTER and said["postExecutionVerified"] is not True:
        details: dict[str, Any] = {"stageId": stage.stage_id, "phase": said["phase"]}
        raise WorkflowRefused("GATE_FAILED", "An audit after execution must have verified it.", details)
    if auditor in said["implementationActorIds"]:
        details = {"stageId": stage.stage_id, "auditorId": auditor, "implementationActorIds": actors}
        raise WorkflowRefused("GATE_FAILED", "The auditor is one of those who did the work.", details)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _are_texts(value: object) -> bool:
    if not isinstance(value, list):
        return False
    entries = cast("list[object]", value)
    return bool(entries) and all(map(_is_text, entries))


def check_evaluation(stage: PlannedStage, output: Mapping[str, Any] | None) -> None:
    """Make sure that an evaluation audit is of the kind that it was planned for.

    Args:
        stage: The stage; another than an evaluation audit is not looked at.
        output: What the auditor said; None where only a reference was kept.

    Raises:
        WorkflowRefused: GATE_FAILED.
    """
    if stage.required_capability != EVALUATION_AUDIT:
        return
    purpose = stage.evaluation_audit_purpose
    said = output or {}
    audit_stage, verdict = said.get("auditStage"), said.get("verdict")
    qualifies = said.get("qualifiesAsQualityOrReleaseEvidence")
    wanted = _PURPOSES.get(purpose or "")
    if wanted is None or (audit_stage, verdict) != (wanted[0], "PASS") or qualifies is not wanted[1]:
        details = {
            "stageId": stage.stage_id,
            "purpose": purpose,
            "auditStage": audit_stage,
            "verdict": verdict,
            "qualifiesAsQualityOrReleaseEvidence": qualifies,
        }
        raise WorkflowRefused("GATE_FAILED", "The evaluation audit does not fit its purpose.", details)


def audit_target(receipt: WorkflowReceipt) -> tuple[str, str] | None:
    """Return stage and target of a run's mandatory audit that passed; None where there is none."""
    mandatory = {stage.stage_id for stage in receipt.plan.stages if stage.risk_gate == "mandatory"}
    for result in receipt.stage_results:
        if result.stage_id in mandatory and result.state == "passed":
            target = (result.output.output or {}).get("auditTarget")
            return result.stage_id, target if isinstance(target, str) else ""
    return None
