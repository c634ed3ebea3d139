"""Receipt policy: a stage whose result may hold references only, and whose actors must be kept apart."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

from ags_tui.core.contracts.base import TIME_PATTERN
from ags_tui.core.contracts.workflow import EvidenceKind, StageResult, WorkflowReceipt
from ags_tui.core.contracts.workflow_plan import ErrorBody, ErrorCode, PlannedStage, WorkflowState
from ags_tui.core.workflow.failures import WorkflowRefused
from ags_tui.core.workflow.json_schema import fixed_texts, has_open_object
from ags_tui.core.workflow.mapping import load_schema
from ags_tui.core.workflow.planning import SchemaSource
from ags_tui.core.workflow.pointers import at

_DIGEST = re.compile(r"(?:sha256:)?[0-9a-f]{64}")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_NIL = "00000000-0000-0000-0000-000000000000"
_REFERENCE = re.compile(
    r"(?:artifact|digest|schema|urn|run|stage|commit|test|file|document|tool):[A-Za-z0-9._~:/@+#=%-]{8,512}"
)
_TIME = re.compile(TIME_PATTERN)
_PROTOCOL = frozenset({
    "1.0.0", "2.0.0", "output", "adapter-error", "reference-only", "verified",
    *get_args(ErrorCode), *get_args(WorkflowState), *get_args(EvidenceKind),
})  # fmt: skip
_DETAIL_KEYS = frozenset({
    "stageId", "stageState", "artifactId", "artifactIds", "missingArtifacts", "missingInputs",
    "producerStageId", "requiredStageId", "requestedStageId", "errorCode", "errorRequired", "expectedState",
    "actualState", "state", "selector", "schemaPath", "expectedDigest", "actualDigest", "expectedRevision",
    "actualRevision", "capability", "providerKey", "phase", "purpose", "verdict", "auditStage", "cause",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Judge:
    """What counts as harmless in the result of one stage."""

    stage: PlannedStage
    result: StageResult
    tokens: frozenset[str]
    artifacts: frozenset[str]

    def safe(self, text: str) -> bool:
        return text in self.tokens or text in _PROTOCOL or opaque(text) or _TIME.fullmatch(text) is not None


def opaque(text: str) -> bool:
    """Whether a text only refers to something: a digest, an id or a reference with a scheme."""
    return any(pattern.fullmatch(text) is not None for pattern in (_DIGEST, _UUID, _REFERENCE))


def check_receipt_policy(
    receipt: WorkflowReceipt, stage: PlannedStage, result: StageResult, schemas: SchemaSource
) -> None:
    """Hold a result against the receipt policy of its stage, where that declares one.

    Args:
        receipt: The run, with all earlier results (and maybe this one).
        stage: The stage.
        result: Its result.
        schemas: Schema files.

    Raises:
        WorkflowRefused: The first check that fails.
    """
    if stage.receipt_policy is None:
        return
    schema = load_schema(stage.output_schema, schemas)
    if has_open_object(schema.schema):
        message = f"{schema.path} leaves an object open, which a reference-only stage may not."
        raise WorkflowRefused("INVALID_INPUT", message, {"schemaPath": schema.path})
    names = {*stage.required_artifacts, *stage.produced_artifacts, *stage.required_input_artifacts}
    tokens = fixed_texts(schema.schema) | set(stage.satisfied_capabilities) | names | {stage.stage_id}
    judge = _Judge(stage, result, frozenset(tokens), frozenset(names))
    _check_texts(_output_texts(result.output.output, "/output/output"), judge)
    _check_artifacts(judge)
    _check_evidence(judge)
    _check_texts(_said(judge), judge)
    if result.state == "passed":
        _check_external(receipt, judge)
        _check_actors(receipt, judge)


def _refused_text(location: str) -> WorkflowRefused:
    return WorkflowRefused("INVALID_INPUT", f"{location} holds free text.", {"location": location})


def _check_texts(texts: Iterator[tuple[str, str]], judge: _Judge) -> None:
    for location, text in texts:
        if not judge.safe(text):
            raise _refused_text(location)


def _output_texts(value: object, location: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield location, value
    elif isinstance(value, dict):
        for name, inner in cast("dict[str, object]", value).items():
            yield from _output_texts(inner, f"{location}/{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(cast("list[object]", value)):
            yield from _output_texts(inner, f"{location}/{number}")


def _check_artifacts(judge: _Judge) -> None:
    for number, one in enumerate(judge.result.output.artifacts):
        details = {"stageId": judge.stage.stage_id, "artifactId": one.artifact_id}
        if one.artifact_id not in judge.artifacts:
            raise WorkflowRefused("INVALID_INPUT", f"{one.artifact_id} was not declared.", details)
        for name, text in (("schemaId", one.schema_id), ("locator", one.locator)):
            if not judge.safe(text):
                raise _refused_text(f"/output/artifacts/{number}/{name}")
        if not all(_DIGEST.fullmatch(text) for text in (one.digest, one.target_digest)):
            raise WorkflowRefused("INVALID_INPUT", f"{one.artifact_id} has no SHA-256.", details)


def _check_evidence(judge: _Judge) -> None:
    for number, one in enumerate(judge.result.evidence):
        if one.artifact_id not in judge.artifacts:
            details = {"stageId": judge.stage.stage_id, "artifactId": one.artifact_id}
            raise WorkflowRefused("INVALID_INPUT", f"{one.artifact_id} was not declared.", details)
        for name, text in (("locator", one.locator), ("note", one.note)):
            if text and not judge.safe(text):
                raise _refused_text(f"/evidence/{number}/{name}")


def _said(judge: _Judge) -> Iterator[tuple[str, str]]:
    """Texts of findings, blockers and both errors.

    Raises:
        WorkflowRefused: INVALID_INPUT for a key of error details that is not of the fixed list.
    """
    result = judge.result
    for name, texts in (("findings", result.findings), ("blockers", result.blockers)):
        for number, text in enumerate(texts):
            yield f"/{name}/{number}", text
    yield from _error_texts(result.output.error, "/output/error")
    yield from _error_texts(result.error, "/error")


def _error_texts(error: ErrorBody | None, location: str) -> Iterator[tuple[str, str]]:
    if error is None:
        return
    yield f"{location}/message", error.message
    for name, value in (error.details or {}).items():
        if name not in _DETAIL_KEYS:
            raise _refused_text(f"{location}/details")
        for place, _ in _keys(value, f"{location}/details/{name}"):
            raise _refused_text(place)
        yield from _output_texts(value, f"{location}/details/{name}")


def _keys(value: object, location: str) -> Iterator[tuple[str, str]]:
    """Keys of inner objects that are not of the fixed list."""
    if isinstance(value, dict):
        for name, inner in cast("dict[str, object]", value).items():
            if name not in _DETAIL_KEYS:
                yield location, name
            yield from _keys(inner, f"{location}/{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(cast("list[object]", value)):
            yield from _keys(inner, f"{location}/{number}")


def _check_external(receipt: WorkflowReceipt, judge: _Judge) -> None:
    """What comes from outside the plan must be shown by a reference."""
    stage = judge.stage
    made = {artifact for one in receipt.plan.stages for artifact in one.produced_artifacts}
    shown = {one.artifact_id for one in judge.result.evidence if one.verified and opaque(one.locator)}
    missing = [name for name in stage.required_input_artifacts if name not in made and name not in shown]
    if missing:
        details = {"stageId": stage.stage_id, "missingInputs": missing}
        message = f"Nothing shows {', '.join(missing)}, which comes from outside the plan."
        raise WorkflowRefused("MISSING_EVIDENCE", message, details)


def _check_actors(receipt: WorkflowReceipt, judge: _Judge) -> None:
    stage, policy = judge.stage, judge.stage.receipt_policy
    if policy is None:
        return
    output = judge.result.output.output or {}
    if policy.actor_ids_pointer is not None:
        _check_listed(receipt, stage, output, policy.actor_ids_pointer)
    if policy.actor_id_pointer is None:
        return
    actor = at(output, policy.actor_id_pointer)
    if not is_actor(actor):
        details = {"stageId": stage.stage_id, "actorIdPointer": policy.actor_id_pointer}
        raise WorkflowRefused("INVALID_INPUT", "The actor is no lowercase UUID.", details)
    if policy.uniqueness is None:
        return
    for other, found in _actors(receipt):
        if other.stage_id != stage.stage_id and found == actor:
            details = {"stageId": stage.stage_id, "conflictingStageId": other.stage_id}
            raise WorkflowRefused("GATE_FAILED", f"{other.stage_id} has the same actor.", details)


def is_actor(value: object) -> bool:
    """Whether a value is a canonical UUID in lowercase, and not the one of all zeros."""
    return isinstance(value, str) and _UUID.fullmatch(value) is not None and value != _NIL


def _actors(receipt: WorkflowReceipt) -> Iterator[tuple[PlannedStage, object]]:
    """Stages with an actor and a result, in plan order, with the actor."""
    results = {one.stage_id: one for one in receipt.stage_results}
    for stage in receipt.plan.stages:
        policy, result = stage.receipt_policy, results.get(stage.stage_id)
        if policy is not None and policy.actor_id_pointer is not None and result is not None:
            yield stage, at(result.output.output or {}, policy.actor_id_pointer)


def _check_listed(
    receipt: WorkflowReceipt, stage: PlannedStage, output: Mapping[str, Any], pointer: str
) -> None:
    found = {one.stage_id: actor for one, actor in _actors(receipt)}
    prior: list[object] = []
    for one in receipt.plan.stages:
        policy = one.receipt_policy
        if one.order >= stage.order or policy is None or policy.actor_id_pointer is None:
            continue
        actor = found.get(one.stage_id)
        if not is_actor(actor):
            details = {"stageId": stage.stage_id, "conflictingStageId": one.stage_id}
            raise WorkflowRefused("MISSING_EVIDENCE", f"{one.stage_id} names no actor.", details)
        if actor not in prior:
            prior.append(actor)
    if at(dict(output), pointer) != prior:
        details = {"stageId": stage.stage_id, "actorIdsPointer": pointer}
        raise WorkflowRefused("GATE_FAILED", "The actors are not those of the earlier stages.", details)
