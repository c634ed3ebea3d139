"""Makers for workflow tests: a store in its own folder, the providers of AGS's own tests, results."""

import copy
import json
from pathlib import Path
from typing import Any

from ags_tui.core.contracts.workflow import WorkflowReceipt
from ags_tui.core.contracts.workflow_plan import ExecutionContext, PlannedStage, WorkflowPlan
from ags_tui.core.digests import digest
from ags_tui.core.workflow.documents import data_of
from ags_tui.core.workflow.failures import WorkflowRefused
from ags_tui.io.places import Places
from ags_tui.io.workflow_store import Stored, WorkflowStore

TREE = digest(b"the tree")
ACTORS = [f"{n}{n}{n}{n}{n}{n}{n}{n}-1111-4111-8111-111111111111" for n in range(1, 10)]
CLOSED: dict[str, Any] = {"type": "object", "additionalProperties": False}
DRAFT_SCHEMA: dict[str, Any] = {**CLOSED, "required": ["text"], "properties": {"text": {"type": "string"}}}
POLICY_SCHEMA: dict[str, Any] = {
    **CLOSED,
    "required": [],
    "properties": {
        "actorId": {"type": "string"},
        "actorIds": {"type": "array", "items": {"type": "string"}},
        "warning": {"enum": ["slow-but-fine", "none"]},
        "observedAt": {"type": "string"},
        "label": {"type": "string"},
    },
}
RECORD: dict[str, Any] = json.loads((Path(__file__).parent / "decision-record.json").read_bytes())

HEAD = "version = 1\n"
BLOCK = """
[[provider]]
key = "{key}"
skill = "{skill}"
phase = "{phase}"
capabilities = {capabilities}
phase_order = {order}
priority = {priority}
execution_class = "{cls}"
output_schema = "{schema}"
requires = {requires}
bindings = [{bindings}]
produces = {produces}
gate = {{ kind = "{kind}", policy = "{policy}"{validator} }}
{receipt}
[provider.state_mapping]
{mapping}
adapter_errors = ["INVALID_INPUT", "MISSING_EVIDENCE"]
"""
ANY = 'default = { state = "passed", error_required = false }'
AUDIT_MAPPING = """selector = "/output/gateVerdict"
default = "reject"
values.PASS = { state = "passed", error_required = false }
values.FAIL = { state = "failed", error_required = true, allowed_error_codes = ["GATE_FAILED"] }"""
VERDICTS = """selector = "/output/text"
default = "reject"
values.fine = { state = "passed", error_required = false }
values.ask = { state = "needs-approval", error_required = false }
values.bad = { state = "failed", error_required = true }"""
DRAFT_PATH = ".ai/contracts/Draft/1.0.0.schema.json"
POLICY_PATH = ".ai/contracts/Policy/1.0.0.schema.json"


def provider(key: str, capabilities: list[str], order: int, **more: Any) -> str:
    values: dict[str, Any] = {
        "key": key, "skill": key, "phase": key, "capabilities": capabilities, "order": order, "priority": 9,
        "cls": "workflow", "schema": DRAFT_PATH, "requires": [], "bindings": "", "produces": [],
        "kind": "none", "policy": "none", "validator": "", "receipt": "", "mapping": ANY, **more,
    }  # fmt: skip
    return BLOCK.format(**values)


DELIBERATION = {
    "schema": "providers/schemas/deliberation.schema.json",
    "produces": ["decision-record"],
    "validator": ', validator_schema = "providers/schemas/decision-record.schema.json"',
}
AUDIT = {
    "schema": "providers/schemas/independent-audit.schema.json", "produces": ["audit-report"],
    "policy": "mandatory", "kind": "completion", "mapping": AUDIT_MAPPING,
}  # fmt: skip
SUITE = [
    provider("coordination", ["subagent-coordination"], 35),
    provider("deliberation", ["independent-deliberation"], 40, **DELIBERATION),
    provider("drafting", ["draft", "outline"], 50, produces=["draft"], mapping=VERDICTS),
    provider("auditing", ["independent-audit"], 90, **AUDIT),
    provider("bootstrap", ["boot"], 1, cls="bootstrap"),
    provider("repair", ["repair"], 20, cls="recovery"),
]
BASE = ["subagent-coordination", "independent-deliberation", "draft"]


def policy_provider(number: int, receipt: str, **more: Any) -> str:
    return provider(
        f"step-{number}", [f"cap-{number}"], number * 10, schema=POLICY_PATH, produces=[f"made-{number}"],
        receipt=f"[provider.receipt_policy]\nmode = 'reference-only'\n{receipt}\n", **more,
    )  # fmt: skip


ONE_ACTOR = "actor_id_pointer = '/actorId'\nuniqueness = 'run'"
ALL_ACTORS = "actor_ids_pointer = '/actorIds'\nactor_ids_match = 'prior-policy-actors'"
BRIEF = '{ target_artifact = "brief", sources = ["brief"], operation = "require-external" }'
POLICY = [
    policy_provider(1, ONE_ACTOR, requires=["brief"], bindings=BRIEF),
    policy_provider(2, ONE_ACTOR, requires=["made-1"]),
    policy_provider(3, ONE_ACTOR, requires=["made-2"]),
    policy_provider(4, ALL_ACTORS, requires=["made-3"]),
]


def envelope(**fields: Any) -> dict[str, Any]:
    value: dict[str, Any] = {
        "schemaVersion": "1.0.0", "taskId": "task-001", "objective": "Write it.",
        "scope": {"included": ["src"], "excluded": []}, "acceptanceCriteria": ["It is written."],
        "riskLevel": "high", "workUnits": [], "requiredCapabilities": list(BASE), "constraints": [],
        "authorization": {"allowedActions": [], "prohibitedActions": [], "approvalRequired": []},
        "decision": {"complexity": "complex", "hasConflicts": True},
        "orchestration": {"requested": True, "mcpAvailable": True},
    }  # fmt: skip
    return {**value, **fields}


def context(**fields: Any) -> ExecutionContext:
    values: dict[str, Any] = {
        "schema_version": "1.0.0", "model": "m-1", "model_class": "deep", "reasoning_effort": "high",
        "source": "runtime", "observed_at": "2026-07-21T09:00:00Z",
    }  # fmt: skip
    return ExecutionContext(**{**values, **fields})


class Workshop:
    """A store on real folders, with providers to choose."""

    def __init__(self, folder: Path, providers: list[str] | None = None, *, name: str = "state") -> None:
        self.root = folder / ".ai"
        self.places = Places(folder / name, folder / f"{name}-config")
        self.lay(SUITE if providers is None else providers)

    def lay(self, providers: list[str]) -> None:
        """Schemas, providers and a store in the two folders."""
        self.store = WorkflowStore(self.root, self.places)
        for path, schema in ((DRAFT_PATH, DRAFT_SCHEMA), (POLICY_PATH, POLICY_SCHEMA)):
            file = self.root / path.removeprefix(".ai/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(schema), encoding="utf-8")
        self.provide(providers)

    def provide(self, providers: list[str]) -> None:
        self.places.config_folder()
        (self.places.config / "providers.toml").write_text(HEAD + "".join(providers), encoding="utf-8")

    def again(self) -> "Workshop":
        """The same folders after a restart."""
        self.store = WorkflowStore(self.root, self.places)
        return self

    def plan(self, execution: ExecutionContext | None = None, **fields: Any) -> WorkflowPlan:
        return self.store.plan(envelope(**fields), execution)

    def start(self, **fields: Any) -> WorkflowReceipt:
        return self.store.start(data_of(self.plan(**fields))).receipt

    def record(self, receipt: WorkflowReceipt, stage: PlannedStage | int, **fields: Any) -> WorkflowReceipt:
        return self.store.record(result(receipt, stage, **fields)).receipt

    def all_passed(self, receipt: WorkflowReceipt, **first: Any) -> WorkflowReceipt:
        """Record every stage that is left as passed; ``first`` goes into the next one."""
        for stage in receipt.plan.stages:
            if stage.state == "ready":
                receipt = self.record(receipt, stage, **first)
                first = {}
        return receipt

    def finalize(self, receipt: WorkflowReceipt) -> WorkflowReceipt:
        return self.store.finalize(receipt.run_id, receipt.revision).receipt

    def status(self, receipt: WorkflowReceipt) -> Stored:
        return self.store.status(receipt.run_id)


def artifact(name: str, **fields: Any) -> dict[str, Any]:
    value = {
        "artifactId": name, "schemaId": f"schema:{name}-1.0.0", "locator": f"artifact:{name}-0001",
        "digest": digest(name.encode()), "targetDigest": TREE, "verified": True,
    }  # fmt: skip
    return {**value, **fields}


def evidence(name: str, **fields: Any) -> dict[str, Any]:
    value = {
        "artifactId": name,
        "kind": "file",
        "locator": f"artifact:{name}-0001",
        "verified": True,
        "note": "",
    }
    return {**value, **fields}


def audit_output(**fields: Any) -> dict[str, Any]:
    value = {
        "gateVerdict": "PASS", "auditorId": "auditor", "implementationActorIds": ["worker"],
        "auditTarget": TREE, "currentTarget": TREE, "freshContext": True, "delegationAllowed": False,
        "blockingFindings": [],
        "stale": False, "phase": "post-execution", "postExecutionVerified": True,
    }  # fmt: skip
    return {**value, **fields}


def output_of(stage: PlannedStage) -> dict[str, Any]:
    """The output that a stage passes with."""
    if stage.risk_gate == "mandatory":
        return audit_output()
    if "decision-record" in stage.required_artifacts:
        return {"decisionRecord": copy.deepcopy(RECORD)}
    if stage.receipt_policy is not None:
        if stage.receipt_policy.actor_ids_pointer:
            return {"actorIds": ACTORS[: stage.order - 1]}
        return {"actorId": ACTORS[stage.order - 1]}
    return {"text": "fine"}


def error(code: str = "GATE_FAILED", message: str = "It is not good.") -> dict[str, Any]:
    return {"code": code, "message": message, "details": None}


def result(receipt: WorkflowReceipt, stage: PlannedStage | int, **fields: Any) -> dict[str, Any]:
    """A stage result that passes; ``out`` replaces the output, ``made`` the artifacts, others the fields."""
    if isinstance(stage, int):
        stage = receipt.plan.stages[stage]
    names = list(stage.required_artifacts)
    shown = names or ["completion-proof"]
    if stage.receipt_policy is not None and stage.order == 1:
        shown = [*shown, "brief"]
    provided = {
        "schemaVersion": "1.0.0", "kind": "output", "output": fields.pop("out", None) or output_of(stage),
        "artifacts": fields.pop("made", [artifact(name) for name in names]), "error": None,
    }  # fmt: skip
    provided |= fields.pop("provided", {})
    value: dict[str, Any] = {
        "schemaVersion": "1.0.0", "runId": receipt.run_id, "stageId": stage.stage_id,
        "expectedRevision": receipt.revision, "state": "passed", "output": provided,
        "evidence": [evidence(name) for name in shown], "findings": [], "blockers": [], "error": None,
    }  # fmt: skip
    return {**value, **fields}


def failing(receipt: WorkflowReceipt, stage: int, out: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A stage result that failed, with its error in both places."""
    return result(
        receipt, stage, out=out, state="failed", error=error(), provided={"error": error()}, made=[],
        evidence=[], **fields,
    )  # fmt: skip


def refusal(call: Any, *arguments: Any) -> WorkflowRefused:
    """What a call refuses with; it must."""
    try:
        call(*arguments)
    except WorkflowRefused as refused:
        return refused
    raise AssertionError("it was taken")
