"""What the hook costs of a whole turn of a real client, whose model is a script that answers at once.

A model that has to think makes the share smaller: this is the most that it can be. The clients are those of
``make test-clients``; one that cannot be installed says so in its row.
"""

import statistics
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from tests.bench.course import Bench, in_turns
from tests.bench.figures import Figure
from tests.clients.install import CLIENTS, install
from tests.clients.scene import DONE, Scene
from tests.clients.servers import Turn

FIGURES = ("B1b", "B1c", "B1d")
AGENTS = dict(zip(FIGURES, ("claude-code", "codex", "gemini"), strict=True))
CALLS = 20
"""Calls of one turn, each allowed at once."""
MOST_ROUNDS = 7
"""A turn takes seconds, and the two sides differ by what is sought."""


def run(bench: Bench) -> Iterator[Figure]:
    """Measure each client that is there."""
    for name, agent in AGENTS.items():
        what = f"{agent}: a turn of {CALLS} calls that are allowed at once, share of the hooks"
        why = install(CLIENTS[agent])
        if why:
            yield Figure(name, what, "the same turn without hooks", None, unit="% of the turn", seen=why)
        else:
            yield _measured(name, what, agent, bench)


def _measured(name: str, what: str, agent: str, bench: Bench) -> Figure:
    hooked = Scene(bench.folder(f"{agent}-hooked").resolve(), agent)
    bare = Scene(bench.folder(f"{agent}-bare").resolve(), agent)
    if agent == "gemini":  # its scene is connected from the start
        done = bare.command("connect", agent, "--home", bare.desk.home, "--remove", "--yes")
        assert done.returncode == 0, done.stderr
    sides = {"hooked": lambda: _turn(hooked, hooks=True), "bare": lambda: _turn(bare, hooks=False)}
    taken = in_turns(sides, min(bench.rounds, MOST_ROUNDS))
    ours, theirs = statistics.median(taken["hooked"]), statistics.median(taken["bare"])
    seen = f"{ours:.2f} against {theirs:.2f} s, {len(taken['hooked'])} turns each"
    share = max(0.0, (ours - theirs) / ours * 100)
    return Figure(name, what, "the same turn without hooks", share, unit="% of the turn", seen=seen)


def _turn(scene: Scene, *, hooks: bool) -> float:
    """Seconds of one turn, from the start of the client to its end."""
    # never twice the same call: Gemini CLI takes that for a loop
    script: list[Turn] = [[scene.shell(f"head -n {number} base.txt")] for number in range(1, CALLS + 1)]
    with scene.human() if hooks else nullcontext(), scene.model(*script, DONE) as model:
        began = time.perf_counter()
        hook = Path(scene.hook.script)
        client = scene.start_with_hook(model, hook) if hooks else scene.start_by_hand(model, free=True)
        done = client.end()
        took = time.perf_counter() - began
    assert done.exit_code == 0, done
    assert len(model.requests) == CALLS + 1, "every call was made"
    return took
