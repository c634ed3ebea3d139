"""Writes the contracts of a promoted session into its folder, and lets that travel with the change."""

import os
import tempfile
from pathlib import Path

from ags_tui.core.contracts.write import to_bytes
from ags_tui.core.digests import digest
from ags_tui.core.failures import AgsError
from ags_tui.core.layout import TASKS
from ags_tui.core.promotion import PLAN_FILE, TASK_FILE, Promotion
from ags_tui.core.snapshot import Snapshot, TaskSnapshot
from ags_tui.io.git.root import IGNORES, SESSIONS, exception
from ags_tui.io.plain_files import NotPlain, open_folder, read_plain, write_new

_LARGEST = 64 * 1024


class NotPromoted(AgsError):
    """A session cannot become a planned task; the message says why, and nothing of it was overwritten."""


def promote(root: Path, promotion: Promotion, *, travels: bool) -> Path:
    """Write plan and task of a promoted session, create-once.

    The plan comes first: where this is cut off between the two, a session with a plan is left.

    Args:
        root: Folder that holds ``tasks/``.
        promotion: What to write; the id of its task names the folder, which exists.
        travels: Whether the root lies in the repository, so that its rule file must not hide the task.

    Returns:
        The task folder.

    Raises:
        NotPromoted: One of the files exists already, or a file cannot be written.
    """
    name = promotion.task.id
    try:
        if travels:
            _let_travel(root, name)
        with open_folder(root / TASKS, name) as folder:
            for file, data in _files(promotion):
                if not write_new(folder, file, data):
                    raise NotPromoted(
                        f"{name}/{file} exists already: the agent wrote it; read it with 2, approve with a"
                    )
    except (OSError, NotPlain) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise NotPromoted(f"{root / TASKS / name}: {why}") from error
    return root / TASKS / name


def check_promoted(snapshot: Snapshot, promotion: Promotion) -> TaskSnapshot:
    """Check that the files of a promoted session are those that were written.

    Args:
        snapshot: What was read after they were written.
        promotion: What was written.

    Returns:
        The task as read.

    Raises:
        NotPromoted: Somebody replaced one of them, so the human's is not the first version.
    """
    name = promotion.task.id
    task = next((one for one in snapshot.tasks if one.task_id == name), None)
    for file, data in _files(promotion):
        found = None if task is None else task.files.artifacts.get(file)
        if task is None or found is None or found.digest != digest(data):
            raise NotPromoted(
                f"{name}/{file} was replaced as it was written: read it with 2 before you go on"
            )
    assert task is not None
    return task


def _files(promotion: Promotion) -> tuple[tuple[str, bytes], ...]:
    """The files of a promotion in the order in which they are written."""
    return (
        (PLAN_FILE, to_bytes(promotion.plan)),
        (TASK_FILE, to_bytes(promotion.task, envelope=False)),
    )


def _let_travel(root: Path, name: str) -> None:
    """Add the exception to the rule file that hides sessions; a file that hides none stays as it is."""
    path = root / IGNORES
    try:
        text = read_plain(path, limit=_LARGEST).decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return
    line = exception(name)
    lines = text.splitlines()
    if SESSIONS not in lines or line.strip() in lines:
        return
    written = text + ("" if text.endswith("\n") else "\n") + line
    descriptor, temporary = tempfile.mkstemp(prefix=".tmp-", dir=root)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as stream:
            stream.write(written)
        os.chmod(temporary, path.stat().st_mode & 0o777)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
