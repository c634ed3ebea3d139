"""Fixtures: examples that a contract must take or refuse, judged without touching a disk (article §20)."""

from dataclasses import dataclass
from typing import cast

from ags_tui.core.contracts import registry
from ags_tui.core.contracts.parse import parse_contract, read_json
from ags_tui.core.contracts.self_checks import contradictions
from ags_tui.core.snapshot import LoadProblem

SEPARATOR = "--"
"""Between the contract's name and the case in a file name."""

EXPECTED_SUFFIX = ".expected.json"
"""End of the name of a file that says what is wrong with an invalid fixture."""

_EXPECTED_SHAPE = 'its expected.json must be {"field": "…", "code": "…"}'


@dataclass(frozen=True, slots=True)
class FixtureName:
    """Name of a fixture file, ``CONTRACT--case.json``."""

    contract: str
    """Name of the contract."""
    case: str
    """What is special about it."""


def fixture_name(file_name: str) -> FixtureName | None:
    """Return what a file name says, or None for a name that is no fixture's.

    Args:
        file_name: Last segment of the path, such as ``AgentPlan--no-steps.json``.
    """
    if not file_name.endswith(".json") or file_name.endswith(EXPECTED_SUFFIX):
        return None
    contract, separator, case = file_name.removesuffix(".json").partition(SEPARATOR)
    return FixtureName(contract, case) if separator and case and contract in registry.names() else None


def check_fixture(data: bytes, contract: str) -> list[tuple[str, str]]:
    """Return all that is wrong with a fixture, as ``(field, code)``; empty for a valid one.

    Args:
        data: The file's bytes.
        contract: Name of the contract.
    """
    parsed = parse_contract(data, contract=contract, artifact=contract)
    if isinstance(parsed, LoadProblem):
        fields = [field for field, _message in parsed.fields] or [parsed.field]
        return [(field, parsed.code) for field in fields]
    return [(found.field, found.code) for found in contradictions(parsed.document)]


def judge_valid(data: bytes, contract: str) -> str:
    """Return why a fixture that should be valid is not; empty where it is."""
    found = check_fixture(data, contract)
    return "; ".join(f"{field or 'document'}: {code}" for field, code in found)


def judge_invalid(data: bytes, contract: str, expected: bytes) -> str:
    """Return why a fixture is not invalid in the way that is expected of it; empty where it is.

    Args:
        data: The fixture's bytes.
        contract: Name of the contract.
        expected: Bytes of its ``.expected.json``, ``{"field", "code"}``.
    """
    wanted = read_json(expected, contract)
    if isinstance(wanted, LoadProblem):
        return f"its expected.json {wanted.message}"
    value: object = wanted.value
    if not isinstance(value, dict):
        return _EXPECTED_SHAPE
    value = cast("dict[str, object]", value)
    if value.keys() != {"field", "code"}:
        return _EXPECTED_SHAPE
    field, code = value["field"], value["code"]
    found = check_fixture(data, contract)
    if (field, code) in found:
        return ""
    said = ", ".join(f"{field or 'document'}: {code}" for field, code in found) or "nothing wrong"
    return f"expected {field or 'document'}: {code}, found {said}"
