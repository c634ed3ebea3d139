"""What the tools take, where it is no contract of AGS. Each is strict: unknown fields are refused."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from ags_tui.core.contracts.base import Absent, Contract, FileDigest, FullRisk, Id, Text
from ags_tui.core.contracts.errors import NextAction
from ags_tui.core.contracts.human import Evidence
from ags_tui.core.contracts.tool_request import Tool

Mode = Literal["compact", "full"]
"""How much is answered."""

LONGEST_WAIT_S = 240
"""Most seconds that a caller may name; clients give up later than that."""
PATIENCE_S = 50
"""Seconds that are waited where the caller names none: less than the shortest limit of a client."""

Wait = Annotated[float, Field(ge=0, le=LONGEST_WAIT_S)]
Seconds = Annotated[int, Field(ge=1)]
RequestName = Annotated[str, StringConstraints(pattern=r"^[^/]+/[A-Za-z0-9][A-Za-z0-9._-]{0,159}$")]
Folder = Annotated[str, StringConstraints(min_length=1, max_length=4096)]


class StatusInput(Contract):
    """Which run."""

    run_id: Text
    """Id of the run, as start_workflow gave it."""
    detail: Mode = "full"
    """compact: counts and pointers; full: the whole receipt."""


class ChangeInput(Contract):
    """Which run, and the revision that the caller saw."""

    run_id: Text
    """Id of the run."""
    expected_revision: Any
    """Revision of the receipt that the caller saw, a whole number; any other value is stale."""
    response_mode: Mode = "full"
    """compact: counts and pointers; full: the whole receipt."""


class ValidateInput(Contract):
    """A document, or files; nothing for all task folders."""

    document: Any = None
    """A contract document, bare or in its envelope; leave out to check files."""
    contract: Absent[Text] = None
    """Name of the contract, such as AgentPlan; needed for a document without an envelope."""
    paths: Absent[tuple[Folder, ...]] = None
    """Files or folders, from the top of the work tree; leave out for all task folders."""


class ProposedEdit(Contract):
    """An edit before it happens."""

    path: Text
    """File, from the top of the work tree."""
    before: Absent[FileDigest] = None
    """Digest of the file's bytes now, or absent; default: hashed by the server."""
    after: str | None
    """The whole text afterwards; null where the file is deleted."""


class ApprovalInput(Contract):
    """A tool call that a human must approve first."""

    task_id: Text
    """Task it belongs to."""
    tool: Tool
    """Which tool."""
    reason: Text
    """Why, in one or two sentences for the human."""
    risk_level: FullRisk
    """Risk as you see it."""
    target_path: Absent[Text] = None
    """File it touches, from the top of the work tree."""
    command: Absent[Text] = None
    """Command line it runs."""
    input: dict[str, Any] = Field(default_factory=dict[str, Any])
    """The raw input of the tool, all of it."""
    proposed_change: Absent[ProposedEdit] = None
    """The edit, where the call is one: the human sees it as a diff."""
    requires_approval: bool = True
    """Whether you think that a human must approve."""
    agent: Text = "agent"
    """Who asks."""
    session_id: str = ""
    """Session of the agent's client."""
    request_id: Absent[Id] = None
    """Id of the request; default: a new one."""
    expires_seconds: Absent[Seconds] = None
    """Give up after; policy can be shorter."""
    wait_seconds: Wait = PATIENCE_S
    """Wait this long for the decision; 0 files the request and returns."""


class Choice(Contract):
    """One answer to choose."""

    id: Id
    """Id; the answer names it."""
    label: Text
    """What it says."""
    consequence: str = ""
    """What happens then."""


class EscalationInput(Contract):
    """A question that only a human may answer."""

    task_id: Text
    """Task it belongs to."""
    question: Text
    """What is asked."""
    options: tuple[Choice, ...] = ()
    """Answers to choose; may be empty where free text is allowed."""
    allow_free_text: bool = False
    """Whether the answer may be free text."""
    risk_level: FullRisk = "medium"
    """Risk of a wrong answer."""
    evidence: tuple[Evidence, ...] = ()
    """What to look at."""
    next_actions: tuple[NextAction, ...] = ("human",)
    """What may follow."""
    agent: Text = "agent"
    """Who asks."""
    escalation_id: Absent[Id] = None
    """Id of the question; default: a new one."""
    expires_seconds: Absent[Seconds] = None
    """Give up after; default: never."""
    wait_seconds: Wait = PATIENCE_S
    """Wait this long for the answer; 0 files the question and returns."""


class PollInput(Contract):
    """A decision that is waited for."""

    id: RequestName
    """TASK/ID, as it was given when it was filed."""
    claim: Text
    """The claim token that was given with it."""
    wait_seconds: Wait = PATIENCE_S
    """Wait this long; 0 looks once."""


class GateInput(Contract):
    """Which tasks."""

    task_ids: tuple[Text, ...] = ()
    """Tasks; empty for all open ones."""
    finalized: bool = False
    """Whether a valid finalization of exactly this tree is asked for."""
    detail: Mode = "full"
    """compact: outcomes and what is open; full: what ags-tui gate --json prints."""
