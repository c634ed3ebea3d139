"""``ags-tui`` with ``awatch()`` as it comes in place of its own watcher; hints are made by the same rules."""

import sys
from collections.abc import AsyncGenerator

from watchfiles import awatch

from ags_tui.__main__ import main
from ags_tui.core.hints import EVERYTHING, Hint
from ags_tui.io import workspace
from ags_tui.io.hints import Pending
from ags_tui.io.watcher import Watcher


class AwatchWatcher(Watcher):
    async def hints(self) -> AsyncGenerator[Hint]:
        yield EVERYTHING
        territory = self._territory  # pyright: ignore[reportPrivateUsage]
        async for changes in awatch(territory.work_tree):
            pending = Pending()
            for _change, path in changes:
                territory.note(path, pending)
            if pending:
                yield pending.take()


if __name__ == "__main__":
    workspace.Watcher = AwatchWatcher
    sys.exit(main())
