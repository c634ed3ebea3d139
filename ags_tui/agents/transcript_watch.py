"""Looks into transcripts now and then, in a thread of its own: for calls past the gate, and for clients that
work in this tree without hooks.

Bounded: a look reads at most a megabyte, of the transcripts that grew last; one that did not change costs a
``stat``. The screen's thread and the decision server's do nothing here.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ags_tui.agents.aftermath import Aftermath
from ags_tui.agents.clients import MODULES
from ags_tui.agents.events import UnreadableEvent
from ags_tui.agents.payload import Fields
from ags_tui.agents.reconcile import Reconciler, counts
from ags_tui.core.sessions import SessionRecord
from ags_tui.core.transcripts import Head, TranscriptCall
from ags_tui.io.places import Places
from ags_tui.io.plain_reads import NotPlain
from ags_tui.io.sessions import read_session, tree_of_session
from ags_tui.io.transcripts import NEWEST, Elsewhere, Tail, homes_of_user, is_of, live, subagents
from ags_tui.io.trees import MARKER, Tree, gate_at

LOOK_S = 2.0
"""Seconds between two looks."""
SEARCH_EVERY = 3
"""Every so many looks the clients' usual places are searched, too."""
BUDGET = 1 << 20
"""Most bytes of one look."""
LIVE_S = 600.0
"""A transcript that was not written for so long is not watched."""
MOST_TAILS = 64
"""Most transcripts that are remembered."""


class Stranger:
    """A session that works here though no hook of it was ever heard."""

    def __init__(self) -> None:
        """Begin to count."""
        self.calls = 0
        self.told = 0


class TranscriptWatch:
    """Watches the transcripts of one work tree."""

    def __init__(
        self,
        tree: Tree,
        places: Places,
        alarm: Callable[[str], None],
        *,
        homes: Sequence[str] = (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Prepare; nothing is read yet.

        Args:
            tree: The work tree, opted in.
            places: The user's folders.
            alarm: Told what the human should know.
            homes: Home folders in which clients keep transcripts; none = those of the user.
            clock: Seconds since the epoch.
        """
        self._tree = tree
        self._places = places
        self._alarm = alarm
        self._homes = tuple(homes) or homes_of_user()
        self._clock = clock
        self._reconciler = Reconciler(places, Aftermath(places, lambda: datetime.now(UTC)))
        self._tails: dict[str, Tail] = {}
        self._refused: dict[str, None] = {}
        self._unread: dict[str, None] = {}
        self._strangers: dict[str, Stranger] = {}
        self._since = datetime.fromtimestamp(_marked(tree, clock()), UTC)
        self._looks = 0
        self._left = 0

    def run(
        self,
        stop: threading.Event,
        serving: Callable[[], bool],
        records: Callable[[], Iterable[SessionRecord]],
    ) -> None:
        """Look until told to stop.

        Args:
            stop: Set when it is over.
            serving: Whether hooks reach this process; while another one has the seat, that one looks.
            records: Gives the sessions of the work tree, the one that did something last first.
        """
        while not stop.wait(LOOK_S):
            try:
                if serving():
                    self.look(records())
            except Exception as error:  # noqa: BLE001
                # it is a second line of defence: it neither ends the program nor falls silent unsaid
                self._alarm(f"transcripts are not watched for now: {error}")

    def look(self, records: Iterable[SessionRecord]) -> int:
        """Look once.

        Args:
            records: The sessions of the work tree, the one that did something last first.

        Returns:
            How many calls were noted as ungated now.
        """
        self._left = BUDGET
        noted = 0
        known: set[str] = set()
        for record, path in self._growing(records):
            known.add(path)
            calls = self._read(path, record.agent, record.session)
            noted += self._reconciler.hold(calls, record) if calls else 0
        if self._looks % SEARCH_EVERY == 0:
            noted += self._search(known)
        self._looks += 1
        return noted

    def _growing(self, records: Iterable[SessionRecord]) -> Iterator[tuple[SessionRecord, str]]:
        """The transcripts of known sessions that were written lately, with those of subagents."""
        rows: list[tuple[float, SessionRecord]] = []
        for record in records:
            if record.transcript and record.agent in MODULES and record.transcript not in self._refused:
                written = _written(record.transcript)
                if written >= self._clock() - LIVE_S:
                    rows.append((written, record))
        for _, record in sorted(rows, key=lambda row: -row[0])[:NEWEST]:
            yield record, record.transcript
            if record.agent == "claude-code":
                yield from ((record, path) for path in subagents(record.transcript))

    def _search(self, known: set[str]) -> int:
        """Look where clients usually keep transcripts, for sessions that were never heard of."""
        noted = 0
        for agent in MODULES:
            for home in self._homes:
                for path in live(agent, home, self._tree.top, self._clock() - LIVE_S):
                    if path not in known and path not in self._refused:
                        known.add(path)
                        noted += self._unheard(path, agent)
        return noted

    def _unheard(self, path: str, agent: str) -> int:
        calls = self._read(path, agent)
        tail = self._tails.get(path)
        head = tail.head if tail is not None else None
        if head is None or not head.session:
            return 0
        if not self._is_here(agent, head):
            self._refuse(path)  # of another work tree: not looked at again
            return 0
        session = _fit(head.session)
        record = read_session(self._tree, session) if session else None
        if record is not None:
            return self._reconciler.hold(calls, record)
        if session and tree_of_session(session, self._places) is not None:
            return 0  # it began in another work tree, whose gate it has
        ran = sum(counts(call, self._since) for call in calls)
        if ran:
            self._tell(agent, head.session, ran)
        return 0

    def _is_here(self, agent: str, head: Head) -> bool:
        """Whether a session works in this tree, and in no other one inside of it."""
        if not is_of(agent, head, self._tree.top):
            return False
        gate = gate_at(head.cwd, self._places) if head.cwd else self._tree
        return gate is not None and gate.key == self._tree.key

    def _tell(self, agent: str, session: str, ran: int) -> None:
        """Say that a client works here without hooks: at its first call, and at ten times as many."""
        stranger = self._strangers.setdefault(session, Stranger())
        stranger.calls += ran
        if stranger.calls < 10 * stranger.told:
            return
        stranger.told = stranger.calls
        calls = "1 call" if stranger.calls == 1 else f"{stranger.calls} calls"
        self._alarm(
            f"{agent} session {session[:8]} works here without hooks: {calls} past the gate. "
            f"Way out: ags-tui connect {agent} --check"
        )

    def _read(self, path: str, agent: str, session: str = "") -> tuple[TranscriptCall, ...]:
        """Read on in a transcript, as far as this look may."""
        if self._left <= 0:
            return ()
        before = self._tails.pop(path, None)
        tail = before or Tail(path, agent, self._homes)
        try:
            calls = tail.read(self._left)
        except NotPlain as error:
            if before is None and (isinstance(error, Elsewhere) or not session):
                self._refuse(path)
            else:
                self._cannot_read(path, agent, session, error)
            return ()
        self._left -= tail.cost
        self._tails[path] = tail
        while len(self._tails) > MOST_TAILS:
            del self._tails[next(iter(self._tails))]
        return calls

    def _cannot_read(self, path: str, agent: str, session: str, why: NotPlain) -> None:
        """Say once that a session is not watched; the next look tries again, for it may only be hidden."""
        if session and path not in self._unread:
            self._unread[path] = None
            self._alarm(
                f"the transcript of {agent} session {session[:8]} cannot be read ({why}): what runs past "
                "the gate there is not seen"
            )

    def _refuse(self, path: str) -> None:
        self._refused[path] = None
        self._tails.pop(path, None)
        while len(self._refused) > 16 * MOST_TAILS:
            del self._refused[next(iter(self._refused))]


def _written(path: str) -> float:
    try:
        return os.lstat(path).st_mtime
    except (OSError, ValueError):
        return 0.0


def _marked(tree: Tree, now: float) -> float:
    """Since when the work tree is opted in; else since now."""
    return _written(str(Path(tree.place) / MARKER)) or now


def _fit(session: str) -> str:
    """A session's id as hooks take it; empty for what none of them would."""
    try:
        return Fields({"id": session}).session("id")
    except UnreadableEvent:
        return ""
