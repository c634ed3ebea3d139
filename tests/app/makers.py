"""Valid-by-default items and assessments for screens; one keyword breaks one thing."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from ags_tui.core.assessment import (
    Assessment,
    Condition,
    GateReport,
    Pending,
    PendingKind,
    Prose,
    RequestStatus,
    ScopeReport,
    Stage,
    StageName,
    StageState,
    TaskAssessment,
    Verdict,
)
from ags_tui.core.checks.findings import Basis, Finding, Outcome
from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.plan import AgentPlan, PlanStep
from ags_tui.core.contracts.task import AgentTask
from ags_tui.core.contracts.tool_request import ProposedChange, ToolRequestV2
from ags_tui.core.decisions import Bound
from ags_tui.core.digests import digest
from ags_tui.core.log_state import EMPTY_LOG, LogState
from ags_tui.core.snapshot import Artifact, Changes, TaskFiles, TaskSnapshot

NOW = datetime(2026, 7, 20, 10, 0, tzinfo=UTC)
TASK = "login-error-message"


def artifact(path: str, document: Contract) -> Artifact:
    raw = document.model_dump_json(by_alias=True, indent=1).encode()
    name, version = document.contract_name, document.contract_version
    return Artifact(path, digest(raw), raw, 0.0, name, version, document)


def plan(**changes: Any) -> AgentPlan:
    fields: dict[str, Any] = {
        "task_id": TASK, "summary": "Map server errors to messages.", "risk_level": "medium",
        "files_to_read": (), "files_to_edit": ("AuthErrorMapper.swift",),
        "files_not_to_edit": ("NetworkClient.swift", "DesignSystem/**"),
        "steps": (PlanStep(id="s1", action="map", input_files=(), expected_output="x", validation="y"),),
        "tests_to_run": ("make test",), "requires_human_approval": True, "stop_conditions": (),
    }  # fmt: skip
    return AgentPlan(**{**fields, **changes})


def agent_task(**changes: Any) -> AgentTask:
    fields: dict[str, Any] = {
        "id": TASK, "title": "로그인 실패 메시지 안전하게 변경", "description": "Hide server text.",
        "category": "bug_fix", "risk_level": "medium", "expected_behavior": ("no raw text",),
        "forbidden_changes": ("NetworkClient 수정",), "required_evidence": ("exit code",),
    }  # fmt: skip
    return AgentTask(**{**fields, **changes})


def tool_request(command: str | None = "ls src", after: str | None = None, **changes: Any) -> ToolRequestV2:
    path = "Sources/Auth/AuthRepository.swift" if after is not None else None
    fields: dict[str, Any] = {
        "request_id": "tool-014", "tool": "shell" if path is None else "edit_file", "target_path": path,
        "command": command if path is None else None, "reason": "needed", "risk_level": "medium",
        "requires_approval": True, "task_id": TASK, "agent": "codex", "session_id": "s", "cwd": "/w",
        "input": {}, "created_at": NOW, "expires_at": NOW + timedelta(hours=1), "claim": None,
        "proposed_change": None if path is None else ProposedChange(path=path, before="absent", after=after),
    }  # fmt: skip
    return ToolRequestV2(**{**fields, **changes})


def pending(request: ToolRequestV2 | None = None, **changes: Any) -> Pending:
    request = request or tool_request()
    held = artifact("tool-requests/tool-014.json", request)
    fields: dict[str, Any] = {
        "kind": PendingKind.TOOL_REQUEST, "task_id": TASK, "item_id": "tool-014", "digest": held.digest,
        "artifact": held.path, "title": f"{request.tool} {request.command or request.target_path}",
        "reason": request.reason, "asked_by": request.agent, "risk": "medium", "claimed_risk": "medium",
        "first_seen": NOW - timedelta(minutes=4), "expires_at": NOW + timedelta(minutes=56),
        "bound": Bound(request=held.digest, plan=digest(b"plan"), policy=digest(b"policy")),
        "path": request.target_path, "command": request.command,
    }  # fmt: skip
    return Pending(**{**fields, **changes})


def conditions(**open_ones: Outcome) -> tuple[Condition, ...]:
    names = ("contracts", "order", "plan", "scope", "requests", "review", "tests", "evidence", "workflow",
             "block", "log", "report")  # fmt: skip
    return tuple(
        Condition(n, name, open_ones.get(name, Outcome.PASSED), Basis.OBSERVED, f"{name} reason")
        for n, name in enumerate(names, 1)
    )


def task_assessment(
    *documents: Contract,
    items: Sequence[Pending] = (),
    requests: Sequence[RequestStatus] = (),
    log: LogState = EMPTY_LOG,
    gate: Mapping[str, Outcome] | None = None,
    prose: Sequence[Prose] = (),
    findings: Sequence[Finding] = (),
    assessment_digest: str = "",
) -> TaskAssessment:
    places = {
        "AgentTask": "task.json",
        "AgentPlan": "plan.json",
        "ToolRequest": "tool-requests/tool-014.json",
    }
    held = [artifact(places.get(one.contract_name, "escalations/esc-1.json"), one) for one in documents]
    files = TaskFiles(TASK, f"/w/.ai/tasks/{TASK}", {one.path: one for one in held})
    changes = Changes("0" * 40, "work-tree", (), tree_digest=digest(b"tree"))
    rungs = conditions(**(gate or {}))
    outcome = Outcome.PASSED if all(r.outcome is Outcome.PASSED for r in rungs) else Outcome.FAILED
    return TaskAssessment(
        task=TaskSnapshot(files, log, changes),
        title="로그인 실패 메시지 안전하게 변경",
        stages=tuple(Stage(name, StageState.WAITING) for name in StageName),
        scope=ScopeReport(Verdict.NEEDS_APPROVAL, reason="1 unplanned"),
        gate=GateReport(outcome, rungs, prose=tuple(prose)),
        findings=tuple(findings),
        pending=tuple(items),
        requests=tuple(requests),
        digest=assessment_digest or digest(b"assessment"),
    )


def assessment(task: TaskAssessment) -> Assessment:
    return Assessment((task,), task.pending)
