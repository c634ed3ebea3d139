"""One call that puts a decision server beside the app."""

import asyncio
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from ags_tui.agents.connection import Judge
from ags_tui.agents.decision_server import DecisionServer
from ags_tui.agents.events import Reply
from ags_tui.agents.wire import Caller

SWITCH_S = 0.0005
"""Seconds for which a busy thread keeps the interpreter from the others. Python's five milliseconds would be
paid at each system call of a judgement, about ten times for each tool call of an agent."""


@contextmanager
def serving(
    top: Path,
    judge: Judge,
    *,
    on_alarm: Callable[[str], None],
    on_call: Callable[[str, datetime], None],
    folder: Path | None = None,
) -> Generator[DecisionServer]:
    """Serve the hooks of a work tree as long as the context lasts.

    Args:
        top: The work tree.
        judge: Judges one call, in the server's loop.
        on_alarm: Told, in the server's thread, what the human should know.
        on_call: Told, in the server's thread, which agent has asked, and when.
        folder: Of the sockets; tests alone give one.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, SWITCH_S))
    server = DecisionServer(top, judge, on_alarm=on_alarm, on_call=on_call, folder=folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()
        sys.setswitchinterval(before)


def in_thread(judge: Callable[[Caller, str, bytes], Reply]) -> Judge:
    """Make a judge of a function that may block: it runs in one of the server's threads."""

    async def judged(caller: Caller, agent: str, payload: bytes) -> Reply:
        return await asyncio.to_thread(judge, caller, agent, payload)

    return judged
