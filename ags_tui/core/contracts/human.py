"""ApprovalRequest and Escalation 1.0.0: what waits for a human beside tool requests."""

from typing import ClassVar, Literal

from ags_tui.core.contracts.base import Absent, Contract, Digest, FullRisk, Id, Text, Timestamp
from ags_tui.core.contracts.errors import NextAction


class ApprovalSubject(Contract):
    """What is to be approved."""

    kind: Literal["plan", "edit", "spec", "finalize"]
    """Sort of thing."""
    path: Absent[str] = None
    """File it is about."""
    digest: Digest
    """Digest of the exact bytes."""


class ApprovalRequest(Contract):
    """A request to approve a plan, an edit, a spec or the end of a task."""

    contract_name: ClassVar[str] = "ApprovalRequest"

    approval_id: Id
    """Id, also the name of its file."""
    task_id: Text
    """Task it belongs to."""
    subject: ApprovalSubject
    """What is to be approved."""
    reason: str
    """Why it is asked."""
    risk_level: FullRisk
    """Risk as the asker claims it."""
    requested_by: Text
    """Who asks."""
    created_at: Timestamp
    """When, by the asker's clock."""
    expires_at: Absent[Timestamp] = None
    """When the asker stops waiting."""


class EscalationSource(Contract):
    """Where an escalation comes from."""

    system: Literal["contract", "workflow", "debate", "agent"]
    """Which of the systems."""
    ref: str
    """What in it: a file, a stage, a round."""


class EscalationOption(Contract):
    """One answer to choose."""

    id: Id
    """Id; the answer names it."""
    label: Text
    """What it says."""
    consequence: str
    """What happens then."""


class Evidence(Contract):
    """Something that can be looked at."""

    kind: Literal["code", "test", "document", "execution"]
    """Sort of thing."""
    ref: Text
    """Path, command or address."""
    exit_code: Absent[int] = None
    """Exit code, for an execution."""
    digest: Absent[Digest] = None
    """Digest of its bytes."""


class Escalation(Contract):
    """A question that only a human may answer."""

    contract_name: ClassVar[str] = "Escalation"

    escalation_id: Id
    """Id, also the name of its file."""
    task_id: Text
    """Task it belongs to."""
    source: EscalationSource
    """Where it comes from."""
    question: Text
    """What is asked."""
    options: tuple[EscalationOption, ...]
    """Answers to choose; may be empty where free text is allowed."""
    allow_free_text: bool
    """Whether the answer may be free text."""
    risk_level: FullRisk
    """Risk of a wrong answer."""
    evidence: tuple[Evidence, ...]
    """What to look at."""
    next_actions: tuple[NextAction, ...]
    """What may follow."""
    created_at: Timestamp
    """When, by the asker's clock."""
    expires_at: Absent[Timestamp] = None
    """When the asker stops waiting."""
