"""Migrations: a document of an older version as one of a newer, saying what was filled in (article §19)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.plan import AgentPlan, AgentPlanV01, AgentPlanV2, PlanStep
from ags_tui.core.contracts.tool_request import ToolRequest, ToolRequestV2

REQUEST_LIFE = timedelta(hours=1)
"""Life of a migrated tool request, the default of policy."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a document does not say itself and a newer version of it must."""

    task_id: str = ""
    """Task folder it lies in; empty where it lies in none."""
    now: datetime | None = None
    """Time of the migration, aware; None where there is no clock."""


NOWHERE = Circumstances()
"""The circumstances of a document that lies in no task folder."""


class NotMigratable(Exception):
    """There is no way from one version to the other; the text says why."""


def _plan_01_to_1(document: Contract, _around: Circumstances) -> tuple[Contract, tuple[str, ...]]:
    old = cast("AgentPlanV01", document)
    files = tuple(dict.fromkeys(old.files_to_edit))
    step = PlanStep(
        id="migrated",
        action="Change the files of the AgentPlan 0.1.0, which had no steps.",
        input_files=files,
        expected_output="Not stated in version 0.1.0.",
        validation="Not stated in version 0.1.0.",
    )
    plan = AgentPlan(
        task_id=old.task_id,
        summary="Migrated from AgentPlan 0.1.0, which had no summary.",
        risk_level="high",
        files_to_read=(),
        files_to_edit=files,
        files_not_to_edit=(),
        steps=(step,),
        tests_to_run=(),
        requires_human_approval=True,
        stop_conditions=(),
    )
    notes = (
        "migrated from AgentPlan 0.1.0 to 1.0.0",
        "filled: riskLevel high, requiresHumanApproval true, one step 'migrated', a summary; "
        "empty: testsToRun, filesToRead, filesNotToEdit, stopConditions",
    )
    if len(files) < len(old.files_to_edit):
        notes += ("filesToEdit named files twice; each was kept once",)
    return plan, notes


def _plan_1_to_2(document: Contract, _around: Circumstances) -> tuple[Contract, tuple[str, ...]]:
    plan = AgentPlanV2(
        **_fields(document),
        allowed_operations=("create", "update", "delete", "rename"),
        approval_policy="none",
    )
    filled = "filled, as 1.0.0 restricts neither: all four allowedOperations, approvalPolicy none"
    return plan, ("migrated from AgentPlan 1.0.0 to 2.0.0", filled)


def _request_1_to_2(document: Contract, around: Circumstances) -> tuple[Contract, tuple[str, ...]]:
    old = cast("ToolRequest", document)
    if not around.task_id or around.now is None:
        raise NotMigratable("ToolRequest 2.0.0 names its task and times, which only a task folder tells")
    given = {"targetPath": old.target_path, "command": old.command}
    request = ToolRequestV2(
        **_fields(document),
        task_id=around.task_id,
        agent="unknown",
        session_id="",
        cwd=".",
        input={name: value for name, value in given.items() if value is not None},
        proposed_change=None,
        created_at=around.now,
        expires_at=around.now + REQUEST_LIFE,
        claim=None,
    )
    filled = (
        "filled: taskId from the folder, agent 'unknown', sessionId '', cwd '.', input from targetPath and "
        "command, proposedChange null, createdAt now, expiresAt in an hour, claim null"
    )
    return request, ("migrated from ToolRequest 1.0.0 to 2.0.0", filled)


Step = Callable[[Contract, Circumstances], tuple[Contract, tuple[str, ...]]]
"""One migration: the newer document and what was filled in."""

STEPS: Mapping[tuple[str, str], tuple[str, Step]] = {
    ("AgentPlan", "0.1.0"): ("1.0.0", _plan_01_to_1),
    ("AgentPlan", "1.0.0"): ("2.0.0", _plan_1_to_2),
    ("ToolRequest", "1.0.0"): ("2.0.0", _request_1_to_2),
}
"""The next version of each that has one, and the way there."""


def _fields(document: Contract) -> dict[str, Any]:
    return {name: getattr(document, name) for name in type(document).model_fields}


def upgrade(document: Contract, to: str, around: Circumstances = NOWHERE) -> tuple[Contract, tuple[str, ...]]:
    """Return a document in a newer version of its contract, and notes about what was filled in.

    Args:
        document: A document of any version.
        to: The version wanted; its own version returns the document itself.
        around: What the document does not say.

    Raises:
        NotMigratable: The version is older, unknown, or needs what nobody knows.
    """
    notes: tuple[str, ...] = ()
    while document.contract_version != to:
        name, version = document.contract_name, document.contract_version
        step = STEPS.get((name, version))
        if step is None or _number(step[0]) > _number(to):
            raise NotMigratable(_refusal(name, version, to))
        document, said = step[1](document, around)
        notes += said
    return document, notes


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdecimal() else 0 for part in version.split("."))


def _refusal(name: str, version: str, to: str) -> str:
    if _number(to) < _number(version):
        return f"{name} {to} cannot hold all that {name} {version} says; migration goes upward only"
    return f"there is no migration from {name} {version} to {to}"
