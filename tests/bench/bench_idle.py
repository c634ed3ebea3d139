"""Idle: processor time while nothing happens, the app on a real repository beside the smallest app."""

import statistics
import time
from collections.abc import Iterator

from tests.bench.bench_start import TASKS, command
from tests.bench.course import Bench
from tests.bench.figures import Figure, milliseconds, ratio
from tests.bench.material import project
from tests.bench.processor_time import can_measure, processor_time
from tests.bench.programs import MINIMAL
from tests.bench.terminal import Terminal, opened

FIGURES = ("B6", "B6a")
SECONDS = 10.0
WINDOWS = 3
"""Windows of a whole run; both programs idle side by side in each."""
QUIET = 3.0
"""Seconds without output after which a program counts as idle."""
WHAT = f"idle over {SECONDS:.0f} s, children counted, {TASKS} tasks in a repository"


def run(bench: Bench) -> Iterator[Figure]:
    """Let both be idle in the same seconds."""
    if not can_measure():
        for figure in FIGURES:
            yield Figure(
                figure, WHAT, "", None, 3, seen="this system does not tell the time of other processes"
            )
        return
    made = project(bench.folder("idle"), TASKS)
    app_words = (str(bench.python), *command(bench, made))
    with (
        opened(app_words, made.top, bench.scratch) as app,
        opened((str(bench.python), MINIMAL), made.top, bench.scratch) as minimal,
    ):
        app.wait_for(rb"[0-9]+ need you")
        minimal.wait_for(b"the minimal app")
        app.settle(QUIET)
        windows = [_window(app, minimal) for _ in range(1 if bench.short else WINDOWS)]
    ours, peer = ([window[side] for window in windows] for side in (0, 1))
    share = 100 * statistics.median(ours) / SECONDS
    seen = f"{milliseconds(ours)} against {milliseconds(peer)} ms of processor time"
    yield Figure("B6", WHAT, "minimal Textual app, idle in the same seconds", ratio(ours, peer), 3, seen=seen)
    yield Figure("B6a", WHAT, "limit", share, 0.5, unit="% of a core", seen=f"{len(windows)} windows")


def _window(app: Terminal, minimal: Terminal) -> tuple[float, float]:
    """Processor time of both in one window; what they write is read, as a terminal would."""
    before = processor_time(app.pid), processor_time(minimal.pid)
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        for terminal in (app, minimal):
            for _moment in terminal.texts(min(end, time.perf_counter() + 0.25)):
                continue
    return processor_time(app.pid) - before[0], processor_time(minimal.pid) - before[1]
