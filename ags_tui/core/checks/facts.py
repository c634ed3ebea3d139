"""What all checks of one task start from: snapshot, terms in force, and the log looked up by what it saw."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from ags_tui.core.checks.claims import NO_CLAIMS, Claims
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.checks.terms import Terms, terms_of
from ags_tui.core.contracts.base import Contract
from ags_tui.core.log_state import BaselineFile, LoggedEntry, Observation
from ags_tui.core.snapshot import Changes, PolicyState, Repo, Snapshot, TaskSnapshot

C = TypeVar("C", bound=Contract)


class Freshness(StrEnum):
    """How an artifact stands to today's tree."""

    FRESH = "fresh"
    """Observed at exactly today's tree."""
    STALE = "stale"
    """Observed at another tree."""
    FOREIGN = "foreign"
    """Observed at another tree, and all that changed since belongs to other tasks."""
    UNOBSERVED = "unobserved"
    """Never observed, or the tree could not be read then or now."""


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """One task, ready to be checked."""

    task: TaskSnapshot
    """The task."""
    snapshot: Snapshot
    """Where it comes from: repository, policy and the instant of reading."""
    now: datetime
    """The wall clock, UTC."""
    terms: Terms
    """Task and plan in force."""
    claims: Claims
    """Paths that human-approved plans of other tasks name."""
    tree: str
    """Today's tree digest; empty where it is unknown."""
    seen: Mapping[tuple[str, str], Observation]
    """Last observation of each artifact digest, by ``(path, digest)``."""
    decisions: Mapping[str, tuple[LoggedEntry, ...]]
    """Decisions that count about tool requests, edits and specs, by subject id, in order."""

    @property
    def task_id(self) -> str:
        """Name of the task folder."""
        return self.task.task_id

    @property
    def repo(self) -> Repo:
        """The repository."""
        return self.snapshot.repo

    @property
    def policy(self) -> PolicyState:
        """Policy in force."""
        return self.snapshot.policy

    @property
    def changes(self) -> Changes | None:
        """Changes since the baseline, where there are any to speak of."""
        return self.task.changes

    @property
    def dirty_before(self) -> Mapping[str, BaselineFile]:
        """Files that were dirty at the baseline."""
        baseline = self.task.log.baseline
        return baseline.files if baseline else {}

    @property
    def trusted(self) -> bool:
        """Whether decisions of the log may count: it was not tampered with."""
        return self.task.log.integrity is not Outcome.FAILED

    def held(self, path: str, model: type[C]) -> C | None:
        """The document of an artifact, where it is valid and of that contract."""
        artifact = self.task.files.artifacts.get(path)
        document = artifact.document if artifact else None
        return document if isinstance(document, model) else None

    def observed(self, path: str) -> Observation | None:
        """The last observation of the bytes that an artifact has now."""
        artifact = self.task.files.artifacts.get(path)
        return self.seen.get((path, artifact.digest)) if artifact else None

    def answer_to(self, escalation_id: str, digest: str) -> LoggedEntry | None:
        """The last human answer to a question with exactly these bytes."""
        if not self.trusted:
            return None
        return next(
            (
                row
                for row in reversed(self.task.log.entries)
                if row.counted
                and row.entry.kind == "escalation"
                and row.entry.subject.id == escalation_id
                and row.entry.subject.digest == digest
            ),
            None,
        )


_DECIDED = frozenset({"tool-request", "edit", "spec"})


def facts_of(
    task: TaskSnapshot,
    snapshot: Snapshot,
    now: datetime,
    *,
    claims: Claims = NO_CLAIMS,
    terms: Terms | None = None,
) -> Facts:
    """Gather the facts of one task.

    Args:
        task: The task.
        snapshot: Where it comes from: repository and policy.
        now: The wall clock, UTC.
        claims: What other tasks claim.
        terms: Terms in force, where they are known already.
    """
    seen: dict[tuple[str, str], Observation] = {}
    for observation in task.log.observations:
        seen[observation.path, observation.digest] = observation
    decisions: dict[str, tuple[LoggedEntry, ...]] = {}
    for row in task.log.entries:
        if row.counted and row.entry.kind in _DECIDED:
            subject = row.entry.subject.id
            decisions[subject] = (*decisions.get(subject, ()), row)
    changes = task.changes
    return Facts(
        task=task,
        snapshot=snapshot,
        now=now,
        terms=terms or terms_of(task, now, ignore_case=snapshot.repo.ignore_case),
        claims=claims,
        tree="" if changes is None or changes.unknown else changes.tree_digest,
        seen=seen,
        decisions=decisions,
    )
