"""The two streams of the server: a message a line, bounded, and nothing else on stdout.

The SDK's own transport reads lines of any length and leaves what it cannot read without an answer, so that a
client waits in vain for a call with half an emoji in it. Here each such call is answered. A client that has
gone ends the server and is no failure.
"""

import fcntl
import json
import os
import select
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

import anyio
import anyio.to_thread
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

LARGEST_LINE = 64 * 1024 * 1024
"""Bytes of the longest line that is read: an output of 16 MiB, with escapes."""

Refuse = Callable[[str], types.CallToolResult]
"""Makes the answer to a call that cannot be read, from a sentence."""
Reading = MemoryObjectReceiveStream[SessionMessage | Exception]
Writing = MemoryObjectSendStream[SessionMessage]
_CHUNK = 1024 * 1024


@asynccontextmanager
async def bounded_stdio(refuse: Refuse) -> AsyncGenerator[tuple[Reading, Writing]]:
    """Take stdin and stdout for messages: from here on whatever else prints goes to stderr.

    Args:
        refuse: Makes the answer to a call that cannot be read.

    Yields:
        The stream of what the client says, and the stream to it.
    """
    source, sink = _taken(sys.stdin.fileno(), os.devnull), _taken(sys.stdout.fileno(), None)
    incoming, reading = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    writing, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as group:
        group.start_soon(_read, source, incoming, writing.clone(), refuse)
        group.start_soon(_write, sink, outgoing, group.cancel_scope)
        yield reading, writing


def _taken(descriptor: int, instead: str | None) -> int:
    """A copy of a descriptor that no child gets; the descriptor itself then leads elsewhere.

    Args:
        descriptor: Which.
        instead: File that it leads to; None for stderr.
    """
    copy = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    other = os.open(instead or os.devnull, os.O_RDWR)
    os.dup2(2 if instead is None and sys.stderr is not None else other, descriptor)
    os.close(other)
    return copy


class Lines:
    """Cuts what comes into lines; of one that is too long it keeps nothing."""

    def __init__(self, largest: int = LARGEST_LINE) -> None:
        """Begin with nothing.

        Args:
            largest: Bytes of the longest line.
        """
        self._largest = largest
        self._open = bytearray()
        self._too_long = False

    def feed(self, data: bytes) -> list[bytes | None]:
        """Return the lines that are whole now; None stands for one that was too long.

        Args:
            data: What came; nothing at the end, which ends the last line.
        """
        *ended, rest = data.split(b"\n")
        whole = [self._end(part) for part in ended]
        if data:
            self._keep(rest)
        elif self._open or self._too_long:
            whole.append(self._end(b""))
        return whole

    def _keep(self, part: bytes) -> None:
        if self._too_long or len(self._open) + len(part) > self._largest:
            self._too_long = True
            self._open.clear()
        else:
            self._open += part

    def _end(self, part: bytes) -> bytes | None:
        self._keep(part)
        line = None if self._too_long else bytes(self._open)
        self._open.clear()
        self._too_long = False
        return line


async def _read(
    source: int,
    incoming: MemoryObjectSendStream[SessionMessage | Exception],
    writing: Writing,
    refuse: Refuse,
) -> None:
    lines, data = Lines(), b"\n"
    async with incoming, writing:
        while data:
            with suppress(PermissionError):  # a plain file is always ready, and cannot be waited for
                await anyio.wait_readable(source)
            data = os.read(source, _CHUNK)
            for line in lines.feed(data):
                await _pass_on(line, incoming, writing, refuse)


async def _pass_on(
    line: bytes | None,
    incoming: MemoryObjectSendStream[SessionMessage | Exception],
    writing: Writing,
    refuse: Refuse,
) -> None:
    try:
        message = types.jsonrpc_message_adapter.validate_json(line or b"", by_name=False)
    except ValidationError:
        reply = reply_to(line, refuse)
        if reply is not None:
            await writing.send(SessionMessage(reply))
    else:
        await incoming.send(SessionMessage(message))


def reply_to(line: bytes | None, refuse: Refuse) -> types.JSONRPCResponse | types.JSONRPCError | None:
    """Return what a line gets that holds no message: nothing where its writer waits for nothing.

    Args:
        line: The line; None where it was too long.
        refuse: Makes the answer to a call.
    """
    if line is None:
        return _error(None, types.INVALID_REQUEST, f"a line is longer than {LARGEST_LINE} bytes")
    if not line.strip():
        return None
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return _error(None, types.PARSE_ERROR, "a line is no JSON")
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    name, known = fields.get("id"), _is_id(fields.get("id"))
    if fields and not known:
        return None
    words = "is no JSON-RPC, or no strict JSON: half a surrogate pair, too deep"
    if known and fields.get("method") == "tools/call":
        result = refuse(f"The call {words}.").model_dump(mode="json", by_alias=True, exclude_none=True)
        return types.JSONRPCResponse(jsonrpc="2.0", id=cast("types.RequestId", name), result=result)
    return _error(name, types.INVALID_REQUEST, f"a message {words}")


def _is_id(value: object) -> bool:
    """Whether an answer can carry an id: no true, and no half of an emoji."""
    if isinstance(value, str):
        return not any("\ud800" <= char <= "\udfff" for char in value)
    return isinstance(value, int) and not isinstance(value, bool)


def _error(name: types.RequestId | None, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=name, error=types.ErrorData(code=code, message=message))


async def _write(
    sink: int, outgoing: MemoryObjectReceiveStream[SessionMessage], scope: anyio.CancelScope
) -> None:
    async with outgoing:
        async for one in outgoing:
            data = one.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
            try:
                await anyio.to_thread.run_sync(_put, sink, data)
            except OSError:
                scope.cancel()  # the client has gone
                return


def _put(sink: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        select.select([], [sink], [])  # whoever made the pipe may have made it one that does not wait
        with suppress(BlockingIOError):
            left = left[os.write(sink, left) :]
