"""Holds a call until a human has decided it: files what is asked, waits on the log, takes the approval once.

Each call waits for itself, keyed by its id: that one is answered, withdrawn or expires says nothing about
another. While it waits nothing blocks the loop and no thread is held; files are read in threads, only where a
stat says that something moved, and every two seconds in any case.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar, cast

from ags_tui.agents.clients import adapter
from ags_tui.agents.correlation import digest_of
from ags_tui.agents.events import Answer, allow
from ags_tui.agents.judge import Judge, Question, has_own_prompt
from ags_tui.agents.queue import Filed, Queue, not_in_force
from ags_tui.core.assessment import RequestState
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.contracts.log_entry import LogEntry
from ags_tui.core.ends import LEFT, SETTLED_OTHERWISE
from ags_tui.core.failures import AgsError
from ags_tui.io.request_watch import LOOK_S, READ_S, Seen, Stats

P = ParamSpec("P")
T = TypeVar("T")

_YES = RequestState.APPROVED
_SOURCES = {
    RequestState.DENIED: "human",
    RequestState.EXPIRED: "timeout",
    RequestState.WITHDRAWN: "withdrawn",
    RequestState.DISMISSED: "human",
}
_LETTING = {
    "remembered": "a remembered rule", "user": "a rule of yours", "repository": "a rule of the repository",
    "plan": "the approved plan", "built-in": "what is built in",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Ruling:
    """How the waiting ended."""

    lets: bool
    """Whether the call may run."""
    reason: str
    """Why."""
    source: str
    """Who decided."""
    entry: LogEntry | None = None
    """The human's entry, where one let it."""


@dataclass(eq=False, slots=True)
class _Wait:
    """A call that waits."""

    question: Question
    filed: tuple[Filed, ...] = ()
    over: asyncio.Event = field(default_factory=asyncio.Event)
    why: str = ""


class Asking:
    """The calls of one work tree that wait for a human; lives in one event loop."""

    def __init__(self, judge: Judge, queue: Queue) -> None:
        """Prepare.

        Args:
            judge: Judges again while a call waits, and writes down what became of it.
            queue: Files, takes and withdraws.
        """
        self._judge = judge
        self._queue = queue
        self._waits: dict[tuple[str, str], _Wait] = {}
        self.left = False
        """Whether the human leaves: then it is not the client that went away."""

    def waiting(self, session: str) -> tuple[Question, ...]:
        """The calls of a session that wait for a human.

        Args:
            session: The client's id.
        """
        return tuple(wait.question for (one, _), wait in self._waits.items() if one == session)

    def requests(self) -> set[str]:
        """Ids of the requests that somebody waits for; any thread may ask."""
        return {one.item_id for wait in tuple(self._waits.values()) for one in wait.filed}

    def end(self, session: str, call_ids: tuple[str, ...] | None, why: str) -> None:
        """Take back what waits for calls that are over.

        Args:
            session: The client's id.
            call_ids: Ids of the calls; None for all of the session.
            why: In one clause.
        """
        for (one, call_id), wait in self._waits.items():
            if one == session and (call_ids is None or call_id in call_ids):
                wait.why = why
                wait.over.set()

    async def ask(self, question: Question, deadline_s: int = 0) -> Answer:
        """Wait for the decision of a human.

        Args:
            question: The call.
            deadline_s: Seconds after which the hook denies by itself; 0 for no such end.

        Raises:
            CancelledError: The hook went away; what was asked is withdrawn.
        """
        key = (question.event.session_id, question.call_id)
        wait = _Wait(question)
        self._waits[key] = wait
        try:
            try:
                await _thread(self._file, wait, deadline_s)
            except AgsError as error:
                await asyncio.to_thread(self._queue.withdraw, wait.filed, "it could not be asked")
                return self._judge.denied(question, str(error), "failure")
            ruling = await self._settled(wait)
            return await _thread(self._answer, wait, ruling)
        except asyncio.CancelledError:
            await _thread(self._gone, wait)
            raise
        finally:
            if self._waits.get(key) is wait:
                del self._waits[key]

    def _file(self, wait: _Wait, deadline_s: int) -> None:
        question = wait.question
        wait.filed = self._queue.file(question, deadline_s)
        # Claude Code asks its own user at the same time as this hook, and the first answer wins
        beside = question.event.agent == "claude-code" and question.event.event == "permission"
        self._judge.note(question, "defer" if beside else "ask", request=_names(wait.filed))

    def _gone(self, wait: _Wait) -> None:
        """Nobody would take an approval: the hook is no more, or gets no verdict because the human leaves."""
        ended = self._left_words(wait.question) if self.left else "the client went away"
        who = LEFT if self.left else ended
        self._queue.withdraw(wait.filed, ended)
        self._judge.denied(
            wait.question, f"{who} while a human was asked", "withdrawn", request=_names(wait.filed)
        )

    def _left_words(self, question: Question) -> str:
        """What becomes of a call whose human leaves: its hook answers as ``when_absent`` says."""
        defers = self._judge.policy.rules().limits.when_absent == "defer" and has_own_prompt(question.event)
        got = "the client asks at its own prompt" if defers else "the call was denied"
        return f"{LEFT}; {got} (when_absent)"

    async def _settled(self, wait: _Wait) -> _Ruling:
        """Look until it is settled, one way or the other."""
        while True:
            stats, looked = _stats(wait), time.monotonic()
            ruling, ends = await asyncio.to_thread(self._look, wait)
            if ruling is not None:
                return ruling
            while _stats(wait) == stats and time.monotonic() - looked < READ_S:
                if wait.over.is_set():
                    return _Ruling(False, f"withdrawn: {wait.why}", "withdrawn")
                if ends is not None and self._judge.clock().timestamp() >= ends:
                    break
                await asyncio.sleep(LOOK_S)

    def _look(self, wait: _Wait) -> tuple[_Ruling | None, float | None]:
        """Judge the call again, and read where its requests stand; also says when the first one ends."""
        question = wait.question
        now = self._judge.clock()
        again = self._judge.policy.verdict(question.call, question.session.task, now)
        if again.decision == "deny":
            return _Ruling(False, again.reason, again.source), None
        if again.decision == "allow":
            return _Ruling(True, again.reason, again.source), None
        seen = [(one, one.watch.read(now)) for one in wait.filed]
        refused = next((ruling for one, look in seen if (ruling := _refusal(one, look)) is not None), None)
        if refused is not None:
            return refused, None
        if all(look.status is not None and look.status.state is _YES for _, look in seen):
            last = seen[-1][1].status
            entry = last.entry.entry if last is not None and last.entry is not None else None
            return _Ruling(True, _approved(entry), "human", entry), None
        moments = [look.status.expires_at for _, look in seen if look.status and look.status.expires_at]
        return None, min((moment.timestamp() for moment in moments if moment > now), default=None)

    def _answer(self, wait: _Wait, ruling: _Ruling) -> Answer:
        """End the requests, take the approval, and answer."""
        question, names = wait.question, _names(wait.filed)
        if ruling.lets and ruling.source == "human":
            return self._approved(wait, ruling)
        if ruling.source == "timeout":
            self._queue.expire(wait.filed)
        self._queue.withdraw(wait.filed, f"{SETTLED_OTHERWISE}{_let(ruling)}{ruling.reason}"[:500])
        answered = self._judge.allowed if ruling.lets else self._judge.denied
        return answered(question, ruling.reason, ruling.source, request=names)

    def _approved(self, wait: _Wait, ruling: _Ruling) -> Answer:
        question, names = wait.question, _names(wait.filed)
        changed = effective_input(question, ruling.entry) if ruling.entry is not None else None
        if changed is not None and (
            len(wait.filed) > 1 or not adapter(question.event.agent).obeys_updated_input(question.event)
        ):
            self._queue.withdraw(wait.filed, "the client does not take another input")
            text = f"a human would let this run instead: {_shown(changed)}. Ask for exactly that."
            return self._judge.denied(question, text, "human", request=names)
        problem = self._queue.take(wait.filed)
        if problem:
            self._queue.withdraw(wait.filed, problem)
            text = f"it was approved, but not for what would happen now: {problem}. Ask again."
            return self._judge.denied(question, text, "failure", request=names)
        # what takes effect is known by its own digest: a client without ids reports that one afterwards
        own = {} if changed is None else {"input_digest": digest_of(changed)}
        answer = self._judge.allowed(question, ruling.reason, "human", request=names, **own)
        return allow(answer.reason, changed) if answer.kind == "allow" and changed is not None else answer


def effective_input(question: Question, entry: LogEntry) -> Mapping[str, Any] | None:
    """The whole tool input that a human made of the one that was asked for; None where it is the same.

    An entry holds it as ``data.effective.input``, or names another ``command`` there.

    Args:
        question: The call.
        entry: The human's entry.
    """
    effective: object = entry.data.get("effective")
    if not isinstance(effective, Mapping):
        return None
    held = cast("Mapping[str, Any]", effective)
    given: object = held.get("input")
    if isinstance(given, Mapping):
        found = dict(cast("Mapping[str, Any]", given))
    elif isinstance(held.get("command"), str):
        found = {**question.event.input, "command": held["command"]}
    else:
        return None
    return None if found == dict(question.event.input) else found


def _refusal(one: Filed, seen: Seen) -> _Ruling | None:
    """Why a request will not be approved any more; None where it is approved or still waits."""
    if seen.integrity is not Outcome.PASSED:
        trouble = seen.trouble or "its log is not intact"
        return _Ruling(False, f"nobody can decide this: {trouble}. A human must look at the log.", "failure")
    if seen.gone:
        return _Ruling(False, "the request was removed before anybody decided it", "withdrawn")
    status = seen.status
    if status is None or status.state is RequestState.PENDING:
        return None
    if status.state is _YES:
        problem = not_in_force(seen, one.digest)
        return _Ruling(False, problem, "failure") if problem else None
    if status.state is RequestState.CHANGED:
        text = f"{status.reason or 'it changed'}. What was approved is not what would happen now; ask again."
        return _Ruling(False, text, "failure")
    if status.state is RequestState.DENIED:
        return _Ruling(False, f"a human denied it: {status.reason or 'no reason given'}", "human")
    if status.state is RequestState.EXPIRED:
        return _Ruling(
            False, "nobody decided in time, so it is denied; ask again when a human is there", "timeout"
        )
    source = _SOURCES.get(status.state, "failure")
    return _Ruling(False, f"it is {status.state.value}: {status.reason or 'see the log'}", source)


def _approved(entry: LogEntry | None) -> str:
    if entry is None:
        return "approved in ags-tui"
    return f"approved in ags-tui by {entry.actor.name} (entry {entry.sequence} of {entry.task_id})"


def _let(ruling: _Ruling) -> str:
    """Who let a call through while a human was asked, before the reason; empty for other ends."""
    return f"{_LETTING.get(ruling.source, 'a rule')} let it through: " if ruling.lets else ""


def _shown(changed: Mapping[str, Any]) -> str:
    command = changed.get("command")
    return command if isinstance(command, str) else str(dict(changed))


def _stats(wait: _Wait) -> tuple[Stats, ...]:
    return tuple(one.watch.stats() for one in wait.filed)


def _names(filed: tuple[Filed, ...]) -> str:
    return " ".join(one.item_id for one in filed)


async def _thread(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Run in a thread to its end, also where the task is cancelled: what was filed must be known."""
    running = asyncio.ensure_future(asyncio.to_thread(work, *arguments, **named))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        if not running.done():
            await asyncio.wait([running])
        raise
