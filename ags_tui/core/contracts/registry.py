"""All contracts by name and version."""

from collections.abc import Mapping
from types import MappingProxyType

from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.errors import AgentError
from ags_tui.core.contracts.handoff import AgentHandoff
from ags_tui.core.contracts.human import ApprovalRequest, Escalation
from ags_tui.core.contracts.log_entry import LogEntry
from ags_tui.core.contracts.plan import AgentPlan, AgentPlanV01, AgentPlanV2
from ags_tui.core.contracts.report import FinalReport
from ags_tui.core.contracts.results import ImplementationResult, TestResult
from ags_tui.core.contracts.review import ReviewResult
from ags_tui.core.contracts.task import AgentTask
from ags_tui.core.contracts.tool_request import ToolRequest, ToolRequestV2
from ags_tui.core.contracts.workflow import ProviderResult, StageResult, WorkflowReceipt
from ags_tui.core.contracts.workflow_plan import PlanWorkflowRequest, TaskEnvelope, WorkflowPlan

BARE_VERSION = "1.0.0"
"""Version of a document without an envelope."""

_MODELS: tuple[type[Contract], ...] = (
    AgentTask,
    AgentPlanV01,
    AgentPlan,
    AgentPlanV2,
    ToolRequest,
    ToolRequestV2,
    ImplementationResult,
    TestResult,
    ReviewResult,
    FinalReport,
    AgentError,
    AgentHandoff,
    ApprovalRequest,
    Escalation,
    LogEntry,
    TaskEnvelope,
    PlanWorkflowRequest,
    WorkflowPlan,
    ProviderResult,
    StageResult,
    WorkflowReceipt,
)

_OF_A_RUN = frozenset({
    "TaskEnvelope", "PlanWorkflowRequest", "WorkflowPlan", "ProviderResult", "StageResult", "WorkflowReceipt",
})  # fmt: skip
"""Contracts of AGS runs."""


def _by_name() -> Mapping[str, Mapping[str, type[Contract]]]:
    table: dict[str, dict[str, type[Contract]]] = {}
    for model in _MODELS:
        table.setdefault(model.contract_name, {})[model.contract_version] = model
    return MappingProxyType({name: MappingProxyType(found) for name, found in table.items()})


_TABLE = _by_name()

PAYLOADS = tuple(name for name in _TABLE if name not in {"AgentHandoff", "LogEntry", *_OF_A_RUN})
"""Contracts that a handoff may carry: all but handoffs themselves, the log, which only ags-tui writes, and
what belongs to an AGS run, which has its own way from hand to hand."""


def names() -> tuple[str, ...]:
    """Return the names of all contracts, in the order of a task's life."""
    return tuple(_TABLE)


def versions(name: str) -> tuple[str, ...]:
    """Return the versions of a contract, oldest first; empty for an unknown name."""
    return tuple(_TABLE.get(name, ()))


def model_for(name: str, version: str) -> type[Contract] | None:
    """Return the model of a contract in one version, or None where there is none."""
    return _TABLE.get(name, {}).get(version)
