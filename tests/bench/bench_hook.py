"""The hook of a client, with and without a TUI: whole processes, from the spawn to the answer on stdout."""

import json
import subprocess
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench import alone
from tests.bench.course import Bench, in_turns
from tests.bench.figures import Figure, milliseconds, p90_ratio, percentile, ratio, seen
from tests.bench.programs import DECISION_SERVER, PYDANTIC_HOOK

FIGURES = ("B1", "B1a", "B2", "B2a", *alone.FIGURES, "B4")
CALLS = 4
"""Calls to a busy server and to an idle one in one round: their ninetieth percentile is asked for."""
BLOCKED_S = 0.1
"""How long the busy program blocks at a time."""

Server = subprocess.Popen[str]


def run(bench: Bench) -> Iterator[Figure]:
    """Measure the quick road beside an idle server and beside a busy one, then the road without a server."""
    top, sockets = bench.folder("hook-tree"), bench.folder("hook")
    (top / ".git").mkdir()
    python = str(bench.python)
    hook = [python, "-I", "-S", hook_path(bench), "claude-code", "--sockets", str(sockets)]
    console = [str(bench.python.with_name("ags-tui")), "hook", *hook[4:]]
    with served(bench, top, sockets) as server:
        sides = {
            "pass": once(top, [python, "-c", "pass"], answers=False),
            "hook": once(top, hook),
            "console": once(top, console),
            "pydantic": once(top, [python, PYDANTIC_HOOK]),
        }
        taken = in_turns(sides, bench.rounds)
        yield from quick(taken)
        idle, busy = beside_load(server, sides["hook"], bench.rounds)
    yield from loaded(idle, busy)
    yield from alone.rows(bench, hook_path(bench))
    yield Figure(
        "B4",
        "the same against a hook that judges in its own process",
        "hook with pydantic models of all contracts",
        ratio(taken["hook"], taken["pydantic"]),
        0.2,
        seen=seen(taken["hook"], taken["pydantic"]),
    )


def quick(taken: dict[str, list[float]]) -> Iterator[Figure]:
    """The rows of an idle server."""
    ours, console, peer = taken["hook"], taken["console"], taken["pass"]
    yield Figure(
        "B1",
        "a tool call that is allowed at once, TUI open, called as connect sets it up",
        "python -c pass",
        ratio(ours, peer),
        1.5,
        p90=p90_ratio(ours, peer),
        seen=seen(ours, peer),
    )
    yield Figure(
        "B1a",
        "the same by the console script, for hands",
        "python -c pass",
        ratio(console, peer),
        seen=seen(console, peer),
    )


def loaded(idle: list[float], busy: list[float]) -> Iterator[Figure]:
    """The rows of a busy server."""
    yield Figure(
        "B2",
        "p90 of that call while the TUI's thread blocks 100 ms of each 150 ms",
        "its p90 while the TUI is idle",
        p90_ratio(busy, idle),
        4,
        seen=f"{percentile(busy, 90) * 1000:.1f} against {percentile(idle, 90) * 1000:.1f} ms, "
        f"{len(busy)} calls a side; medians {milliseconds(busy)} and {milliseconds(idle)} ms",
    )
    yield Figure(
        "B2a",
        "the same p90",
        "how long the TUI's thread blocks at a time",
        percentile(busy, 90) / BLOCKED_S,
        0.5,
    )


def hook_path(bench: Bench) -> str:
    """Where the wheel has put the hook."""
    words = [str(bench.python), "-I", "-c", "import ags_tui.agents.hook as hook; print(hook.__file__)"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def once(top: Path, words: list[str], *, answers: bool = True) -> Callable[[], float]:
    """Make what runs a process once and measures it; it must answer as the server does."""
    payload = json.dumps(
        {
            "session_id": "4f0c8c1e-0000-4000-8000-000000000001",
            "transcript_path": str(top / "transcript.jsonl"),
            "cwd": str(top),
            "hook_event_name": "PreToolUse",
            "tool_name": "Read",
            "tool_input": {"file_path": str(top / "README.md")},
            "tool_use_id": "toolu_01",
        }
    ).encode()

    def measured() -> float:
        began = time.perf_counter()
        done = subprocess.run(words, input=payload, cwd=top, capture_output=True, check=True)
        took = time.perf_counter() - began
        if (b'"permissionDecision":"allow"' in done.stdout) is not answers:
            raise RuntimeError(f"{words[-1]} answered {done.stdout!r} {done.stderr!r}")
        return took

    return measured


@contextmanager
def served(bench: Bench, top: Path, sockets: Path) -> Generator[Server]:
    """Run a decision server in a process of its own."""
    words = [str(bench.python), DECISION_SERVER, str(top), str(sockets)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        try:
            said(server, "serving True\n")
            yield server
            assert server.stdin is not None
            server.stdin.close()
            server.wait(10)
        finally:
            server.kill()


def beside_load(server: Server, call: Callable[[], float], rounds: int) -> tuple[list[float], list[float]]:
    """Call while the main thread of the server's process is idle and while it is busy, in turns."""
    taken: dict[str, list[float]] = {"idle\n": [], "busy\n": []}
    for _ in range(rounds):
        for state, times in taken.items():
            assert server.stdin is not None
            server.stdin.write(state)
            server.stdin.flush()
            said(server, state)
            times.extend(call() for _ in range(CALLS))
    return taken["idle\n"], taken["busy\n"]


def said(server: Server, wanted: str) -> None:
    """Wait until the server says so.

    Raises:
        RuntimeError: It says something else.
    """
    assert server.stdout is not None
    line = server.stdout.readline()
    if line != wanted:
        raise RuntimeError(f"the decision server says {line!r}")
