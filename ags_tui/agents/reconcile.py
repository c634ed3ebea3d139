"""Holds what a client's transcript shows against what was said about its calls: what ran past us is noted.

Only ever in the direction of more caution: a transcript can show that a call ran which no verdict let, and
nothing that it says lets a call or takes a note back. It costs a hook nothing before a call.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from ags_tui.agents.aftermath import Aftermath
from ags_tui.agents.clients import MODULES, adapter
from ags_tui.agents.correlation import digest_of
from ags_tui.agents.events import UnreadableEvent
from ags_tui.agents.payload import Fields
from ags_tui.core.activity import ENDED, FAILED, UNGATED, VERDICT, ActivityLine, CallTale, tale_of
from ags_tui.core.failures import AgsError
from ags_tui.core.policy.calls import ToolCall
from ags_tui.core.sessions import SessionRecord
from ags_tui.core.transcripts import TranscriptCall
from ags_tui.io.activity import last_lines, tale
from ags_tui.io.places import Places
from ags_tui.io.sessions import sessions_of
from ags_tui.io.transcripts import Tail, homes_of_user
from ags_tui.io.trees import tree_of

NEVER_ASKED = frozenset({"EndConversation"})
"""Tools for which a client calls no hook, and which do nothing outside of it."""
BACK = 1 << 20
"""How much of a transcript's end is read when a turn or a session ends."""

_LOOK_BACK = 2_000
_MOST_OTHERS = 8
_MOST_TAKEN = 20_000


class Reconciler:
    """Remembers which verdicts belong to which calls of transcripts, where no id says it."""

    def __init__(self, places: Places, aftermath: Aftermath) -> None:
        """Prepare.

        Args:
            places: The user's folders.
            aftermath: Writes down what happened.
        """
        self._places = places
        self._aftermath = aftermath
        self._taken: dict[str, set[str]] = {}

    def hold(self, calls: Iterable[TranscriptCall], session: SessionRecord) -> int:
        """Note the calls that ran past the gate, each once.

        Args:
            calls: What the transcript shows.
            session: The session.

        Returns:
            How many were noted now.

        Raises:
            ActivityUnwritable: It is not on disk.
        """
        since = _moment(session.started_at)
        ran = [one for one in calls if counts(one, since)]
        if not ran:
            return 0
        lines = last_lines(self._places, session.session, _LOOK_BACK)
        noted = 0
        for call in ran:
            found = self._past(call, session, lines)
            if found is not None:
                call_id, known = found
                noted += self._aftermath.ran_past(_line(call, call_id, session), known)
        return noted

    def _past(
        self, call: TranscriptCall, session: SessionRecord, lines: Sequence[ActivityLine]
    ) -> tuple[str, CallTale] | None:
        """What is known of a call that ran past the gate, with its id; None where it did not, or is noted."""
        call_id, known = call.call_id, tale_of(line for line in lines if line.call_id == call.call_id)
        if known.verdict is None or not known.verdict.lets():
            # what is not among the last events may be among the earlier ones, or have come just now
            known = tale(self._places, session.session, call_id)
        if known.verdict is None and not known.flagged and session.agent == "gemini":
            call_id, known = self._by_kin(call, session, lines)
        if known.flagged or (known.verdict is not None and known.verdict.lets()):
            return None
        if call.effect == FAILED and known.verdict is not None:
            return None  # clients report their own refusals like that
        if known.verdict is None and self._copied(call, session):
            return None
        return call_id, known

    def _copied(self, call: TranscriptCall, session: SessionRecord) -> bool:
        """Whether it ran in another session: one that was forked off begins with what the other one did."""
        tree = tree_of(session.top, self._places)
        others = () if tree is None else sessions_of(tree)[-_MOST_OTHERS:]
        named = (one.session for one in others if one.agent == session.agent != "gemini")
        tales = (tale(self._places, name, call.call_id) for name in named if name != session.session)
        return any(one.verdict is not None and one.verdict.lets() for one in tales)

    def _by_kin(
        self, call: TranscriptCall, session: SessionRecord, lines: Sequence[ActivityLine]
    ) -> tuple[str, CallTale]:
        """A verdict about the same that belongs to no other call: hooks of Gemini CLI get no ids."""
        taken = self._taken.setdefault(session.session, set())
        if len(taken) > _MOST_TAKEN:
            taken.clear()
        by_call: dict[str, list[ActivityLine]] = {}
        for line in lines:
            if line.call_id and line.event in (VERDICT, UNGATED) and line.call_id not in taken:
                by_call.setdefault(line.call_id, []).append(line)
        told = [(key, rows[0], tale_of(rows)) for key, rows in by_call.items()]
        # what a human made of a call has a verdict with a digest of its own: that is what may run
        tales = [(key, one) for key, first, one in told if _kin(call, one.verdict or first)]
        letting = [row for row in tales if row[1].verdict is not None and row[1].verdict.lets()]
        flagged = [row for row in tales if row[1].flagged]
        found = next(iter([*letting, *flagged, *tales]), (call.call_id, CallTale()))
        taken.add(found[0])
        return found


def settle(
    places: Places, aftermath: Aftermath, session: SessionRecord, transcript: str, homes: Sequence[str] = ()
) -> None:
    """Look at the end of a session's transcript once, where a turn or a session ends; nothing can be held.

    Args:
        places: The user's folders.
        aftermath: Writes down what happened.
        session: The session.
        transcript: Its transcript, as the client names it. Foreign text.
        homes: Folders below one of which it must lie; none = those of the user.
    """
    if not transcript or session.agent not in MODULES:
        return
    try:
        calls = Tail(transcript, session.agent, homes or homes_of_user(), back=BACK).read()
        Reconciler(places, aftermath).hold(calls, session)
    except AgsError:
        return  # it is no file that may be read, or the state cannot be written: that is said elsewhere


def counts(call: TranscriptCall, since: datetime | None) -> bool:
    """Whether a call ran, should have been asked about, and is not older than the gate itself."""
    if call.effect == ENDED or call.name in NEVER_ASKED:
        return False
    return since is None or call.at is None or call.at >= since


def _kin(call: TranscriptCall, line: ActivityLine) -> bool:
    return line.name == call.name and line.input_digest == _digest(call.given)


def _line(call: TranscriptCall, call_id: str, session: SessionRecord) -> ActivityLine:
    """The line of a call, in the words of the events that hooks see."""
    tool = _tool_call(call, session)
    return ActivityLine(
        at=call.at or datetime.now(UTC),
        event=call.effect,
        session=session.session,
        agent=session.agent,
        task=session.task,
        call_id=call_id,
        tool=tool.tool,
        name=tool.name,
        command=tool.command or "",
        paths=tool.paths,
        cwd=tool.cwd,
        source="transcript",
        input_digest=_digest(call.given),
    )


def _tool_call(call: TranscriptCall, session: SessionRecord) -> ToolCall:
    name, cwd = call.name or "a call", call.cwd or session.cwd
    listed = call.given.get("paths")
    if isinstance(listed, list) and session.agent == "codex":
        texts = tuple(one for one in cast("list[object]", listed) if isinstance(one, str))
        return ToolCall("edit_file", name, paths=texts, cwd=cwd, agent=session.agent)
    try:
        return cast("Any", adapter(session.agent)).tool_call(name, Fields(call.given), cwd)
    except (UnreadableEvent, KeyError):
        command = call.given.get("command")
        text = command if isinstance(command, str) else None
        return ToolCall("unknown", name, command=text, cwd=cwd, agent=session.agent)


def _digest(given: Mapping[str, Any]) -> str:
    """Digest as of hooks; empty for what no hook would take."""
    try:
        return digest_of(Fields({"input": dict(given)}).input("input").values)
    except UnreadableEvent:
        return ""


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
