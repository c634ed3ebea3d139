"""Contracts to bytes: what this program writes, and files of older versions written anew."""

import json
from dataclasses import dataclass

from ags_tui.core.contracts import migrations, registry
from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.migrations import NOWHERE, Circumstances, NotMigratable
from ags_tui.core.contracts.parse import parse_any, parse_contract
from ags_tui.core.digests import digest
from ags_tui.core.snapshot import LoadProblem


@dataclass(frozen=True, slots=True)
class Migrated:
    """A document in a newer version, ready to be written beside the old file."""

    data: bytes
    """The new file."""
    contract: str
    """Name of the contract."""
    version: str
    """Version of the new file."""
    notes: tuple[str, ...]
    """What was filled in."""


def to_bytes(document: Contract, envelope: bool = True) -> bytes:
    """Return a contract as indented UTF-8 JSON with a newline at the end.

    Args:
        document: Any document of a registered contract.
        envelope: Whether to name contract and version around it; only 1.0.0 may go without.

    Raises:
        ValueError: Strict JSON cannot hold it, or a reader would refuse it: NaN, half characters, numbers
            beyond 2^53-1, more than 16 MiB, a bare document that is not 1.0.0.
    """
    name, version = document.contract_name, document.contract_version
    value: object = document.model_dump(mode="json", by_alias=True)
    if envelope:
        value = {"schema": name, "version": version, "payload": value}
    elif version != registry.BARE_VERSION:
        raise ValueError(f"{name} {version} needs an envelope: a bare document is {registry.BARE_VERSION}")
    data = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False).encode("utf-8") + b"\n"
    # whatever got past the model by construction in code would be refused by every reader: never write it
    problem = parse_contract(data, contract=name, artifact=name)
    if isinstance(problem, LoadProblem):
        raise ValueError(f"{name} {problem.message}")
    return data


def migrate(
    data: bytes,
    *,
    contract: str | None,
    artifact: str,
    to: str | None = None,
    around: Circumstances = NOWHERE,
) -> Migrated | LoadProblem:
    """Return a file's document in a newer version, in an envelope.

    Args:
        data: The old file's bytes.
        contract: Name of the contract that its place asks for; None where only its envelope can tell.
        artifact: Name of the file, for problems.
        to: Version wanted; None for the newest.
        around: What the document does not say itself.

    Returns:
        The new file, or why there is none: the old one cannot be read, the version is older, unknown or the
        same, or something is missing that nobody knows.
    """
    if contract is None:
        parsed = parse_any(data, artifact)
    else:
        parsed = parse_contract(data, contract=contract, artifact=artifact)
    if isinstance(parsed, LoadProblem):
        return parsed
    name = parsed.document.contract_name
    wanted = to or registry.versions(name)[-1]
    if registry.model_for(name, wanted) is None:
        known = ", ".join(registry.versions(name))
        return _refused(data, artifact, "UNKNOWN_VERSION", f"{name} {wanted} is unknown; known are: {known}")
    if wanted == parsed.version:
        return _refused(data, artifact, "NOT_MIGRATABLE", f"is {name} {wanted} already")
    try:
        document, notes = migrations.upgrade(parsed.document, wanted, around)
    except NotMigratable as error:
        return _refused(data, artifact, "NOT_MIGRATABLE", str(error))
    return Migrated(to_bytes(document), name, wanted, parsed.notes + notes)


def _refused(data: bytes, artifact: str, code: str, message: str) -> LoadProblem:
    return LoadProblem(code, message, artifact, next_step="keep the file as it is", digest=digest(data))
