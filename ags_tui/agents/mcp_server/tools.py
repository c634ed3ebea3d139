"""The tools by name: what each is for, what it takes, and what does it."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, get_args

from ags_tui.agents.mcp_server.answers import Data
from ags_tui.agents.mcp_server.asking import Steps, escalate, get_approval, get_escalation, request_approval
from ags_tui.agents.mcp_server.desk import Desk
from ags_tui.agents.mcp_server.inputs import (
    ApprovalInput,
    ChangeInput,
    EscalationInput,
    GateInput,
    Mode,
    PollInput,
    StatusInput,
    ValidateInput,
)
from ags_tui.agents.mcp_server.looking import gate_status, validate_contract
from ags_tui.agents.mcp_server.runs import (
    MODE,
    abort_workflow,
    finalize_workflow,
    get_workflow_status,
    plan_workflow,
    record_stage_result,
    start_workflow,
)
from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.schemas import Schema, schema_of
from ags_tui.core.contracts.workflow import StageResult
from ags_tui.core.contracts.workflow_plan import PlanWorkflowRequest, TaskEnvelope, WorkflowPlan

INSTRUCTIONS = (
    "ags-tui supervises agent work. No tool approves anything: a human decides in ags-tui. Before a risky "
    "call use request_approval, for a question escalate; while state is pending, ask again with the tool "
    "that poll names. A run goes plan_workflow, start_workflow, record_stage_result for each stage in order, "
    "finalize_workflow; each change names the revision that you saw, and STALE_REVISION means: read it again "
    "with get_workflow_status. gate_status says whether a task is done."
)
"""What a client tells its model about this server."""

_MODE: Schema = {"enum": list(get_args(Mode)), "description": "compact: counts and pointers; full (default)."}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool."""

    name: str
    """Its name."""
    description: str
    """What it is for, in words for a model."""
    takes: Callable[[], Schema]
    """Makes the JSON Schema of its arguments."""
    steps: Callable[[Desk, Data], Steps]
    """Does it, step by step."""
    reads_only: bool = False
    """Whether it changes nothing."""


def _at_once(call: Callable[[Desk, Data], Data]) -> Callable[[Desk, Data], Steps]:
    """A tool that waits for nothing."""

    def steps(desk: Desk, arguments: Data) -> Generator[float, None, Data]:
        yield from ()
        return call(desk, arguments)

    return steps


def _plain(model: type[Contract]) -> Callable[[], Schema]:
    return lambda: schema_of(model)


def _moded(model: type[Contract], *, without: str = "") -> Callable[[], Schema]:
    """The schema of a contract with ``responseMode`` beside its fields."""

    def make() -> Schema:
        made = schema_of(model)
        fields = {name: field for name, field in made["properties"].items() if name != without}
        return {**made, "properties": {**fields, MODE: _MODE}}

    return make


def _task_to_plan() -> Schema:
    """A task, bare or with the purpose of its evaluation audit."""
    wrapped, bare = schema_of(PlanWorkflowRequest), schema_of(TaskEnvelope)
    definitions: dict[str, Any] = wrapped["$defs"]
    properties = {**bare["properties"], **wrapped["properties"]}
    one_of = [{"required": wrapped["required"]}, {"required": bare["required"]}]
    return {**bare, "properties": properties, "required": ["schemaVersion"], "anyOf": one_of} | {
        "$defs": definitions
    }


_TOOLS = (
    Tool(
        "plan_workflow",
        "Plan a task: its capabilities become stages in order, signed. Nothing is stored. Takes a "
        "TaskEnvelope, or {schemaVersion, taskEnvelope, evaluationAuditPurpose}. taskId names the task's "
        "folder.",
        _task_to_plan,
        _at_once(plan_workflow),
        reads_only=True,
    ),
    Tool(
        "start_workflow",
        "Start a run of an orchestrated plan exactly as plan_workflow gave it. Answers with its receipt.",
        _moded(WorkflowPlan),
        _at_once(start_workflow),
    ),
    Tool(
        "record_stage_result",
        "Record the result of the stage whose turn it is, once. Every artifact that the stage requires must "
        "be among output.artifacts, and every piece of evidence verified.",
        _moded(StageResult, without="executionContext"),
        _at_once(record_stage_result),
    ),
    Tool(
        "get_workflow_status",
        "Where a run stands: its receipt with the revision that the next change must name.",
        _plain(StatusInput),
        _at_once(get_workflow_status),
        reads_only=True,
    ),
    Tool(
        "finalize_workflow",
        "Finalize a run of which every stage has passed. Refused while a human blocks the task, or where the "
        "audit was of another tree than today's.",
        _plain(ChangeInput),
        _at_once(finalize_workflow),
    ),
    Tool(
        "abort_workflow",
        "Give a run up; it can never be finalized then.",
        _plain(ChangeInput),
        _at_once(abort_workflow),
    ),
    Tool(
        "validate_contract",
        "Check contract documents before they count: form, fields, versions and ids.",
        _plain(ValidateInput),
        _at_once(validate_contract),
        reads_only=True,
    ),
    Tool(
        "request_approval",
        "Ask a human for a tool call before it is made, and wait. approved: do exactly what effective says, "
        "once. pending: ask again with poll. Anything else: do not do it.",
        _plain(ApprovalInput),
        request_approval,
    ),
    Tool(
        "get_approval",
        "Wait on for the decision on a request that is pending, and take it; it can be taken once.",
        _plain(PollInput),
        get_approval,
    ),
    Tool(
        "escalate",
        "Ask a human a question that you must not answer yourself, and wait. answered: effective holds the "
        "chosen option or the text. pending: ask again with poll.",
        _plain(EscalationInput),
        escalate,
    ),
    Tool(
        "get_escalation",
        "Wait on for the answer to a question that is pending, and take it; it can be taken once.",
        _plain(PollInput),
        get_escalation,
    ),
    Tool(
        "gate_status",
        "Whether tasks are done: all conditions for finalization with their reasons, as ags-tui gate says.",
        _plain(GateInput),
        _at_once(gate_status),
    ),
)

TOOLS: Mapping[str, Tool] = MappingProxyType({tool.name: tool for tool in _TOOLS})
"""All tools, in the order in which a run uses them."""
