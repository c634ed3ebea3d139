"""Which TUIs ran here: a decision that none of them made is worth an alarm.

Each TUI leaves a file ``STATE/live/INSTANCE`` and writes its instance into the decisions that it records. A
process that merely has the human key leaves none. One that knows of this file can make it: this detects, it
does not prevent.
"""

import os
import secrets
import time
from collections.abc import Iterable
from contextlib import suppress

from ags_tui.core.log_state import LoggedEntry
from ags_tui.core.snapshot import TaskSnapshot
from ags_tui.io.places import Places, PlaceUnusable

FOLDER = "live"
"""Folder of the state directory."""

KEPT_S = 86_400.0
"""Seconds for which the file of an ended TUI is kept."""

INSTANCE = "instance"
"""Name in the ``data`` of a decision."""


class Presence:
    """This TUI among those that ran here, and the decisions that it has seen."""

    def __init__(self, places: Places) -> None:
        """Prepare; nothing is written before ``enter``.

        Args:
            places: The user's folders.
        """
        self._places = places
        self._seen: set[str] | None = None
        self._alarms: dict[str, str] = {}
        self.instance = ""

    def enter(self) -> None:
        """Leave the file of this TUI and sweep old ones; without a state directory nothing is watched."""
        try:
            folder = self._places.state_folder(FOLDER)
            oldest = time.time() - KEPT_S
            with os.scandir(folder) as entries:
                for entry in entries:
                    with suppress(OSError):
                        if entry.stat(follow_symlinks=False).st_mtime < oldest:
                            os.unlink(entry.path)
            name = secrets.token_hex(8)
            os.close(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            self.instance = name
        except (PlaceUnusable, OSError):
            self.instance = ""

    def alarms(self, tasks: Iterable[TaskSnapshot]) -> tuple[str, ...]:
        """Say which decisions came while this TUI was open and were made by no TUI that ran here.

        Args:
            tasks: All tasks as just read; the first call only notes what is there already.
        """
        if not self.instance:
            return ()
        rows = [(task.task_id, row) for task in tasks for row in task.log.entries if _claims_tui(row)]
        if self._seen is None:
            self._seen = {row.digest for _, row in rows}
        for task_id, row in rows:
            if row.digest in self._seen:
                continue
            self._seen.add(row.digest)
            if not self._ran_here(row.entry.data.get(INSTANCE)):
                entry = row.entry
                self._alarms[row.digest] = (
                    f"{task_id}: entry {entry.sequence} ({entry.kind} {entry.verdict}) was made by no "
                    "ags-tui that ran here. Somebody else has the human key: look at the log, change the key."
                )
        return tuple(self._alarms.values())

    def _ran_here(self, instance: object) -> bool:
        if not isinstance(instance, str) or not instance.isalnum():
            return False
        return (self._places.state / FOLDER / instance).is_file()


def _claims_tui(row: LoggedEntry) -> bool:
    actor = row.entry.actor
    return row.counted and row.signer == "human" and actor.source == "human" and actor.via == "tui"
