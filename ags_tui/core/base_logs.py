"""The rule of a merge: a log may be longer than the one of the base branch, never other or shorter."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from ags_tui.core.checks.findings import Finding, Outcome
from ags_tui.core.log_state import LogState
from ags_tui.core.snapshot import TreeEntry

_ENTRY = re.compile(r"(?P<task>[^/]+)/log/(?P<number>[0-9]{6})\.json", re.ASCII)


def logs_of(entries: Mapping[str, TreeEntry]) -> dict[str, dict[int, TreeEntry]]:
    """Find the entry files of logs among the files of a tree.

    Args:
        entries: Files by path, relative to the folder of the tasks.

    Returns:
        By task id, then by number, torn entries included: their bytes are linked to as well.
    """
    logs: dict[str, dict[int, TreeEntry]] = {}
    for path, entry in entries.items():
        found = _ENTRY.fullmatch(path)
        if found is not None:
            logs.setdefault(found["task"], {})[int(found["number"])] = entry
    return logs


def not_extending(
    base: Mapping[int, TreeEntry], now: Mapping[int, TreeEntry], *, revision: str, place: str
) -> Finding | None:
    """Hold a log against the one of the base branch, by the bytes of its files.

    Args:
        base: Entry files of the base branch's log by number.
        now: Those of the log that is checked.
        revision: How the base branch was named.
        place: Where the log that is checked lies, in words.

    Returns:
        The first entry that is missing or other; None where the log extends the base's.
    """
    if not now and base:
        message = f"the log of {revision} is missing in {place}: all {len(base)} entries were taken away"
        return _tampered(message, min(base))
    for number, entry in sorted(base.items()):
        if number not in now:
            return _tampered(f"entry {number} of {revision} is missing in {place}", number)
        if not _same_bytes(entry, now[number]):
            return _tampered(f"entry {number} in {place} is not the one of {revision}", number)
    return None


def held_to(log: LogState, findings: Iterable[Finding]) -> LogState:
    """Return a log as one that was tampered with, where it does not extend the base branch's.

    Args:
        log: The log as it was replayed; an empty one where it is gone.
        findings: What ``not_extending`` found.
    """
    found = tuple(findings)
    if not found:
        return log
    return replace(log, integrity=Outcome.FAILED, findings=(*found, *log.findings))


def _same_bytes(one: TreeEntry, other: TreeEntry) -> bool:
    """Whether both are regular files (executable or not) of the same content."""
    return one.blob == other.blob and one.mode[:3] == other.mode[:3] == "100"


def _tampered(message: str, number: int) -> Finding:
    return Finding("LOG_TAMPERED", message, artifact=f"log/{number:06d}.json", next_action="human")
