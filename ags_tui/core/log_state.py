"""What a replayed log says; made by ``core.log_rules.replay`` and read by the checks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from ags_tui.core.checks.findings import Finding, Outcome
from ags_tui.core.contracts.log_entry import LogEntry
from ags_tui.core.snapshot import EMPTY, TreeEntry

Signer = Literal["human", "system", "unknown", "invalid", "none"]
"""Whose key signed: ``unknown`` = a key that is not trusted here, ``invalid`` = the signature is wrong."""


@dataclass(frozen=True, slots=True)
class LoggedEntry:
    """One entry file of a log, parsed and its signature looked at."""

    entry: LogEntry
    """The contract."""
    digest: str
    """Digest of the file's raw bytes."""
    signer: Signer
    """Whose key signed it."""
    counted: bool = False
    """Whether the entry has an effect (set by the replay): a human verdict needs a human key."""


@dataclass(frozen=True, slots=True)
class BaselineFile:
    """A file that was already dirty when the task began."""

    path: str
    """Relative to the work tree (surrogate escapes for bytes that are not UTF-8)."""
    entry: TreeEntry | None
    """Mode and blob id then; None where it was deleted."""
    kept: bool = False
    """Whether its contents are in the state directory."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The state of the work tree from which a task is measured."""

    commit: str
    """HEAD then; the id of the empty tree while HEAD was unborn."""
    unborn: bool
    """Whether HEAD had no commit."""
    files: Mapping[str, BaselineFile]
    """Dirty and untracked files then, by path."""
    hiding: Mapping[str, str]
    """Digests of ignore, attribute, config and hook files then."""
    hidden_bits: tuple[str, ...]
    """Paths with skip-worktree or assume-unchanged then."""
    late: bool
    """Files named by a plan or result were already dirty."""
    accepted: bool
    """A human accepted it (late, unsigned, or recorded again)."""
    signed: bool
    """Signed by a trusted key."""
    recorded_at: datetime
    """When."""
    sequence: int
    """Number of the entry that holds it."""


@dataclass(frozen=True, slots=True)
class Observation:
    """A contract digest, test run or other thing that this program saw."""

    path: str
    """Artifact path relative to the task folder, or what was observed."""
    digest: str
    """Its digest."""
    tree_digest: str
    """Tree digest at that moment; empty where it was unknown."""
    observed_at: datetime
    """When."""
    valid: bool
    """Whether the contract was valid."""
    sequence: int
    """Number of the entry."""
    data: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    """The entry's ``data``. For implementation, review and fix results it also holds ``entries``, all that
    differed from the baseline then (``core.checks.fixes.entries_of``): without it nobody can say which files
    a fix touched."""


@dataclass(frozen=True, slots=True, eq=False)
class LogState:
    """A log after replay; ``EMPTY_LOG`` where the folder has none."""

    log_id: str = ""
    """Random id, the same in all entries."""
    entries: tuple[LoggedEntry, ...] = ()
    """All parsed entries in order, ``counted`` set."""
    head_sequence: int = -1
    """Highest sequence; -1 for an empty log."""
    head_digest: str = ""
    """Digest of the last file's bytes, torn or not: what the next entry links to."""
    next_sequence: int = 0
    """The number that the next entry takes."""
    integrity: Outcome = Outcome.PASSED
    """passed, failed (LOG_TAMPERED) or unknown (UNKNOWN_SIGNER)."""
    findings: tuple[Finding, ...] = ()
    """What is wrong with the log."""
    torn: tuple[int, ...] = ()
    """Numbers of unparsable last writes: no decisions."""
    baseline: Baseline | None = None
    """The baseline in force."""
    observations: tuple[Observation, ...] = ()
    """In order."""
    tests: tuple[Observation, ...] = ()
    """Observed test runs (``check``), in order; ``data`` holds command, exitCode, durationMs, artifact."""
    outside: tuple[Observation, ...] = ()
    """What left the plan and came back, in order (``core.outside``); no check reads it."""
    blocks: tuple[LoggedEntry, ...] = ()
    """Human blocks that are not lifted."""
    attested: Mapping[str, LoggedEntry] = field(default_factory=lambda: EMPTY)
    """Attestations in force by prose id such as ``task#requiredEvidence/2``."""
    answered: Mapping[str, LoggedEntry] = field(default_factory=lambda: EMPTY)
    """Answers to escalations by escalation id."""
    finalized: LoggedEntry | None = None
    """The finalization in force."""
    closed: LoggedEntry | None = None
    """The closing in force."""

    @property
    def frozen(self) -> bool:
        """Whether the task is finalized or closed."""
        return self.finalized is not None or self.closed is not None


EMPTY_LOG = LogState()
"""The state of a task folder without a log."""
