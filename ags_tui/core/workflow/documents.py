"""Workflow documents as bytes: strict reading, canonical writing, digests and the integrity token."""

import base64
import hashlib
import hmac
from collections.abc import Iterable
from typing import Any, TypeVar, cast

from pydantic import ValidationError

from ags_tui.core.contracts import explain, validators
from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.strict_json import MAX_BYTES, MAX_DEPTH
from ags_tui.core.contracts.workflow_plan import WorkflowPlan
from ags_tui.core.digests import canonical, digest
from ags_tui.core.workflow.failures import WorkflowRefused

M = TypeVar("M", bound=Contract)
TOKEN_FIELD = "integrityToken"
"""Field of a plan that is not part of what it signs."""
_UNSIGNED = "A" * 43
_UNKNOWN = object()


def data_of(document: Contract) -> dict[str, Any]:
    """Return a document as JSON data: exactly the fields that its writer gave, no defaults."""
    return document.model_dump(mode="json", by_alias=True, exclude_unset=True)


def file_bytes(document: Contract) -> bytes:
    """Return the one form in which a document of a run is written: canonical JSON and a newline."""
    return canonical(data_of(document)) + b"\n"


def refused_document(name: str, wrong: Iterable[tuple[str, str]]) -> WorkflowRefused:
    """The refusal of a document that is not as its contract wants it.

    Args:
        name: Contract.
        wrong: Failing fields with what is wrong.
    """
    errors = [{"path": field, "message": message} for field, message in wrong]
    first = errors[0] if errors else {"path": "", "message": "is not one"}
    message = f"{name}: {first['path']} {first['message']}".replace(":  ", ": ")
    return WorkflowRefused("INVALID_INPUT", message, {"validationErrors": errors})


def read_document(model: type[M], value: object) -> M:
    """Read JSON data of a caller as a document, strictly.

    Args:
        model: Contract that it must be.
        value: The data.

    Raises:
        WorkflowRefused: INVALID_INPUT with ``validationErrors``.
    """
    name = model.contract_name or model.__name__
    if _deeper_than(value, MAX_DEPTH):
        raise refused_document(name, [("", f"nests deeper than {MAX_DEPTH}")])
    try:
        body = canonical(value)
    except (ValueError, RecursionError) as error:
        raise refused_document(name, [("", f"is no JSON: {error}")]) from error
    if len(body) > MAX_BYTES:
        raise refused_document(name, [("", "is longer than 16 MiB")])
    return read_bytes(model, body, value)


def read_bytes(model: type[M], body: bytes, value: object = _UNKNOWN) -> M:
    """Read bytes that hold one JSON document.

    Args:
        model: Contract that they must hold.
        body: The bytes, without a byte order mark.
        value: The same as data, for words about what is wrong; where it is not known there are none.

    Raises:
        WorkflowRefused: INVALID_INPUT with ``validationErrors``.
    """
    name = model.contract_name or model.__name__
    check = validators.validate
    if len(body) > validators.BOUNDED_FROM and value is not _UNKNOWN:
        check = validators.validate_bounded
        misnamed = explain.misnamed_fields(model, value)
        if misnamed:
            raise refused_document(name, explain.listing(misnamed))
    try:
        return check(model, body)
    except ValidationError as error:
        wrong = explain.listing(explain.wrong_fields(error, value)) if value is not _UNKNOWN else ()
        raise refused_document(name, wrong) from error


def _deeper_than(value: object, most: int) -> bool:
    level: list[object] = [value]
    for _ in range(most):
        inner: list[object] = []
        for part in level:
            if isinstance(part, dict):
                inner.extend(cast("dict[object, object]", part).values())
            elif isinstance(part, list | tuple):
                inner.extend(cast("list[object]", part))
        if not inner:
            return False
        level = inner
    return any(isinstance(part, dict | list | tuple) for part in level)


def document_digest(document: Contract) -> str:
    """Return the digest of a document's canonical JSON."""
    return digest(canonical(data_of(document)))


def integrity_token(plan: WorkflowPlan, secret: bytes) -> str:
    """Return the token of a plan: HMAC-SHA256 in base64url without padding.

    Args:
        plan: The plan; its own token does not count.
        secret: Secret of the store.
    """
    data = data_of(plan)
    data.pop(TOKEN_FIELD, None)
    made = hmac.new(secret, canonical(data), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(made).rstrip(b"=").decode("ascii")


def signed(plan: WorkflowPlan, secret: bytes) -> WorkflowPlan:
    """Return a plan with its token."""
    return plan.model_copy(update={"integrity_token": integrity_token(plan, secret)})


def is_genuine(plan: WorkflowPlan, secret: bytes) -> bool:
    """Whether a plan is exactly as the owner of the secret made it."""
    return hmac.compare_digest(integrity_token(plan, secret), plan.integrity_token)


UNSIGNED_TOKEN = _UNSIGNED
"""Stands in the place of the token while a plan is being made."""
