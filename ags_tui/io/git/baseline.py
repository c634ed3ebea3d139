"""The facts of a baseline: what was already dirty, and what could hide changes, when a task began."""

from collections.abc import Callable, Mapping
from typing import Any

from ags_tui.core.digests import ABSENT, path_text
from ags_tui.core.snapshot import Changes, Repo
from ags_tui.io.git.changes import raw
from ags_tui.io.git.contents import HASH_LIMIT, Contents

KEPT_LIMIT = 4 * 1024**2
"""Largest content that is kept, bytes."""

Keep = Callable[[bytes], str]
"""Keeps bytes and returns their digest."""


def baseline_facts(repo: Repo, changes: Changes, contents: Contents, keep: Keep | None) -> dict[str, Any]:
    """Return the data of a baseline entry (without ``late``, which depends on plan and results).

    Args:
        repo: the repository.
        changes: those of the work tree against HEAD.
        contents: reads files.
        keep: keeps the contents of dirty files; None keeps nothing.
    """
    files: list[Mapping[str, Any]] = []
    for change in changes.entries:
        path = raw(change.path)
        entry = change.new
        digest, kept = ABSENT, False
        if entry is not None:
            digest, kept = _content(path, contents, keep)
        files.append({
            "path": path_text(path),
            "mode": entry.mode if entry else None,
            "blob": entry.blob if entry else None,
            "digest": digest,
            "kept": kept,
        })  # fmt: skip
    return {
        "head": changes.base,
        "unborn": repo.head is None,
        "files": files,
        "hiding": {path_text(raw(name)): seen for name, seen in repo.hiding.items()},
        "hiddenBits": [path_text(raw(path)) for path in repo.hidden_bits],
    }


def _content(path: bytes, contents: Contents, keep: Keep | None) -> tuple[str, bool]:
    """Return the digest of a file's raw bytes (of a link: of its target), and whether they are kept."""
    data = contents.read(path, KEPT_LIMIT)
    if data is not None and keep is not None:
        return keep(data), True
    return contents.sha256(path, HASH_LIMIT) or ABSENT, False
