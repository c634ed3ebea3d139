"""What humans approved about paths: edits at exactly their bytes, and paths allowed for the whole task."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from ags_tui.core.checks.facts import Facts
from ags_tui.core.digests import ABSENT
from ags_tui.core.globs import normalise
from ags_tui.core.log_entries import path_of
from ags_tui.core.log_state import LoggedEntry
from ags_tui.core.snapshot import Change

YES = frozenset({"approved", "amended"})
"""Verdicts that let something happen."""


@dataclass(frozen=True, slots=True)
class EditDecision:
    """A human decision about an edit of one path."""

    item_id: str
    """Request that it answers."""
    path: str
    """Work-tree path, normalised."""
    approved: bool
    """Approved (perhaps amended), else denied."""
    before: str | None
    """Digest of the file when it was decided; ``absent`` where it did not exist, None where not known."""
    proposed: str | None
    """Digest that the agent proposed; None where not known."""
    effective: str | None
    """Digest that was approved; None where the approval names no bytes."""
    blob: str | None
    """Blob id that was approved; empty or ``absent`` for a deletion."""
    mode: str | None
    """File mode that was approved, where it was named."""
    sequence: int
    """Log entry."""
    at: LoggedEntry
    """The entry."""


def edit_decisions(facts: Facts) -> Mapping[str, tuple[EditDecision, ...]]:
    """The last decision about each request that names a path, by path, in the order of the log.

    Approvals are history here: that one has expired or was taken since does not undo what was done under it.
    """
    if not facts.trusted:
        return {}
    found: dict[str, tuple[EditDecision, ...]] = {}
    last = [rows[-1] for rows in facts.decisions.values()]
    for row in sorted(last, key=lambda row: row.entry.sequence):
        decision = _read(row)
        if decision is not None:
            found[decision.path] = (*found.get(decision.path, ()), decision)
    return found


def covers(decisions: Iterable[EditDecision], change: Change, file_digest: str | None) -> bool:
    """Whether an approved edit left a path exactly as it is now.

    Args:
        decisions: Decisions about the path.
        change: The path as it is.
        file_digest: Digest of the file in the work tree, where it is the tree that is assessed.
    """
    if change.unsettled or change.dirty_submodule or change.conflict:
        return False
    return any(decision.approved and _same(decision, change, file_digest) for decision in decisions)


def amended_paths(facts: Facts) -> frozenset[str]:
    """Paths that a human allowed for the task by amending the plan in force, normalised.

    An amendment is bound to the plan that it amends: with another plan it is asked again.
    """
    term = facts.terms.plan_term
    if not facts.trusted or term.document is None:
        return frozenset()
    allowed: set[str] = set()
    for row in facts.task.log.entries:
        entry = row.entry
        if not row.counted or entry.kind != "plan" or entry.verdict != "amended":
            continue
        about = entry.bound.plan or entry.subject.digest
        if about in (term.digest, term.current_digest) and (
            entry.expires_at is None or entry.expires_at > facts.now
        ):
            allowed.update(_paths(entry.data))
    return frozenset(allowed)


def _paths(data: Mapping[str, Any]) -> list[str]:
    named = data.get("path")
    several = data.get("paths")
    texts = [named] if isinstance(named, str) else []
    if isinstance(several, list | tuple):
        texts += [one for one in cast("list[object]", several) if isinstance(one, str)]
    return [normalise(path_of(text)) for text in texts]


def _same(decision: EditDecision, change: Change, file_digest: str | None) -> bool:
    if change.new is None:
        return ABSENT in (decision.effective, decision.blob) or decision.blob == ""
    usual = change.old.mode if change.old else "100644"
    if change.new.mode != (decision.mode or usual):
        return False
    if decision.blob and decision.blob == change.new.blob:
        return True
    return decision.effective is not None and decision.effective == file_digest


def _read(row: LoggedEntry) -> EditDecision | None:
    entry = row.entry
    path = _text(entry.data, "path")
    if path is None or entry.verdict not in YES | {"denied"}:
        return None
    path = path_of(path)
    before = next((file.digest for file in entry.bound.files if path_of(file.path) == path), None)
    return EditDecision(
        item_id=entry.subject.id,
        path=normalise(path),
        approved=entry.verdict in YES,
        before=before,
        proposed=_digest(entry.data, "proposedDigest", entry.subject.digest),
        effective=_digest(entry.data, "effectiveDigest", entry.subject.digest),
        blob=_text(entry.data, "effectiveBlob"),
        mode=_text(entry.data, "effectiveMode"),
        sequence=entry.sequence,
        at=row,
    )


def _digest(data: Mapping[str, Any], name: str, request: str) -> str | None:
    """A digest of file bytes; where it is the request's own, the decision names no bytes."""
    value = _text(data, name)
    return None if value == request else value


def _text(data: Mapping[str, Any], name: str) -> str | None:
    value = data.get(name)
    return value if isinstance(value, str) else None
