"""What all tests share: no settings of the developer, the same random choices, nothing left behind."""

import gc
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from ags_tui.io.places import default_places
from tests.leftovers import FAST_PREFIX, Process, mentioning, scratch_of_the_dead

LEAVE_SECONDS = 10.0
"""How long a process may take to end after the last test."""

# Tests and models live as long as the run: to look through all of them a thousand times costs more than the
# few megabytes that wait for the next look.
gc.set_threshold(20_000, 20, 50)

# One run decides as the next one does; HYPOTHESIS_PROFILE=explore looks at cases that were never tried.
settings.register_profile(
    "same", derandomize=True, database=None, deadline=None, print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
settings.register_profile("explore", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_configure() -> None:
    """Forget what the developer has set for git, the terminal and the editor."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "AGS_", "XDG_")) or name in {
            "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "EDITOR", "VISUAL", "PYTHONSTARTUP",
        }:  # fmt: skip
            del os.environ[name]
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background; children inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Look no more through what was collected: all of it stays."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Half of its time a worker waits for a screen or another program: three fit on two cores."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + cores // 2


@pytest.fixture(scope="session", autouse=True)
def nothing_left_behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give this worker a home and a temporary folder; at the end both are clean and nothing runs."""
    base = tmp_path_factory.getbasetemp()
    home, temporary = base / "home", base / "tmp"
    own = default_places()
    before = [when(folder) for folder in (own.state, own.state / "keys", own.config)]
    for folder in (home, temporary):
        folder.mkdir()
    patch = pytest.MonkeyPatch()
    patch.setenv("HOME", str(home))
    patch.setenv("TMPDIR", str(temporary))
    patch.setattr("tempfile.tempdir", str(temporary))
    yield
    patch.undo()
    assert list(home.iterdir()) == [], "the tests wrote into the home folder"
    if "CI" in os.environ:  # a developer may well use the program meanwhile
        assert [when(folder) for folder in (own.state, own.state / "keys", own.config)] == before
    survivors = wait_for_end(base)
    for process in survivors:
        process.kill()
    assert survivors == (), "processes outlive the tests"
    assert scratch_of_the_dead(temporary) == [], "folders of ended processes are left"


def when(folder: Path) -> int:
    """When a folder of the user was last written into; 0 where there is none."""
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0


def wait_for_end(base: Path) -> tuple[Process, ...]:
    """The processes that still work in our folders when they had time to end."""
    marks = (str(base), f"{FAST_PREFIX}{os.getpid()}-")
    until = time.monotonic() + LEAVE_SECONDS
    while (found := mentioning(marks)) and time.monotonic() < until:
        time.sleep(0.05)
    return found
