"""Which task and which plan are in force: the first recorded ones, until a human approves looser ones.

A later task.json or plan.json that only narrows holds at once. One that allows more or demands less waits for
a human approval of exactly its digest; the old one stays in force meanwhile. What no rule can compare counts
as loosened: the question costs a human one look, the silence could cost the boundary.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import cast

from ags_tui.core.checks.findings import Basis, Finding, Outcome, Severity
from ags_tui.core.checks.loosening import loosened_plan, loosened_task
from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.parse import parse_contract
from ags_tui.core.contracts.plan import AgentPlan
from ags_tui.core.contracts.task import AgentTask
from ags_tui.core.digests import text_digest
from ags_tui.core.log_state import LoggedEntry, Observation
from ags_tui.core.snapshot import LoadProblem, TaskSnapshot

TASK = "task.json"
"""Artifact of the task."""
PLAN = "plan.json"
"""Artifact of the plan."""
TASK_SUBJECT = "task"
"""Subject id of a human decision about a weaker task (kind ``plan``)."""


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """One of the two documents that bind a task."""

    document: Contract | None
    """The version in force; None where there never was a readable one."""
    digest: str
    """Its digest; empty where there is none."""
    current: Contract | None
    """The version on disk, where it is valid."""
    current_digest: str
    """Digest of the version on disk, valid or not; empty where the file is gone."""
    approved: bool
    """A human approved exactly the version in force."""
    denied: str | None
    """Words with which a human denied the version on disk; None where nobody did."""
    loosened: tuple[str, ...] = ()
    """What the version on disk allows more or demands less; it waits for a human."""
    unreadable: bool = False
    """An earlier version was recorded but cannot be read any more, so nothing can be compared."""
    resolved: Mapping[str, str] | None = None
    """Bare names as they were shown at the approval."""

    @property
    def waits(self) -> bool:
        """Whether the version on disk waits for a human because of what it loosens."""
        return bool(self.loosened) or self.unreadable


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """Task and plan in force."""

    task: AgentTask | None
    """Task in force."""
    plan: AgentPlan | None
    """Plan in force."""
    task_term: Term
    """What led to it."""
    plan_term: Term
    """What led to it."""
    session: bool
    """There is no task.json and there never was one."""
    instants: tuple[datetime, ...] = ()
    """When an approval behind this ends."""


def terms_of(task: TaskSnapshot, now: datetime, *, ignore_case: bool = False) -> Terms:
    """Find the task and the plan in force.

    Args:
        task: The task.
        now: UTC.
        ignore_case: ``core.ignoreCase`` of the repository.
    """
    trusted = task.log.integrity is not Outcome.FAILED
    rows = task.log.entries if trusted else ()
    decisions = [row for row in rows if row.counted and row.entry.kind == "plan"]
    task_term = _term(task, TASK, _about_task(decisions), now, _compare_tasks)

    def compare_plans(old: Contract, new: Contract) -> tuple[str, ...]:
        if not isinstance(old, AgentPlan) or not isinstance(new, AgentPlan):
            return ("is another contract",)
        paths = bare_paths(task.bare_names, old.files_to_edit)
        return loosened_plan(old, new, ignore_case=ignore_case, resolved=paths)

    plan_term = _term(task, PLAN, _about_plan(decisions), now, compare_plans)
    ends = {row.entry.expires_at for row in decisions if row.entry.expires_at}
    return Terms(
        task=task_term.document if isinstance(task_term.document, AgentTask) else None,
        plan=plan_term.document if isinstance(plan_term.document, AgentPlan) else None,
        task_term=task_term,
        plan_term=plan_term,
        session=not task_term.current_digest and task_term.document is None and not _mentioned(task, TASK),
        instants=tuple(sorted(ends)),
    )


def check_terms(terms: Terms) -> tuple[Finding, ...]:
    """PLAN_WIDENED and TASK_WEAKENED."""
    findings: list[Finding] = []
    for artifact, code, term in (
        (TASK, "TASK_WEAKENED", terms.task_term),
        (PLAN, "PLAN_WIDENED", terms.plan_term),
    ):
        if term.waits:
            findings.append(
                Finding(
                    code, _loosened_message(artifact, term), artifact=artifact, next_action="human",
                    unknown=term.unreadable, basis=Basis.OBSERVED,
                )
            )  # fmt: skip
        elif not term.current_digest and term.document is not None:
            message = f"{artifact} was removed; the recorded version stays in force. Restore the file."
            findings.append(Finding(code, message, artifact=artifact, next_action="planner"))
        if term.denied is not None and term.current_digest:
            why = f": {term.denied}" if term.denied else ""
            message = f"A human denied this {artifact}{why}. Write another one."
            findings.append(
                Finding(
                    "MISSING_APPROVAL",
                    message,
                    Severity.ERROR,
                    artifact,
                    next_action="planner",
                    basis=Basis.HUMAN,
                )
            )
    return tuple(findings)


def bare_paths(names: Mapping[str, tuple[str, ...]], wanted: Iterable[str]) -> dict[str, str]:
    """The one path of the baseline tree that each bare name stands for: top level first, else the only match.

    Args:
        names: Paths of the baseline tree by bare name.
        wanted: The names that are asked for.
    """
    found: dict[str, str] = {}
    for name in wanted:
        paths = names.get(name, ())
        if name in paths:
            found[name] = name
        elif len(paths) == 1:
            found[name] = paths[0]
    return found


def recorded_contract(task: TaskSnapshot, observation: Observation) -> Contract | None:
    """An earlier version of a contract, from the log's text where the snapshot does not hold it."""
    kept = task.recorded.get(observation.digest)
    if kept is not None:
        return kept
    text = observation.data.get("text")
    contract = observation.data.get("contract")
    if not isinstance(text, str) or not isinstance(contract, str) or text_digest(text) != observation.digest:
        return None
    return _parsed(text, contract, observation.path)


@lru_cache(maxsize=2048)
def _parsed(text: str, contract: str, artifact: str) -> Contract | None:
    result = parse_contract(text.encode("utf-8", "surrogatepass"), contract=contract, artifact=artifact)
    return None if isinstance(result, LoadProblem) else result.document


_About = list[tuple[str, LoggedEntry]]
"""Human decisions with the digest that they are about, in order."""


def _about_task(rows: list[LoggedEntry]) -> _About:
    return [(row.entry.subject.digest, row) for row in rows if row.entry.subject.id == TASK_SUBJECT]


def _about_plan(rows: list[LoggedEntry]) -> _About:
    """Decisions about a plan, also those made on an ApprovalRequest, which are bound to the plan."""
    about = [row for row in rows if row.entry.subject.id != TASK_SUBJECT and row.entry.verdict != "amended"]
    return [(row.entry.bound.plan or row.entry.subject.digest, row) for row in about]


def _term(
    task: TaskSnapshot,
    path: str,
    about: _About,
    now: datetime,
    compare: Callable[[Contract, Contract], tuple[str, ...]],
) -> Term:
    artifact = task.files.artifacts.get(path)
    current = artifact.document if artifact else None
    current_digest = artifact.digest if artifact else _problem_digest(task, path)
    approved, denied = _standing(about, now)
    first = next((seen.digest for seen in task.log.observations if seen.path == path and seen.valid), None)
    words = denied.get(current_digest)

    def term(
        document: Contract | None, digest: str, reasons: tuple[str, ...] = (), *, lost: bool = False
    ) -> Term:
        row = approved.get(digest)
        held = digest if document is not None else ""
        return Term(
            document, held, current, current_digest, row is not None, words, reasons, lost, _resolved(row)
        )

    measures = [*reversed(approved), *([first] if first else [])]
    if not measures or current_digest in (*approved, measures[0]):
        return term(current, current_digest)
    kept = ((digest, _recorded(task, path, digest)) for digest in measures)
    measure, old = next(((digest, one) for digest, one in kept if one is not None), (measures[0], None))
    lost = measure != measures[0] or old is None
    if current is None:
        return term(old, measure, lost=lost)
    reasons = compare(old, current) if old is not None else ()
    return term(old, measure, reasons, lost=lost) if reasons else term(current, current_digest, lost=lost)


def _standing(about: _About, now: datetime) -> tuple[dict[str, LoggedEntry], dict[str, str]]:
    """Digests that stand approved (the latest last) and those that stand denied with the words."""
    approved: dict[str, LoggedEntry] = {}
    denied: dict[str, str] = {}
    for digest, row in about:
        approved.pop(digest, None)
        denied.pop(digest, None)
        if row.entry.verdict == "denied":
            denied[digest] = row.entry.reason
        elif row.entry.expires_at is None or row.entry.expires_at > now:
            approved[digest] = row
    return approved, denied


def _recorded(task: TaskSnapshot, path: str, digest: str) -> Contract | None:
    if digest in task.recorded:
        return task.recorded[digest]
    seen = [one for one in task.log.observations if one.path == path and one.digest == digest]
    return next((found for one in seen if (found := recorded_contract(task, one)) is not None), None)


def _resolved(row: LoggedEntry | None) -> Mapping[str, str] | None:
    kept = row.entry.data.get("resolved") if row else None
    if not isinstance(kept, dict):
        return None
    return {str(name): str(path) for name, path in cast("dict[object, object]", kept).items()}


def _problem_digest(task: TaskSnapshot, path: str) -> str:
    return next((problem.digest or "?" for problem in task.files.problems if problem.artifact == path), "")


def _mentioned(task: TaskSnapshot, path: str) -> bool:
    """Whether the folder holds the file in any form, or the log ever saw it."""
    return (
        path in task.files.being_written
        or any(problem.artifact == path for problem in task.files.problems)
        or any(seen.path == path for seen in task.log.observations)
    )


def _compare_tasks(old: Contract, new: Contract) -> tuple[str, ...]:
    if isinstance(old, AgentTask) and isinstance(new, AgentTask):
        return loosened_task(old, new)
    return ("is another contract",)


def _loosened_message(artifact: str, term: Term) -> str:
    if term.unreadable and term.current is None:
        return f"The recorded {artifact} cannot be read any more. Restore the file or approve another one."
    if term.unreadable:
        return (
            f"The recorded {artifact} cannot be read any more, so nothing can be compared. Approve this one."
        )
    more = f" and {len(term.loosened) - 3} more" if len(term.loosened) > 3 else ""
    what = "; ".join(term.loosened[:3])
    return f"{artifact} was loosened ({what}{more}). The old one stays in force: approve or restore it."
