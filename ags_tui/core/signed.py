"""What the finalization of a task signed, from its log entry, and whether the tree is still that one."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from ags_tui.core.snapshot import Change, TaskSnapshot
from ags_tui.core.wording import counted

if TYPE_CHECKING:
    from ags_tui.core.log_state import LoggedEntry

_DIGITS = 12
"""Hexadecimal digits of a digest or commit that are shown."""


def signed_words(task: TaskSnapshot) -> tuple[str, ...]:
    """Say who finalized a task and what was signed, in sentences; empty where nobody did."""
    row = task.log.finalized
    if row is None:
        return ()
    entry, data = row.entry, row.entry.data
    when = entry.decided_at.strftime("%Y-%m-%d %H:%M UTC")
    words = [f"Finalized by {entry.actor.name or 'a human'}, {when} (entry {entry.sequence}). {_counts(row)}"]
    named = [("tree", data.get("treeDigest")), ("assessment", data.get("assessmentDigest"))]
    parts = [f"{name} {_short(value)}" for name, value in named if isinstance(value, str) and value]
    base = _base(task)
    parts += [f"since commit {base[:_DIGITS]}"] if base else []
    words += [f"Signed: {', '.join(parts)}."] if parts else []
    words.append(_today(task))
    return tuple(words)


def signed_changes(task: TaskSnapshot) -> tuple[Change, ...]:
    """The changes that were signed, while the tree is still the one that was; else nothing is known."""
    changes = task.changes
    return changes.entries if changes is not None and _same(task) else ()


def _counts(row: "LoggedEntry") -> str:
    """What the scope check counted at the signature; older entries do not say."""
    stated = row.entry.data.get("scope")
    if not isinstance(stated, Mapping):
        return ""
    reason = cast("Mapping[str, object]", stated).get("reason")
    return f"In scope: {reason}." if isinstance(reason, str) and reason else ""


def _base(task: TaskSnapshot) -> str:
    return task.log.baseline.commit or "" if task.log.baseline is not None else ""


def _same(task: TaskSnapshot) -> bool:
    row, changes = task.log.finalized, task.changes
    known = row is not None and changes is not None and not changes.unknown and bool(changes.tree_digest)
    return known and row is not None and row.entry.data.get("treeDigest") == task_tree(task)


def task_tree(task: TaskSnapshot) -> str:
    """Today's tree digest of a task; empty where it is not known."""
    changes = task.changes
    return "" if changes is None or changes.unknown else changes.tree_digest


def _today(task: TaskSnapshot) -> str:
    if not task_tree(task):
        return "It is not judged again; what is in the tree now is not known."
    if not _same(task):
        return "It is not judged again. The tree is another one now."
    count = len(task.changes.entries) if task.changes is not None else 0
    return f"It is not judged again. The tree is exactly that one, {counted(count, 'changed path')}:"


def _short(digest: str) -> str:
    return digest.removeprefix("sha256:")[:_DIGITS]
