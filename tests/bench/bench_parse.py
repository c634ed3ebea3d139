"""Strict reading of a plan against ``json.loads``, and of a diff against cutting it into lines."""

import json
import statistics
import time
from collections.abc import Callable, Iterator

from ags_tui.core.contracts.parse import Parsed, parse_contract
from ags_tui.core.diffs import parse
from tests.bench.course import Bench, in_turns
from tests.bench.figures import Figure, p90_ratio, ratio, seen
from tests.bench.material import long_diff

FIGURES = ("B15", "B15a", "B23", "B23a")
STEPS = 45
BATCH = 5
"""Readings in one measurement of a plan: so short that it is seldom interrupted."""
BATCHES = 200
"""Measurements a round."""
LINES = 200_000


def run(bench: Bench) -> Iterator[Figure]:
    """Measure plans, then diffs."""
    bare, wrapped = plan_files()
    sides = {"bare": reading(bare), "wrapped": reading(wrapped), "json": repeated(lambda: json.loads(bare))}
    taken = in_turns(sides, bench.rounds * BATCHES, collect=False)
    for figure, side, what in (("B15", "bare", "plan.json"), ("B15a", "wrapped", "the same in an envelope")):
        yield Figure(
            figure, f"{what} of {len(bare) / 1000:.1f} kB: strict pre-pass and model", "json.loads",
            ratio(taken[side], taken["json"]), 3, p90=p90_ratio(taken[side], taken["json"]),
            seen=f"{_micro(taken[side])} against {_micro(taken['json'])} µs",
        )  # fmt: skip
    yield from _diffs(bench)


def _diffs(bench: Bench) -> Iterator[Figure]:
    data = long_diff(LINES)
    sides = {
        "parse": timed(lambda: parse(data)),
        "lines": timed(lambda: [line for file in parse(data) for hunk in file.hunks for line in hunk.lines]),
        "split": timed(lambda: data.split(b"\n")),
    }
    taken = in_turns(sides, bench.rounds)
    for figure, side, what in (
        ("B23", "parse", "files and hunks"),
        ("B23a", "lines", "every line with its numbers"),
    ):
        yield Figure(
            figure, f"diff of {LINES:,} lines: {what}", "bytes.split into lines",
            ratio(taken[side], taken["split"]),
            seen=seen(taken[side], taken["split"]),
        )  # fmt: skip


def plan_files() -> tuple[bytes, bytes]:
    """A plan of many steps, bare and in its envelope."""
    step = {
        "action": "do something that is described here at length",
        "inputFiles": ["AuthErrorMapper.swift", "x.py"],
        "expectedOutput": "a good output of the step",
        "validation": "tests pass and nothing else changes",
    }
    plan = {
        "taskId": "login-error-message",
        "summary": "로그인 실패 시 서버 원문 대신 사용자용 메시지를 표시한다.",
        "riskLevel": "medium",
        "filesToRead": [f"src/f{number}.py" for number in range(20)],
        "filesToEdit": [f"src/g{number}.py" for number in range(10)],
        "filesNotToEdit": ["a/**"],
        "steps": [{"id": f"step-{number}", **step} for number in range(STEPS)],
        "testsToRun": ["pytest -q"],
        "requiresHumanApproval": True,
        "stopConditions": ["x"],
    }
    wrapped = {"schema": "AgentPlan", "version": "1.0.0", "payload": plan}
    bare, whole = (json.dumps(one, indent=1, ensure_ascii=False).encode() for one in (plan, wrapped))
    return bare, whole


def reading(data: bytes) -> Callable[[], float]:
    """Read a plan strictly, many times."""
    if not isinstance(parse_contract(data, contract="AgentPlan", artifact="plan.json"), Parsed):
        raise AssertionError("the plan is refused")
    return repeated(lambda: parse_contract(data, contract="AgentPlan", artifact="plan.json"))


def repeated(work: Callable[[], object]) -> Callable[[], float]:
    """Seconds of one of many runs in a row."""

    def once() -> float:
        began = time.perf_counter()
        for _ in range(BATCH):
            work()
        return (time.perf_counter() - began) / BATCH

    return once


def timed(work: Callable[[], object]) -> Callable[[], float]:
    """Seconds of one run."""

    def once() -> float:
        began = time.perf_counter()
        work()
        return time.perf_counter() - began

    return once


def _micro(values: list[float]) -> str:
    return f"{statistics.median(values) * 1e6:.1f}"
