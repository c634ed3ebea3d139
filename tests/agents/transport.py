"""What the tests of hook and decision server share: real hooks, real sockets, a judge held by hand."""

import asyncio
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import ags_tui
from ags_tui.agents.events import Reply
from ags_tui.agents.sockets import tree_name
from ags_tui.agents.wire import Caller
from tests.leftovers import FAST_PREFIX

PACKAGE = Path(ags_tui.__file__).parent
HOOK = PACKAGE / "agents" / "hook.py"
WAIT_S = 30.0
"""How long a fact may take on a busy machine; nothing waits so long when all is well."""


@dataclass
class Asked:
    """One call before the judge."""

    caller: Caller
    payload: bytes
    loop: asyncio.AbstractEventLoop
    answered: asyncio.Future[Reply]
    cancelled: threading.Event = field(default_factory=threading.Event)

    def answer(self, reply: Reply) -> None:
        self.loop.call_soon_threadsafe(self.answered.set_result, reply)


class Judge:
    """Holds each call until the test answers it."""

    def __init__(self) -> None:
        self._asked: queue.Queue[Asked] = queue.Queue()

    async def __call__(self, caller: Caller, agent: str, payload: bytes) -> Reply:
        assert agent == caller.agent
        loop = asyncio.get_running_loop()
        asked = Asked(caller, payload, loop, loop.create_future())
        self._asked.put(asked)
        try:
            return await asked.answered
        except asyncio.CancelledError:
            asked.cancelled.set()
            raise

    def next(self) -> Asked:
        return self._asked.get(timeout=WAIT_S)


class Alarms:
    """What a server has told."""

    def __init__(self) -> None:
        self._told: queue.Queue[str] = queue.Queue()

    def __call__(self, text: str) -> None:
        self._told.put(text)

    def next(self) -> str:
        return self._told.get(timeout=WAIT_S)


@contextmanager
def short_folder() -> Generator[Path]:
    """A folder whose path leaves room for a socket's name; pytest's own are too deep."""
    base = next((place for place in ("/dev/shm", "/tmp") if os.access(place, os.W_OK)), None)
    with tempfile.TemporaryDirectory(prefix=f"{FAST_PREFIX}{os.getpid()}-", dir=base) as folder:
        yield Path(folder)


def work_tree(parent: Path, name: str = "tree") -> Path:
    top = parent / name
    (top / ".git").mkdir(parents=True)
    (top / ".ai").mkdir()
    (top / "src" / "deep").mkdir(parents=True)
    return top


def socket_of(folder: Path, top: Path) -> Path:
    return folder / f"{tree_name(top)}.sock"


def event(top: Path, **fields: Any) -> bytes:
    """What a client writes before a shell call."""
    whole = {
        "session_id": "s-0001",
        "cwd": str(top),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_use_id": "tu-1",
        **fields,
    }
    return json.dumps(whole).encode()


def command(hook: Path, sockets: Path, *words: str, agent: str = "claude-code") -> list[str]:
    own = ["--sockets", str(sockets), "--state", str(sockets / "state"), "--config", str(sockets / "config")]
    return [sys.executable, "-I", "-S", str(hook), agent, *own, *words]


def start(words: list[str], folder: Path, **options: Any) -> subprocess.Popen[bytes]:
    """Start a hook; its stdin is still open."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    whole: dict[str, Any] = {**pipes, **options}
    return cast("subprocess.Popen[bytes]", subprocess.Popen(words, cwd=folder, bufsize=0, **whole))


def feed(process: subprocess.Popen[bytes], payload: bytes) -> None:
    """Write the payload whole and close; a hook that stops reading makes this fail."""
    assert process.stdin is not None
    process.stdin.write(payload)
    process.stdin.close()


def finished(process: subprocess.Popen[bytes]) -> tuple[int, bytes, bytes]:
    """Wait for a fed hook: exit code, stdout, stderr."""
    process.stdin = None
    out, err = process.communicate(timeout=WAIT_S)
    return process.returncode, out or b"", err or b""


def run(words: list[str], folder: Path, payload: bytes, **options: Any) -> tuple[int, bytes, bytes]:
    process = start(words, folder, **options)
    try:
        feed(process, payload)
        return finished(process)
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """End what a failed test has left."""
    if process.poll() is None:
        process.kill()
    with suppress(ValueError, OSError):
        process.communicate()


def own_package(folder: Path, offline: str, *, changes: tuple[tuple[str, str], ...] = ()) -> Path:
    """A copy of the hook beside an ``agents.offline`` of the test; returns the hook."""
    agents = folder / "lib" / "ags_tui" / "agents"
    shutil.copytree(PACKAGE / "agents", agents, ignore=shutil.ignore_patterns("offline.py", "__pycache__"))
    (agents.parent / "__init__.py").write_text(f"__path__.append({str(PACKAGE)!r})\n")
    text = (PACKAGE / "agents" / "quick_road.py").read_text("utf-8")
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    (agents / "quick_road.py").write_text(text, "utf-8")
    if offline:
        (agents / "offline.py").write_text(offline, "utf-8")
    return agents / "hook.py"


SAYS_WHY = """
def run(agent, payload, why, arguments):
    return 7, f"{agent}|{why}|{len(payload)}|{' '.join(arguments[6:])}".encode(), b"judged here\\n"
"""
"""An ``agents.offline`` that answers what it was given; exit code 7 is nobody else's."""
