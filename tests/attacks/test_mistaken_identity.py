"""A request that passes for another one: its id, its kind, the bytes behind it, the scripts it runs."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from ags_tui.core.digests import digest
from ags_tui.core.drafts import approve
from tests import builders
from tests.attacks.conftest import Open
from tests.attacks.facts import ask, loosened, replace, shell_request
from tests.attacks.terminal import APPROVE
from tests.cli.human import SEEN
from tests.flows.stage import MAPPER, TASK, Stage, small_plan


def now() -> datetime:
    """Agents may write any time; this one is still alive."""
    return datetime.now(UTC)


def approval(stage: Stage, name: str, kind: str, bytes_digest: str, path: str | None = None) -> None:
    """An agent asks for an approval by file."""
    document = builders.approval_request(
        name, task_id=TASK, kind=kind, path=path, digest=bytes_digest, risk_level="low", created_at=now()
    )
    stage.write(f"approval-requests/{name}.json", document)


def test_another_file_takes_the_id_while_it_is_open(stage: Stage, tui: Open) -> None:
    """An escalation of the same id is another question: it must neither be approved nor end the program."""
    stage.new_task()
    ask(stage, "tool-1", "touch MARK")
    screen = tui()
    screen.until("1 needs you", "touch MARK")
    screen.bring("a", "approve once")
    document = builders.escalation("tool-1", task_id=TASK, risk_level="critical", created_at=now())
    stage.write("escalations/tool-1.json", document)
    (stage.folder() / "tool-requests" / "tool-1.json").unlink()
    screen.gone("approve once")
    for key in ("R", "G", APPROVE):
        screen.press(key)
        screen.effect()
    screen.back()
    screen.until("escalation")
    assert screen.end() == 0
    assert loosened(stage) == []


@pytest.mark.parametrize("name", ["plan", "task", "baseline", "finalize", "check.edit-x"])
def test_ids_of_our_own_questions_can_only_be_denied(stage: Stage, name: str) -> None:
    stage.new_task()
    stage.plan(MAPPER, requires_human_approval=True)
    stage.look()
    stage.write(f"tool-requests/{name}.json", shell_request(name, "touch MARK", createdAt=now().isoformat()))
    approval(stage, name, "plan", stage.task().task.files.artifacts["plan.json"].digest)
    stage.write(f"escalations/{name}.json", builders.escalation(name, task_id=TASK, created_at=now()))
    items = [one for one in stage.task().pending if one.place]
    assert len(items) == 3
    assert all("kept for questions of ags-tui" in one.malformed for one in items)
    own = [one for one in stage.task().pending if not one.place]
    assert [one.item_id for one in own] == ["plan"]
    assert len({(one.item_id, one.place) for one in stage.task().pending}) == 4


def test_a_request_for_another_task_is_none(stage: Stage) -> None:
    stage.new_task()
    stage.new_task("other")
    raw = shell_request("tool-1", "touch MARK", task_id="other", createdAt=now().isoformat())
    stage.write("tool-requests/tool-1.json", raw)
    stage.write("tool-requests/tool-1.json", raw, "other")
    assert [one.task_id for one in stage.look().pending] == ["other"]
    assert "ID_MISMATCH" in [one.code for one in stage.task().findings]


def test_an_edit_is_approved_only_at_the_bytes_that_are_shown(stage: Stage) -> None:
    """The diff on the screen is of the disk; a digest of other bytes would approve what nobody saw."""
    stage.new_task()
    stage.plan(MAPPER, requires_human_approval=True)
    stage.look()
    stage.human.approve(TASK, "plan")
    stage.edit("README.md", "harmless\n")
    approval(stage, "edit-1", "edit", digest(b"evil\n"), "README.md")
    item = stage.human.pending(TASK, "edit-1")
    assert "other bytes of README.md" in item.malformed
    with pytest.raises(ValueError, match="cannot be approved"):
        approve(item, SEEN)
    approval(stage, "edit-2", "edit", digest(b"harmless\n"), "README.md")
    stage.human.approve(TASK, "edit-2")
    assert stage.task().scope.verdict.value == "PASS"
    stage.edit("README.md", "evil\n")
    assert stage.task().scope.verdict.value == "NEEDS_APPROVAL"


def test_a_wider_plan_is_as_risky_whoever_asks_for_it(stage: Stage) -> None:
    stage.new_task()
    stage.plan(MAPPER)
    stage.look()
    stage.plan(MAPPER, "Sources/**")
    raw = (stage.folder() / "plan.json").read_bytes()
    approval(stage, "plan-2", "plan", digest(raw))
    item = stage.human.pending(TASK, "plan-2")
    assert item.risk == "high"
    assert any("Sources/**" in words for words in item.warnings)


@pytest.mark.parametrize(
    "command",
    [
        "sh run; true",
        "sh ./run&&true",
        "bash -x run",
        "sh -c 'cd . ; sh run'",
        ". ./run",
        "cat<run|sh",
        "cat run | bash -s x",
        "sh<run",
    ],
)
def test_a_script_that_changes_after_the_approval_ends_it(stage: Stage, command: str) -> None:
    stage.new_task()
    stage.edit("run", "echo harmless\n")
    claim = ask(stage, "tool-1", command)
    stage.look()
    stage.human.approve(TASK, "tool-1")
    stage.edit("run", "echo evil\n")
    assert stage.cli("wait", f"{TASK}/tool-1", "--claim", claim, "--timeout", "0").code == 12


def test_an_approval_is_taken_once_whatever_becomes_of_the_claim(stage: Stage) -> None:
    stage.new_task()
    claim = ask(stage, "tool-1", "touch MARK")
    request = stage.folder() / "tool-requests" / "tool-1.json"
    raw = request.read_bytes()
    stage.look()
    stage.human.approve(TASK, "tool-1")
    words = ("wait", f"{TASK}/tool-1", "--claim", claim, "--timeout", "0")
    assert stage.cli(*words).code == 0
    stage.look()
    (stage.folder() / "consumptions" / "tool-1.json").unlink()
    assert stage.cli(*words).code == 14
    request.unlink()
    stage.look()
    replace(request, raw)
    stage.look()
    assert stage.cli(*words).code == 14
    renamed = json.loads(raw)
    renamed["payload"]["requestId"] = "tool-2"
    stage.write("tool-requests/tool-2.json", renamed)
    assert stage.cli("wait", f"{TASK}/tool-2", "--claim", claim, "--timeout", "0").code == 13


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"command": "echo " + "x" * 200_000}, "longer than 128 KiB"),
        ({"command": "echo " + " ".join(f"./f{n}.sh" for n in range(300))}, "more than 256 files"),
        ({"reason": "\u0301\u200b" * 500_000}, "too long to be read"),
        ({"input": {"k": [[0] * 10] * 20_000}}, "too long to be read"),
    ],
)
def test_what_nobody_would_read_is_refused_and_holds_nobody_up(
    stage: Stage, fields: dict[str, Any], why: str
) -> None:
    stage.new_task()
    raw = shell_request("tool-1", **{"command": "true", "createdAt": now().isoformat(), **fields})
    stage.write("tool-requests/tool-1.json", raw)
    assert why in stage.human.pending(TASK, "tool-1").malformed
    assert stage.cli("status").code == 0


def test_a_plan_that_nobody_would_read_is_refused(stage: Stage) -> None:
    stage.new_task()
    stage.write("plan.json", small_plan(TASK, MAPPER, summary="x" * 200_000, requires_human_approval=True))
    assert "too long to be read" in stage.human.pending(TASK, "plan").malformed
