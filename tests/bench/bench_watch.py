"""The watch alone, without a screen: how soon a saved file is known, and whether anything is ever lost."""

import asyncio
import os
import shutil
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing
from pathlib import Path

from watchfiles import awatch

from ags_tui.io.watcher import Watcher
from tests.bench.course import Bench
from tests.bench.figures import Figure, milliseconds, percentile
from tests.bench.programs import FOLDER

FIGURES = ("B7b", "B8b", "B13")
WRITER = str(FOLDER / "rename_writer.py")
LOST_AFTER = 2.0
"""Seconds after which what is not known counts as lost."""
BURST = 50_000
"""Files of a burst that overflows the kernel's queue."""

Ticks = AsyncIterator[object]
"""Something came: look again."""


def run(bench: Bench) -> Iterator[Figure]:
    """Measure single saves, a stream of saves, and losses."""
    root = bench.folder("watch")
    (root / "tasks" / "t").mkdir(parents=True)
    single = max(4, 2 * bench.rounds)
    ours, peer = _in_turns(root / "tasks" / "t" / "plan.json", single, 0.25, turns=2)
    yield Figure(
        "B7b", "rename by another process → known to our Python, p50", "awatch() defaults",
        statistics.median(ours) / statistics.median(peer), 0.5,
        seen=f"{milliseconds(ours)} against {milliseconds(peer)} ms, {len(ours)} saves",
    )  # fmt: skip
    ours, peer = _in_turns(root / "tasks" / "t" / "request-{}.json", 20 * bench.rounds, 0.01, turns=2)
    p99 = percentile(ours, 99), percentile(peer, 99)
    yield Figure(
        "B8b", "the same in a stream of 100 new files a second, p99", "awatch() defaults",
        p99[0] / p99[1], 0.2,
        seen=f"{p99[0] * 1000:.1f} against {p99[1] * 1000:.0f} ms, {len(ours)} saves",
    )  # fmt: skip
    lost: list[str] = []
    total = 0
    for what, make, count in (
        ("mkdir -p and write", _folders_filled_at_once, 200),
        ("moved-in folders", _folders_moved_in, 50),
        ("a burst", _burst, BURST),
    ):
        mine = asyncio.run(_losses(bench.folder("loss"), make, count, _our_names))
        other = asyncio.run(_losses(bench.folder("loss"), make, count, _told_by_awatch))
        total += mine
        lost.append(f"{what}: {mine} of {count:,} (awatch {other:,})")
    yield Figure("B13", "files lost within 2 s", "none", total, 0, unit="files", seen="; ".join(lost))


def _in_turns(path: Path, count: int, pause: float, turns: int) -> tuple[list[float], list[float]]:
    """Latencies of ours and of the peer, in turns."""
    ours: list[float] = []
    peer: list[float] = []
    for _ in range(turns):
        ours += asyncio.run(_latencies(path, count // turns, pause, _our_ticks))
        peer += asyncio.run(_latencies(path, count // turns, pause, _awatch_ticks))
    return ours, peer


async def _our_ticks(root: Path, ready: asyncio.Event) -> Ticks:
    async with aclosing(Watcher(root, root).hints()) as hints:
        async for hint in hints:
            ready.set()
            yield hint


async def _awatch_ticks(root: Path, ready: asyncio.Event) -> Ticks:
    loop = asyncio.get_running_loop()
    loop.call_later(0.5, ready.set)  # it does not say when it has begun
    async for changes in awatch(root):
        yield changes


async def _latencies(
    path: Path, count: int, pause: float, ticks: Callable[[Path, asyncio.Event], Ticks]
) -> list[float]:
    """Seconds from each rename until its file, or a later one, was seen after a tick."""
    shutil.rmtree(path.parent)
    path.parent.mkdir()
    known: list[tuple[float, int]] = []
    ready = asyncio.Event()

    async def listen() -> None:
        async for _ in ticks(path.parents[2], ready):
            known.append((time.monotonic(), _latest(path)))

    task = asyncio.create_task(listen())
    await ready.wait()
    writer = await asyncio.create_subprocess_exec(
        sys.executable, "-I", WRITER, str(path), str(count), str(pause), stdout=asyncio.subprocess.PIPE
    )
    output, _ = await writer.communicate()
    times = [float(word) for word in output.split()]
    while not known or known[-1][1] < count - 1:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return [
        next(at for at, version in known if version >= number) - began for number, began in enumerate(times)
    ]


def _latest(path: Path) -> int:
    """The number of the newest file that was saved; -1 for none."""
    if "{}" not in path.name:
        return int(path.read_text("ascii")) if path.exists() else -1
    before, after = path.name.split("{}")
    names = (name for name in os.listdir(path.parent) if name.endswith(after))
    return max((int(name.removeprefix(before).removesuffix(after)) for name in names), default=-1)


Names = set[str]


async def _our_names(root: Path, ready: asyncio.Event, known: Names) -> None:
    """Look where hints point."""
    async with aclosing(Watcher(root, root).hints()) as hints:
        async for hint in hints:
            names = hint.tasks
            if names is None:
                names = frozenset(os.listdir(root / "tasks"))
            for name in names:
                known |= _names(root / "tasks" / name)
            ready.set()


async def _told_by_awatch(root: Path, ready: asyncio.Event, known: Names) -> None:
    """Believe events."""
    asyncio.get_running_loop().call_later(0.5, ready.set)
    async for changes in awatch(root):
        known |= {path for _, path in changes}


async def _losses(
    root: Path,
    make: Callable[[Path, int], Awaitable[set[str]]],
    count: int,
    follow: Callable[[Path, asyncio.Event, Names], Awaitable[None]],
) -> int:
    """How many files are not known two seconds after they were made."""
    (root / "tasks" / "t").mkdir(parents=True)
    known: Names = set()
    ready = asyncio.Event()
    task = asyncio.ensure_future(follow(root, ready, known))
    await ready.wait()
    made = await make(root, count)
    end = time.monotonic() + LOST_AFTER
    while not made <= known and time.monotonic() < end:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    shutil.rmtree(root)
    return len(made - known)


def _names(folder: Path) -> Names:
    return {os.path.join(top, name) for top, _, names in os.walk(folder) for name in names}


async def _script(text: str, folder: Path) -> None:
    process = await asyncio.create_subprocess_exec("/bin/sh", "-euc", text, cwd=folder)
    assert await process.wait() == 0


async def _folders_filled_at_once(root: Path, count: int) -> Names:
    script = f"for i in $(seq {count}); do mkdir -p n$i/log && echo 1 > n$i/log/000000.json; done"
    await _script(script, root / "tasks")
    return {str(root / "tasks" / f"n{number}" / "log" / "000000.json") for number in range(1, count + 1)}


async def _folders_moved_in(root: Path, count: int) -> Names:
    beside = root.parent / f"{root.name}-beside"
    beside.mkdir()
    script = f"for i in $(seq {count}); do mkdir m$i; echo 1 > m$i/plan.json; mv m$i {root}/tasks/m$i; done"
    await _script(script, beside)
    return {str(root / "tasks" / f"m{number}" / "plan.json") for number in range(1, count + 1)}


async def _burst(root: Path, count: int) -> Names:
    """Files made as fast as the disk allows, by a process that leaves our loop alone."""
    program = "import sys\nfor i in range(int(sys.argv[2])): open(f'{sys.argv[1]}/b{i}', 'wb').close()"
    folder = root / "tasks" / "t"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", program, str(folder), str(count)
    )
    await process.wait()
    return {str(folder / f"b{number}") for number in range(count)}
