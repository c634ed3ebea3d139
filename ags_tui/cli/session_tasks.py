"""Moves tasks of sessions into a root of the repository, unless a call waits where they are now."""

import os
from pathlib import Path

from ags_tui.agents.sockets import Seat, SocketUnusable, make_folder, server_folder
from ags_tui.cli.call import Call
from ags_tui.cli.failures import CommandFailed
from ags_tui.core.assessment import PendingKind
from ags_tui.core.checks.assess import assess
from ags_tui.core.layout import TASKS
from ags_tui.io.session_move import move_sessions
from ags_tui.io.trees import OWN_ROOT, Tree, tree_at
from ags_tui.io.workspace import Workspace


class Sessions:
    """The tasks of sessions that lie outside of the repository, on their way into it."""

    def __init__(self, call: Call) -> None:
        """Look whether there are any, and refuse where somebody waits for one of them.

        Args:
            call: the invocation; one that chooses a root moves nothing.

        Raises:
            CommandFailed: calls wait for a human, and nobody has ags-tui open who could move them later.
        """
        tree = None if call.chosen_root() is not None else tree_at(str(call.directory), call.places)
        self._seat: Seat | None = None
        self._own: Path | None = None
        self.note = ""
        if tree is None or not (tree.folder / OWN_ROOT / TASKS).is_dir():
            return
        own = tree.folder / OWN_ROOT
        self._seat = _seat(tree)
        if self._seat is None:
            self.note = "ags-tui is open here: it moves the tasks of sessions itself, once no call waits"
            return
        self._own = own
        snapshot = Workspace.open(call.directory, root=own, places=call.places).read()
        pending = assess(snapshot, call.now()).pending
        waiting = [one for one in pending if one.kind is PendingKind.TOOL_REQUEST]
        if waiting:
            self._seat.drop()
            names = ", ".join(f"{one.task_id}/{one.item_id}" for one in waiting[:3])
            raise CommandFailed(
                f"calls of agents wait for a human ({names}), so nothing moves: decide them in ags-tui first"
            )

    def move(self, root: Path) -> tuple[str, ...]:
        """Move them; gives the names of those that were moved.

        Args:
            root: folder in the repository that holds ``tasks/``.

        Raises:
            NotMoved: a folder cannot be made or moved.
        """
        if self._own is None or self._seat is None:
            return ()
        try:
            return move_sessions(self._own, root)
        finally:
            self._seat.drop()


def _seat(tree: Tree) -> Seat | None:
    """The seat of the decision server, taken so that none begins meanwhile; None where one runs."""
    user = os.geteuid()
    folder = server_folder(user)
    try:
        make_folder(folder, user)
        seat = Seat(folder, tree.key, user)
        return seat if seat.take() else None
    except SocketUnusable as error:
        raise CommandFailed(str(error)) from error
