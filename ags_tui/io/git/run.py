"""Git children: one executable, a fresh environment, all that settings could execute switched off."""

import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import IO

from ags_tui.io.git.failures import GitFailed

MINIMUM = (2, 34)
"""The oldest git that is supported."""

OPTIONS = ("--no-optional-locks", "--literal-pathspecs", "--no-replace-objects", "--no-pager")
"""Options of ``git`` itself for every child: no index lock, paths are names, no replaced objects, no pager.
"""

OFF: Mapping[str, str] = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.editor": "false",
    "core.askPass": "false",
    "core.sshCommand": "false",
    "core.gitProxy": "false",
    "core.alternateRefsCommand": "false",
    "core.untrackedCache": "false",
    "core.commitGraph": "false",
    "core.multiPackIndex": "false",
    "core.trustctime": "true",
    "core.checkStat": "default",
    "core.quotePath": "false",
    "core.safecrlf": "false",
    "color.ui": "false",
    "credential.helper": "",
    "diff.external": "",
    "gpg.program": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "protocol.allow": "never",
    "uploadpack.packObjectsHook": "",
    "log.showSignature": "false",
    "advice.graftFileDeprecated": "false",
}
"""Settings of every child: what could run a program is off, caches that a hostile file could forge are not
read.
"""

_ENVIRONMENT: Mapping[str, str] = {
    "LC_ALL": "C.UTF-8",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ASKPASS": "false",
    "GIT_EDITOR": "false",
    "GIT_PAGER": "cat",
}
_FALLBACK_PATH = ("/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", "/bin")
_VERSION = re.compile(rb"git version (\d+)\.(\d+)")
_CHUNK = 256 * 1024
_STDERR_LIMIT = 64 * 1024

Process = subprocess.Popen[bytes]
"""A child with bytes on its pipes."""


@dataclass(frozen=True, slots=True)
class Output:
    """What a child that ended in an expected way said."""

    stdout: bytes
    """Its output."""
    stderr: str
    """Its messages, stripped."""
    code: int
    """Its exit code."""
    truncated: bool = False
    """The output was longer than the limit; the child was ended."""


class Runner:
    """Starts git children and collects what they say."""

    def __init__(self, *, executable: str, path: str, home: str, timeout_s: float) -> None:
        """Prepare; nothing runs yet.

        Args:
            executable: absolute path of git.
            path: ``PATH`` of the children.
            home: ``HOME`` of the children, for the user's own git configuration.
            timeout_s: seconds a child may take.
        """
        self.executable = executable
        self.home = home
        self._path = path
        self._timeout_s = timeout_s

    def command(self, arguments: Sequence[str | bytes], settings: Mapping[str, str]) -> list[str | bytes]:
        """Return the whole command line of a child.

        Args:
            arguments: subcommand and its arguments.
            settings: git settings of this child; they win over everything.
        """
        options: list[str | bytes] = [self.executable, *OPTIONS]
        for name, value in {**OFF, **settings}.items():
            options += ["-c", f"{name}={value}"]
        return [*options, *arguments]

    def environment(self, extra: Mapping[str, str]) -> dict[str, str]:
        """Return the whole environment of a child; nothing is inherited.

        Args:
            extra: further variables.
        """
        return {"PATH": self._path, "HOME": self.home, **_ENVIRONMENT, **extra}

    def start(
        self,
        arguments: Sequence[str | bytes],
        *,
        folder: str,
        variables: Mapping[str, str] | None = None,
        settings: Mapping[str, str] | None = None,
        stdin: int = subprocess.DEVNULL,
    ) -> Process:
        """Start a child in a group of its own.

        Args:
            arguments: subcommand and its arguments.
            folder: working directory.
            variables: further environment variables.
            settings: git settings of this child.
            stdin: ``subprocess.PIPE`` or ``subprocess.DEVNULL``.

        Raises:
            GitFailed: it cannot be started.
        """
        try:
            return subprocess.Popen(
                self.command(arguments, settings or {}),
                cwd=folder,
                env=self.environment(variables or {}),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            gone = "the repository is gone: " if not os.path.isdir(folder) else ""
            raise GitFailed(
                f"{gone}{error.filename or self.executable}: {error.strerror or error}"
            ) from error

    def run(
        self,
        arguments: Sequence[str | bytes],
        *,
        folder: str,
        variables: Mapping[str, str] | None = None,
        settings: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        expected: tuple[int, ...] = (0,),
        limit: int | None = None,
        timeout_s: float | None = None,
    ) -> Output:
        """Run a child to its end.

        Args:
            arguments: subcommand and its arguments.
            folder: working directory.
            variables: further environment variables.
            settings: git settings of this child.
            stdin: bytes for its standard input.
            expected: exit codes that are answers.
            limit: most bytes of output; more ends the child and is marked.
            timeout_s: seconds it may take, where not the usual.

        Raises:
            GitFailed: it could not be started, was ended by a signal, took too long, or ended with another
            code.
        """
        pipe = subprocess.DEVNULL if stdin is None else subprocess.PIPE
        process = self.start(arguments, folder=folder, variables=variables, settings=settings, stdin=pipe)
        return self.finish(
            process, arguments, stdin=stdin, expected=expected, limit=limit, timeout_s=timeout_s
        )

    def finish(
        self,
        process: Process,
        arguments: Sequence[str | bytes],
        *,
        stdin: bytes | None = None,
        expected: tuple[int, ...] = (0,),
        limit: int | None = None,
        timeout_s: float | None = None,
    ) -> Output:
        """Collect what a started child says until it ends; the arguments are those of ``run``.

        Raises:
            GitFailed: as ``run``.
        """
        name = _text(arguments[0])
        seconds = self._timeout_s if timeout_s is None else timeout_s
        exchange = _Exchange(process, stdin or b"", limit, time.monotonic() + seconds)
        try:
            timed_out = exchange.follow()
            if timed_out or exchange.truncated:
                end(process)
            code = process.wait()
        finally:
            close(process)
        if timed_out:
            raise GitFailed(f"git {name} did not answer within {seconds:g} s")
        stderr = b"".join(exchange.stderr).decode("utf-8", "replace").strip()
        if exchange.truncated:
            return Output(b"".join(exchange.stdout), stderr, 0, truncated=True)
        if code not in expected:
            raise GitFailed(_ending(name, code, stderr))
        return Output(b"".join(exchange.stdout), stderr, code)


class _Exchange:
    """Feeds a child and reads both its pipes until they close, a limit or the deadline."""

    def __init__(self, process: Process, stdin: bytes, limit: int | None, deadline: float) -> None:
        self._process = process
        self._input = memoryview(stdin)
        self._limit = limit
        self._deadline = deadline
        self._size = 0
        self.stdout: list[bytes] = []
        self.stderr: list[bytes] = []
        self._stderr_size = 0
        self.truncated = False

    def follow(self) -> bool:
        """Exchange bytes until the child closes its pipes; return whether it ran out of time."""
        process = self._process
        assert process.stdout is not None
        assert process.stderr is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ, self._read_stdout)
            selector.register(process.stderr, selectors.EVENT_READ, self._read_stderr)
            if process.stdin is not None:
                os.set_blocking(process.stdin.fileno(), False)
                selector.register(process.stdin, selectors.EVENT_WRITE, self._write)
            while selector.get_map() and not self.truncated:
                left = self._deadline - time.monotonic()
                if left <= 0:
                    return True
                for key, _ in selector.select(left):
                    stream = key.fileobj
                    if not key.data(stream.fileno()):  # type: ignore[union-attr]
                        selector.unregister(stream)
                        stream.close()  # type: ignore[union-attr]
        return False

    def _read_stdout(self, descriptor: int) -> bool:
        data = os.read(descriptor, _CHUNK)
        self._size += len(data)
        self.stdout.append(data)
        if self._limit is not None and self._size > self._limit:
            self.stdout[-1] = data[: len(data) - (self._size - self._limit)]
            self.truncated = True
        return bool(data)

    def _read_stderr(self, descriptor: int) -> bool:
        data = os.read(descriptor, _CHUNK)
        if self._stderr_size < _STDERR_LIMIT:
            self.stderr.append(data)
            self._stderr_size += len(data)
        return bool(data)

    def _write(self, descriptor: int) -> bool:
        try:
            self._input = self._input[os.write(descriptor, self._input[:_CHUNK]) :]
        except BrokenPipeError:
            return False
        except BlockingIOError:
            return True
        return bool(self._input)


def find_git(path: str, avoid: str = "") -> tuple[str, str]:
    """Return git's absolute path and a ``PATH`` without relative entries and without the work tree.

    A relative or in-tree entry would let the repository choose which program is run as git.

    Args:
        path: ``PATH`` of this process.
        avoid: the work tree; empty for none.

    Raises:
        GitFailed: there is no git.
    """
    inside = os.path.realpath(avoid) + os.sep if avoid else ""
    folders = [
        folder
        for folder in path.split(os.pathsep)
        if os.path.isabs(folder) and not (inside and (os.path.realpath(folder) + os.sep).startswith(inside))
    ]
    for folder in (*folders, *_FALLBACK_PATH):
        candidate = os.path.join(folder, "git")
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate, os.pathsep.join(folders or _FALLBACK_PATH)
    raise GitFailed("git is not installed, or not in PATH")


@lru_cache(maxsize=8)
def version_of(executable: str) -> tuple[int, int]:
    """Return major and minor version of a git.

    Args:
        executable: absolute path of git.

    Raises:
        GitFailed: it does not say, or is older than ``MINIMUM``.
    """
    runner = Runner(executable=executable, path=os.path.dirname(executable), home="/", timeout_s=10)
    said = runner.run(["version"], folder="/").stdout
    found = _VERSION.match(said)
    if found is None:
        raise GitFailed(f"{executable} does not say its version")
    version = int(found[1]), int(found[2])
    if version < MINIMUM:
        raise GitFailed(
            f"{executable} is {version[0]}.{version[1]}; git {MINIMUM[0]}.{MINIMUM[1]} or newer is needed"
        )
    return version


def end(process: Process) -> None:
    """Kill a child and all it has started.

    Args:
        process: a child of ``Runner.start``.
    """
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()


def close(process: Process) -> None:
    """End a child that still runs and close its pipes.

    Args:
        process: a child of ``Runner.start``.
    """
    if process.poll() is None:
        end(process)
        process.wait()
    streams: tuple[IO[bytes] | None, ...] = (process.stdin, process.stdout, process.stderr)
    for stream in streams:
        if stream is not None and not stream.closed:
            try:
                stream.close()
            except BrokenPipeError:
                continue


def _ending(name: str, code: int, stderr: str) -> str:
    said = f": {stderr}" if stderr else ""
    if code < 0:
        return f"git {name} was ended by {_signal_name(-code)}{said}"
    return f"git {name} ended with {code}{said}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _text(argument: str | bytes) -> str:
    return argument if isinstance(argument, str) else argument.decode("utf-8", "replace")
