"""What a contract says, in a few words: kept in the log with its observation, for the file may be replaced.

The words are the author's where they are enums, counts and paths; sentences of an agent are cut short.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import cast

from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.errors import AgentError
from ags_tui.core.contracts.handoff import AgentHandoff
from ags_tui.core.contracts.human import ApprovalRequest, Escalation
from ags_tui.core.contracts.plan import AgentPlan
from ags_tui.core.contracts.report import FinalReport
from ags_tui.core.contracts.results import ImplementationResult, TestResult
from ags_tui.core.contracts.review import ReviewResult
from ags_tui.core.contracts.tool_request import ToolRequest, ToolRequestV2
from ags_tui.core.wording import counted

LONGEST = 200
"""Most characters of them."""

_NAMED = 3
"""Most paths that are named; of the others it says how many there are."""


def saying(document: Contract, before: Contract | None = None, *, version: int = 1) -> str:
    """Say what a contract says; empty where its name says all there is to say.

    Args:
        document: The contract.
        before: The version of the same file that was observed last, where it is known.
        version: How many versions of the file there are with this one.
    """
    for kind, words in _WORDS.items():
        if isinstance(document, kind):
            return _short(words(document))
    if isinstance(document, AgentPlan):
        return _short(_plan(document, before if isinstance(before, AgentPlan) else None, version))
    return ""


def _plan(plan: AgentPlan, before: AgentPlan | None, version: int) -> str:
    number = f"version {version}: " if version > 1 else ""
    if before is None:
        return number + _paths("edits", plan.files_to_edit)
    old, new = set(before.files_to_edit), set(plan.files_to_edit)
    parts = [_paths("adds", sorted(new - old))] if new - old else []
    parts += [_paths("drops", sorted(old - new))] if old - new else []
    return number + (", ".join(parts) or "the same files to edit")


def _paths(verb: str, paths: Iterable[str]) -> str:
    every = list(paths)
    more = f" and {len(every) - _NAMED} more" if len(every) > _NAMED else ""
    return f"{verb} {', '.join(every[:_NAMED]) or 'nothing'}{more}"


def _work(document: Contract) -> str:
    result = cast("ImplementationResult", document)
    return f"{result.status}, {counted(len(result.changed_files), 'file')}"


def _tests(document: Contract) -> str:
    result = cast("TestResult", document)
    codes = [command.exit_code for command in result.commands]
    if result.status == "not_run":
        return "not run"
    if not codes or None in codes:
        return f"claimed {result.status}, no evidence"
    failed = f", {counted(len(result.failed_tests), 'failed test')}" if result.failed_tests else ""
    return f"claimed {result.status}, exit code {max(code or 0 for code in codes)}{failed}"


def _review(document: Contract) -> str:
    review = cast("ReviewResult", document)
    return f"{review.verdict}, {counted(len(review.issues), 'issue') if review.issues else 'no issues'}"


def _request(document: Contract) -> str:
    request = cast("ToolRequest", document)
    newer = request if isinstance(request, ToolRequestV2) else None
    change = newer.proposed_change if newer is not None else None
    about = request.target_path or (change.path if change is not None else "") or request.command or ""
    by = f"{newer.agent} asks for " if newer is not None and newer.agent else ""
    return f"{by}{request.tool} {about}".strip()


def _approval(document: Contract) -> str:
    request = cast("ApprovalRequest", document)
    path = f" {request.subject.path}" if request.subject.path else ""
    return f"{request.requested_by} asks to approve the {request.subject.kind}{path}"


def _handoff(document: Contract) -> str:
    handoff = cast("AgentHandoff", document)
    return f"{handoff.from_agent} to {handoff.to_agent}"


def _short(text: str) -> str:
    line = " ".join(text[: LONGEST * 4].split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


_WORDS: Mapping[type[Contract], Callable[[Contract], str]] = {
    ImplementationResult: _work,
    TestResult: _tests,
    ReviewResult: _review,
    ToolRequest: _request,
    ApprovalRequest: _approval,
    Escalation: lambda one: cast("Escalation", one).question,
    FinalReport: lambda one: cast("FinalReport", one).verdict,
    AgentError: lambda one: f"{cast('AgentError', one).code}, next: {cast('AgentError', one).next_action}",
    AgentHandoff: _handoff,
}
