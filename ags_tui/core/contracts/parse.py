"""Bytes to contracts: the one door through which a file becomes a document.

A good file takes the straight road: the model reads the bytes, then one pass of the standard decoder looks
for what models cannot see (duplicate keys, ``NaN``, inexact numbers). Whatever that road does not
take, the careful one judges step by step, and refuses with field, line and next step.
"""

import json
import re
from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic import ValidationError

from ags_tui.core.contracts import explain, migrations, registry, validators
from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.explain import WrongField
from ags_tui.core.contracts.handoff import AgentHandoff
from ags_tui.core.contracts.strict_json import (
    BOM,
    BOM_NOTE,
    JsonDocument,
    Refusal,
    checked_scan,
    deeper_than_allowed,
    field_text,
    read_json,
    scan,
    text_of,
)
from ags_tui.core.digests import digest
from ags_tui.core.snapshot import LoadProblem

__all__ = ["JsonDocument", "Parsed", "parse_any", "parse_contract", "read_json"]

_VERSION = re.compile(rb'"version"\s*:\s*"([0-9.]+)"')
_EDGE = 256
_SUPERSEDED = frozenset({"0.1.0"})
_SCHEMA = "correct the named fields; {0}/{1}.schema.json in the contracts folder says what they must be"
_ENVELOPE = 'an envelope is {"schema": NAME, "version": "X.Y.Z", "payload": {...}}'


@dataclass(frozen=True, slots=True)
class Parsed:
    """A document that was read."""

    document: Contract
    """The model; an AgentPlan 0.1.0 is already one of 1.0.0."""
    version: str
    """Version as written in the file (bare files are 1.0.0)."""
    notes: tuple[str, ...] = ()
    """What reading noticed: a byte order mark, what a migration filled in."""


@dataclass(frozen=True, slots=True)
class _Opened:
    """A document out of its envelope."""

    name: str
    version: str
    payload: dict[str, Any]
    enveloped: bool
    size: int = 0
    """Bytes of the whole file; 0 for a small one."""


@dataclass(slots=True, eq=False)
class _Wrong(Exception):
    """Why strict JSON is not the contract that belongs here; becomes a LoadProblem."""

    fields: list[WrongField]
    next_step: str
    code: str = "INVALID_CONTRACT"
    inside: bool = False
    """Whether the fields are those of a payload in an envelope."""


def parse_contract(data: bytes, *, contract: str, artifact: str) -> Parsed | LoadProblem:
    """Read bytes as a contract, bare or in an envelope.

    Args:
        data: The file's bytes.
        contract: Name of the contract that belongs in this place.
        artifact: Name of the file, for the problem.

    Returns:
        The document, or why there is none. Never raises, whatever the bytes are.
    """
    straight = _straight(data, contract)
    return straight or _careful(data, contract, artifact)


def parse_any(data: bytes, artifact: str) -> Parsed | LoadProblem:
    """Read bytes as any contract in an envelope, which names it.

    Args:
        data: The file's bytes.
        artifact: Name of the file, for the problem.
    """
    return _careful(data, None, artifact)


def _straight(data: bytes, contract: str) -> Parsed | None:
    """Return the document of a small file that is as it should be, else None."""
    if len(data) > validators.BOUNDED_FROM:
        return None
    body = data.removeprefix(BOM)
    stated = _stated_version(body)
    version = stated or registry.BARE_VERSION
    model = registry.model_for(contract, version)
    if model is None:
        return None
    try:
        if stated:
            document: Contract = validators.validate(validators.enveloped(model), body).payload
        else:
            document = validators.validate(model, body)
        # after the model, which bounds the nesting that the decoder has to follow
        found = scan(body.decode("utf-8"))
    except (ValidationError, UnicodeDecodeError, json.JSONDecodeError):
        return None
    if found.has_duplicates or found.has_wild_numbers:
        return None
    if not validators.is_closed(model) and deeper_than_allowed(body) is not None:
        return None
    if isinstance(document, AgentHandoff) and _payload_wrong(document) is not None:
        return None
    return _finished(document, version, (BOM_NOTE,) if len(body) < len(data) else ())


def _stated_version(body: bytes) -> str | None:
    """Guess the version of an envelope from where writers put it; a wrong guess only costs time."""
    edges = body[:_EDGE] + body[-_EDGE:]
    found = _VERSION.search(edges) if b'"schema"' in edges else None
    return found[1].decode() if found else None


def _finished(document: Contract, version: str, notes: tuple[str, ...]) -> Parsed:
    if document.contract_version in _SUPERSEDED:
        document, filled = migrations.upgrade(document, registry.BARE_VERSION)
        notes += filled
    return Parsed(document, version, notes)


def _careful(data: bytes, contract: str | None, artifact: str) -> Parsed | LoadProblem:
    """Judge step by step, so that a refusal can say what is wrong and where."""
    try:
        text, notes = text_of(data)
        checked_scan(text)
    except Refusal as refusal:
        return refusal.problem(data, artifact)
    try:
        opened = replace(_open(json.loads(text), contract), size=len(data))
        document = _validated(opened)
    except _Wrong as wrong:
        return _problem(wrong, data, text, artifact)
    return _finished(document, opened.version, notes)


def _open(value: object, contract: str | None) -> _Opened:
    """Take a document out of its envelope, if it has one.

    Raises:
        _Wrong: It is no object, or the envelope is not right or not of this place.
    """
    if not isinstance(value, dict):
        raise _Wrong([WrongField((), f"must be an object, not {explain.kind(value)}")], "write the contract")
    fields = cast("dict[str, Any]", value)
    if "schema" in fields or ("payload" in fields and "payloadType" not in fields):
        return _open_envelope(fields, contract)
    if contract is None:
        missing = WrongField(("schema",), "is required but missing")
        raise _Wrong([missing], 'wrap it as {"schema": NAME, "version": "X.Y.Z", "payload": {...}}')
    return _Opened(contract, registry.BARE_VERSION, fields, enveloped=False)


def _open_envelope(fields: dict[str, Any], contract: str | None) -> _Opened:
    wrong = explain.misnamed_fields(validators.Envelope, fields)
    wrong += [
        WrongField((field,), f"must be text, not {explain.kind(fields[field])}")
        for field in ("schema", "version")
        if field in fields and not isinstance(fields[field], str)
    ]
    if wrong:
        raise _Wrong(wrong, _ENVELOPE)
    name, version, payload = fields["schema"], fields["version"], fields["payload"]
    if name != (contract or name) or not registry.versions(name):
        expected = contract or "one of " + ", ".join(registry.names())
        wrong = WrongField(("schema",), f"is {explain.shown(name)}, and {expected} belongs here")
        raise _Wrong([wrong], "move the file to its place, or write the contract of this one")
    if not isinstance(payload, dict):
        raise _Wrong([WrongField(("payload",), f"must be an object, not {explain.kind(payload)}")], _ENVELOPE)
    return _Opened(name, version, cast("dict[str, Any]", payload), enveloped=True)


def _validated(opened: _Opened) -> Contract:
    """Return the model of a document in its version.

    Raises:
        _Wrong: The version is unknown, or fields are not as it wants them.
    """
    name, version = opened.name, opened.version
    model = registry.model_for(name, version)
    if model is None:
        known = ", ".join(registry.versions(name)) or "none"
        wrong = WrongField(("version",), f"is {explain.shown(version)}, and known of {name} are: {known}")
        raise _Wrong([wrong], "write a known version, or update ags-tui", "UNKNOWN_VERSION")
    document, fields = _tried(model, opened)
    if document is None:
        raise _Wrong(fields, _hint(opened), inside=opened.enveloped)
    if isinstance(document, AgentHandoff):
        wrong_payload = _payload_wrong(document, opened.size)
        if wrong_payload is not None:
            wrong_payload.inside = opened.enveloped
            raise wrong_payload
    return document


def _tried(model: type[Contract], opened: _Opened) -> tuple[Contract | None, list[WrongField]]:
    check = validators.validate
    if opened.size > validators.BOUNDED_FROM:
        check = validators.validate_bounded
        misnamed = explain.misnamed_fields(model, opened.payload)
        if misnamed:
            return None, misnamed
    try:
        return check(model, json.dumps(opened.payload, ensure_ascii=False).encode()), []
    except ValidationError as error:
        return None, explain.wrong_fields(error, opened.payload)


def _payload_wrong(handoff: AgentHandoff, size: int = 0) -> _Wrong | None:
    """Return what is wrong with the payload of a handoff, by the contract that it names."""
    name, version = handoff.payload_type, handoff.payload_version
    if name not in registry.PAYLOADS:
        allowed = ", ".join(registry.PAYLOADS)
        wrong = WrongField(("payloadType",), f"is {explain.shown(name)}, and may be: {allowed}")
        return _Wrong([wrong], "name the contract of the payload")
    try:
        _validated(_Opened(name, version, handoff.payload, enveloped=False, size=size))
    except _Wrong as wrong:
        if wrong.code == "UNKNOWN_VERSION":
            fields = [WrongField(("contractVersion",), field.message) for field in wrong.fields]
        else:
            fields = [WrongField(("payload", *field.path), field.message) for field in wrong.fields]
        return _Wrong(fields, _SCHEMA.format(name, version), wrong.code)
    return None


def _hint(opened: _Opened) -> str:
    """Say how to go on; a bare document of another version only lacks its envelope."""
    if not opened.enveloped:
        for version in registry.versions(opened.name):
            model = registry.model_for(opened.name, version)
            if version != opened.version and model and validators.has_shape(model, opened.payload):
                head = json.dumps({"schema": opened.name, "version": version})[:-1]
                return f'looks like {version}: wrap it as {head}, "payload": {{...}}}}'
    return _SCHEMA.format(opened.name, opened.version)


def _problem(wrong: _Wrong, data: bytes, text: str, artifact: str) -> LoadProblem:
    first = wrong.fields[0]
    path = ("payload", *first.path) if wrong.inside else first.path
    field = field_text(first.path)
    more = f" (and {len(wrong.fields) - 1} more)" if len(wrong.fields) > 1 else ""
    return LoadProblem(
        code=wrong.code,
        message=f"{field} {first.message}{more}".lstrip(),
        artifact=artifact,
        line=explain.line_of(text, path),
        field=field,
        next_step=wrong.next_step,
        digest=digest(data),
        fields=explain.listing(wrong.fields),
    )
