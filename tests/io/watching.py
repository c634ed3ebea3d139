"""A listener for the watcher's tests: it does what a reader does with hints, and nothing else.

The mirror holds what is on disk as far as hints said so; when it equals the disk, nothing was lost.
"""

import asyncio
import os
from contextlib import asynccontextmanager
from pathlib import Path

from ags_tui.io.watcher import Hint, Watcher

LOST = 2.0
"""Seconds after which a change that was not told counts as lost."""


class Mirror:
    """Reads again where a hint points, and only there."""

    def __init__(self, watcher: Watcher, root: Path, work_tree: Path) -> None:
        self.watcher = watcher
        self.root = root
        self.work_tree = work_tree
        self.hints: list[Hint] = []
        self.tasks: dict[str, dict[str, bytes]] = {}
        self.paths: dict[str, bytes | None] = {}
        self.git_hints = 0
        self._changed = asyncio.Condition()

    async def run(self) -> None:
        async for hint in self.watcher.hints():
            self.apply(hint)
            async with self._changed:
                self._changed.notify_all()

    def apply(self, hint: Hint) -> None:
        self.hints.append(hint)
        self.git_hints += hint.git
        tasks = self.root / "tasks"
        names = hint.tasks
        if names is None:
            self.tasks.clear()
            names = frozenset(os.listdir(tasks)) if tasks.is_dir() else frozenset()
        for name in names:
            self.tasks.pop(name, None)
            if (tasks / name).is_dir():
                self.tasks[name] = read_tree(tasks / name)
        if hint.paths is None:
            self.paths = dict(read_tree(self.work_tree))
        for path in hint.paths or ():
            self.look_at(path)

    def look_at(self, path: str) -> None:
        """Read one path of the work tree, with all below it."""
        for known in [one for one in self.paths if one == path or one.startswith(path + "/")]:
            del self.paths[known]
        there = self.work_tree / path
        if there.is_file():
            self.paths[path] = there.read_bytes()
        elif there.is_dir():
            self.paths.update({f"{path}/{name}": data for name, data in read_tree(there).items()})

    async def until(self, fact, within: float = 10.0) -> None:
        """Wait until a fact about this mirror holds."""
        async with asyncio.timeout(within), self._changed:
            await self._changed.wait_for(fact)

    async def sees_task(self, name: str, within: float = LOST) -> None:
        """Wait until a task folder is mirrored as it is on disk."""
        folder = self.root / "tasks" / name
        await self.until(
            lambda: self.tasks.get(name) == (read_tree(folder) if folder.is_dir() else None), within
        )

    async def sees(self, path: str, within: float = LOST) -> None:
        """Wait until one file of the work tree is mirrored as it is on disk."""
        file = self.work_tree / path
        await self.until(
            lambda: self.paths.get(path) == (file.read_bytes() if file.is_file() else None), within
        )


def read_tree(folder: Path) -> dict[str, bytes]:
    """All files of a folder by relative path."""
    found: dict[str, bytes] = {}
    for top, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            path = Path(top, name)
            try:
                found[str(path.relative_to(folder))] = path.read_bytes()
            except FileNotFoundError:
                continue
    return found


@asynccontextmanager
async def watching(root: Path, work_tree: Path, **options):
    """Run a watcher with a mirror; starts when everything is watched."""
    watcher = Watcher(root, work_tree, **options)
    mirror = Mirror(watcher, root, work_tree)
    task = asyncio.create_task(mirror.run())
    try:
        await mirror.until(lambda: bool(mirror.hints))
        yield mirror
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def run(script: str, cwd: Path, **env: str) -> None:
    """Run a shell script as another process and wait for its end."""
    process = await asyncio.create_subprocess_exec(
        "/bin/sh", "-euc", script, cwd=cwd, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **env}
    )
    assert await process.wait() == 0


async def sweeps(mirror: Mirror, number: int) -> None:
    """Wait until so many more sweeps were made."""
    target = mirror.watcher.sweeps + number
    while mirror.watcher.sweeps < target:  # noqa: ASYNC110 - the counter is a fact of another thread
        await asyncio.sleep(0.01)
