"""B16: a thousand task folders, each with eight contracts; against a plain read of all their files."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.write import to_bytes
from ags_tui.io.outline import RememberedRows
from ags_tui.io.tasks import TaskReader
from tests import builders
from tests.bench.course import Bench, in_turns
from tests.bench.figures import Figure, p90_ratio, ratio, seen

FIGURES = ("B16", "B16a", "B16b", "B16c")
TASKS = 1000
PLAIN = "plain read of all their files"


def run(bench: Bench) -> Iterator[Figure]:
    """Measure the list, the reading, a second start and a second reading."""
    root = bench.folder("tasks")
    _write(root, TASKS)
    first = TaskReader(root, root)
    state = bench.folder("state")
    rows = {files.task_id: {"title": files.task_id, "stage": "gate"} for files in _read(first).tasks}
    RememberedRows(state, root).store(first.signatures(), rows)

    def second_start() -> None:
        reader = TaskReader(root, root)
        signatures = reader.signatures()
        assert len(RememberedRows(state, root).load(signatures)) == TASKS
        assert len(reader.outline()) == TASKS

    def filled() -> None:
        files = _read(TaskReader(root, root)).tasks
        assert sum(len(one.artifacts) for one in files) == 8 * TASKS

    taken = in_turns(
        {
            "plain": _timed(lambda: _plain(str(root))),
            "rows": _timed(lambda: TaskReader(root, root).outline()),
            "filled": _timed(filled),
            "second": _timed(second_start),
            "again": _timed(lambda: _read(first)),
        },
        bench.rounds,
    )
    for figure, side, what, target in (
        ("B16", "rows", f"{TASKS} tasks: rows of the list (names and times)", 0.5),
        ("B16a", "filled", f"{TASKS} tasks: all {8 * TASKS} contracts read and validated", 6.0),
        ("B16b", "second", f"{TASKS} tasks: second start, rows with the stages last shown", 1.0),
        ("B16c", "again", f"{TASKS} tasks: read again, nothing changed", None),
    ):
        ours, peer = taken[side], taken["plain"]
        yield Figure(
            figure, what, PLAIN, ratio(ours, peer), target, p90=p90_ratio(ours, peer), seen=seen(ours, peer)
        )


def _timed(call: Callable[[], object]) -> Callable[[], float]:
    def measure() -> float:
        began = time.perf_counter()
        kept = call()
        taken = time.perf_counter() - began
        del kept
        return taken

    return measure


def _read(reader: TaskReader):
    return reader.read(now=time.time() + 10)


def _plain(folder: str) -> int:
    """Read every file, keeping nothing."""
    size = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                size += _plain(entry.path)
            else:
                with open(entry.path, "rb") as file:
                    size += len(file.read())
    return size


def _write(root: Path, count: int) -> None:
    for number in range(count):
        task_id = f"task-{number:04}"
        folder = root / "tasks" / task_id
        (folder / "tool-requests").mkdir(parents=True)
        documents: dict[str, Contract] = {
            "task.json": builders.agent_task(id=task_id),
            "plan.json": builders.agent_plan(task_id=task_id),
            "tool-requests/tool-001.json": builders.tool_request("tool-001"),
            "implementation-result.json": builders.implementation_result(),
            "fix-result.json": builders.implementation_result(),
            "review-result.json": builders.review_result(issues=(builders.review_issue(),)),
            "test-result.json": builders.run_result(),
            "final-report.json": builders.final_report(),
        }
        for path, document in documents.items():
            (folder / path).write_bytes(to_bytes(document))
