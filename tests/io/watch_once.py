"""Run as a process under a small limit of watches: says how it watches, then that it noticed a new file."""

import asyncio
import sys
from pathlib import Path

from ags_tui.io.watcher import Watcher
from tests.io.watching import Mirror


async def main(tree: Path) -> None:
    watcher = Watcher(tree / ".ai", tree, [tree / ".git"])
    mirror = Mirror(watcher, tree / ".ai", tree)
    task = asyncio.create_task(mirror.run())
    await mirror.until(lambda: bool(mirror.hints))
    print(watcher.state.mode, "limit" if "limit of inotify watches" in watcher.state.message else "no limit")
    (tree / ".ai" / "tasks" / "t").mkdir()
    (tree / ".ai" / "tasks" / "t" / "plan.json").write_text("1")
    await mirror.sees_task("t", 10)
    print("noticed")
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


asyncio.run(main(Path(sys.argv[1])))
