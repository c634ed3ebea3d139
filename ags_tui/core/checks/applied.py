"""What really happened to files that requests named, held against the verdict on them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ags_tui.core.assessment import PathClass, RequestState, RequestStatus, ScopeReport
from ags_tui.core.checks.approved import EditDecision, edit_decisions
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.findings import Basis, Finding
from ags_tui.core.checks.loosening import policy_of
from ags_tui.core.checks.stops import PREFIX
from ags_tui.core.contracts.tool_request import ProposedChange, ToolRequestV2
from ags_tui.core.digests import ABSENT, blob_id, digest
from ags_tui.core.globs import normalise
from ags_tui.core.snapshot import Change

CHANGE_ITEM = f"{PREFIX}edit-"
"""How ids of questions begin that are about a change that is there already."""

_ENDED = (RequestState.EXPIRED, RequestState.WITHDRAWN, RequestState.DISMISSED)


@dataclass(frozen=True, slots=True)
class Proposal:
    """The bytes that a request wants a file to have."""

    path: str
    """Work-tree path, normalised."""
    before: str
    """Digest that the file had, or ``absent``."""
    digest: str
    """Digest that it shall have, or ``absent``."""
    blob: str
    """Blob id that it shall have; empty where it shall be gone."""


def proposal_of(change: ProposedChange, base: str = "") -> Proposal:
    """Work out what a proposed change leads to.

    Args:
        change: As the request says it.
        base: Any object id of the repository, for its length tells the algorithm.
    """
    path = normalise(change.path)
    if change.after is None:
        return Proposal(path, change.before, ABSENT, "")
    data = change.after.encode("utf-8", "surrogatepass")
    return Proposal(path, change.before, digest(data), blob_id(data, "sha256" if len(base) == 64 else "sha1"))


def change_digest(change: Change) -> str:
    """Digest over path, mode and blob of a change as it is: what a decision about it is bound to."""
    new = f"{change.new.mode} {change.new.blob}" if change.new else "000000 "
    return digest(f"{new} {change.path}".encode("utf-8", "surrogateescape"))


def check_applied(facts: Facts, scope: ScopeReport, statuses: Iterable[RequestStatus]) -> tuple[Finding, ...]:
    """APPLIED_DIFFERS and DENIED_BUT_APPLIED."""
    ended = [status for status in statuses if status.state in _ENDED]
    decisions = edit_decisions(facts)
    if not decisions and not ended:
        return ()
    files = FileStates(facts, scope)
    findings: list[Finding] = []
    for rows in decisions.values():
        approved = [row for row in rows if row.approved]
        if any(files.holds(row.path, row.effective, row.blob) for row in approved):
            continue
        findings += [_denied(row) for row in rows if not row.approved and files.has_denied(row)]
        last = next((row for row in reversed(approved) if row.effective is not None), None)
        if last is not None and files.differs(last):
            message = f"{last.path} is not what was approved in {last.item_id}. Restore it or ask again."
            findings.append(Finding("APPLIED_DIFFERS", message, path=last.path, next_action="human"))
    for status in ended:
        findings += files.applied_without_verdict(status, decisions)
    return tuple(findings)


class FileStates:
    """The files that requests name, as they are now."""

    def __init__(self, facts: Facts, scope: ScopeReport) -> None:
        """Index the changes of a task by normalised path."""
        self._facts = facts
        self._classes = {normalise(one.path): one.path_class for one in scope.paths}
        entries = facts.changes.entries if facts.changes else ()
        self._changes = {normalise(change.path): change for change in entries}
        at_work = facts.changes is None or facts.changes.target == "work-tree"
        self._digests: Mapping[str, str] = facts.task.file_digests if at_work else {}

    def holds(self, path: str, wanted: str | None, blob: str | None) -> bool:
        """Whether a path has these bytes; False where nobody can say.

        Args:
            path: Normalised work-tree path.
            wanted: Digest of the bytes, ``absent`` for none.
            blob: Blob id of the bytes.
        """
        now = self._digests.get(path)
        if now is not None and wanted is not None:
            return now == wanted
        change = self._changes.get(path)
        if change is None:
            return False
        if change.new is None:
            return wanted == ABSENT or blob in ("", ABSENT)
        return bool(blob) and change.new.blob == blob

    def has_denied(self, row: EditDecision) -> bool:
        """Whether an edit that was denied is in the file all the same."""
        if row.item_id.startswith(CHANGE_ITEM):
            change = self._changes.get(row.path)
            return change is not None and change_digest(change) == row.at.entry.subject.digest
        proposal = self._proposal(row.item_id, row.at.entry.subject.digest)
        wanted = row.proposed or (proposal.digest if proposal else None)
        before = row.before or (proposal.before if proposal else None)
        if wanted is None or wanted == before:
            return False
        return self.holds(row.path, wanted, proposal.blob if proposal else None)

    def differs(self, row: EditDecision) -> bool:
        """Whether a file is neither as before its last approved edit, nor as that edit leaves it.

        Inside a plan that a human approved, later edits need no request of their own; only the agent's
        proposal in place of what the human made of it is wrong there.
        """
        if row.proposed is not None and row.proposed != row.effective:
            proposal = self._proposal(row.item_id, row.at.entry.subject.digest)
            if self.holds(row.path, row.proposed, proposal.blob if proposal else None):
                return True
        if self._free(row.path):
            return False
        now = self._digests.get(row.path)
        if now is not None:
            return row.before is not None and now != row.before
        change = self._changes.get(row.path)
        return change is not None and change.new is not None and bool(row.blob)

    def applied_without_verdict(
        self, status: RequestStatus, decisions: Mapping[str, tuple[EditDecision, ...]]
    ) -> list[Finding]:
        """A request that ended without a verdict holds nothing, unless its effect happened all the same."""
        proposal = self._proposal(status.item_id, status.digest)
        if proposal is None or proposal.digest == proposal.before or self._free(proposal.path):
            return []
        rows = [row for row in decisions.get(proposal.path, ()) if row.approved]
        if any(self.holds(proposal.path, row.effective, row.blob) for row in rows):
            return []
        if not self.holds(proposal.path, proposal.digest, proposal.blob):
            return []
        message = f"{status.item_id} was {status.state.value}, yet its edit is there: {proposal.path}."
        return [Finding("DENIED_BUT_APPLIED", message, path=proposal.path, next_action="human")]

    def _free(self, path: str) -> bool:
        """Whether edits of a path need no approval of their own: a human approved the plan that names it."""
        plan = self._facts.terms.plan
        approved = (
            self._facts.terms.plan_term.approved and plan is not None and policy_of(plan) != "each-edit"
        )
        return approved and self._classes.get(path, PathClass.IN_SCOPE) is PathClass.IN_SCOPE

    def _proposal(self, item_id: str, wanted: str) -> Proposal | None:
        artifact = self._facts.task.files.artifacts.get(f"tool-requests/{item_id}.json")
        if artifact is None or artifact.digest != wanted or not isinstance(artifact.document, ToolRequestV2):
            return None
        change = artifact.document.proposed_change
        base = self._facts.changes.base if self._facts.changes else ""
        return None if change is None else proposal_of(change, base)


def _denied(row: EditDecision) -> Finding:
    words = f" ({row.at.entry.reason})" if row.at.entry.reason else ""
    message = f"The edit of {row.path} was denied{words} and is there all the same. Restore the file."
    return Finding("DENIED_BUT_APPLIED", message, path=row.path, next_action="human", basis=Basis.HUMAN)
