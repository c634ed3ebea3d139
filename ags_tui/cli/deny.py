"""``deny``: the safe direction for one request."""

from dataclasses import replace
from typing import Annotated

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import OK, CommandFailed, UsageProblem
from ags_tui.cli.reason import Reason, given_reason
from ags_tui.cli.tasks import request_artifact, request_candidates, snapshot_of, split_request
from ags_tui.core.assessment import PendingKind
from ags_tui.core.checks.assess import assess
from ags_tui.core.decisions import Bound, Draft
from ags_tui.core.drafts import deny as denial
from ags_tui.core.observations import deciding_kind
from ags_tui.core.snapshot import Snapshot
from ags_tui.view.documents import entry_document
from ags_tui.view.text import Span

app = new_app()

_QUESTIONS = ("escalation", "finalization", "baseline")


@command(app)
def deny(
    call: Call,
    request: Annotated[str, typer.Argument(metavar="TASK/ID", help="The request.")],
    reason: Reason,
) -> int:
    """Deny a request. Only denying and blocking can be scripted; approving is a key in the TUI."""
    words = given_reason(reason)
    workspace, now = call.workspace(), call.now()
    snapshot = workspace.read()
    pending = assess(snapshot, now).pending
    candidates = {*request_candidates(snapshot), *((one.task_id, one.item_id) for one in pending)}
    task_id, item_id = split_request(request, sorted(candidates))
    found = next((one for one in pending if (one.task_id, one.item_id) == (task_id, item_id)), None)
    if found is None:
        draft = _settled(snapshot, task_id, item_id, words)
    elif found.kind in (PendingKind.ESCALATION, PendingKind.FINALIZATION, PendingKind.BASELINE):
        raise UsageProblem(_not_denied(task_id, item_id, found.kind.value))
    else:
        draft = denial(found, words)
    row = workspace.record(replace(draft, via="cli"))
    call.out.line(
        Span("denied  ", "ok"), f"{task_id}/{item_id}", Span(f"  entry {row.entry.sequence}", "muted")
    )
    call.out.document({"id": f"{task_id}/{item_id}", "verdict": "denied", "entry": entry_document(row)})
    return OK


def _settled(snapshot: Snapshot, task_id: str, item_id: str, reason: str) -> Draft:
    """The denial of a request that no longer waits, such as one that was approved and not yet used."""
    artifact = request_artifact(snapshot_of(snapshot, task_id), item_id)
    if artifact is None:
        raise CommandFailed(
            f"{task_id}/{item_id}: its file cannot be read; block the task instead: ags-tui block"
        )
    kind = deciding_kind(artifact)
    if kind in _QUESTIONS:
        raise UsageProblem(_not_denied(task_id, item_id, kind))
    return Draft(
        task_id=task_id,
        kind=kind,
        verdict="denied",
        subject_id=item_id,
        subject_digest=artifact.digest,
        reason=reason,
        bound=Bound(request=artifact.digest),
    )


def _not_denied(task_id: str, item_id: str, kind: str) -> str:
    return (
        f"{task_id}/{item_id}: {kind} is not denied; answer it in the TUI, or block the task: ags-tui block"
    )
