"""Blocking work beside reading: decisions, diffs, new tasks, test runs. Each call ends in one message."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.message import Message

from ags_tui.app.messages import (
    CheckFailed,
    CheckFinished,
    CheckPrinted,
    DecisionRecorded,
    DecisionRefused,
    DiffFailed,
    DiffLoaded,
    DiffWanted,
    EvidenceRead,
    Proposal,
    TaskCreated,
    TaskRefused,
)
from ags_tui.core.failures import AgsError

if TYPE_CHECKING:
    from ags_tui.app.ports import Beside, Door
    from ags_tui.core.contracts.task import AgentTask
    from ags_tui.core.decisions import Draft
    from ags_tui.core.promotion import Promotion

OF_THE_TREE = ("rule", "trust")
"""Kinds of decisions that go into the work tree's own log, not into that of a task."""


class Clerk:
    """Does blocking work for the app, in worker threads."""

    def __init__(
        self, door: "Door", post: Callable[[Message], object], beside: "Beside | None" = None
    ) -> None:
        """Take what does the work and what takes the messages.

        Args:
            door: The workspace.
            post: Takes messages from any thread.
            beside: Keeps the work tree's own log, for rules and trust.
        """
        self.door = door
        self.post = post
        self.beside = beside
        self._cancels: dict[str, threading.Event] = {}

    def record(self, draft: "Draft") -> None:
        """Record a decision."""
        try:
            own = self.beside if draft.kind in OF_THE_TREE else None
            logged = (own or self.door).record(draft)
        except AgsError as error:
            self.post(DecisionRefused(draft, str(error)))
        except OSError as error:
            self.post(DecisionRefused(draft, f"the log cannot be written: {error.strerror or error}"))
        except Exception as error:  # noqa: BLE001 (a decision must never vanish without a word)
            self.post(DecisionRefused(draft, f"own failure: {type(error).__name__}: {error}"))
        else:
            self.post(DecisionRecorded(draft, logged.entry.sequence))

    def diff(self, wanted: DiffWanted) -> None:
        """Read the diff of one path, and say which bytes it shows where a decision is bound to it.

        Args:
            wanted: Which one.
        """
        try:
            if wanted.proposal is not None:
                self.post(self._proposed(wanted.key, wanted.proposal))
            else:
                self.post(self._changed(wanted))
        except AgsError as error:
            self.post(DiffFailed(wanted.key, str(error)))
        except OSError as error:
            self.post(DiffFailed(wanted.key, str(error.strerror or error)))
        except Exception as error:  # noqa: BLE001 (a diff that cannot be made must say so)
            self.post(DiffFailed(wanted.key, f"own failure: {type(error).__name__}: {error}"))

    def _changed(self, wanted: DiffWanted) -> DiffLoaded:
        """What the work tree holds in place of the baseline."""
        from ags_tui.core import diffs
        from ags_tui.core.diff_sides import new_side
        from ags_tui.core.digests import ABSENT, blob_id, digest

        files = diffs.parse(self.door.diff(wanted.task_id, wanted.path))
        if not wanted.binding:
            return DiffLoaded(wanted.key, files)
        if not files:
            data = self.door.work_file(wanted.path)
            note = "The file is as it was at the baseline; here it is whole."
            whole = diffs.between(None, data, wanted.path)
            return DiffLoaded(wanted.key, (whole,), note, ABSENT if data is None else digest(data))
        file = files[0]
        if file.new_path is None:
            return DiffLoaded(wanted.key, files, digest=ABSENT)
        if not file.old_blob:  # only its mode differs
            data = self.door.work_file(wanted.path)
            return DiffLoaded(wanted.key, files, digest=ABSENT if data is None else digest(data))
        known = file.old_blob.strip("0") and not file.submodule
        after = new_side(file, self.door.blob(file.old_blob) if known else b"")
        if after is None:  # nothing of it is told as text: its id is all there is
            return DiffLoaded(wanted.key, files, blob=file.new_blob)
        algorithm = "sha256" if len(file.new_blob or file.old_blob) == 64 else "sha1"
        return DiffLoaded(wanted.key, files, digest=digest(after), blob=blob_id(after, algorithm))

    def evidence(self, task_id: str, ref: str) -> None:
        """Read a file that an escalation names.

        Args:
            task_id: Whose evidence.
            ref: Reference as the escalation gives it.
        """
        try:
            text = self.door.evidence(task_id, ref)
        except AgsError as error:
            text = str(error)
        except OSError as error:
            text = f"cannot be read: {error.strerror or error}"
        except Exception as error:  # noqa: BLE001 (the human waits for an answer)
            text = f"own failure: {type(error).__name__}: {error}"
        self.post(EvidenceRead(task_id, ref, text))

    def _proposed(self, key: tuple[object, ...], proposal: Proposal) -> DiffLoaded:
        """Compare the file as it is with what is asked for."""
        from ags_tui.core import diffs
        from ags_tui.core.digests import ABSENT, digest

        before = self.door.work_file(proposal.path)
        after = None if proposal.after is None else proposal.after.encode()
        now = ABSENT if before is None else digest(before)
        note = "" if now == proposal.before else "The file has changed since this was asked."
        return DiffLoaded(
            key, (diffs.between(before, after, proposal.path),), note, digest=now, before=before
        )

    def new_task(self, task: "AgentTask") -> None:
        """Write a new task."""
        self._write(lambda: self.door.new_task(task), TaskCreated(task.id))

    def promote(self, promotion: "Promotion") -> None:
        """Write the contracts of a session that becomes a planned task."""
        self._write(lambda: self.door.promote(promotion), TaskCreated(promotion.task.id, promoted=True))

    def _write(self, write: Callable[[], object], created: TaskCreated) -> None:
        """Write a task folder, and say that it is there or why it is not."""
        try:
            write()
        except AgsError as error:
            self.post(TaskRefused(str(error)))
        except OSError as error:
            self.post(TaskRefused(f"{error.strerror or error}: {error.filename or ''}"))
        except Exception as error:  # noqa: BLE001 (the human waits for an answer)
            self.post(TaskRefused(f"own failure: {type(error).__name__}: {error}"))
        else:
            self.post(created)

    def check(self, task_id: str) -> None:
        """Run the planned tests of a task, its output as messages."""
        cancel = self._cancels.setdefault(task_id, threading.Event())

        def printed(line: str) -> None:
            self.post(CheckPrinted(task_id, (line,)))

        try:
            run = self.door.run_checks(task_id, on_line=printed, cancel=cancel)
        except AgsError as error:
            self.post(CheckFailed(task_id, str(error)))
        except OSError as error:
            self.post(CheckFailed(task_id, str(error.strerror or error)))
        except Exception as error:  # noqa: BLE001 (the human waits for an answer)
            self.post(CheckFailed(task_id, f"own failure: {type(error).__name__}: {error}"))
        else:
            self.post(CheckFinished(task_id, run.passed, run.summary))
        finally:
            self._cancels.pop(task_id, None)

    def cancel(self, task_id: str | None = None) -> None:
        """End the run of a task, or all of them."""
        for running, cancel in list(self._cancels.items()):
            if task_id in (None, running):
                cancel.set()
