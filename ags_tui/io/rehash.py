"""Hashes what a decision is bound to: the contracts of its task folder, and files of the work tree."""

import errno
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
    if draft.bound.plan is not None and _own_digest(folder / PLAN) != draft.bound.plan:
        changed.append("plan")
    return tuple(changed)


def file_digest(path: Path) -> str:
    """Return what tells the bytes behind a work-tree path from any others.

    Links are followed, and a link counts with where it points to: what runs is what it leads to. A file
    that is too large to be hashed each time, or that may not be read, counts with its identity and times
    instead, which change whenever it is written.

    Args:
        path: The file.

    Returns:
        A digest; ``absent`` where there is no file, or a folder.
    """
    try:
        link = os.readlink(path) if path.is_symlink() else None
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            facts = os.fstat(stream.fileno())
            whole = stat.S_ISREG(facts.st_mode) and facts.st_size <= _LARGEST
            found = digest(stream.read(_LARGEST + 1)) if whole else _identity(facts)
    except OSError as error:
        return _unopened(path, error)
    return found if link is None else digest(b"link\0" + os.fsencode(link) + b"\0" + found.encode())


def _unopened(path: Path, error: OSError) -> str:
    """Tell a file that may not be opened from one that is not there; folders cannot be opened as files."""
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return ABSENT
    try:
        facts = path.stat()
    except OSError:
        return ABSENT
    return _identity(facts)


def _identity(facts: os.stat_result) -> str:
    if stat.S_ISDIR(facts.st_mode):
        return ABSENT
    named = (facts.st_mode, facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
    return digest(b"file\0" + " ".join(map(str, named)).encode())


def _own_digest(path: Path) -> str:
    """Return the digest of a contract file, ``absent`` where there is none that a reader would take."""
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
    there = [found for name in names if (found := _own_digest(folder / name)) != ABSENT]
    return draft.bound.request in there if there else draft.kind not in _OWN_FILE
