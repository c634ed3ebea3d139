"""One connection of a hook: its bytes in, the judgement while the hook waits, the reply out."""

import asyncio
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Protocol

from ags_tui.agents.events import Reply
from ags_tui.agents.quick_road import denial
from ags_tui.agents.room import Room
from ags_tui.agents.wire import MAX_HEAD, MAX_PAYLOAD, Caller, NotOurLanguage, read_head, reply_bytes

SENDING_S = 30.0
"""How long a hook may take to send its call."""
WAITING_S = 60.0
"""How long a call waits for room before it is denied."""

_BUSY = "ags-tui holds too many large calls at once, so this one is denied; try it again, or a shorter one"

Judge = Callable[[Caller, str, bytes], Awaitable[Reply]]
"""Judges one call: who asks, the agent, what its client wrote. It runs in the server's loop: what may block
belongs into ``asyncio.to_thread``. Cancelled when the hook goes away or the server stops: then it takes back
what it asked of the human, and raises ``CancelledError`` again. What else it raises is a denial."""


class Desk(Protocol):
    """What a connection needs of its server."""

    @property
    def user(self) -> int:
        """The only user who is listened to."""
        ...

    @property
    def room(self) -> Room:
        """Room for the bytes of all calls."""
        ...

    def judge(self, caller: Caller, payload: bytes) -> Awaitable[Reply]:
        """Judge one call."""
        ...

    def opened(self, connection: "Connection") -> None:
        """A hook has connected."""
        ...

    def closed(self, connection: "Connection") -> None:
        """Its connection has ended."""
        ...

    def failed(self, text: str) -> None:
        """Something was wrong that the human should know."""
        ...


class Connection(asyncio.Protocol):
    """One hook at the other end."""

    def __init__(self, desk: Desk) -> None:
        """Wait for the connection.

        Args:
            desk: The server.
        """
        self._desk = desk
        self._transport: asyncio.Transport | None = None
        self._pid = 0
        self._caller: Caller | None = None
        self._parts: list[bytes] = []
        self._missing = 0
        self._admitted = False
        self._refusal = ""
        self._too_late: asyncio.TimerHandle | None = None
        self.judgement: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Look who it is."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        user, self._pid = peer(transport.get_extra_info("socket"))
        if user != self._desk.user:
            self._desk.failed(f"a process of user {user} has tried to ask for a verdict")
            transport.abort()
            return
        self._desk.opened(self)
        self._limit(SENDING_S, transport.abort)

    def data_received(self, data: bytes) -> None:
        """Collect the call; judge it when it is whole."""
        if self.judgement is not None or self._transport is None:
            return
        if self._caller is None:
            self._parts.append(data)
            line, found, data = b"".join(self._parts).partition(b"\n")
            if len(line) > MAX_HEAD:
                self.end()
                return
            if not found:
                return
            try:
                self._caller, self._missing = read_head(line, self._pid)
            except NotOurLanguage:
                self.end()
                return
            self._parts.clear()
            self._enter()
        self._missing -= len(data)
        if not self._refusal:
            self._parts.append(data)
        self._look()

    def eof_received(self) -> bool:
        """The hook is gone, for it leaves its side open while it waits: close."""
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Take the judgement back where it is not over."""
        del exc
        if self._too_late is not None:
            self._too_late.cancel()
        if self.judgement is not None:
            self.judgement.cancel()
        self._parts.clear()
        self._desk.room.leave(self)
        self._desk.closed(self)

    def end(self) -> None:
        """End the connection without a verdict."""
        if self._transport is not None:
            self._transport.abort()

    def _enter(self) -> None:
        """Ask for room for the call, and read no further while there is none."""
        if self._missing > MAX_PAYLOAD:
            self._refusal = f"the call is longer than {MAX_PAYLOAD} bytes"
        elif not self._desk.room.enter(self, self._missing, self._admit):
            self._refusal = _BUSY
        elif not self._admitted and self._transport is not None:
            self._transport.pause_reading()
            self._limit(WAITING_S, self._refuse)

    def _admit(self) -> None:
        self._admitted = True
        self._go_on()

    def _refuse(self) -> None:
        """There was no room in time: read the rest away, for a hook hears nothing while it sends."""
        self._desk.room.leave(self)
        self._refusal = _BUSY
        self._parts.clear()
        self._go_on()

    def _go_on(self) -> None:
        """Read on where that was paused; not where the answer is there at once."""
        transport = self._transport
        if transport is not None and not transport.is_closing() and not transport.is_reading():
            self._limit(SENDING_S, transport.abort)
            transport.resume_reading()
            self._look()

    def _limit(self, seconds: float, end: Callable[[], None]) -> None:
        if self._too_late is not None:
            self._too_late.cancel()
        self._too_late = asyncio.get_running_loop().call_later(seconds, end)

    def _look(self) -> None:
        """Judge the call where it is whole and may be."""
        if self._caller is not None and self._missing <= 0 and (self._admitted or self._refusal):
            self._whole(self._caller)

    def _whole(self, caller: Caller) -> None:
        if self._too_late is not None:
            self._too_late.cancel()
        payload = b"".join(self._parts)
        self._parts.clear()
        if self._missing < 0:
            self.end()
            return
        self.judgement = asyncio.get_running_loop().create_task(self._answer(caller, payload))

    async def _answer(self, caller: Caller, payload: bytes) -> None:
        try:
            if self._refusal:
                data = _denied(caller, payload, self._refusal)
            else:
                data = reply_bytes(await self._desk.judge(caller, payload))
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 (a client would let the call through)
            kind = type(error).__name__
            self._desk.failed(f"a call of {caller.agent} could not be judged: {kind}: {error}")
            data = _denied(caller, payload, f"ags-tui could not judge this call ({kind})")
        self._desk.room.leave(self)
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)
            self._transport.close()


def peer(connection: socket.socket) -> tuple[int, int]:
    """User and process at the other end; 0 for a process that the system does not name."""
    if sys.platform == "linux":
        facts = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return int.from_bytes(facts[4:8], sys.byteorder), int.from_bytes(facts[:4], sys.byteorder)
    # macOS: SOL_LOCAL with LOCAL_PEERCRED (version, uid, groups) and LOCAL_PEERPID
    facts = connection.getsockopt(0, 1, 76)
    return int.from_bytes(facts[4:8], sys.byteorder), connection.getsockopt(0, 2)


def _denied(caller: Caller, payload: bytes, reason: str) -> bytes:
    code, out, err = denial(caller.agent, caller.event, payload, reason)
    return reply_bytes(Reply(code, out, err))
