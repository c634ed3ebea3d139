"""From a renamed contract file to changed cells: our watcher against ``awatch()``, in the same app."""

import os
import random
import re
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

from tests.bench.bench_start import TASKS, command
from tests.bench.course import Bench
from tests.bench.figures import Figure, milliseconds, p90_ratio, percentile, ratio
from tests.bench.material import Project, project, title_file
from tests.bench.programs import AWATCH
from tests.bench.terminal import NothingCame, Terminal, opened

FIGURES = ("B7", "B7a", "B8")
SINGLES = 60
"""Single renames a side."""
STREAM = 300
"""Renames of a stream."""
EVERY = 0.01
"""Seconds between two renames of a stream."""
STREAMS = 3
"""Streams a side."""
MOST = 10.0
"""Seconds within which the last rename of a stream must be on the terminal."""
_SHOWN = re.compile(rb"title (\d{6}) of")


@dataclass
class Side:
    """One app on its own project, and what was measured of it."""

    terminal: Terminal
    """Where it runs."""
    made: Project
    """What it watches."""
    number: int = 100_000
    """Number in the last title."""
    singles: list[float] = field(default_factory=list[float])
    """Seconds from a rename to its title on the terminal."""
    stream: list[float] = field(default_factory=list[float])
    """The same for the renames of streams."""
    tail: bytes = b""
    """End of what came."""

    def rename(self) -> float:
        """Put a new contract into place as agents do; the moment at which it stood there."""
        self.number += 1
        file = self.made.task(0) / "task.json"
        beside = file.with_name(f".tmp-{os.getpid()}-{self.number}")  # writers choose a new name each time
        beside.write_bytes(title_file(0, f"title {self.number} of the bench"))
        now = time.perf_counter()
        os.rename(beside, file)
        return now

    def newest(self, until: float) -> Iterator[tuple[float, int]]:
        """Times and numbers of titles that come onto the terminal until a moment."""
        for now, text in self.terminal.texts(until):
            self.tail = (self.tail + text)[-4096:]
            numbers = [int(number) for number in _SHOWN.findall(self.tail)]
            if numbers:
                yield now, max(numbers)


def run(bench: Bench) -> Iterator[Figure]:
    """Measure singles in turns, then streams in turns."""
    singles, length, streams = (10, 100, 1) if bench.short else (SINGLES, STREAM, STREAMS)
    with ExitStack() as stack:
        ours = _side(bench, stack, "ours", ())
        peer = _side(bench, stack, "awatch", (AWATCH,))
        chance = random.Random(1)
        for number in range(singles + 1):
            for side in (ours, peer) if number % 2 else (peer, ours):
                seconds = _single(side, chance)
                if number:
                    side.singles.append(seconds)
        for number in range(streams):
            for side in (ours, peer) if number % 2 else (peer, ours):
                side.stream += _stream(side, length)
    peer_name = "the same app with awatch() defaults"
    plain = f"{milliseconds(ours.singles)} against {milliseconds(peer.singles)} ms"
    yield Figure(
        "B7", "rename of a contract file to changed cells, p50", peer_name,
        ratio(ours.singles, peer.singles), 0.5, p90=p90_ratio(ours.singles, peer.singles),
        seen=f"{plain}, p99 {1000 * percentile(ours.singles, 99):.0f} ms; {singles} renames",
    )  # fmt: skip
    yield Figure(
        "B7a", "the same, p50 in a stream of 100 a second", peer_name, ratio(ours.stream, peer.stream),
        seen=f"{milliseconds(ours.stream)} against {milliseconds(peer.stream)} ms",
    )  # fmt: skip
    last = percentile(ours.stream, 99), percentile(peer.stream, 99)
    yield Figure(
        "B8", "the same, p99 in a stream of 100 a second", peer_name, last[0] / last[1], 0.2,
        seen=f"{1000 * last[0]:.0f} against {1000 * last[1]:.0f} ms; {len(ours.stream)} renames",
    )  # fmt: skip


def _side(bench: Bench, stack: ExitStack, name: str, program: tuple[str, ...]) -> Side:
    """Open one app, with the first task selected, so that its title stands on the screen."""
    made = project(bench.folder(name), TASKS)
    words = (str(bench.python), *(program or command(bench, made)[:1]), *command(bench, made)[1:])
    terminal = stack.enter_context(opened(words, made.top, bench.scratch))
    terminal.wait_for(rb"[0-9]+ need you")
    side = Side(terminal, made)
    side.terminal.settle(1.0)
    side.rename()
    terminal.wait_for(f"title {side.number} of".encode())
    terminal.settle(2.5)
    return side


def _single(side: Side, chance: random.Random) -> float:
    """One rename into silence, at any phase of whatever ticks in the watcher."""
    side.terminal.settle(0.4)
    time.sleep(chance.uniform(0, 0.2))
    began = side.rename()
    for now, number in side.newest(began + MOST):
        if number >= side.number:
            return now - began
    raise NothingCame(f"title {side.number} did not come within {MOST} s")


def _stream(side: Side, length: int) -> list[float]:
    """Renames at an even pace; each is on the terminal as soon as it or a later one is."""
    side.terminal.settle(2.5)
    first = side.number + 1
    times: dict[int, float] = {}

    def write() -> None:
        due = time.perf_counter()
        for _ in range(length):
            began = side.rename()
            times[side.number] = began
            due += EVERY
            time.sleep(max(0.0, due - time.perf_counter()))

    writer = threading.Thread(target=write)
    writer.start()
    latencies: list[float] = []
    for now, number in side.newest(time.perf_counter() + length * EVERY + MOST):
        while first + len(latencies) <= number:
            latencies.append(now - times[first + len(latencies)])
        if len(latencies) == length:
            break
    writer.join()
    if len(latencies) < length:
        raise NothingCame(f"{length - len(latencies)} of {length} titles did not come within {MOST} s")
    return latencies
