"""Bytes in a task folder to what they are: artifacts and claims, with the ids that their place demands."""

import json
from datetime import datetime
from functools import cache
from typing import Any, cast

from pydantic.alias_generators import to_camel

from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.parse import parse_contract, read_json
from ags_tui.core.contracts.task import AgentTask
from ags_tui.core.digests import digest, is_digest
from ags_tui.core.layout import Place
from ags_tui.core.snapshot import Artifact, Consumption, LoadProblem

_OWN_ID = ("request_id", "approval_id", "escalation_id", "handoff_id")
"""Attributes that equal the file name, where a contract of a collection has them."""
_CLAIM = ("requestId", "digest", "claim", "takenAt")


def artifact_from(
    data: bytes, path: str, place: Place, *, task_id: str, modified_at: float
) -> Artifact | LoadProblem:
    """Read the bytes of a contract file.

    Args:
        data: The bytes.
        path: Relative to the task folder.
        place: What belongs there.
        task_id: Name of the task folder.
        modified_at: Modification time, seconds.
    """
    contract = place.contract or ""
    parsed = parse_contract(data, contract=contract, artifact=path)
    if isinstance(parsed, LoadProblem):
        return parsed
    document = parsed.document
    own, of_task = _id_fields(type(document))
    for field, expected, what in ((own, place.id, "the file"), (of_task, task_id, "the task folder")):
        actual = getattr(document, field) if field else expected
        if actual != expected:
            return _mismatch(path, digest(data), to_camel(field), actual, f"{what} is named {expected}")
    return Artifact(
        path=path,
        digest=digest(data),
        raw=data,
        modified_at=modified_at,
        contract=contract,
        version=parsed.version,
        document=document,
        notes=parsed.notes,
    )


@cache
def _id_fields(model: type[Contract]) -> tuple[str, str]:
    """The attributes of a model that hold its own id and the id of its task; empty where it has none."""
    own = next((name for name in _OWN_ID if name in model.model_fields), "")
    of_task = "id" if model is AgentTask else "task_id"
    return own, of_task if of_task in model.model_fields else ""


def consumption_from(data: bytes, path: str, place: Place) -> Consumption | LoadProblem:
    """Read the bytes of a waiter's claim, ``{"requestId", "digest", "claim", "takenAt"}``."""
    read = read_json(data, path)
    if isinstance(read, LoadProblem):
        return read
    value: Any = read.value
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if set(fields) != set(_CLAIM):
        return _no_claim(data, path, "", f"must be an object with {', '.join(_CLAIM)}")
    for name in ("digest", "claim"):
        if not (isinstance(fields[name], str) and is_digest(fields[name])):
            return _no_claim(data, path, name, f"{name} must be sha256: and 64 hex digits")
    taken_at = _time(fields["takenAt"])
    if taken_at is None:
        return _no_claim(data, path, "takenAt", "takenAt must be a time with an offset, as in RFC 3339")
    if fields["requestId"] != place.id:
        named = f"the file is named {place.id}"
        return _mismatch(path, digest(data), "requestId", fields["requestId"], named)
    return Consumption(fields["requestId"], fields["digest"], fields["claim"], taken_at)


def _time(value: object) -> datetime | None:
    if not isinstance(value, str) or "T" not in value or not value.isascii():
        return None
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        return None
    return time if time.tzinfo is not None else None


def _mismatch(path: str, sha256: str, field: str, actual: object, named: str) -> LoadProblem:
    said = json.dumps(actual, ensure_ascii=False)[:200]
    message = f"{field} is {said}, but {named}"
    return LoadProblem(
        "ID_MISMATCH",
        message,
        path,
        field=field,
        next_step="make both the same",
        digest=sha256,
        fields=((field, message),),
    )


def _no_claim(data: bytes, path: str, field: str, message: str) -> LoadProblem:
    return LoadProblem(
        "INVALID_CONTRACT",
        message,
        path,
        field=field,
        next_step="let ags-tui wait write it",
        digest=digest(data),
        fields=((field, message),),
    )
