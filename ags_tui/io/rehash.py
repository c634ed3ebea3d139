"""Hashes again what a decision is bound to inside its task folder, at the moment it is recorded."""

import os
import stat
from pathlib import Path

from ags_tui.core.decisions import Draft
from ags_tui.core.digests import ABSENT, digest
from ags_tui.core.layout import COLLECTIONS, valid_id

PLAN = "plan.json"
"""The plan of a task."""

_HUMAN_COLLECTIONS = tuple(
    name
    for name, contract in COLLECTIONS.items()
    if contract in ("ToolRequest", "ApprovalRequest", "Escalation")
)
_OWN_FILE = frozenset({"tool-request", "escalation"})
_LARGEST = 16 << 20


def changed_in_folder(folder: Path, draft: Draft) -> tuple[str, ...]:
    """Name what a draft is bound to and that has other bytes by now: ``request``, ``plan``.

    Args:
        folder: The task folder.
        draft: The decision.
    """
    changed: list[str] = []
    if draft.bound.request is not None and not _request_holds(folder, draft):
        changed.append("request")
    if draft.bound.plan is not None and file_digest(folder / PLAN) != draft.bound.plan:
        changed.append("plan")
    return tuple(changed)


def file_digest(path: Path) -> str:
    """Return the digest of a regular file, ``absent`` where there is none that can be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            facts = os.fstat(stream.fileno())
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > _LARGEST:
                return ABSENT
            return digest(stream.read(_LARGEST + 1))
    except OSError:
        return ABSENT


def _request_holds(folder: Path, draft: Draft) -> bool:
    """Whether a file of this id has the bytes that the draft names; one that a check made has no file."""
    names = [PLAN] if draft.subject_id == "plan" else []
    if valid_id(draft.subject_id):
        names += [f"{collection}/{draft.subject_id}.json" for collection in _HUMAN_COLLECTIONS]
    there = [found for name in names if (found := file_digest(folder / name)) != ABSENT]
    return draft.bound.request in there if there else draft.kind not in _OWN_FILE
