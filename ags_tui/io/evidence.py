"""Evidence that results name: where it is, without following a link on the way."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from ags_tui.core.contracts.handoff import AgentHandoff
from ags_tui.core.contracts.results import TestResult
from ags_tui.core.snapshot import Artifact, EvidenceFile
from ags_tui.io.plain_files import NotPlain, read_plain

MAX_NAMED = 1_000
"""Most names of evidence that are looked up for one task."""
MAX_PATH = 4_096
"""Longest path that is looked up, characters."""
MAX_SHOWN = 1 << 20
"""Largest file that is shown as evidence, bytes."""


def evidence_names(artifacts: Iterable[Artifact]) -> tuple[str, ...]:
    """What the results of a task name as evidence."""
    names = dict.fromkeys(name for artifact in artifacts for name in _named(artifact))
    return tuple(names)[:MAX_NAMED]


def look_up(names: Iterable[str], folder: str, work_tree: str) -> dict[str, EvidenceFile]:
    """Look up evidence.

    Args:
        names: What the results name.
        folder: Absolute path of the task folder, looked into first.
        work_tree: Absolute path of the top of the work tree.

    Returns:
        What exists as a regular file, by the name in the result.
    """
    found: dict[str, EvidenceFile] = {}
    for name in names:
        parts = _safe_parts(name)
        if parts is None:
            continue
        size = _size_of(folder, parts)
        if size is not None:
            found[name] = EvidenceFile(name, "task", size)
            continue
        size = _size_of(work_tree, parts)
        if size is not None:
            found[name] = EvidenceFile(name, "work-tree", size)
    return found


def read_evidence(name: str, folders: Iterable[Path]) -> str:
    r"""Read a file that is named as evidence, without following a link on the way.

    Args:
        name: Relative path.
        folders: Where to look, in order.

    Returns:
        Its text; bytes that are not UTF-8 as ``\xNN``.

    Raises:
        NotPlain: It is nowhere, no regular file, or larger than ``MAX_SHOWN``.
    """
    parts = _safe_parts(name)
    if parts is None:
        raise NotPlain(f"{name!r} is no path below the task folder or the work tree")
    for folder in folders:
        if _size_of(str(folder), parts) is not None:
            data = read_plain(folder.joinpath(*parts), limit=MAX_SHOWN)
            return data.decode("utf-8", "backslashreplace")
    raise NotPlain(f"there is no file {name!r} in the task folder or the work tree")


def _named(artifact: Artifact) -> Iterator[str]:
    document = artifact.document
    if isinstance(document, TestResult):
        yield from document.artifacts
        for command in document.commands:
            yield from filter(None, (command.stdout_artifact, command.stderr_artifact))
    elif isinstance(document, AgentHandoff):
        yield from document.artifacts


def _safe_parts(name: str) -> list[str] | None:
    """The segments of a relative path; None for one that could lead elsewhere."""
    if not name or len(name) > MAX_PATH or name.startswith("/") or "\0" in name:
        return None
    parts = [part for part in name.split("/") if part not in {"", "."}]
    return parts if parts and ".." not in parts else None


def _size_of(top: str, parts: Iterable[str]) -> int | None:
    """Size of a regular file whose folders are no links; None where there is none."""
    path = top
    mode = stat.S_IFDIR
    size = 0
    for part in parts:
        if not stat.S_ISDIR(mode):
            return None
        path = f"{path}/{part}"
        try:
            facts = os.lstat(path)
        except (OSError, ValueError):  # ValueError: a lone surrogate cannot be a path
            return None
        mode, size = facts.st_mode, facts.st_size
    return size if stat.S_ISREG(mode) else None
