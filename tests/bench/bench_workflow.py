"""AGS runs: recording a stage result and finalizing a run of 50 stages, with 0 and with 1,000 past runs."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ags_tui.core.contracts.workflow import WorkflowReceipt
from ags_tui.core.workflow.documents import file_bytes
from tests.bench.course import Bench, in_turns
from tests.bench.figures import Figure, p90_ratio, ratio, seen
from tests.core.workflow.making import Workshop, provider, result

FIGURES = ("B30", "B30a", "B31", "B31a")
STAGES = 50
PAST = 1_000
PEER = "write and fsync of the same bytes"
SMALL = {"requiredCapabilities": [], "riskLevel": "low"}


def run(bench: Bench) -> Iterator[Figure]:
    """Measure both, on a disk: in memory the peer would have nothing to wait for."""
    past = min(PAST, bench.rounds * 70)  # a short run only shows that it works
    with tempfile.TemporaryDirectory(prefix="ags-tui-bench-") as name:
        folder = Path(name)
        alone, crowded = _Runs(folder / "alone", 0), _Runs(folder / "crowded", past)
        records = {"alone": alone.recording, "crowded": crowded.recording, "peer": alone.plain(2)}
        taken = in_turns(records, bench.rounds)
        what = f"recording the last result of a run of {STAGES} stages"
        yield _figure("B30", f"{what}, no past runs", PEER, taken["alone"], taken["peer"])
        yield _figure(
            "B30a", f"{what}, {past:,} past runs", "the same without", taken["crowded"], taken["alone"], 1.25
        )
        ends = {"alone": alone.finalizing, "crowded": crowded.finalizing, "peer": alone.plain(1)}
        taken = in_turns(ends, bench.rounds)
        what = f"finalizing a run of {STAGES} stages"
        yield _figure("B31", f"{what}, no past runs", PEER, taken["alone"], taken["peer"])
        yield _figure(
            "B31a", f"{what}, {past:,} past runs", "the same without", taken["crowded"], taken["alone"], 1.25
        )


def _figure(
    name: str, what: str, peer: str, ours: list[float], theirs: list[float], target: float | None = None
) -> Figure:
    return Figure(
        name, what, peer, ratio(ours, theirs), target, p90=p90_ratio(ours, theirs), seen=seen(ours, theirs)
    )


class _Runs:
    """A run that lacks its last result, and one that lacks only its end, among past runs."""

    def __init__(self, folder: Path, past: int) -> None:
        steps = [provider(f"p-{n}", [f"c-{n}"], n, produces=[f"a-{n}"]) for n in range(STAGES)]
        self.shop = Workshop(folder, steps)
        for _ in range(past):
            self.shop.start(**SMALL)
        every = {"requiredCapabilities": [f"c-{n}" for n in range(STAGES)], "riskLevel": "low"}
        started = self.shop.start(**every)
        for number in range(STAGES - 1):
            started = self.shop.record(started, number)
        self.open = started
        self.given = result(started, STAGES - 1)
        self.folder = folder
        self.kept = folder / "kept"
        shutil.copytree(self._place(), self.kept)
        self.full: WorkflowReceipt = self.shop.store.record(self.given).receipt
        self.result = file_bytes(self.full.stage_results[-1])

    def _place(self) -> Path:
        return self.shop.root / "tasks/task-001/workflow" / self.open.run_id

    def _restore(self, *, full: bool) -> None:
        shutil.rmtree(self._place())
        shutil.copytree(self.kept, self._place())
        if full:
            self.shop.store.record(self.given)

    def recording(self) -> float:
        self._restore(full=False)
        begun = time.perf_counter()
        self.shop.store.record(self.given)
        return time.perf_counter() - begun

    def finalizing(self) -> float:
        self._restore(full=True)
        begun = time.perf_counter()
        self.shop.store.finalize(self.open.run_id, self.full.revision)
        return time.perf_counter() - begun

    def plain(self, files: int) -> Callable[[], float]:
        """The peer: a receipt, and for recording a result, written and synced."""
        contents = [file_bytes(self.full), self.result][:files]

        def write() -> float:
            begun = time.perf_counter()
            for number, data in enumerate(contents):
                descriptor = os.open(self.folder / f"plain-{number}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.write(descriptor, data)
                os.fsync(descriptor)
                os.close(descriptor)
            return time.perf_counter() - begun

        return write
