"""What the hook costs of a whole turn of a real client, whose model is a script that answers at once.

What is above 1 × is their share; a model that has to think makes it smaller. The clients are those of
``make test-clients``; one that cannot be installed says so in its row.
"""

import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from tests.bench.course import Bench, in_turns
from tests.bench.figures import Figure, p90_ratio, ratio, seen
from tests.clients.install import CLIENTS, install
from tests.clients.scene import DONE, Scene
from tests.clients.servers import Turn

FIGURES = ("B1b", "B1c", "B1d")
AGENTS = dict(zip(FIGURES, ("claude-code", "codex", "gemini"), strict=True))
CALLS = 20
"""Calls of one turn, each allowed at once."""
PEER = "the same turn without hooks"
MOST_ROUNDS = 7
"""A turn takes seconds, and the two sides differ by what is sought."""


def run(bench: Bench) -> Iterator[Figure]:
    """Measure each client that is there."""
    for name, agent in AGENTS.items():
        what = f"a whole turn of the real {agent}, {CALLS} calls that are allowed at once"
        why = install(CLIENTS[agent])
        if why:
            yield Figure(name, what, PEER, None, seen=why)
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
    ours, theirs = taken["hooked"], taken["bare"]
    return Figure(name, what, PEER, ratio(ours, theirs), p90=p90_ratio(ours, theirs), seen=seen(ours, theirs))


def _turn(scene: Scene, *, hooks: bool) -> float:
    """Seconds of one turn, from the start of the client to its end."""
    before = _verdicts(scene)
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
    assert _verdicts(scene) - before == (CALLS if hooks else 0), "each call was judged, or none"
    return took


def _verdicts(scene: Scene) -> int:
    """How many calls were judged so far."""
    return sum(line.event == "verdict" for line in scene.lines())
