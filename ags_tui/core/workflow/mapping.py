"""What the output of a provider makes of a stage, and whether a result says the same."""

import json
from dataclasses import dataclass
from typing import Any, cast

from ags_tui.core.contracts.workflow import StageResult
from ags_tui.core.contracts.workflow_plan import PlannedStage, SchemaRef, StateRule
from ags_tui.core.digests import digest
from ags_tui.core.workflow.assurance import check_assurance
from ags_tui.core.workflow.documents import data_of
from ags_tui.core.workflow.failures import WorkflowRefused
from ags_tui.core.workflow.json_schema import Schema, UnsupportedSchema, check_schema, problems
from ags_tui.core.workflow.planning import SchemaSource
from ags_tui.core.workflow.pointers import at

_ADAPTER = StateRule(state="blocked", error_required=True)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A schema of a stage as it is now."""

    path: str
    """Where it is."""
    schema: Schema
    """Its content."""


def load_schema(reference: SchemaRef, schemas: SchemaSource) -> Loaded:
    """Load a schema that a plan froze.

    Raises:
        WorkflowRefused: STALE_REVISION where it is not as it was planned; INVALID_INPUT where it is no schema
            that can be judged.
    """
    data = check_frozen(reference, schemas)
    try:
        schema = json.loads(data.decode("utf-8-sig"))
        check_schema(schema)
    except (ValueError, UnsupportedSchema) as error:
        details = {"schemaPath": reference.path, "validationErrors": [{"path": "", "message": str(error)}]}
        raise WorkflowRefused("INVALID_INPUT", f"{reference.path} cannot be judged.", details) from error
    return Loaded(reference.path, cast("dict[str, Any]", schema))


def check_frozen(reference: SchemaRef, schemas: SchemaSource) -> bytes:
    """Make sure that a schema file is still what the plan froze, and return it.

    Raises:
        WorkflowRefused: STALE_REVISION.
    """
    data = schemas(reference.path)
    now = None if data is None else digest(data)
    if data is None or now != reference.digest:
        raise WorkflowRefused(
            "STALE_REVISION",
            f"{reference.path} has changed since the plan was made: plan again.",
            {"schemaPath": reference.path, "expectedDigest": reference.digest, "actualDigest": now},
        )
    return data


def check_mapping(stage: PlannedStage, result: StageResult, schemas: SchemaSource) -> None:
    """Make sure that a result follows from its output, and has what its state asks for.

    Args:
        stage: The stage.
        result: The result, with its output also where a file held it.
        schemas: Schema files.

    Raises:
        WorkflowRefused: The first check that fails.
    """
    check_frozen(stage.result_schema, schemas)
    schema = load_schema(stage.output_schema, schemas)
    if result.output.output is not None:
        wrong = problems(schema.schema, result.output.output)
        if wrong:
            errors = [{"path": path, "message": message} for path, message in wrong]
            message = f"The output does not fit {schema.path}: {wrong[0][0]} {wrong[0][1]}."
            details = {"schemaPath": schema.path, "validationErrors": errors}
            raise WorkflowRefused("INVALID_INPUT", message, details)
    rule = _rule(stage, result)
    _check_errors(stage, result, rule)
    if result.state == "passed":
        check_assurance(stage, result)
        if not result.evidence or not all(one.verified and one.locator for one in result.evidence):
            message = f"{stage.stage_id} passed without evidence that is verified."
            raise WorkflowRefused("MISSING_EVIDENCE", message, {"stageId": stage.stage_id})
    if (result.state == "passed") == (result.error is not None) and result.state in _ENDS:
        raise WorkflowRefused("INVALID_INPUT", "A failure has an error, and a success has none.")


_ENDS = ("passed", "failed", "blocked")


def _rule(stage: PlannedStage, result: StageResult) -> StateRule:
    mapping, provided = stage.state_mapping, result.output
    if provided.kind == "adapter-error":
        code = provided.error.code if provided.error else None
        if code not in mapping.adapter_errors:
            raise _transition(f"{stage.stage_id} takes no such failure.", stage, errorCode=code)
        return _ADAPTER
    found: object = None
    if mapping.selector is not None:
        found = at(data_of(provided), mapping.selector)
        if isinstance(found, str):
            rule = (mapping.values or {}).get(found)
            if rule is None:
                raise _transition(
                    f"{stage.stage_id} knows no such verdict.", stage, selector=mapping.selector
                )
            return rule
    if isinstance(mapping.default, StateRule):
        return mapping.default
    raise _transition(f"{stage.stage_id} finds no verdict.", stage, selector=mapping.selector)


def _check_errors(stage: PlannedStage, result: StageResult, rule: StateRule) -> None:
    if result.state != rule.state:
        message = f"The output makes {stage.stage_id} {rule.state}, not {result.state}."
        raise _transition(message, stage, expectedState=rule.state, actualState=result.state)
    error = result.output.error
    if (error is not None) != rule.error_required:
        must = "must" if rule.error_required else "must not"
        raise _transition(f"The provider {must} give an error.", stage, errorRequired=rule.error_required)
    allowed = rule.allowed_error_codes
    if error is not None and allowed is not None and error.code not in allowed:
        raise _transition(f"{error.code} is no error of this verdict.", stage, errorCode=error.code)
    mirrored = result.error.code if result.error else None
    if mirrored != (error.code if error else None):
        message = "The error of the result is not that of its output."
        raise WorkflowRefused("INVALID_INPUT", message, {"stageId": stage.stage_id})


def _transition(message: str, stage: PlannedStage, **details: object) -> WorkflowRefused:
    return WorkflowRefused("INVALID_TRANSITION", message, {"stageId": stage.stage_id, **details})
