"""``validate --fixtures``: a user's own folder of valid and invalid contract documents."""

from pathlib import Path
from typing import Any

from ags_tui.cli.failures import UsageProblem
from ags_tui.core.contracts.fixtures import EXPECTED_SUFFIX, fixture_name, judge_invalid, judge_valid
from ags_tui.io.contract_files import LARGEST_FILE
from ags_tui.io.plain_files import NotPlain, read_plain


def check_fixtures(folder: Path, shown: str) -> list[dict[str, Any]]:
    """Check ``valid/`` and ``invalid/`` of a folder of fixtures.

    A valid fixture must be accepted. An invalid one must be refused with the field and the code that
    ``CONTRACT--case.expected.json`` beside it names.

    Args:
        folder: the folder.
        shown: its path for messages.

    Returns:
        One row a fixture: ``path``, ``valid`` (it behaved as it should), ``contract``, ``findings``.

    Raises:
        UsageProblem: there is no such folder, or it holds no fixtures.
    """
    rows = [
        _check(path, f"{shown}/{kind}/{path.name}", kind)
        for kind in ("valid", "invalid")
        for path in sorted((folder / kind).glob("*.json"))
        if not path.name.endswith(EXPECTED_SUFFIX)
    ]
    if not rows:
        raise UsageProblem(
            f"{shown}: no fixtures; expected valid/CONTRACT--case.json or invalid/CONTRACT--case.json"
        )
    return rows


def _check(path: Path, shown: str, kind: str) -> dict[str, Any]:
    name = fixture_name(path.name)
    contract = name.contract if name is not None else ""
    row: dict[str, Any] = {"path": shown, "contract": contract, "valid": True}
    why = "its name is not CONTRACT--case.json with a contract that exists"
    if name is not None:
        try:
            why = _judged(path, contract, kind)
        except (FileNotFoundError, NotPlain) as error:
            why = f"cannot be read: {error}"
    if why:
        row |= {"valid": False, "findings": [{"code": "FIXTURE_DIFFERS", "message": why, "field": ""}]}
    return row


def _judged(path: Path, contract: str, kind: str) -> str:
    data = read_plain(path, limit=LARGEST_FILE, follow=True)
    if kind == "valid":
        return judge_valid(data, contract)
    expected = path.with_name(path.name.removesuffix(".json") + EXPECTED_SUFFIX)
    if not expected.exists():
        return f"there is no {expected.name} beside it"
    return judge_invalid(data, contract, read_plain(expected, limit=LARGEST_FILE, follow=True))
