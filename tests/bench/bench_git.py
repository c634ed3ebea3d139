"""Looking at a repository of 50,000 files, against ``git status``; and beside an agent that works in it."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ags_tui.io.git import GitDoor
from ags_tui.io.git.door import NO_HINTS
from tests.bench.course import Bench, in_turns
from tests.bench.figures import Figure, p90_ratio, ratio, seen
from tests.io.git.repos import git

FIGURES = ("B9", "B9a", "B10", "B10a", "B11", "B12")
FILES = 50_000
FOLDERS = 500
CHANGED = 200
AGENT_ADDS = 400
RAW = ("git", "status", "--porcelain=v2", "-z", "--untracked-files=all")
PEER = "raw git status"


def run(bench: Bench) -> Iterator[Figure]:
    """Measure full and path-limited looks, then count what went wrong for an agent beside us."""
    top = _repository(bench.folder("git"))
    door = GitDoor.open(top, scratch=bench.folder("scratch"), home=bench.folder("home"))
    base = git(top, "rev-parse", "HEAD")
    try:
        yield from _looks(bench, top, door, base)
        yield from _beside_an_agent(bench, top, door, base)
    finally:
        door.close()


def _looks(bench: Bench, top: Path, door: GitDoor, base: str) -> Iterator[Figure]:
    counter = iter(range(1_000_000))
    place = top / "pkg0/mod0/f1.py"
    hint = frozenset({"pkg0/mod0/f1.py"})

    def edit() -> None:
        place.write_text(f"x = {next(counter)}\n")

    def full() -> None:
        door.refresh()
        assert len(door.changes(base, hints=NO_HINTS).entries) >= CHANGED
        assert not door.repo(hints=NO_HINTS).unknown

    def after_add() -> float:
        edit()
        git(top, "add", "pkg0/mod0/f1.py")
        return _timed(full)

    def one() -> float:
        edit()
        return _timed(lambda: door.changes(base, hints=hint))

    def one_with_diff() -> float:
        edit()

        def ask() -> None:
            door.changes(base, hints=hint)
            assert door.diff(base, "pkg0/mod0/f1.py")

        return _timed(ask)

    full()
    taken = in_turns(
        {
            "raw": lambda: _timed(lambda: subprocess.run(RAW, cwd=top, check=True, capture_output=True)),
            "full": lambda: _timed(full),
            "after": after_add,
            "one": one,
            "diff": one_with_diff,
        },
        bench.rounds,
    )
    for figure, side, what, target in (
        (
            "B9",
            "full",
            f"full refresh of {FILES:,} files, {CHANGED} changed: look, changes and description",
            1.25,
        ),
        ("B9a", "after", "the same just after an agent's git add", 1.25),
        ("B10", "one", "one file saved: path-limited look and changes", 0.8),
        ("B10a", "diff", "the same with the diff of the file", 0.8),
    ):
        ours, peer = taken[side], taken["raw"]
        yield Figure(
            figure, what, PEER, ratio(ours, peer), target, p90=p90_ratio(ours, peer), seen=seen(ours, peer)
        )


def _beside_an_agent(bench: Bench, top: Path, door: GitDoor, base: str) -> Iterator[Figure]:
    adds = AGENT_ADDS if not bench.short else AGENT_ADDS // 10
    program = (
        "import subprocess, sys\n"
        "failed = 0\n"
        f"for number in range({adds}):\n"
        "    open('pkg1/mod30/agent.py', 'w').write(f'{number}\\n')\n"
        "    done = subprocess.run(['git', 'add', 'pkg1/mod30/agent.py'], capture_output=True)\n"
        "    failed += done.returncode != 0\n"
        "print(failed)\n"
    )
    agent = subprocess.Popen([sys.executable, "-c", program], cwd=top, stdout=subprocess.PIPE, text=True)
    looks = 0
    while agent.poll() is None:
        door.changes(base)
        door.diff(base, "pkg0/mod0/f1.py")
        looks += 1
    said = agent.communicate()[0]
    yield Figure(
        "B11", "failed git add of an agent beside us", "none", int(said), 0, unit="",
        seen=f"{adds} adds, {looks} full looks",
    )  # fmt: skip
    rewritten = sum(_rewrites(top, lambda: door.changes(base)) for _ in range(10))
    yield Figure(
        "B12", "rewrites of .git/index by our looks", "none", rewritten, 0, unit="",
        seen="10 looks, each after all files were touched in one folder",
    )  # fmt: skip


def _rewrites(top: Path, look: Callable[[], object]) -> bool:
    for place in (top / "pkg2/mod50").iterdir():
        os.utime(place)
    index = top / ".git" / "index"
    before = index.stat()
    look()
    after = index.stat()
    return (before.st_ino, before.st_mtime_ns) != (after.st_ino, after.st_mtime_ns)


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _repository(top: Path) -> Path:
    """Make the repository: all files in one commit, half of the changes edits, half untracked files."""
    for folder in range(FOLDERS):
        place = top / f"pkg{folder // 25}" / f"mod{folder}"
        place.mkdir(parents=True)
        for number in range(FILES // FOLDERS):
            (place / f"f{number}.py").write_text(f"x = {folder}_{number}\n" * 5)
    (top / ".gitignore").write_text("*.pyc\nnode_modules/\nbuild/\n")
    git(top, "init", "-q", "-b", "main")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "base")
    for number in range(CHANGED // 2):
        place = top / f"pkg{number * 5 // 25}" / f"mod{number * 5}"
        (place / "f1.py").write_text("changed = 1\n")
        (place / "new.py").write_text("new = 1\n")
    return top
