"""A real process that opens keys or records into a log, for tests that race or kill it.

Run as ``python -m tests.io.log_child ACTION TOP …``; each fact goes to stdout as one line, at once.
"""

import errno
import fcntl
import os
import sys
from collections.abc import Callable
from pathlib import Path

from ags_tui.io.create_once import DISK, Disk
from ags_tui.io.keys import Keys
from ags_tui.io.log import LogError, StaleRevision, record
from tests.logs import NOW, TASK_ID, block_draft, desk, places_in


def say(*words: object) -> None:
    """Write one line, complete, at once."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


refusals: list[str] = []
"""Names that the file system refused to give by link or rename so far."""


def no_links(_source: str, target: str, _folder: int) -> None:
    """What a file system without hard links and without renameat2 answers."""
    refusals.append(target)
    raise OSError(errno.EPERM, os.strerror(errno.EPERM), target)


def slow_write(descriptor: int, data: bytes) -> int:
    """Write a few bytes at a time, so that a kill can hit between them."""
    return os.write(descriptor, data[:16])


def half_write(descriptor: int, data: bytes) -> int:
    """Write the temporary file whole; of the one under its final name write half, say so, wait."""
    if not refusals:
        return os.write(descriptor, data)
    os.write(descriptor, data[: len(data) // 2])
    say("half")
    sys.stdin.read()
    raise SystemExit(1)


DISKS: dict[str, Disk] = {
    "link": Disk(write=slow_write),
    "rename": Disk(write=slow_write, link=no_links),
    "exclusive": Disk(write=slow_write, link=no_links, rename_new=no_links),
    "half": Disk(write=half_write, link=no_links, rename_new=no_links),
    "real": DISK,
}


def open_keys(top: Path) -> None:
    """Open the keys as soon as the parent says so, and name them."""
    say("ready")
    sys.stdin.readline()
    keys = Keys.open(places_in(top))
    say(keys.key_id("human"), keys.key_id("system"), len(keys.problems))


def keep_recording(top: Path, disk: Disk) -> None:
    """Record blocks until killed; say what was acknowledged."""
    place = desk(top)
    number = 0
    while True:
        draft = block_draft(f"{os.getpid()}/{number}")
        row = record(place.folder, draft, place.keys, place.places, now=NOW, current=None, disk=disk)
        say(row.entry.sequence, row.digest)
        number += 1


def race(top: Path, first: int, last: int) -> None:
    """Try to win each number from ``first`` to ``last``."""
    place = desk(top)
    say("ready")
    sys.stdin.readline()
    for number in range(first, last):
        draft = block_draft(f"{os.getpid()}", expected_sequence=number)
        while True:
            try:
                row = record(place.folder, draft, place.keys, place.places, now=NOW, current=None)
                say("won", row.entry.sequence, row.digest)
            except StaleRevision as error:
                if error.actual < number:
                    continue  # the other one has not yet written the entry before
                say("lost", number)
            except LogError as error:
                say("failed", number, error)
            break


def without_locks(action: Callable[[], None]) -> None:
    """Run an action on a system that has no file locks."""

    def refused(_descriptor: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    fcntl.flock = refused  # type: ignore[assignment]
    action()


def main() -> None:
    """Do what the arguments say."""
    action, top = sys.argv[1], Path(sys.argv[2])
    match action:
        case "keys":
            open_keys(top)
        case "record":
            keep_recording(top, DISKS[sys.argv[3]])
        case "race":
            race(top, int(sys.argv[3]), int(sys.argv[4]))
        case "race-without-locks":
            without_locks(lambda: race(top, int(sys.argv[3]), int(sys.argv[4])))
        case _:
            raise SystemExit(f"{action}: unknown, on {TASK_ID}")


if __name__ == "__main__":
    main()
