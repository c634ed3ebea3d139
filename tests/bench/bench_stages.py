"""A thousand tasks with everything that stages need: contracts, logs replayed and verified, git, checks."""

import gc
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from ags_tui.core import log_entries
from ags_tui.core.assessment import Assessment
from ags_tui.core.checks.assess import Assessor, assess
from ags_tui.io.keys import Keys
from ags_tui.io.workspace import Workspace
from tests.bench.course import Bench, in_turns
from tests.bench.figures import Figure, p90_ratio, ratio, seen
from tests.bench.material import Project, project

FIGURES = ("B16d", "B16e", "B16f")
TASKS = 1000
PLAIN = "plain read of all their files"
TARGETS = {"B16d": 6.0, "B16e": 1.0}


def run(bench: Bench) -> Iterator[Figure]:
    """Measure a first reading of everything, one with a trust file, and one after which nothing changed."""
    made = project(bench.folder("stages"), TASKS)
    root = str(made.top / ".ai" / "tasks")
    trust = made.top.parent / "trust"
    trust.write_text(Keys.open(made.places).export_trust(), "utf-8")
    with ExitStack() as stack:
        kept = _opened(made, stack)
        assessor = Assessor()
        assessor.assess(kept.read(), datetime.now(UTC))
        taken = in_turns(
            {
                "plain": _timed(lambda: plain_read(root)),
                "first": lambda: _first(made),
                "whole": lambda: _first(made, trust),
                "again": _timed(lambda: assessor.assess(kept.read(), datetime.now(UTC))),
            },
            bench.rounds,
        )
    for figure, side, what in (
        ("B16d", "first", "all stages filled in: contracts, logs replayed and verified, git, checks"),
        ("B16e", "again", "the same again, nothing changed"),
        ("B16f", "whole", "all stages as in CI: a trust file, every signature verified"),
    ):
        ours, peer = taken[side], taken["plain"]
        yield Figure(
            figure, f"{TASKS:,} tasks: {what}", PLAIN, ratio(ours, peer), TARGETS.get(figure),
            p90=p90_ratio(ours, peer), seen=seen(ours, peer),
        )  # fmt: skip


def _opened(made: Project, stack: ExitStack, trust: Path | None = None) -> Workspace:
    workspace = Workspace.open(made.top, places=made.places, trust=trust)
    stack.callback(workspace.git.close)
    return workspace


def _first(made: Project, trust: Path | None = None) -> float:
    """Read and assess everything with nothing in memory, as the app does it: the collector waits."""
    log_entries._read_cached.cache_clear()  # pyright: ignore[reportPrivateUsage]
    with ExitStack() as stack:
        workspace = _opened(made, stack, trust)
        gc.disable()
        stack.callback(gc.enable)
        began = time.perf_counter()
        found: Assessment = assess(workspace.read(), datetime.now(UTC))
        seconds = time.perf_counter() - began
        if len(found.tasks) != TASKS or any(not task.stages for task in found.tasks):
            raise AssertionError("not all stages are filled in")
        return seconds


def _timed(work: Callable[[], object]) -> Callable[[], float]:
    def once() -> float:
        began = time.perf_counter()
        work()
        return time.perf_counter() - began

    return once


def plain_read(folder: str) -> int:
    """Read every file below a folder and keep nothing; how many bytes there were."""
    size = 0
    for top, _folders, names in os.walk(folder):
        for name in names:
            size += len(Path(top, name).read_bytes())
    return size
