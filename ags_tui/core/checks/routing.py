"""Who goes on: the next role after a contract, what a failed attempt is told, and when trying again ends."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Basis, Finding, Severity
from ags_tui.core.checks.loosening import policy_of
from ags_tui.core.checks.stops import PREFIX
from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.errors import AgentError
from ags_tui.core.contracts.handoff import AgentHandoff
from ags_tui.core.contracts.human import ApprovalRequest, Escalation
from ags_tui.core.contracts.plan import AgentPlan
from ags_tui.core.contracts.report import FinalReport
from ags_tui.core.contracts.results import ImplementationResult, TestResult
from ags_tui.core.contracts.review import ReviewResult
from ags_tui.core.contracts.task import AgentTask
from ags_tui.core.contracts.tool_request import ToolRequest
from ags_tui.core.digests import digest
from ags_tui.core.snapshot import LoadProblem

RETRY = "retry"
"""Option that allows another round of attempts."""

_ERRORS = "errors/"
_AFTER: Mapping[type[Contract], Mapping[str, tuple[str, str]]] = {
    ImplementationResult: {
        "completed": ("reviewer", "the implementation is complete"),
        "blocked": ("human", "the implementer is blocked"),
        "failed": ("planner", "the implementation failed"),
    },
    ReviewResult: {
        "pass": ("tester", "the review passed"),
        "needs_changes": ("fixer", "the review asks for changes"),
        "blocked": ("human", "the reviewer is blocked"),
    },
    TestResult: {
        "passed": ("gate", "the tests passed"),
        "failed": ("fixer", "tests failed"),
        "not_run": ("human", "the tests did not run"),
    },
    FinalReport: {
        "completed": ("human", "the report is written; a human finalizes"),
        "blocked": ("human", "the task is blocked"),
        "failed": ("human", "the task failed"),
    },
}


@dataclass(frozen=True, slots=True)
class Route:
    """Who goes on after a document, and why."""

    to: str
    """``planner``, ``implementer``, ``reviewer``, ``fixer``, ``tester``, ``gate``, ``policy``, ``human``,
    ``retry``, ``stop``, or the agent that a handoff names."""
    reason: str
    """In a few words."""


@dataclass(frozen=True, slots=True)
class Attempts:
    """The failed attempts to write one file."""

    artifact: str
    """Which file."""
    digests: tuple[str, ...]
    """Distinct invalid versions since the last valid one, or since a human allowed another round."""
    exhausted: bool
    """The bound was reached and no human has allowed another round."""
    item_id: str
    """Id of the question to the human."""
    digest: str
    """Digest of the question."""
    answer: str | None
    """Option that a human chose for exactly this."""
    feedback: tuple[tuple[str, str], ...] = ()
    """Failing fields of the version on disk: all that the next attempt is told."""


def route(document: Contract) -> Route:
    """Say who goes on after a document, from its typed fields alone."""
    if isinstance(document, AgentError):
        return Route(document.next_action, document.message)
    if isinstance(document, AgentHandoff):
        return Route(document.to_agent, f"handed over by {document.from_agent}")
    if isinstance(document, AgentTask):
        return Route("planner", "the task is written")
    if isinstance(document, AgentPlan):
        asked = document.requires_human_approval or policy_of(document) != "none"
        if asked or document.risk_level == "high":
            return Route("human", "the plan asks for approval")
        return Route("implementer", "the plan asks for no approval")
    if isinstance(document, ToolRequest):
        return Route("human" if document.requires_approval else "policy", "a tool is asked for")
    if isinstance(document, ApprovalRequest | Escalation):
        return Route("human", "a human is asked")
    for model, table in _AFTER.items():
        if isinstance(document, model):
            word = getattr(document, "status", None) or getattr(document, "verdict", "")
            return Route(*table[word])
    return Route("human", "nothing is known about what follows")


def route_problem(problem: LoadProblem, attempt: int, limit: int) -> Route:
    """Say who goes on after a file that is no valid contract.

    Args:
        problem: What is wrong with it.
        attempt: How many distinct versions have failed, this one included.
        limit: ``max_schema_attempts`` of the policy.
    """
    if attempt >= limit:
        return Route("human", f"{problem.artifact} failed {attempt} times")
    fields = ", ".join(field for field, _ in problem.fields) or problem.field or "the file"
    return Route("retry", f"correct {fields}")


def attempts(facts: Facts) -> tuple[Attempts, ...]:
    """Count the failed attempts of each file, from what the log saw and what is on disk now."""
    limit = facts.policy.max_schema_attempts
    problems = {
        one.artifact: one
        for one in facts.task.files.problems
        if one.digest and one.code != "BEING_WRITTEN" and not one.artifact.startswith("log/")
    }
    paths = dict.fromkeys(seen.path for seen in facts.task.log.observations if not seen.valid)
    paths |= dict.fromkeys(problems)
    return tuple(_attempts(facts, path, problems.get(path), limit) for path in paths)


def check_attempts(facts: Facts, found: tuple[Attempts, ...]) -> tuple[Finding, ...]:
    """RETRY_EXHAUSTED: the second failure stops the task until a human answers."""
    limit = facts.policy.max_schema_attempts
    return tuple(
        Finding("RETRY_EXHAUSTED", f"{one.artifact} was wrong {limit} times in a row. Answer the "
                "question in the inbox.", Severity.ERROR, one.artifact, next_action="stop")
        for one in found
        if one.exhausted
    )  # fmt: skip


def agent_errors(facts: Facts) -> tuple[tuple[str, str, AgentError], ...]:
    """AgentErrors of a task as ``(path, digest, document)``, by path."""
    return tuple(
        (path, artifact.digest, artifact.document)
        for path, artifact in sorted(facts.task.files.artifacts.items())
        if path.startswith(_ERRORS) and isinstance(artifact.document, AgentError)
    )


def error_item(path: str) -> str:
    """Id of the question that an AgentError asks a human."""
    return f"{PREFIX}error-{path.removeprefix(_ERRORS).removesuffix('.json')}"


def check_errors(facts: Facts) -> tuple[Finding, ...]:
    """AGENT_ERROR: one that needs a human or stops holds the task until it is answered; others are told."""
    findings: list[Finding] = []
    for path, item_digest, error in agent_errors(facts):
        holds = error.next_action in ("human", "stop")
        row = facts.answer_to(error_item(path), item_digest) if holds else None
        open_ = holds and (row is None or row.entry.data.get("option") == "stop")
        findings.append(
            Finding(
                "AGENT_ERROR", f"{error.code}: {error.message}",
                Severity.ERROR if open_ else Severity.WARNING, path,
                error.failed_field or "", next_action=error.next_action, basis=Basis.DECLARED,
            )
        )  # fmt: skip
    return tuple(findings)


def _attempts(facts: Facts, path: str, problem: LoadProblem | None, limit: int) -> Attempts:
    item_id = f"{PREFIX}retry-{path.removesuffix('.json').replace('/', '.')}"[:160]
    seen = [one for one in facts.task.log.observations if one.path == path]
    versions = [(one.digest, one.valid, one.sequence) for one in seen]
    if problem and problem.digest and all(problem.digest != one for one, valid, _ in versions if not valid):
        versions.append((problem.digest, False, facts.task.log.next_sequence))
    failed: list[str] = []
    answer: str | None = None
    exhausted = False
    resumed = -1
    for version, valid, sequence in versions:
        if sequence <= resumed:
            continue
        failed = [] if valid else list(dict.fromkeys([*failed, version]))
        if len(failed) < limit:
            continue
        row = facts.answer_to(item_id, _question(path, failed))
        answer = row.entry.data.get("option") if row else None
        if row is None or answer != RETRY:
            exhausted = True
            break
        # What was seen before the answer belongs to the round that it ended.
        failed, resumed = [], row.entry.sequence
    feedback = () if problem is None else problem.fields or ((problem.field, problem.message),)
    return Attempts(path, tuple(failed), exhausted, item_id, _question(path, failed), answer, feedback)


def _question(path: str, failed: list[str]) -> str:
    return digest(json.dumps(["retry", path, failed], separators=(",", ":")).encode())
