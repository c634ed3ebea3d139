"""``wait``: the agent's side of a decision: waits, verifies, takes it once, and says what to do."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.documents import safe
from ags_tui.cli.failures import OK, UNKNOWN, UsageProblem
from ags_tui.cli.tasks import split_request
from ags_tui.cli.waiting import claim_of, needs_claim, wait_for, watch_of
from ags_tui.core.assessment import RequestState
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.digests import text_digest
from ags_tui.core.layout import COLLECTIONS, place_of
from ags_tui.core.log_state import LoggedEntry
from ags_tui.core.snapshot import Artifact
from ags_tui.io.log import read_log
from ags_tui.io.request_files import take_approval
from ags_tui.io.request_watch import Seen
from ags_tui.io.workspace import Workspace

app = new_app()

DENIED, EXPIRED, CHANGED, PENDING, GONE = 10, 11, 12, 13, 14

CODES: Mapping[RequestState, int] = {
    RequestState.APPROVED: OK,
    RequestState.ANSWERED: OK,
    RequestState.DENIED: DENIED,
    RequestState.EXPIRED: EXPIRED,
    RequestState.CHANGED: CHANGED,
    RequestState.PENDING: PENDING,
}
"""Exit codes by state; every other state is 14."""

_WAITED_FOR = ("ToolRequest", "ApprovalRequest", "Escalation")


@command(app, cannot=UNKNOWN)
def wait(
    call: Call,
    *,
    request: Annotated[str, typer.Argument(metavar="TASK/ID", help="The request, as request printed it.")],
    claim: Annotated[str, typer.Option("--claim", metavar="TOKEN", help="The token that request printed.")],
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="S", min=0, help="Give up after; default: wait on.")
    ] = None,
    trust: Annotated[
        Path | None, typer.Option("--trust", metavar="FILE", help="Trusted public keys; default: the user's.")
    ] = None,
) -> int:
    """Wait for the decision and take it; prints one JSON document.

    Exit codes: 0 approved or answered, 10 denied, 11 expired, 12 changed, 13 still pending, 14 withdrawn or
    consumed, 3 the log is not intact. The first taker wins; nobody can take an approval twice.
    """
    workspace = call.workspace(trust)
    task_id, item_id = split_request(request, _candidates(workspace, request))
    watch = watch_of(workspace, task_id, item_id)
    first = wait_for(watch, _is_readable, timeout_s=2.0, now=call.now)
    if first.artifact is None and not first.gone and first.integrity is Outcome.PASSED:
        raise UsageProblem(f"{request}: its file is no valid request; see: ags-tui validate")
    if first.artifact is not None:
        _check_claim(request, first.artifact, claim)
    digest = first.artifact.digest if first.artifact is not None else ""
    if _verdict(first, digest)[0] == PENDING and timeout != 0:
        call.out.note(f"{task_id}/{item_id} waits for a human: open ags-tui")
    seen = wait_for(watch, _until_settled(digest), timeout_s=timeout, now=call.now)
    code, state, reason = _verdict(seen, digest)
    row = seen.status.entry if seen.status is not None else None
    if code == OK and not take_approval(watch.folder, item_id, digest, text_digest(claim), call.now()):
        code, state, reason = GONE, "consumed", "another waiter was first"
    effective = _effective(seen.artifact, row) if code == OK and seen.artifact is not None and row else None
    call.out.print_json({
        "id": f"{task_id}/{item_id}",
        "state": state,
        "reason": safe(reason),
        "effective": effective,
        "digest": _effective_digest(digest, row) if code == OK else digest or None,
    })  # fmt: skip
    return code


def _candidates(workspace: Workspace, given: str) -> list[tuple[str, str]]:
    """All request files by name alone, so that nothing of other tasks has to be readable.

    Where the argument names a task, what its log has seen is there too: it may be withdrawn.
    """
    folders = [name for name, contract in COLLECTIONS.items() if contract in _WAITED_FOR]
    found: set[tuple[str, str]] = set()
    for task_id in workspace.task_names():
        for name in folders:
            folder = workspace.folder(task_id) / name
            found |= {(task_id, path.stem) for path in folder.glob("*.json") if not path.name.startswith(".")}
    named = given.rpartition("/")[0]
    if named in workspace.task_names():
        log = read_log(workspace.folder(named), workspace.keys, workspace.places)
        places = (place_of(seen.path) for seen in log.observations)
        found |= {
            (named, place.id) for place in places if place and place.id and place.contract in _WAITED_FOR
        }
    return sorted(found)


def _is_readable(seen: Seen) -> bool:
    return seen.artifact is not None or seen.gone or seen.integrity is not Outcome.PASSED


def _check_claim(request: str, artifact: Artifact, claim: str) -> None:
    kept = claim_of(artifact)
    if kept is None and needs_claim(artifact):
        raise UsageProblem(
            f"{request}: carries no claim, so nobody can take it; file it with ags-tui request"
        )
    if kept is not None and kept != text_digest(claim):
        raise UsageProblem(
            f"{request}: --claim is not the token of this request; request printed the right one"
        )


def _until_settled(digest: str) -> Callable[[Seen], bool]:
    def settled(seen: Seen) -> bool:
        return _verdict(seen, digest)[0] != PENDING

    return settled


def _verdict(seen: Seen, digest: str) -> tuple[int, str, str]:
    """Exit code, state and reason; ``digest`` is what the waiter saw first."""
    if seen.integrity is not Outcome.PASSED:
        return UNKNOWN, "log-not-intact", seen.trouble or "the log is not intact"
    if seen.gone:
        return GONE, RequestState.WITHDRAWN.value, "its file is gone"
    if seen.artifact is None or seen.status is None:
        return PENDING, RequestState.PENDING.value, "its file is being written"
    if digest and seen.artifact.digest != digest:
        return CHANGED, RequestState.CHANGED.value, "the request was rewritten while it waited"
    status = seen.status
    return CODES.get(status.state, GONE), status.state.value, status.reason


def _effective(artifact: Artifact, row: LoggedEntry) -> Any:  # noqa: ANN401  JSON data
    """What the waiter may do now: the approved call, or the answer."""
    entry = row.entry
    if entry.verdict == "answered":
        return {name: entry.data[name] for name in ("option", "text") if name in entry.data}
    if entry.verdict == "amended" and "effective" in entry.data:
        return entry.data["effective"]
    document: dict[str, Any] = artifact.document.model_dump(mode="json", by_alias=True)
    names = ("tool", "targetPath", "command", "input", "proposedChange", "cwd", "subject")
    return {name: document[name] for name in names if name in document}


def _effective_digest(digest: str, row: LoggedEntry | None) -> str:
    amended = row is not None and row.entry.verdict == "amended"
    return str(row.entry.data.get("effectiveDigest", digest)) if amended and row is not None else digest
