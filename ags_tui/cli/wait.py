"""``wait``: the agent's side of a decision: waits, verifies, takes it once, and says what to do."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import OK, UNKNOWN, UsageProblem
from ags_tui.cli.tasks import split_request
from ags_tui.core.assessment import RequestState
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.digests import text_digest
from ags_tui.core.heard import LOG_NOT_INTACT
from ags_tui.core.snapshot import Artifact
from ags_tui.io.awaiting import (
    claim_of,
    heard,
    is_readable,
    needs_claim,
    requests_in,
    taken,
    until_settled,
    wait_for,
    watch_of,
)
from ags_tui.io.workspace import Workspace
from ags_tui.view.documents import heard_document

app = new_app()

DENIED, EXPIRED, CHANGED, PENDING, GONE = 10, 11, 12, 13, 14

CODES: Mapping[str, int] = {
    RequestState.APPROVED.value: OK,
    RequestState.ANSWERED.value: OK,
    RequestState.DENIED.value: DENIED,
    RequestState.EXPIRED.value: EXPIRED,
    RequestState.CHANGED.value: CHANGED,
    RequestState.PENDING.value: PENDING,
    LOG_NOT_INTACT: UNKNOWN,
}
"""Exit codes by state; every other state is 14."""


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
    first = wait_for(watch, is_readable, timeout_s=2.0, now=call.now)
    if first.artifact is None and not first.gone and first.integrity is Outcome.PASSED:
        raise UsageProblem(f"{request}: its file is no valid request; see: ags-tui validate")
    if first.artifact is not None:
        _check_claim(request, first.artifact, claim)
    digest = first.artifact.digest if first.artifact is not None else ""
    if heard(first, digest).state == RequestState.PENDING.value and timeout != 0:
        call.out.note(f"{task_id}/{item_id} waits for a human: open ags-tui")
    seen = wait_for(watch, until_settled(digest), timeout_s=timeout, now=call.now)
    said = taken(watch, seen, digest=digest, claim=claim, now=call.now)
    call.out.print_json({"id": f"{task_id}/{item_id}", **heard_document(said)})
    return CODES.get(said.state, GONE)


def _candidates(workspace: Workspace, given: str) -> list[tuple[str, str]]:
    """All request files by name alone, so that nothing of other tasks has to be readable.

    Where the argument names a task, what its log has seen is there too: it may be withdrawn.
    """
    named = given.rpartition("/")[0]
    return sorted(
        (task_id, item_id)
        for task_id in workspace.task_names()
        for item_id in requests_in(workspace, task_id, seen=task_id == named)
    )


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
