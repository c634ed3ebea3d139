"""Calls that went past the gate, by task, from the activity logs; read again only where a log has grown."""

import os
from collections.abc import Mapping
from pathlib import Path

from ags_tui.core.activity import UNGATED, ActivityLine, tale_of
from ags_tui.core.snapshot import CallRecord
from ags_tui.io.activity import FOLDER, lines_in, session_name
from ags_tui.io.places import Places
from ags_tui.io.sessions import SESSIONS
from ags_tui.io.trees import tree_of

MOST = 100
"""Most such calls of one task."""

_Stamp = tuple[int, int, int]


class PastCalls:
    """Looks through the activity of the sessions of one work tree."""

    def __init__(self, top: str, places: Places) -> None:
        """Prepare; nothing is read yet.

        Args:
            top: Absolute top of the work tree.
            places: The user's folders.
        """
        tree = tree_of(top, places)
        self._sessions = None if tree is None else tree.folder / SESSIONS
        self._folder = places.state / FOLDER
        self._read: dict[str, tuple[_Stamp, Mapping[str, tuple[CallRecord, ...]]]] = {}
        self._joined: Mapping[str, tuple[CallRecord, ...]] = {}

    def by_task(self) -> Mapping[str, tuple[CallRecord, ...]]:
        """The calls by task id; the same object where nothing changed."""
        changed = False
        for session in self._names():
            path = self._folder / f"{session_name(session)}.jsonl"
            try:
                facts = path.lstat()
            except OSError:
                continue
            stamp = (facts.st_ino, facts.st_mtime_ns, facts.st_size)
            known = self._read.get(session)
            if known is None or known[0] != stamp:
                found = _of_session(path)
                changed = changed or found != (known[1] if known is not None else {})
                self._read[session] = (stamp, found)
        if changed:
            self._joined = _joined([found for _, found in self._read.values()])
        return self._joined

    def _names(self) -> list[str]:
        if self._sessions is None:
            return []
        try:
            names = os.listdir(self._sessions)
        except OSError:
            return []
        return [name.removesuffix(".json") for name in names if name.endswith(".json") and name[0] != "."]


def _of_session(path: Path) -> Mapping[str, tuple[CallRecord, ...]]:
    lines = [line for line in lines_in(path) if line.call_id]
    flagged = dict.fromkeys(line.call_id for line in lines if line.event == UNGATED)
    if not flagged:
        return {}
    by_call: dict[str, list[ActivityLine]] = {call_id: [] for call_id in flagged}
    for line in lines:
        if line.call_id in by_call:
            by_call[line.call_id].append(line)
    found: dict[str, tuple[CallRecord, ...]] = {}
    for call_id, rows in by_call.items():
        tale = tale_of(rows)
        if not tale.ungated:
            continue  # its verdict was only late
        flag = next(line for line in rows if line.event == UNGATED)
        said = tale.verdict
        record = CallRecord(
            call_id=call_id,
            session=flag.session,
            agent=flag.agent or "an agent",
            name=flag.name,
            what=flag.command or " ".join(flag.paths),
            denied=said.reason if said is not None and said.decision == "deny" else None,
            digest=flag.input_digest,
        )
        found[flag.task] = (*found.get(flag.task, ()), record)
    return found


def _joined(parts: list[Mapping[str, tuple[CallRecord, ...]]]) -> Mapping[str, tuple[CallRecord, ...]]:
    joined: dict[str, tuple[CallRecord, ...]] = {}
    for part in parts:
        for task, records in part.items():
            joined[task] = (*joined.get(task, ()), *records)[:MOST]
    return joined
