"""Holds the logs on disk (and in a commit or the index) against those of the base branch."""

from collections.abc import Mapping
from pathlib import Path

from ags_tui.core.base_logs import logs_of, not_extending
from ags_tui.core.checks.findings import Finding
from ags_tui.core.digests import blob_id
from ags_tui.core.failures import AgsError
from ags_tui.core.log_entries import LARGEST_ENTRY
from ags_tui.core.snapshot import TreeEntry
from ags_tui.io.git import GitDoor
from ags_tui.io.plain_files import NotPlain, read_plain

WORK_TREE = "work-tree"
"""The target that is on disk."""


class RootOutside(AgsError):
    """The task folders lie outside the work tree: no commit holds their logs."""


def altered_logs(git: GitDoor, root: Path, base: str, target: str = WORK_TREE) -> Mapping[str, Finding]:
    """Find the logs that do not extend those of the base branch.

    The logs on disk are always looked at, for they are what is judged; with another target those in that
    tree, too, for they are what would be merged.

    Args:
        git: The repository.
        root: Absolute folder that holds ``tasks/``.
        base: A revision, such as the base branch.
        target: ``work-tree``, ``index`` or a revision.

    Returns:
        By task id, also of those whose log or folder is gone.

    Raises:
        RootOutside: There is nothing to compare.
        GitFailed: A commit is not here, or git did not answer.
    """
    folder = _tasks_folder(git, root)
    then = logs_of(git.files(folder, base))
    places = {"the work tree": _on_disk(Path(git.top) / folder, then)}
    if target != WORK_TREE:
        places["the index" if target == "index" else target] = logs_of(git.files(folder, target))
    altered: dict[str, Finding] = {}
    for task_id, log in sorted(then.items()):
        found = (
            not_extending(log, logs.get(task_id, {}), revision=base, place=place)
            for place, logs in places.items()
        )
        first = next((finding for finding in found if finding is not None), None)
        if first is not None:
            altered[task_id] = first
    return altered


def _tasks_folder(git: GitDoor, root: Path) -> str:
    """The folder of the tasks relative to the top."""
    try:
        return (root / "tasks").relative_to(git.top).as_posix()
    except ValueError as error:
        raise RootOutside(f"{root} lies outside the work tree {git.top}: no commit holds its logs") from error


def _on_disk(tasks: Path, then: Mapping[str, Mapping[int, TreeEntry]]) -> dict[str, dict[int, TreeEntry]]:
    """What is on disk in the places of these entries: what cannot be read as a file is another entry."""
    logs: dict[str, dict[int, TreeEntry]] = {}
    for task_id, log in then.items():
        for number, entry in log.items():
            place = tasks / task_id / "log" / f"{number:06d}.json"
            algorithm = "sha1" if len(entry.blob) == 40 else "sha256"
            try:
                blob = blob_id(read_plain(place, limit=LARGEST_ENTRY), algorithm)
            except FileNotFoundError:
                continue
            except NotPlain:
                blob = ""
            logs.setdefault(task_id, {})[number] = TreeEntry("100644", blob)
    return logs
