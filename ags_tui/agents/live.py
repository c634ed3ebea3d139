"""The judge behind the decision server: events in, replies out, and the human's decision in between."""

import asyncio
import time
from contextlib import suppress

from ags_tui.agents.alone import answer_alone, settle_end
from ags_tui.agents.asking import Asking
from ags_tui.agents.clients import adapter, deny_without_reading
from ags_tui.agents.correlation import input_digest
from ags_tui.agents.events import Answer, HookEvent, Reply, UnreadableEvent, block, deny, silent
from ags_tui.agents.judge import UNHELD, Clock, Judge, Question, TurnEnd, failed, utc_now
from ags_tui.agents.queue import Queue
from ags_tui.agents.reconcile import settle
from ags_tui.agents.stop_gate import END, StopGate, TurnRuling
from ags_tui.agents.wire import Caller
from ags_tui.core.ends import LEFT
from ags_tui.core.failures import AgsError
from ags_tui.core.sessions import SessionRecord
from ags_tui.io.activity import tale
from ags_tui.io.places import Places
from ags_tui.io.sessions import sessions_of, tree_for
from ags_tui.io.trees import Tree

LONGEST_HOLD_S = 3_000.0
"""How long the end of a turn is held where the hook names no deadline."""
MARGIN_S = 10.0
"""Seconds before the hook's deadline at which a held turn is let go."""
MOST_TAKEN_BACK = 64
"""Most requests of dead hooks that are taken back at once; each is an entry in a log."""
LOOK_S = 0.25
"""Seconds between two looks at what a held turn waits for."""


class LiveJudge:
    """Judges for the decision server of one work tree; an instance is the ``judge`` that it calls."""

    def __init__(self, tree: Tree, places: Places, *, clock: Clock = utc_now) -> None:
        """Prepare; nothing is read yet.

        Args:
            tree: The work tree.
            places: The user's folders.
            clock: Gives the wall clock.
        """
        self.judge = Judge(tree, places, clock=clock)
        self._queue: Queue | None = None
        self._asking: Asking | None = None
        self._stop_gate: StopGate | None = None
        self._open: dict[tuple[str, ...], asyncio.Future[Answer]] = {}
        self._beginning: dict[str, asyncio.Lock] = {}
        self._sweeping: asyncio.Future[None] | None = None
        self._left = False

    async def __call__(self, caller: Caller, agent: str, payload: bytes) -> Reply:
        """Judge one call of a hook.

        Args:
            caller: Who asks.
            agent: ``claude-code``, ``codex`` or ``gemini``.
            payload: What its client wrote.
        """
        try:
            client = adapter(agent)
            event = client.read(payload)
        except UnreadableEvent as error:
            return deny_without_reading(agent, f"ags-tui cannot read this event: {error}", caller.event)
        # a hook comes here by its event, by its session, or as it stands in this work tree itself
        tree = tree_for(event.cwd, event.session_id, self.judge.places) or self.judge.tree
        try:
            if tree.key == self.judge.tree.key:
                answer = await self._answered(event, caller)
            else:
                answer = await asyncio.to_thread(self._elsewhere, tree, event, caller.task)
        except AgsError as error:
            answer = silent() if event.event in UNHELD else failed(error)
        return client.reply(event, answer)

    @property
    def waiting(self) -> int:
        """How many calls wait for a human; any thread may ask."""
        running = tuple(self._open.values())  # at one go: the loop changes it in another thread
        return len(set(running))

    def leave(self) -> None:
        """The human leaves: what waits is cancelled next, and not because its client went away. Any thread
        may say so.
        """
        self._left = True
        if self._asking is not None:
            self._asking.left = True

    def _elsewhere(self, tree: Tree, event: HookEvent, task: str) -> Answer:
        """Judge an event of another work tree, whose human does not look at this screen."""
        return answer_alone(Judge(tree, self.judge.places, clock=self.judge.clock), event, task)

    async def _answered(self, event: HookEvent, caller: Caller) -> Answer:
        await self._sweep()
        outcome = await self._judged(event, caller.task)
        if isinstance(outcome, Question):
            return await self._asked(outcome, caller.deadline_s)
        if isinstance(outcome, TurnEnd):
            return await self._turn_end(outcome.event, outcome.session, caller.deadline_s)
        if event.event in ("after-tool", "after-batch"):
            await self._over(event)
        elif event.event == "session-end":
            self._asking_now().end(event.session_id, None, "the session ended")
            await self._leave(event.session_id)
            await asyncio.to_thread(settle_end, self.judge, event)
        return outcome

    async def _judged(self, event: HookEvent, task: str) -> Answer | Question | TurnEnd:
        """Judge at once, in this thread where that is quick: a session's first event needs git and keys."""
        if self.judge.knows(event.session_id) and event.event not in ("session-start", "config-change"):
            return self.judge.judge(event, task=task)
        async with self._beginning.setdefault(event.session_id, asyncio.Lock()):
            return await asyncio.to_thread(self.judge.judge, event, task=task)

    async def _asked(self, question: Question, deadline_s: int) -> Answer:
        """Ask a human; whoever asks about the same call again waits for the same answer."""
        event, own = question.event, (question.event.session_id, question.call_id)
        what = (question.call.name, question.call.cwd, input_digest(event))
        keys: list[tuple[str, ...]] = [own, (*own, *what), (event.session_id, event.turn_id, *what)]
        joins = keys[1:2] if event.event == "before-tool" else keys[1:]
        known = next((self._open[key] for key in joins if key in self._open), None)
        if known is not None:
            try:
                return await asyncio.shield(known)
            except asyncio.CancelledError:
                if known.cancelled():
                    return deny("the hook that asked a human about this call went away")
                raise
        if own in self._open:
            text = "another call waits for a human under this id: what is said of that one is not for this"
            return self.judge.denied(question, text, "failure")
        if self.judge.aftermath.is_over(event.session_id, question.call_id):
            return deny("this call is over already")
        running = asyncio.ensure_future(self._asking_now().ask(question, deadline_s))
        for key in keys:
            self._open.setdefault(key, running)
        try:
            return await running
        except asyncio.CancelledError:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
            raise
        finally:
            for key in keys:
                if self._open.get(key) is running:
                    del self._open[key]

    async def _over(self, event: HookEvent) -> None:
        """Take back what waits for calls that are over, also where its hook was killed."""
        ids = tuple(call_id for call_id in event.call_ids if call_id)
        self._asking_now().end(event.session_id, ids, "the call is over")
        waiting = {one.call_id for one in self._asking_now().waiting(event.session_id)}
        for call_id in ids:
            if call_id in waiting:
                continue
            verdict = tale(self.judge.places, event.session_id, call_id).verdict
            if verdict is not None and verdict.request and verdict.decision in ("ask", "defer"):
                left = tuple(verdict.request.split())
                why = "the call is over"
                await asyncio.to_thread(self._queue_now().withdraw_left_behind, verdict.task, left, why)

    async def _leave(self, session: str) -> None:
        """The session is over: what its killed hooks left open is taken back."""
        record = next((one for one in sessions_of(self.judge.tree) if one.session == session), None)
        if record is not None:
            await asyncio.to_thread(self._left_behind, (record,), "the session ended")

    async def _sweep(self) -> None:
        """Once, before anything is asked: take back what hooks of an earlier, killed TUI left open."""
        if self._sweeping is None:
            why = "the TUI that it waited for was closed"
            work = asyncio.to_thread(self._left_behind, sessions_of(self.judge.tree), why)
            self._sweeping = asyncio.ensure_future(work)
        await asyncio.shield(self._sweeping)

    def _left_behind(self, records: tuple[SessionRecord, ...], why: str) -> None:
        queue = self._queue_now()
        waited: set[str] = set() if self._asking is None else self._asking.requests()
        sessions = {record.session for record in records}
        left = [
            (task, item_id)
            for task in {record.task for record in records}
            for item_id in queue.orphans(task, sessions)
            if item_id not in waited
        ]
        ended = 0
        for task, item_id in left:
            ended += queue.withdraw_left_behind(task, (item_id,), why)
            if ended >= MOST_TAKEN_BACK:  # the others end by themselves: every call waits for this
                return

    async def _turn_end(self, event: HookEvent, session: SessionRecord, deadline_s: int) -> Answer:
        """Answer a stop: open approvals of the session first, then the gate."""
        until = time.monotonic() + (max(deadline_s - MARGIN_S, 1.0) if deadline_s else LONGEST_HOLD_S)
        held = await self._approvals_settled(event, until)
        if held is not None:
            return held
        gate = self._gate_now()
        aftermath, transcript = self.judge.aftermath, event.transcript_path
        await asyncio.to_thread(settle, self.judge.places, aftermath, session, transcript)
        ruling = await asyncio.to_thread(gate.judge, event, session)
        if not ruling.holds:
            return silent()
        if not ruling.for_human:
            return block(ruling.reason)
        return await self._human_holds(event, session, ruling, until)

    async def _approvals_settled(self, event: HookEvent, until: float) -> Answer | None:
        """Codex goes on while a human thinks, and would run what is approved after the turn: hold it.

        For the others a turn that ends is over, and so are its calls.
        """
        asking = self._asking_now()
        if event.agent != "codex":
            asking.end(event.session_id, None, "the turn ended")
            return None
        what = ", ".join(question.call.name for question in asking.waiting(event.session_id))
        running = {one for key, one in self._open.items() if key[0] == event.session_id}
        if not running:
            return None
        _, undecided = await asyncio.wait(running, timeout=max(until - time.monotonic(), 0.0))
        if undecided:
            return block(f"a human still decides about {what}: wait for it before you stop")
        return block(f"a human has decided about {what}: wait for its result and go on from there")

    async def _human_holds(
        self, event: HookEvent, session: SessionRecord, ruling: TurnRuling, until: float
    ) -> Answer:
        """Hold a turn until a human has said what becomes of it, or the hook's time is over."""
        gate = self._gate_now()
        hold = await asyncio.to_thread(gate.ask_human, event, session, ruling)
        try:
            while time.monotonic() < until:
                said = await asyncio.to_thread(gate.human_said, hold)
                if said is not None:
                    if said[0] != END:
                        return block(f"A human says: {said[1]}\n{ruling.reason}")
                    await asyncio.to_thread(gate.give_up, event, session, "a human let it stop")
                    return silent()
                await asyncio.sleep(LOOK_S)
            await asyncio.to_thread(gate.give_up, event, session, "no human answered in time")
            return silent()
        finally:
            why = LEFT if self._left else "the turn is over"
            await asyncio.shield(asyncio.to_thread(gate.withdraw, hold, why))

    def _queue_now(self) -> Queue:
        if self._queue is None:
            self._queue = Queue(self.judge)
        return self._queue

    def _asking_now(self) -> Asking:
        if self._asking is None:
            self._asking = Asking(self.judge, self._queue_now())
            self._asking.left = self._left
        return self._asking

    def _gate_now(self) -> StopGate:
        if self._stop_gate is None:
            self._stop_gate = StopGate(self.judge, self._queue_now())
        return self._stop_gate
