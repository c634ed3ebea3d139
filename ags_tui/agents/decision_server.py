"""The decision server: answers the hooks of one work tree from a thread and a loop of its own.

Never in Textual's loop: every tool call of an agent waits for it. One process serves a work tree; a second
TUI watches and takes over when the first ends. What the server is given is called in its thread.
"""

import asyncio
import os
import socket
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ags_tui.agents.connection import Connection, Judge
from ags_tui.agents.events import Reply
from ags_tui.agents.room import Room
from ags_tui.agents.sockets import Seat, SocketUnusable, make_folder, server_folder, tree_name
from ags_tui.agents.wire import Caller

SWEEP_S = 2.0
"""How often the socket is looked after, and the seat of another server asked for."""
THREADS = 8
"""Most judgements that wait for a disk at once; those that wait for a human hold no thread."""
STOPPING_S = 2.0
"""How long judgements have to take back what they asked."""
_JOIN_S = 5.0


def _no_alarm(text: str) -> None:
    del text


def _no_call(agent: str, at: datetime) -> None:
    del agent, at


def _utc() -> datetime:
    return datetime.now(UTC)


class DecisionServer:
    """Serves the hooks of one work tree, or watches the server that does."""

    def __init__(
        self,
        top: Path,
        judge: Judge,
        *,
        on_alarm: Callable[[str], None] = _no_alarm,
        on_call: Callable[[str, datetime], None] = _no_call,
        clock: Callable[[], datetime] = _utc,
        folder: Path | None = None,
        sweep_s: float = SWEEP_S,
    ) -> None:
        """Prepare; nothing runs yet.

        Args:
            top: The work tree.
            judge: Judges one call, in this server's loop.
            on_alarm: Told, in this server's thread, what the human should know.
            on_call: Told, in this server's thread, which agent has asked, and when.
            clock: The wall clock.
            folder: Of the sockets; tests alone give one.
            sweep_s: Seconds between two looks at the socket.
        """
        self.user = os.geteuid()
        self.room = Room()
        self._top = top
        self._judge = judge
        self._on_alarm = on_alarm
        self._on_call = on_call
        self._clock = clock
        self._folder = server_folder(self.user) if folder is None else folder
        self._sweep_s = sweep_s
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._seat: Seat | None = None
        self._server: asyncio.Server | None = None
        self._connections: set[Connection] = set()
        self._waiting = 0
        self._last_alarm = ""

    @property
    def waiting(self) -> int:
        """How many calls are being judged; any thread may ask."""
        return self._waiting

    @property
    def serving(self) -> bool:
        """Whether hooks reach this server; not while another one has the seat. Any thread may ask."""
        return self._server is not None

    def start(self) -> None:
        """Start the thread; returns when the seat was asked for. What goes wrong is an alarm."""
        if self._thread is not None:
            return
        tried = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(tried,), name="ags-decisions", daemon=True)
        self._thread.start()
        tried.wait()

    def stop(self) -> None:
        """End: judgements are cancelled, hooks that wait get no verdict, the seat is free."""
        thread, loop, stop = self._thread, self._loop, self._stop
        if thread is None:
            return
        if loop is not None and stop is not None:
            with suppress(RuntimeError):  # it has ended by itself
                loop.call_soon_threadsafe(stop.set)
        thread.join(_JOIN_S)  # a judge that blocks the loop must not keep the TUI open
        self._thread = None

    def judge(self, caller: Caller, payload: bytes) -> Awaitable[Reply]:
        """Judge one call of a connection."""
        with suppress(Exception):  # a screen that fails must not deny calls
            self._on_call(caller.agent, self._clock())
        return self._counted(caller, payload)

    def opened(self, connection: Connection) -> None:
        """A hook has connected."""
        self._connections.add(connection)

    def closed(self, connection: Connection) -> None:
        """A connection has ended."""
        self._connections.discard(connection)

    def failed(self, text: str) -> None:
        """Tell what the human should know, once as long as it stays the same."""
        if text != self._last_alarm:
            self._last_alarm = text
            with suppress(Exception):  # nor end the server
                self._on_alarm(text)

    async def _counted(self, caller: Caller, payload: bytes) -> Reply:
        self._waiting += 1
        try:
            return await self._judge(caller, caller.agent, payload)
        finally:
            self._waiting -= 1

    def _run(self, tried: threading.Event) -> None:
        """Own the loop. Not ``asyncio.run``: that waits for threads that wait for a disk."""
        loop = asyncio.new_event_loop()
        loop.set_default_executor(ThreadPoolExecutor(THREADS, thread_name_prefix="ags-judge"))
        loop.set_exception_handler(self._went_wrong)
        try:
            self._loop, self._stop = loop, asyncio.Event()
            loop.run_until_complete(self._serve(self._stop, tried))
        finally:
            tried.set()
            loop.close()

    def _went_wrong(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Tell it: asyncio would write it to stderr, which is Textual's screen."""
        self.failed(f"decision server: {context['message']}")

    async def _serve(self, stop: asyncio.Event, tried: threading.Event) -> None:
        try:
            while not stop.is_set():
                await self._sweep()
                tried.set()
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), self._sweep_s)
        finally:
            self._deaf()
            await self._dismiss()
            if self._seat is not None:
                self._seat.leave()

    async def _sweep(self) -> None:
        """Take the seat, or see that it still is ours."""
        try:
            seat = self._own_seat(tree_name(self._top))
            if self.serving:
                wrong = seat.wrong()
                if not wrong:
                    self._last_alarm = ""
                    return
                self._deaf()
                seat.drop()
                self.failed(f"{wrong}; hooks may have asked somebody else. ags-tui listens there again")
            righted = make_folder(self._folder, self.user)
            if righted:
                self.failed(righted)
            if seat.take():
                await self._listen(seat.bind())
        except SocketUnusable as error:
            self.failed(str(error))
        except OSError as error:
            self.failed(f"{self._top} cannot be served: {error.strerror}")

    def _own_seat(self, name: str) -> Seat:
        """The seat of the work tree; another one where it was made anew."""
        if self._seat is None or self._seat.name != name:
            if self._seat is not None:
                self._deaf()
                self._seat.leave()
            self._seat = Seat(self._folder, name, self.user)
        return self._seat

    async def _listen(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_unix_server(lambda: Connection(self), sock=listener)

    def _deaf(self) -> None:
        """Take no further calls; those that are here go on."""
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _dismiss(self) -> None:
        """Cancel what is judged, give it a moment to clean up, and close all connections."""
        judgements = [one.judgement for one in self._connections if one.judgement is not None]
        for judgement in judgements:
            judgement.cancel()
        if judgements:
            await asyncio.wait(judgements, timeout=STOPPING_S)
        for one in tuple(self._connections):
            one.end()
        await asyncio.sleep(0)  # the transports close in the next round of the loop
