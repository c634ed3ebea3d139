"""A decision server beside a main thread that is told to be ``busy`` or ``idle``: ``… TOP FOLDER``."""

import sys
import threading
import time
from datetime import datetime
from pathlib import Path

from ags_tui.agents.events import Reply
from ags_tui.agents.serve import serving
from ags_tui.agents.wire import Caller

BLOCKED_S, FREE_S = 0.1, 0.05
ALLOW = Reply(
    0,
    b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow",'
    b'"permissionDecisionReason":"read-only"}}\n',
)


async def judge(caller: Caller, agent: str, payload: bytes) -> Reply:
    """Allow, as quickly as can be."""
    del caller, agent, payload
    return ALLOW


def obey(busy: threading.Event, done: threading.Event) -> None:
    """Follow stdin until it ends."""
    for line in sys.stdin:
        if line == "busy\n":
            busy.set()
        else:
            busy.clear()
        sys.stdout.write(line)
        sys.stdout.flush()
    done.set()
    busy.set()


def called(agent: str, at: datetime) -> None:
    """Nobody looks at the heartbeat."""
    del agent, at


def main(top: str, folder: str) -> None:
    """Serve until stdin ends."""
    busy, done = threading.Event(), threading.Event()
    threading.Thread(target=obey, args=(busy, done), daemon=True).start()
    with serving(Path(top), judge, on_alarm=sys.exit, on_call=called, folder=Path(folder)) as server:
        sys.stdout.write(f"serving {server.serving}\n")
        sys.stdout.flush()
        while not done.is_set():
            busy.wait()
            end = time.monotonic() + BLOCKED_S
            while time.monotonic() < end and not done.is_set():
                continue
            time.sleep(FREE_S)


if __name__ == "__main__":
    main(*sys.argv[1:])
