"""First content: from the spawn of the process to the first task name on the terminal."""

from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.course import Bench, in_turns
from tests.bench.figures import Figure, p90_ratio, ratio, seen
from tests.bench.material import Project, project, task_id
from tests.bench.programs import MINIMAL
from tests.bench.terminal import opened

FIGURES = ("B5", "B5a", "B5b")
TASKS = 200


def run(bench: Bench) -> Iterator[Figure]:
    """Measure the real app on 200 tasks and the smallest Textual app."""
    made = project(bench.folder("start"), TASKS)
    starts(bench, made.top, command(bench, made), rb"[0-9]+ need you")()  # the start whose rows are recalled
    taken = in_turns(
        {
            "minimal": starts(bench, made.top, (MINIMAL,), b"the minimal app"),
            "app": starts(bench, made.top, command(bench, made), task_id(0).encode()),
            "recalled": starts(bench, made.top, command(bench, made), rb"was [a-z]+"),
            "filled": starts(bench, made.top, command(bench, made), rb"[0-9]+ need you"),
        },
        bench.rounds,
    )
    app, filled, minimal = taken["app"], taken["filled"], taken["minimal"]
    yield Figure(
        "B5",
        f"first content of the app, {TASKS} tasks: spawn to a task name on the terminal",
        "minimal Textual app",
        ratio(app, minimal),
        2.2,
        p90=p90_ratio(app, minimal),
        seen=seen(app, minimal),
    )
    yield Figure(
        "B5a",
        f"the same until all {TASKS} tasks are read, assessed and on the terminal",
        "minimal Textual app",
        ratio(filled, minimal),
        seen=seen(filled, minimal),
    )
    yield Figure(
        "B5b",
        "second start: spawn to the stages last shown",
        "minimal Textual app",
        ratio(taken["recalled"], minimal),
        2.2,
        p90=p90_ratio(taken["recalled"], minimal),
        seen=seen(taken["recalled"], minimal),
    )


def command(bench: Bench, made: Project) -> tuple[str, ...]:
    """How the installed program is called."""
    return (str(bench.python.with_name("ags-tui")), *made.options, str(made.top))


def starts(bench: Bench, folder: Path, words: tuple[str, ...], pattern: bytes) -> Callable[[], float]:
    """Make what starts a program once and measures the time until a text comes."""

    def once() -> float:
        with opened((str(bench.python), *words), folder, bench.scratch) as terminal:
            return terminal.wait_for(pattern) - terminal.began

    return once
