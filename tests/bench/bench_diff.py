"""A long diff in the diff view: first content with a hundred thousand lines against a thousand."""

from collections.abc import Iterator

from tests.bench.bench_start import starts
from tests.bench.course import Bench, in_turns
from tests.bench.figures import Figure, p90_ratio, ratio, seen
from tests.bench.material import long_diff
from tests.bench.programs import DIFF

FIGURES = ("B20",)
LONG = 100_000
SHORT = 1_000


def run(bench: Bench) -> Iterator[Figure]:
    """Open both in turns, each in a new process."""
    folder = bench.folder("diff")
    sides = {}
    for lines in (LONG, SHORT):
        file = folder / f"{lines}.diff"
        file.write_bytes(long_diff(lines))
        sides[str(lines)] = starts(bench, folder, (DIFF, str(file)), b"added line 0")
    taken = in_turns(sides, bench.rounds)
    ours, peer = taken[str(LONG)], taken[str(SHORT)]
    yield Figure(
        "B20", f"diff of {LONG:,} lines: spawn to first content", f"{SHORT:,} lines in the same widget",
        ratio(ours, peer), 1.3, p90=p90_ratio(ours, peer), seen=seen(ours, peer),
    )  # fmt: skip
