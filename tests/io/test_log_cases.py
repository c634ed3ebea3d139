"""Reported faults of other tools, on their own inputs: what was approved is what was shown, nothing else."""

import json
from collections.abc import Generator
from datetime import timedelta
from pathlib import Path

import pytest

from ags_tui.core.assessment import RequestState
from ags_tui.core.contracts.write import to_bytes
from ags_tui.core.decisions import Bound, Draft
from ags_tui.core.digests import digest
from ags_tui.core.log_rules import ApprovalStatus, approval_status
from ags_tui.io.log import ChangedSinceShown, read_log, record
from tests import builders
from tests.logs import NOW, TASK_ID, Desk, approve_draft, baseline_draft, desk, fast_folder

CASES = Path(__file__).resolve().parents[1] / "cases"


@pytest.fixture
def begun() -> Generator[Desk]:
    """A task folder with its baseline on record."""
    with fast_folder() as folder:
        place = desk(folder)
        record(place.folder, baseline_draft(), place.keys, place.places, now=NOW, current=None)
        yield place


def request_from(path: Path, name: str = "") -> tuple[str, bytes]:
    """The case's call as a request file: its id and its bytes."""
    call = json.loads(path.read_bytes())
    name = name or call["tool_use_id"]
    usual = builders.tool_request_v2(name)
    request = usual.model_copy(
        update={
            "tool": "shell",
            "target_path": None,
            "command": call["tool_input"]["command"],
            "cwd": call["cwd"],
            "input": call["tool_input"],
            "proposed_change": None,
        }
    )
    return name, to_bytes(request)


def file_it(place: Desk, name: str, raw: bytes) -> None:
    """The agent writes the request."""
    (place.folder / "tool-requests").mkdir(exist_ok=True)
    (place.folder / "tool-requests" / f"{name}.json").write_bytes(raw)


def decide(place: Desk, draft: Draft) -> None:
    """The human decides what was shown."""
    record(place.folder, draft, place.keys, place.places, now=NOW, current=draft.bound)


def ask(place: Desk, name: str, raw: bytes, minutes: int = 1) -> ApprovalStatus:
    """What a waiter is told about these bytes."""
    return approval_status(
        read_log(place.folder, place.keys, place.places),
        kind="tool-request", subject_id=name, digest=digest(raw), now=NOW + timedelta(minutes=minutes),
        bound_now=Bound(request=digest(raw)), first_seen=NOW, timeout_s=3600,
    )  # fmt: skip


def test_016_changed_after_it_was_shown(begun: Desk):
    folder = CASES / "016-changed-after-shown"
    name, first = request_from(folder / "v1.json")
    same, second = request_from(folder / "v2.json")
    assert name == same
    file_it(begun, name, first)
    shown = approve_draft(name, first)
    file_it(begun, name, second)
    with pytest.raises(ChangedSinceShown):
        decide(begun, shown)
    assert ask(begun, name, second).state is RequestState.PENDING

    file_it(begun, name, first)
    decide(begun, shown)
    assert ask(begun, name, first).in_force
    file_it(begun, name, second)
    assert ask(begun, name, second).state is RequestState.CHANGED


def test_039_nobody_answers(begun: Desk):
    name, raw = request_from(CASES / "039-nobody-answers" / "hook-stdin.json")
    file_it(begun, name, raw)
    assert ask(begun, name, raw, minutes=59).state is RequestState.PENDING
    assert ask(begun, name, raw, minutes=60).state is RequestState.EXPIRED
    expired = Draft(TASK_ID, "request", "expired", name, digest(raw), source="timeout")
    record(begun.folder, expired, begun.keys, begun.places, now=NOW, current=None)
    decide(begun, approve_draft(name, raw))
    assert ask(begun, name, raw).state is RequestState.EXPIRED


def test_053_three_pending(begun: Desk):
    folder = CASES / "053-three-pending"
    asked = dict(request_from(folder / f"r{number}.json") for number in (1, 2, 3))
    assert len(asked) == 3
    for name, raw in asked.items():
        file_it(begun, name, raw)
    first, second, third = asked
    decide(begun, approve_draft(third, asked[third]))
    states = [ask(begun, name, raw).state for name, raw in asked.items()]
    assert states == [RequestState.PENDING, RequestState.PENDING, RequestState.APPROVED]
    decide(begun, Draft(TASK_ID, "tool-request", "denied", first, digest(asked[first])))
    assert ask(begun, first, asked[first]).state is RequestState.DENIED
    assert ask(begun, second, asked[second]).state is RequestState.PENDING
    assert ask(begun, third, asked[third]).in_force

    clash, other = request_from(folder / "r3-clash.json")
    assert (clash, other != asked[third]) == (third, True)
    assert not ask(begun, clash, other).in_force
