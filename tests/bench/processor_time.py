"""Processor time of another process: all its threads, and its children whether they live or not."""

import os
import time
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_PROC = Path("/proc")


def can_measure() -> bool:
    """Whether this system tells the time of other processes to the microsecond."""
    return (_PROC / "self" / "stat").exists()


def processor_time(pid: int) -> float:
    """Seconds of processor time that a process and all its descendants have used so far.

    Threads and children that ended are counted (children to a hundredth of a second).
    """
    return sum(_own(each) + _ended_children(each) for each in (pid, *_descendants(pid)))


def _own(pid: int) -> float:
    try:
        return time.clock_gettime((~pid << 3) | 2)  # what clock_getcpuclockid() makes of a pid on Linux
    except OSError:
        return 0.0  # it has ended; its parent counts it


def _ended_children(pid: int) -> float:
    fields = _stat(pid)
    return (int(fields[13]) + int(fields[14])) / _TICK if fields else 0.0


def _descendants(pid: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for name in os.listdir(_PROC):
        fields = _stat(int(name)) if name.isdigit() else []
        if fields:
            parents.setdefault(int(fields[1]), []).append(int(name))
    found, waiting = [], [pid]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def _stat(pid: int) -> list[str]:
    """Fields of ``/proc/PID/stat`` from the state on (the third); empty where it has ended."""
    try:
        return (_PROC / str(pid) / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return []
