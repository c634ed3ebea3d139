"""What a bench is given: rounds, a folder for data, a Python with the wheel, and taking turns."""

import gc
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
LEAST_ROUNDS = 15
"""Rounds of a whole run; fewer only with ``--rounds``, to see that a bench works."""
SHARED_MEMORY = Path("/dev/shm")


@dataclass
class Bench:
    """One run of benches."""

    scratch: Path
    """A folder of this run, in memory where the system has that."""
    rounds: int = LEAST_ROUNDS
    """How often each side is measured."""
    notes: list[str] = field(default_factory=list[str])
    """Sentences about this run that belong above the table."""

    @property
    def short(self) -> bool:
        """Whether this run only shows that the benches work."""
        return self.rounds < LEAST_ROUNDS

    def folder(self, name: str) -> Path:
        """A new folder for data."""
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.scratch))

    def say(self, text: str) -> None:
        """Tell those who wait what goes on."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    @cached_property
    def python(self) -> Path:
        """Absolute path of a Python that has the wheel installed and nothing else of ours."""
        self.say("installing the wheel into an environment of its own …")
        return install_wheel(self.scratch)


def install_wheel(scratch: Path) -> Path:
    """Build the wheel and install it, with the versions of the lock file, into a new environment.

    Raises:
        CalledProcessError: a step failed; what it said stands in ``stderr``.
    """
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(scratch / "dist"), cwd=TOP)
    (wheel,) = (scratch / "dist").glob("*.whl")
    venv = scratch / "venv"
    python = venv / "bin" / "python"
    lock = str(TOP / "requirements.lock")
    uv = shutil.which("uv")
    if uv is not None:
        _run(uv, "venv", "--quiet", "--python", sys.executable, str(venv))
        options = ("--quiet", "--compile-bytecode", "--python", str(python), "-c", lock)
        _run(uv, "pip", "install", *options, str(wheel))
    else:
        _run(sys.executable, "-m", "venv", str(venv))
        options = ("--quiet", "--disable-pip-version-check", "-c", lock)
        _run(str(python), "-m", "pip", "install", *options, str(wheel))
    return python


def _run(*words: str, cwd: Path | None = None) -> None:
    subprocess.run(words, cwd=cwd, check=True, capture_output=True, text=True)


@contextmanager
def course(rounds: int) -> Generator[Bench]:
    """Give a run its folder, and remove it afterwards."""
    parent = SHARED_MEMORY if SHARED_MEMORY.is_dir() and os.access(SHARED_MEMORY, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="ags-tui-bench-", dir=parent))
    try:
        yield Bench(folder, rounds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def in_turns(
    sides: Mapping[str, Callable[[], float]], rounds: int, *, collect: bool = True
) -> dict[str, list[float]]:
    """Measure all sides once a round, each time another one first, so that a busy moment hits all alike.

    Args:
        sides: by name: runs once and says how long it took, in seconds.
        rounds: how often, after one round that does not count.
        collect: whether to collect garbage before each; not worth it where one takes microseconds.
    """
    names = list(sides)
    taken: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds + 1):
        first = number % len(names)
        for name in (*names[first:], *names[:first]):
            if collect:
                gc.collect()
            seconds = sides[name]()
            if number:
                taken[name].append(seconds)
    return taken
