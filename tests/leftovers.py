"""What tests may leave behind by mistake: processes, and git folders of processes that have ended."""

import os
import re
import signal
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ags_tui.io.git.isolated import PREFIX

FAST_PREFIX = "ags-tui-test-"
"""How the name of a folder in memory begins; the process id of its test worker follows."""

_SCRATCH = re.compile(re.escape(PREFIX) + r"(\d+)-")


@dataclass(frozen=True)
class Process:
    """A process that runs."""

    number: int
    command: str

    def kill(self) -> None:
        """End it."""
        with suppress(ProcessLookupError):
            os.kill(self.number, signal.SIGKILL)


def mentioning(marks: Iterable[str]) -> tuple[Process, ...]:
    """Processes other than this one whose command, environment or folder names one of these; Linux only."""
    wanted = [os.fsencode(mark) for mark in marks]
    found: list[Process] = []
    for place in Path("/proc").glob("[0-9]*"):
        if place.name == str(os.getpid()):
            continue
        try:
            command = (place / "cmdline").read_bytes()
            facts = (command, (place / "environ").read_bytes(), os.fsencode(os.readlink(place / "cwd")))
        except OSError:
            continue  # it has ended, or is someone else's
        if any(mark in fact for mark in wanted for fact in facts):
            words = command.replace(b"\0", b" ").decode(errors="replace")
            found.append(Process(int(place.name), words))
    return tuple(found)


def scratch_of_the_dead(folder: Path) -> list[str]:
    """Names of git folders whose process is not there any more."""
    names = [(path.name, _SCRATCH.match(path.name)) for path in folder.iterdir()]
    return [name for name, match in names if match is not None and not _alive(int(match[1]))]


def _alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True
