"""Child processes in a group of their own: started without a shell's leftovers, ended as a whole."""

import os
import re
import selectors
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

_PLAIN_WORDS = re.compile(r"[A-Za-z0-9_./:,@%+=\- ]+", re.ASCII)
_GIT_PLACE = frozenset({
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_CEILING_DIRECTORIES",
})  # fmt: skip
_CHUNK = 64 * 1024
_GRACE_S = 3.0
"""Seconds between asking a group to end and killing it."""
_ORPHAN_GRACE_S = 0.2
"""The same for what is left of a group after its leader."""
_DRAIN_S = 0.5
"""Seconds for which output is still read after a command has ended (what it left running holds the pipe)."""

Process = subprocess.Popen[bytes]
"""A child with bytes on its pipes."""


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """How a command ended."""

    exit_code: int | None
    """Exit code; 128 + n after signal n; None where it was cancelled or ran into its time limit."""
    duration_ms: int
    """Wall time."""
    timed_out: bool = False
    """The time limit ended it."""
    cancelled: bool = False
    """Somebody cancelled it."""
    problem: str = ""
    """Why it could not be started; empty where it ran."""


def command_line(command: str) -> tuple[str, ...]:
    """Turn a planned command into arguments.

    A command of plain words is run as it is, without a shell. One with quotes, operators, variables, patterns
    or a leading assignment is given, unchanged, to ``/bin/sh -c``.
    """
    if _PLAIN_WORDS.fullmatch(command):
        words = tuple(shlex.split(command))
        if words and "=" not in words[0]:
            return words
    return ("/bin/sh", "-c", command)


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for a child: without our own variables and without git's idea of where it is.

    Args:
        environment: the environment of this process.
    """
    return {
        name: value
        for name, value in environment.items()
        if not name.startswith("AGS_") and name not in _GIT_PLACE
    }


class GroupProcess:
    """One command in its own session, its output streamed, cancellable from another thread."""

    def __init__(
        self,
        arguments: tuple[str, ...],
        *,
        folder: Path,
        environment: Mapping[str, str],
        cancel: threading.Event,
    ) -> None:
        """Prepare; nothing runs yet.

        Args:
            arguments: program and arguments.
            folder: working directory.
            environment: the child's whole environment.
            cancel: ends the command and all it has started; may be set by any thread or signal handler.
        """
        self._arguments = arguments
        self._folder = folder
        self._environment = environment
        self._cancel = cancel

    def run(self, on_output: Callable[[bytes], None], *, timeout_s: float) -> ProcessEnd:
        """Run to the end; blocks.

        Args:
            on_output: called with each piece of the joined stdout and stderr, in order.
            timeout_s: seconds after which the group is ended.
        """
        started = time.monotonic()
        try:
            process = subprocess.Popen(
                self._arguments,
                cwd=self._folder,
                env=dict(self._environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            missing = isinstance(error, FileNotFoundError)
            problem = f"{self._arguments[0]}: {(error.strerror or str(error)).lower()}"
            return ProcessEnd(127 if missing else 126, _since(started), problem=problem)
        try:
            timed_out = self._follow(process, on_output, started + timeout_s)
            # What the command left running belongs to it: nothing outlives the run.
            end_group(process)
            code = process.wait()
        finally:
            self._finish(process)
        cancelled = self._cancel.is_set() and not timed_out
        whole = not (timed_out or cancelled)
        return ProcessEnd(_exit_code(code) if whole else None, _since(started), timed_out, cancelled)

    def _follow(self, process: Process, on_output: Callable[[bytes], None], limit: float) -> bool:
        """Read until the command ends, is cancelled or runs out of time; say whether it ran out of time."""
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            reading = True
            drain_until: float | None = None
            while not self._cancel.is_set():
                now = time.monotonic()
                if drain_until is None and process.poll() is not None:
                    drain_until = now + _DRAIN_S
                if drain_until is not None and (not reading or now >= drain_until):
                    return False
                if now >= limit:
                    return drain_until is None
                # There is no portable descriptor for the end of a child or a cancel: look ten times a second.
                if selector.select(min(limit - now, 0.1 if reading else 0.02)):
                    data = os.read(process.stdout.fileno(), _CHUNK)
                    if data:
                        on_output(data)
                    else:
                        selector.unregister(process.stdout)
                        reading = False
        return False

    def _finish(self, process: Process) -> None:
        if process.poll() is None:
            end_group(process)
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def end_group(leader: Process) -> None:
    """Ask a process group to end, then kill what is left.

    The leader gets three seconds; what it left behind a moment after it. An orphan that nobody reaps looks
    alive, so nothing waits longer for that.

    Args:
        leader: its leader, started by us in a session of its own.
    """
    deadline = time.monotonic() + _GRACE_S
    _signal_group(leader, signal.SIGTERM)
    while _signal_group(leader, 0):
        now = time.monotonic()
        if leader.returncode is not None:
            deadline = min(deadline, now + _ORPHAN_GRACE_S)
        if now >= deadline:
            _signal_group(leader, signal.SIGKILL)
            return
        time.sleep(0.01)


def _signal_group(leader: Process, number: int) -> bool:
    """Signal the group; False where nothing of it is left (the leader is reaped on the way)."""
    leader.poll()
    try:
        os.killpg(leader.pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _exit_code(code: int) -> int:
    return code if code >= 0 else 128 - code


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
