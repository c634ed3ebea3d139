"""What the checks make of a snapshot: findings, stages, scope verdict, gate, and what waits for a human."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ags_tui.core.checks.findings import Basis, Finding, Outcome
from ags_tui.core.decisions import Bound
from ags_tui.core.snapshot import EMPTY, Change, TaskSnapshot

if TYPE_CHECKING:
    from ags_tui.core.checks.workflow import RunRow


class PathClass(StrEnum):
    """What a changed path is to the plan."""

    IN_SCOPE = "in-scope"
    UNPLANNED = "unplanned"
    EXCLUDED = "excluded"
    PREEXISTING_UNTOUCHED = "preexisting-untouched"
    PREEXISTING_OVERLAP = "preexisting-overlap"
    OWNERSHIP_UNKNOWN = "ownership-unknown"


class Verdict(StrEnum):
    """The scope verdict."""

    PASS = "PASS"
    NEEDS_APPROVAL = "NEEDS_APPROVAL"
    BLOCKED = "BLOCKED"
    INCONCLUSIVE = "INCONCLUSIVE"
    NOT_APPLICABLE = "NOT_APPLICABLE"


class StageName(StrEnum):
    """Stages in order."""

    TASK = "task"
    PLAN = "plan"
    POLICY = "policy"
    IMPLEMENT = "implement"
    TOOLS = "tools"
    REVIEW = "review"
    FIX = "fix"
    TEST = "test"
    GATE = "gate"
    REPORT = "report"


class StageState(StrEnum):
    """State of a stage."""

    WAITING = "waiting"
    ACTIVE = "active"
    VALID = "valid"
    INVALID = "invalid"
    VIOLATED = "violated"
    NEEDS_HUMAN = "needs-human"
    BLOCKED = "blocked"
    DONE = "done"
    NOT_APPLICABLE = "not-applicable"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the pipeline."""

    name: StageName
    """Which."""
    state: StageState
    """How it stands."""
    reason: str = ""
    """Why, in a few words."""


@dataclass(frozen=True, slots=True)
class PathVerdict:
    """One changed path and what the plan makes of it."""

    path: str
    """Relative to the work tree."""
    path_class: PathClass
    """The class."""
    why: str
    """The rule or fact behind it, such as ``plan.filesNotToEdit: DesignSystem/**``."""
    change: Change | None
    """The change; None for a preexisting file that is as it was."""
    approved: bool = False
    """An approved edit covers it at exactly this blob."""
    owner: str = ""
    """The other task whose plan names it, where that is why it is nobody's here."""
    proposed: bool = False
    """Nobody approved the plan of that task."""
    named_by: str = ""
    """The other task whose plan names what is excluded here, though nobody approved that plan."""


@dataclass(frozen=True, slots=True)
class ScopeReport:
    """The scope check of one task."""

    verdict: Verdict
    """The verdict."""
    paths: tuple[PathVerdict, ...] = ()
    """Sorted by path."""
    findings: tuple[Finding, ...] = ()
    """What led to it."""
    resolved: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    """Bare names of the plan and the one path each stands for."""
    reason: str = ""
    """One line for the verdict."""


class SharedStep(StrEnum):
    """What a human does about changes of another task in a shared work tree."""

    PLAN = "plan"
    """Approve the other task's plan, or restore."""
    LATER = "later"
    """Nothing yet: it is asked once the rest of the task holds."""
    NOW = "now"
    """Decide the item of the inbox."""
    RESTORE = "restore"
    """Restore: nothing can be approved."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Changes of one other task that hold this one."""

    owner: str
    """The other task."""
    paths: tuple[str, ...]
    """Its changed paths, sorted."""
    step: SharedStep
    """What a human does about them."""
    text: str
    """All of it in words: whose, what to do, what yes means. Foreign text in it."""
    short: str
    """The same in half a line. Foreign text in it."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One rung of the gate."""

    number: int
    """1-12 of ``formats.md`` §5."""
    name: str
    """Short name: ``contracts``, ``order``, ``plan``, ``scope``, ``requests``, ``review``, ``tests``,
    ``evidence``, ``workflow``, ``block``, ``log``, ``report``."""
    outcome: Outcome
    """How it stands."""
    basis: Basis
    """What that rests on."""
    reason: str
    """Why, in a short sentence."""
    findings: tuple[Finding, ...] = ()
    """The findings behind it."""
    shared: tuple[Shared, ...] = ()
    """Of the scope: changes of other tasks that hold this one."""
    for_human: bool = False
    """An item of the inbox settles it, whoever else could."""


@dataclass(frozen=True, slots=True)
class Prose:
    """A sentence of the task that no rule can read: computed from facts, or attested by a human."""

    prose_id: str
    """``task#requiredEvidence/2`` or ``task#expectedBehavior/0``."""
    text: str
    """The sentence."""
    digest: str
    """Digest of the sentence's UTF-8 bytes."""
    outcome: Outcome
    """passed (computed or attested), failed (computed otherwise), unknown (nobody attested)."""
    basis: Basis
    """observed, or human."""
    reason: str
    """How it was computed, or who attested."""
    stale: bool = False
    """Attested for another tree."""


@dataclass(frozen=True, slots=True)
class GateReport:
    """The gate of one task."""

    outcome: Outcome
    """passed only where every condition is passed or not applicable."""
    conditions: tuple[Condition, ...]
    """All, in order."""
    headline: str = ""
    """Code of the first finding of the first open condition."""
    prose: tuple[Prose, ...] = ()
    """Sentences to attest."""
    not_checked: str = "whether the requirement itself is right"
    """What no check here covers."""

    @property
    def open_conditions(self) -> tuple[Condition, ...]:
        """Conditions that hold the task: failed or unknown."""
        return tuple(c for c in self.conditions if c.outcome in (Outcome.FAILED, Outcome.UNKNOWN))


class PendingKind(StrEnum):
    """What waits for a human."""

    TOOL_REQUEST = "tool-request"
    PLAN = "plan"
    EDIT = "edit"
    SPEC = "spec"
    ESCALATION = "escalation"
    FINALIZATION = "finalization"
    BASELINE = "baseline"


def folder_of(kind: PendingKind) -> str:
    """Folder in which the request files of a kind lie."""
    if kind is PendingKind.TOOL_REQUEST:
        return "tool-requests"
    return "escalations" if kind is PendingKind.ESCALATION else "approval-requests"


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to choose."""

    id: str
    """Id; the answer names it."""
    label: str
    """What it says. Foreign text."""
    consequence: str
    """What happens then. Foreign text."""


@dataclass(frozen=True, slots=True)
class Pending:
    """One item of the inbox: a request that waits for a human."""

    kind: PendingKind
    """What is asked."""
    task_id: str
    """Of which task."""
    item_id: str
    """Id of the request in its task (``tool-014``; ``plan``, ``task``, ``finalize``, ``baseline`` and so on
    where a check made it)."""
    digest: str
    """Digest of the exact bytes that a decision would be bound to."""
    artifact: str
    """File that holds it, relative to the task folder; empty where a check made it."""
    title: str
    """One line: tool and subject, or the question. Foreign text."""
    reason: str
    """Why it is asked. Foreign text."""
    asked_by: str
    """Agent or role; ``ags-tui`` for what a check asks."""
    risk: str
    """Highest of claimed, policy, task and path class: low, medium, high or critical."""
    claimed_risk: str
    """Risk as the agent claims it."""
    first_seen: datetime
    """First observation by this program (the snapshot's time while not yet recorded)."""
    expires_at: datetime | None
    """When it expires."""
    bound: Bound
    """What an approval will be bound to."""
    path: str | None = None
    """Work-tree path it touches, where known."""
    path_class: PathClass | None = None
    """Class of that path under the plan."""
    command: str | None = None
    """Command it runs, where known."""
    malformed: str = ""
    """Why it can only be denied (empty command, unreadable); empty where it may be approved."""
    warnings: tuple[str, ...] = ()
    """What the human should know (invisible characters, outside the plan, widens the plan …)."""
    options: tuple[Choice, ...] = ()
    """Answers to choose, for an escalation: of its file, or of the check that made it."""
    allow_free_text: bool = False
    """Whether an escalation may be answered by free text."""
    facts: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    """What a decision on it records in its ``data`` beside its own: ``path``, ``effectiveDigest`` and
    ``effectiveBlob`` of an edit, ``resolved`` bare names of a plan, ``hiding`` rules to accept."""
    news: str = ""
    """Of a plan or task: ``first``, ``changed`` (another one was there, nothing is looser), ``loosened``."""
    loosened: tuple[str, ...] = ()
    """What it allows more or demands less than the version in force."""
    asked_again: tuple[str, ...] = ()
    """What changed since it was approved, so that it is asked again: ``policy``, ``plan``, paths."""
    judged: bool = False
    """Whether ``claimed_risk`` is what the hook of a client judged: a client claims none."""

    @property
    def place(self) -> str:
        """Folder of the file that asks, empty where a check asks: an id is unique only within one."""
        folder = folder_of(self.kind)
        return folder if self.artifact == f"{folder}/{self.item_id}.json" else ""


class RequestState(StrEnum):
    """Where a request stands."""

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    ANSWERED = "answered"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    CONSUMED = "consumed"
    CHANGED = "changed"
    DISMISSED = "dismissed"
    NOT_NEEDED = "not-needed"


@dataclass(frozen=True, slots=True)
class RequestStatus:
    """One request of a task and where it stands."""

    item_id: str
    """Its id."""
    kind: PendingKind
    """What it is."""
    state: RequestState
    """Where it stands."""
    digest: str
    """Digest of its bytes now."""
    reason: str = ""
    """Why (words of the decision, what changed)."""
    decided_at: datetime | None = None
    """When it was decided."""
    sequence: int | None = None
    """Log entry behind it."""

    @property
    def place(self) -> str:
        """Folder of its file, as :attr:`Pending.place`."""
        return folder_of(self.kind)


@dataclass(frozen=True, slots=True, eq=False)
class TaskAssessment:
    """All findings of one task, with stages, scope verdict, gate and what waits."""

    task: TaskSnapshot
    """What was assessed."""
    title: str
    """Title of the task, or its id. Foreign text."""
    stages: tuple[Stage, ...]
    """All ten, in order."""
    scope: ScopeReport
    """Scope check."""
    gate: GateReport
    """Gate."""
    findings: tuple[Finding, ...]
    """All findings, without duplicates, in the order of the checks."""
    pending: tuple[Pending, ...]
    """What waits for a human, most urgent first."""
    requests: tuple[RequestStatus, ...]
    """Every request with its state, by id."""
    digest: str
    """Digest over outcomes, findings and tree digest: what a finalization is bound to."""
    risk: str = "low"
    """Highest risk of task and plan."""
    runs: "tuple[RunRow, ...]" = ()
    """AGS runs, oldest first."""

    @property
    def task_id(self) -> str:
        """Name of the task folder."""
        return self.task.task_id

    @property
    def current_stage(self) -> Stage:
        """The first stage that is not settled, or the last that applies."""
        settled = (StageState.VALID, StageState.DONE, StageState.NOT_APPLICABLE)
        applying = [s for s in self.stages if s.state is not StageState.NOT_APPLICABLE] or self.stages
        return next((s for s in self.stages if s.state not in settled), applying[-1])


@dataclass(frozen=True, slots=True, eq=False)
class Assessment:
    """The assessment of a whole snapshot."""

    tasks: tuple[TaskAssessment, ...]
    """By task id."""
    pending: tuple[Pending, ...]
    """Over all tasks: by risk, then age (oldest first)."""
    findings: tuple[Finding, ...] = ()
    """Of the root and the repository."""
