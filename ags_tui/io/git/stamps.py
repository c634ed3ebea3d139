"""What identifies the state of files without reading them, and when such a stamp can be relied on.

File systems stamp in steps (4 ms on Linux, up to 2 s elsewhere): a file written twice within one step can
look unchanged. A stamp counts as settled only when the file is older than that.
"""

import os
from collections.abc import Callable, Sequence

Stamp = tuple[int, int, int, int, int]
"""Inode, size, mode, mtime and ctime of a file, times in nanoseconds."""

Signature = tuple[tuple[str, Stamp | None], ...]
"""Stamps of several files by name; None where there is none."""

Clock = Callable[[], int]
"""Nanoseconds since the epoch, by the clock that stamps files."""

_STEP_NS = 100_000_000
_COARSE_STEP_NS = 2_000_000_000
_SECOND_NS = 1_000_000_000


def stamp_of(facts: os.stat_result) -> Stamp:
    """Return the stamp in what ``stat`` says."""
    return facts.st_ino, facts.st_size, facts.st_mode, facts.st_mtime_ns, facts.st_ctime_ns


def settled(stamp: Stamp, now_ns: int, *, replaced: bool = False) -> bool:
    """Whether a later write to the file must change its stamp.

    Args:
        stamp: of the file.
        now_ns: the clock that stamps files.
        replaced: whether the file is only ever replaced by another (as git does with its own): then its inode
            changes, and only whole seconds leave room for two replacements within a step.
    """
    modified, changed = stamp[3], stamp[4]
    coarse = modified % _SECOND_NS == 0 and changed % _SECOND_NS == 0
    step = _COARSE_STEP_NS if coarse else 0 if replaced else _STEP_NS
    return step == 0 or now_ns - max(modified, changed) > step


def signature(files: Sequence[str]) -> Signature:
    """Return the stamps of files; links are followed."""
    found: list[tuple[str, Stamp | None]] = []
    for name in files:
        try:
            found.append((name, stamp_of(os.stat(name))))
        except (OSError, ValueError):
            found.append((name, None))
    return tuple(found)


def all_settled(stamps: Signature, now_ns: int, *, replaced: bool = False) -> bool:
    """Whether a later write to any of the files must change the signature; see ``settled``."""
    return all(stamp is None or settled(stamp, now_ns, replaced=replaced) for _, stamp in stamps)
