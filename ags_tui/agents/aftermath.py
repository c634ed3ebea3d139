"""What happened after a verdict: every call that a client reports is held against what was said about it."""

from ags_tui.agents.correlation import input_digest
from ags_tui.agents.events import HookEvent
from ags_tui.core.activity import APPLIED, ENDED, FAILED, UNGATED, VERDICT, ActivityLine, CallTale
from ags_tui.core.light import Callable, datetime
from ags_tui.core.sessions import SessionRecord
from ags_tui.io.activity import append, last_lines, tale
from ags_tui.io.places import Places

_LOOK_BACK = 400
_OVER = frozenset({APPLIED, FAILED, ENDED})


class Aftermath:
    """Writes down what happened, and what should not have."""

    def __init__(self, places: Places, clock: Callable[[], datetime]) -> None:
        """Prepare.

        Args:
            places: The user's folders.
            clock: Gives the wall clock, UTC.
        """
        self._places = places
        self._clock = clock

    def happened(self, event: HookEvent, session: SessionRecord) -> tuple[str, ...]:
        """Write down calls that are over, in whatever order their events come.

        Args:
            event: An event after one call or a batch of calls.
            session: The session.

        Returns:
            Ids of the calls that are over.

        Raises:
            ActivityUnwritable: It is not on disk.
        """
        ids: list[str] = []
        for index, call in enumerate(event.calls):
            call_id = event.call_ids[index] or self._by_input(event, index)
            if not call_id:
                call_id = f"unseen-{input_digest(event, index).removeprefix('sha256:')[:24]}"
            ids.append(call_id)
            outcome = event.outcomes[index] if index < len(event.outcomes) else None
            what = APPLIED
            if outcome is not None and outcome.denied:
                what = ENDED
            elif event.event == "after-batch":
                what = ENDED  # it also lists what was denied
            elif outcome is not None and outcome.failed:
                what = FAILED
            line = ActivityLine(
                at=self._clock(),
                event=what,
                session=event.session_id,
                agent=event.agent,
                task=session.task,
                call_id=call_id,
                turn=event.turn_id,
                tool=call.tool,
                name=call.name,
                command=call.command or "",
                paths=call.paths,
                cwd=call.cwd,
                input_digest=input_digest(event, index),
                result_digest=outcome.digest if outcome is not None else "",
            )
            append(self._places, line)
            self._flag(line)
        return tuple(ids)

    def is_over(self, session: str, call_id: str) -> bool:
        """Whether a client has said that a call is over.

        Args:
            session: The client's id of the session.
            call_id: Id of the call.
        """
        lines = last_lines(self._places, session, _LOOK_BACK)
        return any(line.call_id == call_id and line.event in _OVER for line in lines)

    def ran_past(self, line: ActivityLine, known: CallTale) -> int:
        """Note a call that ran past the gate, as the client's transcript shows it and its hooks did not.

        Args:
            line: What happened.
            known: What was said about it before.

        Returns:
            1: it is noted.

        Raises:
            ActivityUnwritable: It is not on disk.
        """
        if known.happened is None:
            append(self._places, line)
        self._note(line, known.verdict)
        return 1

    def _flag(self, line: ActivityLine) -> None:
        """Note a call that happened though no verdict let it: once, for reports come twice."""
        known = tale(self._places, line.session, line.call_id)
        if known.happened is not None and known.ungated and not known.flagged:
            self._note(line, known.verdict)

    def _note(self, line: ActivityLine, said: ActivityLine | None) -> None:
        reason = (
            f"was denied ({said.reason}) and happened" if said is not None else "happened without a verdict"
        )
        flag = ActivityLine(
            at=self._clock(),
            event=UNGATED,
            session=line.session,
            agent=line.agent,
            task=said.task if said is not None and said.task else line.task,
            call_id=line.call_id,
            turn=line.turn,
            tool=line.tool,
            name=line.name,
            command=line.command,
            paths=line.paths,
            cwd=line.cwd,
            decision=said.decision if said is not None else "",
            source=said.source if said is not None else "",
            reason=reason,
            request=said.request if said is not None else "",
            input_digest=line.input_digest,
        )
        append(self._places, flag)

    def _by_input(self, event: HookEvent, index: int) -> str:
        """The call that a client without ids means: the last one judged with this input that is not over."""
        wanted, name = input_digest(event, index), event.calls[index].name
        lines = last_lines(self._places, event.session_id, _LOOK_BACK)
        over = {line.call_id for line in lines if line.event in _OVER}
        found = (
            line.call_id
            for line in lines
            if line.event == VERDICT
            and line.name == name
            and line.input_digest == wanted
            and line.call_id not in over
        )
        return next(found, "")
