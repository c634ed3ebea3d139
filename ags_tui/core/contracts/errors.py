"""AgentError 1.0.0: a failure that says who goes on (article §26)."""

from typing import ClassVar, Literal

from ags_tui.core.contracts.base import Absent, Contract

NextAction = Literal["retry", "human", "planner", "stop"]
"""Who or what goes on after a failure."""


class AgentError(Contract):
    """A failure of an agent, routed by ``nextAction``."""

    contract_name: ClassVar[str] = "AgentError"

    code: Literal[
        "INVALID_CONTRACT", "POLICY_VIOLATION", "TOOL_DENIED", "ENVIRONMENT_FAILURE", "MODEL_FAILURE"
    ]  # fmt: skip
    """Sort of failure."""
    message: str
    """What happened."""
    retryable: bool
    """Whether trying again can help."""
    failed_field: Absent[str] = None
    """Field of the contract that failed."""
    artifact: Absent[str] = None
    """File it is about."""
    next_action: NextAction
    """Who goes on."""
