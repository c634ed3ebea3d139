"""From what a look found to the changes since a baseline: pure, no file and no git."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace

from ags_tui.core.digests import DELETED_MODE, tree_digest
from ags_tui.core.snapshot import Change, Changes, TreeEntry
from ags_tui.io.git.root import Root
from ags_tui.io.git.spots import Line, Spot, View
from ags_tui.io.git.trees import Pair

_KINDS = {"100644": "file", "100755": "file", "120000": "link"}
_EMPTY_BLOBS = frozenset({
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
})  # fmt: skip


def text(path: bytes) -> str:
    """Return a path as text; bytes that are not UTF-8 become surrogate escapes."""
    return path.decode("utf-8", "surrogateescape")


def raw(path: str) -> bytes:
    """Return the bytes of a path made by ``text``."""
    return path.encode("utf-8", "surrogateescape")


def work_tree_changes(base: str, since: Mapping[bytes, Pair], view: View, root: Root) -> Changes:
    """Join what was committed since the baseline with what differs now.

    A path is a change if the work tree **or** the index differs from the baseline: what is only staged would
    be committed next. The tree digest is over the work tree alone.

    Args:
        base: the baseline commit.
        since: what differs between it and HEAD.
        view: a look at the work tree.
        root: the root folder.
    """
    entries: list[Change] = []
    lines: list[Line] = []
    digest_known = not view.unknown
    for path in {**since, **view.spots}:
        if root.knows(path):
            continue
        spot = view.spots.get(path)
        old, at_head = since.get(path, (spot.head if spot else None, None))
        if spot is None:
            spot = Spot(path, at_head, at_head, at_head, aside=root.holds(path))
        if spot.work != old or spot.inner:
            digest_known = digest_known and (spot.aside or not spot.unread)
            lines += [] if spot.aside else _lines(spot, old)
        if _is_change(spot, old):
            entries.append(_change(spot, old))
    return Changes(
        base=base,
        target="work-tree",
        entries=_with_renames(entries),
        tree_digest=tree_digest(base, lines) if digest_known else "",
        unknown=view.unknown,
    )


def tree_changes(
    base: str, target: str, pairs: Mapping[bytes, Pair], targets: Mapping[bytes, tuple[str, bool]], root: Root
) -> Changes:
    """Return the changes between the baseline and a tree that is not the work tree.

    Args:
        base: the baseline commit.
        target: ``index`` or a commit id.
        pairs: what differs.
        targets: of new links, where each points to and whether that is outside.
        root: the root folder.
    """
    entries: list[Change] = []
    lines: list[Line] = []
    for path, (old, new) in pairs.items():
        if root.knows(path) or old == new:
            continue
        target_text, escapes = targets.get(path, (None, False))
        entries.append(Change(text(path), old, new, link_target=target_text, link_escapes=escapes))
        if not root.holds(path):
            mode, blob = new or (DELETED_MODE, "")
            lines.append((path, mode, blob))
    return Changes(base, target, _with_renames(entries), tree_digest(base, lines))


def with_conflicts(changes: Changes, conflicts: Mapping[bytes, str]) -> Changes:
    """Mark unmerged paths of the index; such an index is no tree yet, so it has no digest.

    Args:
        changes: those of the index.
        conflicts: unmerged pairs by path.
    """
    if not conflicts:
        return changes
    by_path = {change.path: change for change in changes.entries}
    for path, pair in conflicts.items():
        change = by_path.get(text(path)) or Change(text(path), None, None)
        by_path[change.path] = replace(change, conflict=pair, unsettled="it is in conflict")
    entries = tuple(by_path[path] for path in sorted(by_path, key=raw))
    return replace(changes, entries=entries, tree_digest="", unknown="the index has conflicts")


def same(one: Changes, other: Changes) -> bool:
    """Whether two states of the changes say the same, so that the older object can be kept."""
    return (one.base, one.target, one.tree_digest, one.unknown, one.entries) == (
        other.base,
        other.target,
        other.tree_digest,
        other.unknown,
        other.entries,
    )


def _is_change(spot: Spot, old: TreeEntry | None) -> bool:
    return bool(spot.work != old or spot.index != old or spot.conflict or spot.dirty or spot.problem)


def _lines(spot: Spot, old: TreeEntry | None) -> Iterable[Line]:
    if spot.work != old:
        mode, blob = spot.work or (DELETED_MODE, "")
        yield (spot.path, mode, blob)
    yield from spot.inner


def _change(spot: Spot, old: TreeEntry | None) -> Change:
    return Change(
        path=text(spot.path),
        old=old,
        new=spot.work,
        staged=spot.index if spot.index not in (old, spot.work) else None,
        untracked=spot.untracked,
        conflict=spot.conflict,
        dirty_submodule=spot.dirty,
        link_target=spot.target,
        link_escapes=spot.escapes,
        unsettled=spot.problem,
    )


def _with_renames(entries: list[Change]) -> tuple[Change, ...]:
    """Sort, and pair what is gone with what is new where the content is equal.

    Equal names are paired first, then the order of paths decides; empty files are never a rename.
    """
    entries.sort(key=lambda change: raw(change.path))
    gone = [c for c in entries if c.old is not None and c.new is None and not c.conflict]
    new = [c for c in entries if c.old is None and c.new is not None and not (c.conflict or c.unsettled)]
    origin: dict[str, str] = {}
    moved: dict[str, str] = {}
    for by_name in (True, False):
        sources: dict[tuple[str, ...], deque[str]] = {}
        for change in gone:
            key = _content(change.old)
            if key and change.path not in moved:
                sources.setdefault((*key, _name(change.path) if by_name else ""), deque()).append(change.path)
        for change in new:
            key = _content(change.new)
            waiting = sources.get((*key, _name(change.path) if by_name else "")) if key else None
            if waiting and change.path not in origin:
                source = waiting.popleft()
                origin[change.path], moved[source] = source, change.path
    return tuple(
        replace(change, renamed_from=origin.get(change.path), renamed_to=moved.get(change.path))
        if change.path in origin or change.path in moved
        else change
        for change in entries
    )


def _content(entry: TreeEntry | None) -> tuple[str, ...]:
    """Return what makes two entries the same content; empty for what cannot be renamed."""
    if entry is None or entry.blob in _EMPTY_BLOBS or entry.mode not in _KINDS:
        return ()
    return _KINDS[entry.mode], entry.blob


def _name(path: str) -> str:
    return path.rpartition("/")[2]
