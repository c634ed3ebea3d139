"""Judges the events of one work tree at once: allow, deny, or a question for a human.

The decision server and the slow road share it. Nothing here waits, and nothing imports a contract; what needs
a human goes on in ``agents.asking``, what a turn's end needs in ``agents.stop_gate``.
"""

import os
import time

from ags_tui.agents.aftermath import Aftermath
from ags_tui.agents.correlation import input_digest, made_id
from ags_tui.agents.events import GATES, Answer, HookEvent, allow, defer, deny, silent
from ags_tui.agents.tree_policy import TreePolicy
from ags_tui.agents.unboxed import boxed
from ags_tui.core.activity import ALARM, VERDICT, ActivityLine
from ags_tui.core.failures import AgsError
from ags_tui.core.light import UTC, Callable, datetime
from ags_tui.core.policy.calls import ToolCall, Verdict
from ags_tui.core.records import Record, replace
from ags_tui.core.sessions import SessionRecord
from ags_tui.io.activity import ActivityUnwritable, append, last_lines, sweep
from ags_tui.io.places import Places
from ags_tui.io.sessions import read_session
from ags_tui.io.trees import Tree

Clock = Callable[[], datetime]
"""Gives the wall clock, UTC."""

UNHELD = ("session-start", "session-end", "notification", "after-tool", "after-batch", "prompt", "other")
"""Events of which nothing can be held back: a failure of ours is no reason to refuse."""

_LOOK_BACK = 200


class Question(Record):
    """A call that only a human can decide."""

    event: HookEvent
    """The event, about one call."""
    call: ToolCall
    """That call."""
    call_id: str
    """Its id: the client's, or one of ours where the client gives none."""
    verdict: Verdict
    """Why a human must decide."""
    session: SessionRecord
    """The session, with its task."""
    started: float
    """Monotonic time at which the event came."""


class TurnEnd(Record):
    """An agent that wants to end its turn."""

    event: HookEvent
    """The event."""
    session: SessionRecord
    """The session."""


Outcome = Answer | Question | TurnEnd
"""An answer, or what is still to be settled."""


def utc_now() -> datetime:
    """The wall clock."""
    return datetime.now(UTC)


class Judge:
    """Judges for one work tree; the same object answers many events and remembers what did not change."""

    def __init__(
        self, tree: Tree, places: Places, *, clock: Clock = utc_now, policy: TreePolicy | None = None
    ) -> None:
        """Prepare; nothing is read yet.

        Args:
            tree: The work tree.
            places: The user's folders.
            clock: Gives the wall clock.
            policy: Judges calls; None makes one.
        """
        self.tree = tree
        self.places = places
        self.clock = clock
        self.policy = policy or TreePolicy(tree, places)
        self.aftermath = Aftermath(places, clock)
        self._sessions: dict[str, SessionRecord] = {}

    def judge(self, event: HookEvent, *, task: str = "") -> Outcome:
        """Judge an event; never waits for a human.

        Args:
            event: What the hook read.
            task: ``AGS_TASK`` of the client; empty where it is not set.

        Raises:
            AgsError: The state directory or the task cannot be used: to be denied.
        """
        started = time.monotonic()
        match event.event:
            case "before-tool" | "permission":
                return self._gate(event, self.session(event, task), started)
            case "after-tool" | "after-batch":
                session = self.session(event, task)
                self.aftermath.happened(event, session)
                return silent()
            case "session-start":
                session = self._mark(self.session(event, task), "")
                sweep(self.places, self.clock())
                self.policy.terms(session.task, self.clock())  # so that the next hook finds it kept
                return silent()
            case "session-end":
                known = read_session(self.tree, event.session_id)
                if known is not None:  # one that nobody saw needs no task to be over
                    self._mark(known, self.clock().isoformat())
                return silent()
            case "stop":
                return TurnEnd(event, self.session(event, task))
            case "config-change":
                return self._settings_changed(event, self.session(event, task))
            case _:
                return silent()

    def session(self, event: HookEvent, task: str = "") -> SessionRecord:
        """The session of an event; begun where it is new, which needs git and keys.

        Args:
            event: The event.
            task: ``AGS_TASK`` of the client.

        Raises:
            AgsError: It cannot be begun.
        """
        known = self._sessions.get(event.session_id)
        if known is not None and os.path.isdir(f"{self.tree.root}/tasks/{known.task}"):
            return known
        record = read_session(self.tree, event.session_id)
        if record is None or not os.path.isdir(f"{self.tree.root}/tasks/{record.task}"):
            record = self._begin(event, task, record)
        self._sessions[event.session_id] = record
        return record

    def _mark(self, session: SessionRecord, ended_at: str) -> SessionRecord:
        """Remember that a session is over, or that it goes on again."""
        if session.ended_at == ended_at:
            return session
        from ags_tui.io.sessions import change_session

        changed = change_session(
            self.tree, session.session, self.places, lambda record: replace(record, ended_at=ended_at)
        )
        self._sessions.pop(session.session, None)
        return changed or session

    def knows(self, session: str) -> bool:
        """Whether a session was read or begun here, so that its next event is judged quickly.

        Args:
            session: The client's id.
        """
        return session in self._sessions

    def forget(self, session: str) -> None:
        """Read a session again when it is asked for next.

        Args:
            session: The client's id.
        """
        self._sessions.pop(session, None)

    def allowed(self, question: Question, reason: str, source: str, **changes: str) -> Answer:
        """Let the call of a question run, once that is on record.

        Args:
            question: The question.
            reason: Why.
            source: ``human``, ``remembered`` …
            changes: Further fields of the line.
        """
        return self._noted(self._line(question, "allow", reason, source, **changes), allow(reason))

    def denied(self, question: Question, reason: str, source: str, **changes: str) -> Answer:
        """Refuse the call of a question.

        Args:
            question: The question.
            reason: Why.
            source: ``human``, ``timeout``, ``absent`` …
            changes: Further fields of the line.
        """
        return self._noted(self._line(question, "deny", reason, source, **changes), deny(reason))

    def absent(self, question: Question) -> Answer:
        """Answer a question while nobody is at the TUI.

        Args:
            question: The question.
        """
        reason = question.verdict.reason.rstrip(".")
        why = f"{reason}. Nobody is at ags-tui to decide it: open it and ask again."
        if self.policy.rules().limits.when_absent == "defer" and has_own_prompt(question.event):
            return self._noted(self._line(question, "defer", why, "absent"), defer(question.verdict.reason))
        return self.denied(question, why, "absent")

    def note(self, question: Question, decision: str, **changes: str) -> None:
        """Write down where a question stands.

        Args:
            question: The question.
            decision: ``ask``, or what became of it.
            changes: Further fields of the line.

        Raises:
            ActivityUnwritable: It is not on disk.
        """
        verdict = question.verdict
        append(self.places, self._line(question, decision, verdict.reason, verdict.source, **changes))

    def _gate(self, event: HookEvent, session: SessionRecord, started: float) -> Outcome:
        call = event.call
        if call is None:
            return deny("the event is not about one call")
        now = self.clock()
        if self.policy.is_frozen(session.task, now):
            session = self.moved(session)
        verdict = boxed(self.policy.verdict(call, session.task, now), event)
        call_id = event.call_id or made_id(event)
        question = Question(event, call, call_id, verdict, session, started)
        if event.event == "permission":
            earlier = self._earlier(question)
            if earlier is not None:
                return earlier
        if verdict.decision == "ask":
            return question
        line = self._line(question, verdict.decision, verdict.reason, verdict.source, rule_id=verdict.rule_id)
        return self._noted(
            line, allow(verdict.reason) if verdict.decision == "allow" else deny(verdict.reason)
        )

    def _earlier(self, question: Question) -> Answer | None:
        """What was said before about the very call that the client now asks its user about.

        Codex asks after us, whatever we said: that answer holds. Where Claude Code asks after we let a call
        through, it is by a rule of its own user, which is not ours to answer.
        """
        event, wanted = question.event, input_digest(question.event)
        for line in reversed(last_lines(self.places, event.session_id, _LOOK_BACK)):
            same = line.event == VERDICT and line.name == question.call.name and line.input_digest == wanted
            if not same or line.turn != event.turn_id or line.decision == "ask":
                continue
            if line.decision == "deny":
                return self.denied(question, line.reason, line.source)
            if line.decision == "defer" or event.agent != "codex":
                return silent()
            if line.call_id and self.aftermath.is_over(event.session_id, line.call_id):
                return None
            return self._noted(self._line(question, "allow", line.reason, line.source), allow(line.reason))
        return None

    def _noted(self, line: ActivityLine, answer: Answer) -> Answer:
        """Write a verdict down; one that lets a call run and is not on record does not let it."""
        try:
            append(self.places, line)
        except ActivityUnwritable as error:
            if not line.lets():
                return answer
            return deny(f"this call is not let through, for that cannot be written down: {error}")
        return answer

    def _line(
        self, question: Question, decision: str, reason: str, source: str, **changes: str
    ) -> ActivityLine:
        event, call, verdict = question.event, question.call, question.verdict
        line = ActivityLine(
            at=self.clock(),
            event=VERDICT,
            session=event.session_id,
            agent=event.agent,
            task=question.session.task,
            call_id=question.call_id,
            turn=event.turn_id,
            tool=call.tool,
            name=call.name,
            command=call.command or "",
            paths=call.paths,
            cwd=call.cwd,
            decision=decision,
            source=source,
            reason=reason,
            risk=verdict.risk,
            input_digest=input_digest(event),
            ms=int((time.monotonic() - question.started) * 1000),
        )
        return replace(line, **changes) if changes else line

    def _settings_changed(self, event: HookEvent, session: SessionRecord) -> Answer:
        """Refuse what would switch the hooks off in the running session, and have the human look."""
        what = event.config_path or event.detail or "its settings"
        reason = (
            f"the settings of {event.agent} were changed while it runs ({what}); its hooks could be among "
            "them, so the change does not count in this session. A human must look at that file."
        )
        line = ActivityLine(
            at=self.clock(),
            event=ALARM,
            session=event.session_id,
            agent=event.agent,
            task=session.task,
            name=event.name,
            paths=(event.config_path,) if event.config_path else (),
            cwd=event.cwd,
            decision="deny",
            source="built-in",
            reason=reason,
        )
        return self._noted(line, deny(reason))

    def _begin(self, event: HookEvent, task: str, old: SessionRecord | None) -> SessionRecord:
        from ags_tui.io.session_tasks import Newcomer, SessionTasks

        if old is not None and self._brought(old.task):
            return old
        tasks = SessionTasks(self.tree, self.places)
        newcomer = Newcomer(
            session=event.session_id,
            agent=event.agent,
            model=event.model,
            cwd=event.cwd,
            transcript=event.transcript_path,
            named=task or None,
        )
        record = tasks.begin(newcomer, self.clock())
        return self.moved(record) if old is not None and old == record else record

    def _brought(self, task: str) -> bool:
        """Whether the task of a session was brought along into a root that came after it."""
        from functools import partial

        from ags_tui.agents.sockets import unserved
        from ags_tui.io.session_move import carry_over

        return carry_over(self.tree, task, self.places, partial(unserved, self.tree.key))

    def moved(self, session: SessionRecord) -> SessionRecord:
        """Go on in a task of the session's own: the one that it joined is over, or gone.

        Args:
            session: The session.

        Raises:
            AgsError: That task cannot be made.
        """
        from ags_tui.io.session_tasks import SessionTasks
        from ags_tui.io.sessions import change_session

        own = SessionTasks(self.tree, self.places).own_task(session.session, self.clock())
        changed = change_session(
            self.tree, session.session, self.places, lambda record: replace(record, task=own)
        )
        record = changed or replace(session, task=own)
        self._sessions[session.session] = record
        return record


def has_own_prompt(event: HookEvent) -> bool:
    """Whether a client asks its own user where we leave the question to it.

    Claude Code takes ``ask`` for an answer. Codex asks by itself only where it was about to; silence before
    that lets its call run. What Gemini CLI would do depends on a mode that it does not tell.

    Args:
        event: The event.
    """
    if event.agent == "claude-code":
        return event.event in GATES and event.permission_mode != "bypassPermissions"
    return event.agent == "codex" and event.event == "permission"


def failed(error: AgsError) -> Answer:
    """Refuse where the judge itself cannot work.

    Args:
        error: Why.
    """
    return deny(f"ags-tui cannot judge this call, so it is denied: {error}")
