"""Outputs that a result leaves in a file: checked as bytes, judged as if they were in the result."""

import json
from collections.abc import Callable
from typing import Any, cast

from ags_tui.core.contracts.parse import read_json
from ags_tui.core.contracts.strict_json import MAX_BYTES
from ags_tui.core.contracts.workflow import StageResult
from ags_tui.core.contracts.workflow_plan import PlannedStage
from ags_tui.core.digests import digest
from ags_tui.core.snapshot import LoadProblem
from ags_tui.core.workflow.failures import WorkflowRefused

OutputSource = Callable[[str], bytes | str]
"""Gives the bytes of a file by its absolute path, or words why there are none; reads at most a byte more
than 16 MiB."""


def no_files(_path: str) -> str:
    """The source of a caller that reads no files."""
    return "files are not read here"


def with_output(stage: PlannedStage, result: StageResult, source: OutputSource) -> StageResult:
    """Return a result with the output that a file holds for it.

    Args:
        stage: Its stage.
        result: The result; unchanged where no file holds its output.
        source: Reads files.

    Raises:
        WorkflowRefused: INVALID_INPUT or INTEGRITY_FAILED.
    """
    file = result.output_file
    if file is None:
        return result
    if stage.receipt_policy is not None:
        message = f"{stage.stage_id} keeps references only: its output stands in the result."
        raise WorkflowRefused("INVALID_INPUT", message, {"stageId": stage.stage_id})
    if not file.locator.startswith("/"):
        raise _unusable(file.locator, "is no absolute path")
    data = source(file.locator)
    if isinstance(data, str):
        raise _unusable(file.locator, data)
    if len(data) > MAX_BYTES:
        raise _unusable(file.locator, "is longer than 16 MiB")
    found = digest(data)
    if found != file.digest:
        details = {"locator": file.locator, "expectedDigest": file.digest, "actualDigest": found}
        raise WorkflowRefused("INTEGRITY_FAILED", f"{file.locator} is not what its digest says.", details)
    return result.model_copy(
        update={"output": result.output.model_copy(update={"output": _object(file.locator, data)})}
    )


def _object(locator: str, data: bytes) -> dict[str, Any]:
    read = read_json(data, locator)
    if isinstance(read, LoadProblem):
        raise _unusable(locator, read.message)
    value: object = read.value
    if not isinstance(value, dict):
        raise _unusable(locator, f"holds no object: {json.dumps(value)[:40]}")
    return cast("dict[str, Any]", value)


def _unusable(locator: str, why: str) -> WorkflowRefused:
    return WorkflowRefused("INVALID_INPUT", f"{locator}: {why}.", {"locator": locator, "cause": why})
