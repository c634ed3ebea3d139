"""Everything read at one instant, frozen.

Snapshots are compared by identity (``eq=False``): the reader keeps an unchanged part as the same object, so
that a check or a widget sees with one ``is`` that nothing changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from ags_tui.core.contracts.base import Contract
    from ags_tui.core.log_state import LogState

EMPTY: Mapping[str, Any] = MappingProxyType({})
"""The empty read-only mapping."""


@dataclass(frozen=True, slots=True)
class LoadProblem:
    """Why a file could not be read as what it should be; the rest of the folder is still shown."""

    code: str
    """``INVALID_JSON``, ``INVALID_CONTRACT``, ``UNKNOWN_VERSION``, ``ID_MISMATCH``, ``BEING_WRITTEN`` …"""
    message: str
    """What is wrong, in one sentence; raw text, made inert by ``view.text``."""
    artifact: str
    """Path relative to the task folder (or to the root for problems of the root)."""
    line: int | None = None
    """Line, counted from 1, where known."""
    field: str = ""
    """Field path such as ``steps.0.action``; empty where the whole file is meant."""
    next_step: str = ""
    """What the reader can do about it."""
    digest: str | None = None
    """Digest of the bytes that were refused, where they could be read."""
    fields: tuple[tuple[str, str], ...] = ()
    """All failing fields as ``(field, message)``, for the feedback of a retry."""


@dataclass(frozen=True, slots=True, eq=False)
class Artifact:
    """A file on disk that holds a valid contract."""

    path: str
    """Relative to the task folder, ``/``-separated."""
    digest: str
    """``sha256:`` and hex of the raw bytes."""
    raw: bytes
    """The exact bytes."""
    modified_at: float
    """Modification time in seconds since the epoch."""
    contract: str
    """Registry name, such as ``AgentPlan``."""
    version: str
    """Version as written in the file (bare files are 1.0.0)."""
    document: "Contract"
    """The validated model (an old version already migrated)."""
    notes: tuple[str, ...] = ()
    """What reading noticed: a BOM, what a migration filled in."""


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """A file that a result names as evidence and that exists."""

    path: str
    """Path as the result names it."""
    location: Literal["task", "work-tree"]
    """Where it was found: the task folder first, then the work tree."""
    size: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class Consumption:
    """The unsigned claim of a waiter that took an approval."""

    request_id: str
    """Which request."""
    digest: str
    """Digest of the request that it takes."""
    claim: str
    """Hash of the waiter's token, ``sha256:`` and hex."""
    taken_at: datetime
    """When, by the waiter's clock."""


@dataclass(frozen=True, slots=True, eq=False)
class TaskFiles:
    """One task folder, read."""

    task_id: str
    """Name of the folder."""
    folder: str
    """Absolute path of the folder."""
    artifacts: Mapping[str, Artifact] = field(default_factory=lambda: EMPTY)
    """Valid contracts by relative path."""
    problems: tuple[LoadProblem, ...] = ()
    """Files that could not be read, unknown names, collisions."""
    being_written: tuple[str, ...] = ()
    """Relative paths that look half-written and are younger than the patience of the reader."""
    evidence: Mapping[str, EvidenceFile] = field(default_factory=lambda: EMPTY)
    """Evidence named by results that exists, by the name in the result."""
    consumptions: Mapping[str, Consumption] = field(default_factory=lambda: EMPTY)
    """Claims by request id."""
    report_markdown: str | None = None
    """Digest of ``final-report.md``, None where it does not exist."""
    unknown_names: tuple[str, ...] = ()
    """Files in the folder that ``formats.md`` §1 does not know; they count for scope."""
    workflow: Mapping[str, Artifact] = field(default_factory=lambda: EMPTY)
    """Plans, stage results and last receipts of AGS runs by relative path."""
    receipts: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    """Digests of all receipt files of AGS runs by relative path."""
    workflow_problems: tuple[LoadProblem, ...] = ()
    """Files of AGS runs that could not be read."""


class TreeEntry(NamedTuple):
    """What a path holds in a tree: git mode and object id."""

    mode: str
    """``100644``, ``100755``, ``120000`` (link) or ``160000`` (submodule)."""
    blob: str
    """Object id in hex."""


@dataclass(frozen=True, slots=True)
class Change:
    """One path whose content, mode or existence differs from the baseline commit."""

    path: str
    """Relative to the top of the work tree; bytes that are not UTF-8 as surrogate escapes."""
    old: TreeEntry | None
    """At the baseline commit; None where it did not exist."""
    new: TreeEntry | None
    """In the tree that is assessed; None where it is gone."""
    staged: TreeEntry | None = None
    """In the index, where that is neither ``old`` nor ``new``."""
    untracked: bool = False
    """Not in the index."""
    conflict: str = ""
    """Unmerged pair such as ``AA`` or ``UU``; empty where merged."""
    dirty_submodule: bool = False
    """A submodule with changes of its own inside."""
    link_target: str | None = None
    """Where a link points to, as written."""
    link_escapes: bool = False
    """The link (or a parent folder that is one) leads out of the work tree."""
    renamed_from: str | None = None
    """The other end where this path was renamed with equal content."""
    renamed_to: str | None = None
    """The other end where this path was renamed away with equal content."""
    unsettled: str = ""
    """Why the content could not be decided (filters, unreadable); empty where it could."""

    @property
    def operation(self) -> Literal["create", "update", "delete", "rename"]:
        """The operation in the words of ``allowedOperations``."""
        if self.renamed_from is not None or self.renamed_to is not None:
            return "rename"
        if self.old is None:
            return "create"
        return "delete" if self.new is None else "update"


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """All that differs between a baseline commit and a tree."""

    base: str
    """Commit id of the baseline, or the id of the empty tree where HEAD was unborn."""
    target: str
    """``work-tree``, ``index`` or a commit id."""
    entries: tuple[Change, ...] = ()
    """Sorted by path; ``.ai/`` contains only what ``formats.md`` §1 does not know."""
    tree_digest: str = ""
    """Tree digest of ``formats.md`` §3; empty where unknown."""
    unknown: str = ""
    """Why this cannot be relied on; empty where it can. Never read empty ``entries`` without it."""


@dataclass(frozen=True, slots=True, eq=False)
class Repo:
    """The repository as git describes it."""

    top: str
    """Absolute path of the work tree."""
    git_dir: str = ""
    """Absolute path of this work tree's git folder."""
    common_dir: str = ""
    """Absolute path of the shared git folder."""
    head: str | None = None
    """Commit id, None while unborn."""
    branch: str | None = None
    """Branch name, None while detached."""
    operation: str = ""
    """``merge``, ``rebase``, ``cherry-pick``, ``revert``, ``bisect`` in progress; empty for none."""
    conflicts: tuple[tuple[str, str], ...] = ()
    """Unmerged ``(path, pair)``."""
    ignore_case: bool = False
    """``core.ignoreCase``."""
    hiding: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    """Digests of what can hide changes (ignore, attribute, config, hook files), by name."""
    hidden_bits: tuple[str, ...] = ()
    """Paths with skip-worktree or assume-unchanged."""
    unknown: str = ""
    """Why git could not answer; empty where it could."""
    notes: tuple[str, ...] = ()
    """What a human should know about how it was read: modes not seen, a sparse checkout."""


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call of a tool that happened though nothing let it, by the activity log of its session."""

    call_id: str
    """Id of the call."""
    session: str
    """Session of the client."""
    agent: str
    """Which client."""
    name: str
    """Tool as the client calls it."""
    what: str
    """The shell line or the paths. Raw text."""
    denied: str | None
    """Why it had been denied; None where nobody was asked."""
    digest: str
    """Digest of its input."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What lies outside a task folder and the AGS runs in it are held against."""

    genuine: Mapping[str, bool] = field(default_factory=lambda: EMPTY)
    """Whether the plan of a run was made here, by run id; missing where this machine cannot tell."""
    schemas: Mapping[str, bytes] = field(default_factory=lambda: EMPTY)
    """Schema files that the plans name, as they are now, by path; missing ones are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class TaskSnapshot:
    """One task with everything that its checks need."""

    files: TaskFiles
    """The folder."""
    log: "LogState"
    """The replayed log."""
    changes: Changes | None = None
    """Changes since its baseline; None where it has no usable baseline."""
    baseline_relation: Literal["ancestor", "not-ancestor", "missing", "none"] = "none"
    """How its baseline commit stands to HEAD (``none``: no baseline recorded)."""
    bare_names: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: EMPTY)
    """Paths of the baseline tree by bare name, for the bare names of its plan."""
    recorded: Mapping[str, "Contract"] = field(default_factory=lambda: EMPTY)
    """Earlier versions of task and plan by digest, as kept by the log."""
    file_digests: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    """``sha256:`` digests of work-tree files that requests name now (``absent`` where missing)."""
    file_blobs: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    """Blob ids of those files."""
    ungated: tuple[CallRecord, ...] = ()
    """Calls of its sessions that happened past the gate, as far as this machine saw them."""
    run_facts: RunFacts = RunFacts()
    """What its AGS runs are held against."""

    @property
    def task_id(self) -> str:
        """Name of the task folder."""
        return self.files.task_id


@dataclass(frozen=True, slots=True)
class PolicyState:
    """What the policy files say, as far as everything but the rule engine needs it."""

    digest: str
    """Digest over the policy files in force (repository and user)."""
    problems: tuple[LoadProblem, ...] = ()
    """Errors of the files; while there are any, everything else asks."""
    request_timeout_s: int = 3600
    """Life of a request, seconds."""
    when_absent: Literal["deny", "defer"] = "deny"
    """What a hook answers while nobody is there."""
    max_schema_attempts: int = 2
    """Distinct invalid versions of one file before the task stops."""


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """Everything read at one instant."""

    taken_at: datetime
    """UTC."""
    root: str
    """Absolute path of the folder that holds ``tasks/`` (normally ``.ai``)."""
    repo: Repo
    """The repository."""
    tasks: tuple[TaskSnapshot, ...] = ()
    """Sorted by task id."""
    policy: PolicyState = field(default_factory=lambda: PolicyState(digest=""))
    """Policy in force."""
    problems: tuple[LoadProblem, ...] = ()
    """Problems of the root itself."""
    work_tree: Changes | None = None
    """Changes against HEAD, for the live diff without any task."""
    look_again_at: float | None = None
    """When to read again even without a hint, seconds since the epoch: a file being written becomes an
    error then. None while nothing is waited for."""
    alarms: tuple[str, ...] = ()
    """What a human must look at though no check fails by it: decisions that no TUI of this machine made."""

    @property
    def git_unknown(self) -> str:
        """Why git could not answer about the work tree; empty where it could."""
        return self.repo.unknown or (self.work_tree.unknown if self.work_tree is not None else "")
