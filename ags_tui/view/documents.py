"""Assessments as plain JSON data, in the words of ``formats.md``."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ags_tui.core.assessment import (
    Condition,
    GateReport,
    Pending,
    Prose,
    RequestStatus,
    ScopeReport,
    Stage,
    TaskAssessment,
)
from ags_tui.core.checks.findings import Finding
from ags_tui.core.checks.gate_answer import GateAnswer
from ags_tui.core.decisions import Bound
from ags_tui.core.digests import path_text
from ags_tui.core.heard import Heard
from ags_tui.core.log_state import LoggedEntry
from ags_tui.core.snapshot import LoadProblem, Snapshot


def moment(value: datetime | None) -> str | None:
    """A time as RFC 3339 in UTC with ``Z``."""
    return None if value is None else value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def shown_path(path: str) -> str:
    """A path that JSON can hold, also where its bytes are not UTF-8."""
    return path_text(path.encode("utf-8", "surrogateescape"))


def finding_document(finding: Finding) -> dict[str, Any]:
    """One finding."""
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "message": safe(finding.message),
        "artifact": safe(finding.artifact),
        "field": safe(finding.field),
        "path": None if finding.path is None else shown_path(finding.path),
        "nextAction": finding.next_action,
        "basis": finding.basis.value,
        "unknown": finding.unknown,
    }


def problem_document(problem: LoadProblem) -> dict[str, Any]:
    """One file that could not be read as what it should be."""
    return {
        "code": problem.code,
        "message": safe(problem.message),
        "artifact": safe(problem.artifact),
        "line": problem.line,
        "field": safe(problem.field),
        "nextStep": problem.next_step,
    }


def scope_document(scope: ScopeReport) -> dict[str, Any]:
    """The scope check."""
    return {
        "verdict": scope.verdict.value,
        "reason": safe(scope.reason),
        "paths": [
            {
                "path": shown_path(row.path),
                "class": row.path_class.value,
                "why": safe(row.why),
                "operation": row.change.operation if row.change is not None else None,
                "approved": row.approved,
            }
            for row in scope.paths
        ],
        "resolved": {safe(name): shown_path(path) for name, path in scope.resolved.items()},
        "findings": [finding_document(finding) for finding in scope.findings],
    }


def condition_document(condition: Condition) -> dict[str, Any]:
    """One condition of the gate."""
    return {
        "number": condition.number,
        "name": condition.name,
        "outcome": condition.outcome.value,
        "basis": condition.basis.value,
        "reason": safe(condition.reason),
        "findings": [finding_document(finding) for finding in condition.findings],
    }


def gate_document(gate: GateReport) -> dict[str, Any]:
    """The gate with all its conditions."""
    return {
        "outcome": gate.outcome.value,
        "headline": gate.headline,
        "conditions": [condition_document(condition) for condition in gate.conditions],
        "prose": [_prose_document(prose) for prose in gate.prose],
        "notChecked": gate.not_checked,
    }


def gate_answer_document(answer: GateAnswer, snapshot: Snapshot, target: str) -> dict[str, Any]:
    """The answer to a question for the gate.

    Args:
        answer: The answer.
        snapshot: What was judged.
        target: The tree that was judged.
    """
    return {
        "outcome": answer.outcome.value,
        "target": target,
        "takenAt": moment(snapshot.taken_at),
        "tasks": [_judged_document(row.task, row.report) for row in answer.rows],
        "findings": [finding_document(finding) for finding in answer.findings],
        "problems": [problem_document(p) for p in (*snapshot.problems, *snapshot.policy.problems)],
    }


def _judged_document(task: TaskAssessment, report: GateReport) -> dict[str, Any]:
    return {
        "taskId": task.task_id,
        "gate": gate_document(report),
        "assessmentDigest": task.digest,
        "treeDigest": task.task.changes.tree_digest if task.task.changes is not None else None,
    }


def pending_document(pending: Pending) -> dict[str, Any]:
    """One item that waits for a human."""
    return {
        "id": f"{pending.task_id}/{pending.item_id}",
        "kind": pending.kind.value,
        "taskId": pending.task_id,
        "digest": pending.digest,
        "artifact": safe(pending.artifact),
        "title": safe(pending.title),
        "reason": safe(pending.reason),
        "askedBy": safe(pending.asked_by),
        "risk": pending.risk,
        "claimedRisk": pending.claimed_risk,
        "firstSeen": moment(pending.first_seen),
        "expiresAt": moment(pending.expires_at),
        "bound": bound_document(pending.bound),
        "path": None if pending.path is None else shown_path(pending.path),
        "pathClass": None if pending.path_class is None else pending.path_class.value,
        "command": None if pending.command is None else safe(pending.command),
        "malformed": safe(pending.malformed),
        "warnings": [safe(warning) for warning in pending.warnings],
    }


def bound_document(bound: Bound) -> dict[str, Any]:
    """What a decision is bound to."""
    return {
        "request": bound.request,
        "plan": bound.plan,
        "policy": bound.policy,
        "files": {shown_path(path): digest for path, digest in sorted(bound.files.items())},
    }


def request_document(status: RequestStatus) -> dict[str, Any]:
    """Where one request stands."""
    return {
        "id": status.item_id,
        "kind": status.kind.value,
        "state": status.state.value,
        "digest": status.digest,
        "reason": safe(status.reason),
        "decidedAt": moment(status.decided_at),
        "sequence": status.sequence,
    }


def heard_document(said: Heard) -> dict[str, Any]:
    """What a waiter is told."""
    return {
        "state": said.state,
        "reason": safe(said.reason),
        "effective": said.effective,
        "digest": said.digest,
    }


def stage_document(stage: Stage) -> dict[str, Any]:
    """One stage."""
    return {"name": stage.name.value, "state": stage.state.value, "reason": safe(stage.reason)}


def task_document(task: TaskAssessment) -> dict[str, Any]:
    """Everything about one task."""
    log = task.task.log
    return {
        "taskId": task.task_id,
        "title": safe(task.title),
        "risk": task.risk,
        "state": "finalized" if log.finalized else "closed" if log.closed else "open",
        "stage": stage_document(task.current_stage),
        "stages": [stage_document(stage) for stage in task.stages],
        "scope": scope_document(task.scope),
        "gate": gate_document(task.gate),
        "pending": [pending_document(pending) for pending in task.pending],
        "requests": [request_document(status) for status in task.requests],
        "problems": [problem_document(problem) for problem in task.task.files.problems],
        "findings": [finding_document(finding) for finding in task.findings],
        "log": {
            "integrity": log.integrity.value,
            "entries": len(log.entries),
            "blocks": [safe(block.entry.reason) for block in log.blocks],
        },
        "treeDigest": task.task.changes.tree_digest if task.task.changes is not None else None,
        "assessmentDigest": task.digest,
    }


def entry_document(row: LoggedEntry) -> dict[str, Any]:
    """One log entry, as signed, with what this machine makes of its signature."""
    payload: Mapping[str, Any] = row.entry.model_dump(mode="json", by_alias=True)
    return {**payload, "digest": row.digest, "signer": row.signer, "counted": row.counted}


def safe(text: str) -> str:
    """A text that UTF-8 can hold: bytes that were none become visible escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def _prose_document(prose: Prose) -> dict[str, Any]:
    return {
        "id": prose.prose_id,
        "text": safe(prose.text),
        "digest": prose.digest,
        "outcome": prose.outcome.value,
        "basis": prose.basis.value,
        "reason": safe(prose.reason),
        "stale": prose.stale,
    }
