"""Asks Codex itself which hooks it knows and which it trusts: Codex skips untrusted hooks without a word."""

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from ags_tui.core.failures import AgsError

LIMIT_S = 20.0
"""How long Codex may take to answer."""
TRUSTED = ("trusted", "managed")
"""What Codex calls hooks that it runs."""

_READ = 1 << 16


class CodexUnasked(AgsError):
    """Codex did not say which hooks it knows; the message says why."""


@dataclass(frozen=True, slots=True)
class KnownHook:
    """A hook as Codex knows it."""

    key: str
    """Name under which Codex keeps its trust."""
    event: str
    """Event, as Codex writes it here: ``preToolUse``."""
    command: str
    """The line that it runs."""
    source: str
    """``user``, ``project``, ``sessionFlags`` …"""
    path: str
    """File that holds it."""
    trust: str
    """``trusted``, ``untrusted``, ``modified`` or ``managed``."""
    digest: str
    """Digest over what was trusted, or would be."""
    enabled: bool
    """Whether it is switched on."""

    @property
    def runs(self) -> bool:
        """Whether Codex calls it."""
        return self.enabled and self.trust in TRUSTED


def known_hooks(
    program: str, flags: Iterable[str], folder: Path, environment: Mapping[str, str]
) -> tuple[KnownHook, ...]:
    """Ask Codex which hooks it would call in a folder.

    Args:
        program: Path of the client.
        flags: Options that it would be started with.
        folder: Where it would work.
        environment: Its environment.

    Raises:
        CodexUnasked: It gave no answer that could be understood.
    """
    try:
        process = subprocess.Popen(
            [program, *flags, "app-server"], cwd=folder, env=dict(environment), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise CodexUnasked(f"{program}: cannot be started: {error.strerror}") from error
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        end = time.monotonic() + LIMIT_S
        client = {"clientInfo": {"name": "ags-tui", "version": "1"}, "capabilities": {}}
        _send(process.stdin, {"id": 1, "method": "initialize", "params": client})
        _send(process.stdin, {"method": "initialized"})
        _send(process.stdin, {"id": 2, "method": "hooks/list", "params": {"cwds": [str(folder)]}})
        return tuple(_hooks(_answer(process.stdout, end)))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _send(stream: IO[bytes], message: Mapping[str, Any]) -> None:
    with suppress(BrokenPipeError):
        stream.write(json.dumps(message).encode() + b"\n")
        stream.flush()


def _answer(stream: IO[bytes], end: float) -> Mapping[str, Any]:
    """The answer to the second message."""
    data = b""
    with selectors.DefaultSelector() as ready:
        ready.register(stream, selectors.EVENT_READ)
        while (left := end - time.monotonic()) > 0:
            if not ready.select(left):
                break
            part = os.read(stream.fileno(), _READ)
            if not part:
                raise CodexUnasked("codex app-server ended before it said which hooks it knows")
            *lines, data = (data + part).split(b"\n")
            for line in lines:
                row = _object(line)
                if row.get("id") != 2:
                    continue
                if isinstance(row.get("result"), dict):
                    return cast("Mapping[str, Any]", row["result"])
                raise CodexUnasked("this version of Codex does not say which hooks it knows (hooks/list)")
    raise CodexUnasked(f"codex app-server did not say within {LIMIT_S:g} s which hooks it knows")


def _object(line: bytes) -> Mapping[str, Any]:
    try:
        row: object = json.loads(line)
    except ValueError:
        return {}
    return cast("Mapping[str, Any]", row) if isinstance(row, dict) else {}


def _hooks(result: Mapping[str, Any]) -> Iterable[KnownHook]:
    try:
        for row in (one for folder in result["data"] for one in folder["hooks"]):
            yield KnownHook(
                key=str(row["key"]),
                event=str(row["eventName"]),
                command=str(row.get("command") or ""),
                source=str(row.get("source") or ""),
                path=str(row.get("sourcePath") or ""),
                trust=str(row["trustStatus"]),
                digest=str(row["currentHash"]),
                enabled=row.get("enabled") is not False,
            )
    except (KeyError, TypeError, AttributeError) as error:
        raise CodexUnasked("Codex answers hooks/list in a form that is not known here") from error
