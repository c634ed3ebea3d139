"""The tools that ask a human: request_approval and escalate file, all four wait and take what was decided.

None of them decides anything. A wait is a generator that says how long to pause, so that it holds no thread.
"""

from collections.abc import Callable, Generator
from typing import Any

from ags_tui.agents.mcp_server.answers import Data
from ags_tui.agents.mcp_server.desk import Desk
from ags_tui.agents.mcp_server.inputs import ApprovalInput, EscalationInput, PollInput, ProposedEdit
from ags_tui.core.assessment import RequestState
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.contracts.human import EscalationOption, EscalationSource
from ags_tui.core.contracts.tool_request import ProposedChange
from ags_tui.core.digests import text_digest
from ags_tui.core.heard import LOG_NOT_INTACT, Heard
from ags_tui.core.snapshot import Artifact
from ags_tui.core.subjects import inside
from ags_tui.core.workflow.documents import read_document
from ags_tui.core.workflow.failures import WorkflowRefused
from ags_tui.io.awaiting import (
    claim_of,
    heard,
    is_readable,
    looks,
    needs_claim,
    requests_in,
    taken,
    until_settled,
    watch_of,
)
from ags_tui.io.filing import Filed, file_escalation, file_request, open_folder_of
from ags_tui.io.rehash import file_digest
from ags_tui.io.request_watch import RequestWatch, Seen
from ags_tui.io.workspace import Workspace
from ags_tui.view.documents import heard_document

Steps = Generator[float, None, Data]
"""A call that waits: yields seconds to pause, returns what it answers."""

AT_MOST_S = 230.0
"""Seconds that are waited at most, whatever was asked: clients give a call up after 240."""
FIRST_LOOK_S = 2.0
"""Seconds that a file which is being written gets before it is called no request."""
GET_APPROVAL, GET_ESCALATION = "get_approval", "get_escalation"


def request_approval(desk: Desk, arguments: Data) -> Steps:
    """File a tool request and wait for the decision.

    Args:
        desk: Where.
        arguments: An ApprovalInput.

    Raises:
        WorkflowRefused: INVALID_INPUT: nothing was filed.
    """
    asked, workspace = read_document(ApprovalInput, arguments), desk.workspace()
    folder = open_folder_of(workspace, asked.task_id)
    fields: dict[str, Any] = {
        "tool": asked.tool,
        "target_path": asked.target_path,
        "command": asked.command,
        "reason": asked.reason,
        "risk_level": asked.risk_level,
        "requires_approval": asked.requires_approval,
        "agent": asked.agent,
        "session_id": asked.session_id,
        "cwd": str(desk.directory),
        "input": asked.input,
        "proposed_change": _proposed(workspace, asked.proposed_change),
    }
    filed = file_request(
        workspace, folder, fields, identity=asked.request_id, expires_s=asked.expires_seconds, now=desk.now()
    )
    return (yield from _after_filing(desk, workspace, filed, asked.wait_seconds, GET_APPROVAL))


def escalate(desk: Desk, arguments: Data) -> Steps:
    """File a question and wait for the answer.

    Args:
        desk: Where.
        arguments: An EscalationInput.

    Raises:
        WorkflowRefused: INVALID_INPUT: nothing was filed.
    """
    asked, workspace = read_document(EscalationInput, arguments), desk.workspace()
    folder = open_folder_of(workspace, asked.task_id)
    if not asked.options and not asked.allow_free_text:
        raise _wrong("options", "a question needs an answer: give options, or allowFreeText")
    if len({one.id for one in asked.options}) < len(asked.options):
        raise _wrong("options", "two answers have the same id")
    fields: dict[str, Any] = {
        "source": EscalationSource(system="agent", ref=asked.agent),
        "question": asked.question,
        "options": tuple(
            EscalationOption(id=one.id, label=one.label, consequence=one.consequence) for one in asked.options
        ),
        "allow_free_text": asked.allow_free_text,
        "risk_level": asked.risk_level,
        "evidence": asked.evidence,
        "next_actions": tuple(dict.fromkeys(asked.next_actions)),
    }
    filed = file_escalation(
        folder, fields, identity=asked.escalation_id, expires_s=asked.expires_seconds, now=desk.now()
    )
    return (yield from _after_filing(desk, workspace, filed, asked.wait_seconds, GET_ESCALATION))


def get_approval(desk: Desk, arguments: Data) -> Steps:
    """Wait for the decision on a request that was filed, and take it.

    Args:
        desk: Where.
        arguments: A PollInput.

    Raises:
        WorkflowRefused: INVALID_INPUT or INTEGRITY_FAILED; nothing was taken.
    """
    return (yield from _polled(desk, arguments, GET_APPROVAL, lambda one: one != "Escalation"))


def get_escalation(desk: Desk, arguments: Data) -> Steps:
    """Wait for the answer to a question that was filed, and take it.

    Args:
        desk: Where.
        arguments: A PollInput.

    Raises:
        WorkflowRefused: INVALID_INPUT or INTEGRITY_FAILED; nothing was taken.
    """
    return (yield from _polled(desk, arguments, GET_ESCALATION, lambda one: one == "Escalation"))


def _after_filing(desk: Desk, workspace: Workspace, filed: Filed, seconds: float, poll: str) -> Steps:
    task_id, item_id = filed.name.split("/")
    watch = watch_of(workspace, task_id, item_id)
    said = yield from _waited(desk, watch, filed.claim, seconds, lambda _: True)
    return _told(filed, said, poll)


def _polled(desk: Desk, arguments: Data, poll: str, right_kind: Callable[[str], bool]) -> Steps:
    asked, workspace = read_document(PollInput, arguments), desk.workspace()
    task_id, item_id = asked.id.split("/")
    if task_id not in workspace.task_names() or item_id not in requests_in(workspace, task_id, seen=True):
        raise WorkflowRefused("INVALID_INPUT", f"There is no request {asked.id}.", {"id": asked.id})
    watch = watch_of(workspace, task_id, item_id)
    said = yield from _waited(desk, watch, asked.claim, asked.wait_seconds, right_kind)
    return _told(Filed(asked.id, asked.claim), said, poll)


def _waited(
    desk: Desk, watch: RequestWatch, claim: str, seconds: float, right_kind: Callable[[str], bool]
) -> Generator[float, None, Heard]:
    name = f"{watch.folder.name}/{watch.item_id}"
    first = yield from looks(watch, is_readable, timeout_s=FIRST_LOOK_S, now=desk.now)
    _check_readable(name, first)
    if first.artifact is not None:
        _check_asker(name, first.artifact, claim, right_kind)
    digest = first.artifact.digest if first.artifact is not None else ""
    limit = min(seconds, AT_MOST_S)
    seen = yield from looks(watch, until_settled(digest), timeout_s=limit, now=desk.now)
    if heard(seen, digest).state == LOG_NOT_INTACT:
        message = f"The log of {watch.folder.name} is not intact: no decision in it counts."
        raise WorkflowRefused("INTEGRITY_FAILED", message, {"id": name, "cause": seen.trouble})
    yield 0.0  # a caller that has gone takes nothing
    return taken(watch, seen, digest=digest, claim=claim, now=desk.now)


def _check_readable(name: str, first: Seen) -> None:
    if first.artifact is None and not first.gone and first.integrity is Outcome.PASSED:
        message = f"The file of {name} is no valid request: see validate_contract."
        raise WorkflowRefused("INVALID_INPUT", message, {"id": name})


def _check_asker(name: str, artifact: Artifact, claim: str, right_kind: Callable[[str], bool]) -> None:
    contract = artifact.document.contract_name
    if not right_kind(contract):
        other = GET_ESCALATION if contract == "Escalation" else GET_APPROVAL
        raise WorkflowRefused("INVALID_INPUT", f"{name} is for {other}.", {"id": name, "contract": contract})
    kept = claim_of(artifact)
    if kept is None and needs_claim(artifact):
        message = f"{name} carries no claim, so nobody can take it: file it with request_approval."
        raise WorkflowRefused("INVALID_INPUT", message, {"id": name})
    if kept is not None and kept != text_digest(claim):
        raise WorkflowRefused("INVALID_INPUT", f"This is not the claim of {name}.", {"id": name})


def _told(filed: Filed, said: Heard, poll: str) -> Data:
    """What the caller is told, with how to ask again while nobody has decided."""
    pending = said.state == RequestState.PENDING.value
    again = {"tool": poll, "arguments": {"id": filed.name, "claim": filed.claim}} if pending else None
    return {"id": filed.name, "claim": filed.claim, **heard_document(said), "poll": again}


def _proposed(workspace: Workspace, given: ProposedEdit | None) -> ProposedChange | None:
    if given is None:
        return None
    path = inside(given.path)
    if path is None:
        raise _wrong("proposedChange.path", "must be a file below the top of the work tree")
    before = given.before or file_digest(workspace.top / path)
    return ProposedChange(path=path, before=before, after=given.after)


def _wrong(path: str, message: str) -> WorkflowRefused:
    errors = [{"path": path, "message": message}]
    return WorkflowRefused("INVALID_INPUT", f"{path}: {message}.", {"validationErrors": errors})
