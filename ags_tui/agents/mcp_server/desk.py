"""Where the tools work: the repository, opened when the first call needs it, and the store of its runs."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ags_tui.io.workflow_store import WorkflowStore
from ags_tui.io.workspace import Workspace


@dataclass(slots=True, eq=False)
class Desk:
    """One server's view of one work tree; its methods may be called from any thread."""

    directory: Path
    """Folder in which the server was started; requests of agents are said to run there."""
    root: Callable[[], Path | None]
    """Says which folder holds ``tasks/``, where it is not the one that settings name."""
    open_at: Callable[[Path | None], Workspace]
    """Opens the repository with that folder."""
    now: Callable[[], datetime]
    """Gives the wall clock, UTC."""
    say: Callable[[str], None]
    """Takes a sentence for the human who looks at the server's stderr."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _opened: tuple[Path | None, Workspace] | None = None

    def workspace(self) -> Workspace:
        """Return the repository; opened again where its root has moved or a call has failed.

        Raises:
            NotARepository: There is none; it may come.
        """
        with self._lock:
            root = self.root()
            if self._opened is None or self._opened[0] != root:
                self._opened = (root, self.open_at(root))
            return self._opened[1]

    def forget(self) -> None:
        """Open the repository anew for the next call."""
        with self._lock:
            self._opened = None

    def store(self) -> WorkflowStore:
        """Return the store of the repository's runs.

        Raises:
            NotARepository: There is no repository.
        """
        workspace = self.workspace()
        return WorkflowStore(workspace.root, workspace.places)
