"""Scope: ten thousand paths against two hundred patterns, with git's own matcher as the peer."""

import random
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ags_tui.core import globs, pattern_walk
from tests.bench.course import Bench, in_turns
from tests.bench.figures import Figure, p90_ratio, ratio, seen
from tests.io.git.repos import git

FIGURES = ("B14", "B14a", "B14b")
PATHS = 10_000
PATTERNS = 200
SLOW_PATHS = 1_000
"""Paths of the slow set: git takes more than a millisecond for each."""
PEER = "git check-ignore --stdin, the same patterns and paths"


def run(bench: Bench) -> Iterator[Figure]:
    """Compile and match everything, nothing remembered from the round before."""
    chance = random.Random(14)
    easy, slow, worst = easy_patterns(), hostile_patterns(2), hostile_patterns(4)
    paths = easy_paths(chance)
    slow_paths, worst_paths = hostile_paths(chance, SLOW_PATHS, 8), hostile_paths(chance, PATHS, 16)
    easy_taken = in_turns(
        {
            "ours": matching(easy, paths),
            "git": ignoring(bench.folder("globs"), easy, paths),
            "worst": matching(worst, worst_paths),
        },
        bench.rounds,
    )
    slow_taken = in_turns(
        {"ours": matching(slow, slow_paths), "git": ignoring(bench.folder("globs"), slow, slow_paths)},
        bench.rounds,
    )
    for figure, what, taken in (
        ("B14", f"scope: {PATHS:,} paths, {PATTERNS} patterns as plans have them", easy_taken),
        ("B14a", f"scope: {SLOW_PATHS:,} paths, {PATTERNS} patterns made to be slow", slow_taken),
    ):
        ours, peer = taken["ours"], taken["git"]
        yield Figure(
            figure, what, PEER, ratio(ours, peer), 0.5, p90=p90_ratio(ours, peer), seen=seen(ours, peer)
        )
    ours, peer = easy_taken["worst"], easy_taken["ours"]
    yield Figure(
        "B14b", f"scope: {PATHS:,} paths, {PATTERNS} patterns on which git does not end within minutes",
        "ours on patterns as plans have them", ratio(ours, peer), seen=seen(ours, peer),
    )  # fmt: skip


def easy_patterns() -> list[str]:
    """Folders, names at any depth, names in one place: a fifth of each kind."""
    kinds = (
        "src/{letter}/ui/**",
        "**/*_{number}.py",
        "src/*/net/file_{number}.*",
        "**/dir{number}/**",
        "src/a/core/file_{number}.py",
    )
    return [
        kinds[number % len(kinds)].format(letter=chr(97 + number % 10), number=number)
        for number in range(PATTERNS)
    ]


def easy_paths(chance: random.Random) -> list[str]:
    """Sources of a middling repository."""
    areas = ("ui", "core", "net", "db", "api", "cli", "io", "view", "log", "web")
    folders = [f"src/{letter}/{area}" for letter in "abcdefghij" for area in areas]
    endings = ("py", "ts", "swift", "md")
    return [f"{chance.choice(folders)}/file_{number}.{chance.choice(endings)}" for number in range(PATHS)]


def hostile_patterns(depth: int) -> list[str]:
    """What makes a matcher that backtracks wait for ever."""
    return [f"**/{'a/**/' * depth}*{'a*' * depth}{number}*" for number in range(PATTERNS)]


def hostile_paths(chance: random.Random, count: int, depth: int) -> list[str]:
    """Deep paths that match almost to their end."""
    return [
        "/".join(["a"] * chance.randrange(3, depth))
        + "/"
        + "a" * chance.randrange(4, depth + 2)
        + f"b{number}"
        for number in range(count)
    ]


def matching(patterns: Sequence[str], paths: Sequence[str]) -> Callable[[], float]:
    """Our side: a set that was never seen, each path once."""

    def once() -> float:
        for cached in (globs._compiled, pattern_walk._chunks, pattern_walk._segment_test):
            cached.cache_clear()
        began = time.perf_counter()
        compiled = globs.compile_patterns(patterns, side="deny")
        for path in paths:
            compiled.match(path)
        return time.perf_counter() - began

    return once


def ignoring(folder: Path, patterns: Sequence[str], paths: Sequence[str]) -> Callable[[], float]:
    """Git's side: the same patterns in ``.gitignore``, the paths through a pipe."""
    git(folder, "init", "-q")
    (folder / ".gitignore").write_text("".join(f"/{pattern}\n" for pattern in patterns), "utf-8")
    given = "".join(f"{path}\0" for path in paths).encode()

    def once() -> float:
        began = time.perf_counter()
        command = ("git", "check-ignore", "--no-index", "--stdin", "-z")
        done = subprocess.run(command, cwd=folder, input=given, capture_output=True, timeout=300, check=False)
        seconds = time.perf_counter() - began
        if done.returncode not in (0, 1):
            raise AssertionError(done.stderr.decode())
        return seconds

    return once
