"""What stands beside the app for the agents' clients: the decision server, their sessions, and their rules.

Made by the command line, for neither app nor agents know each other. Nothing heavy is imported before it is
needed: the first frame waits for none of it.
"""

import threading
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ags_tui.core.failures import AgsError

if TYPE_CHECKING:
    from ags_tui.agents.decision_server import DecisionServer
    from ags_tui.agents.events import Reply
    from ags_tui.agents.tree_policy import TreePolicy
    from ags_tui.agents.wire import Caller
    from ags_tui.app.ports import Ears
    from ags_tui.core.decisions import Draft
    from ags_tui.core.log_state import LoggedEntry
    from ags_tui.core.policy.calls import Policies, RememberedRule, Verdict
    from ags_tui.core.rule_making import Base, Preview
    from ags_tui.core.rules_read import RulesRead
    from ags_tui.core.session_calls import SessionSeen
    from ags_tui.io.keys import Keys
    from ags_tui.io.places import Places
    from ags_tui.io.session_reads import SessionReads
    from ags_tui.io.trees import Tree

FIRST_LOOK_S = 2.0
"""Seconds after the start in which nothing is looked at but what the first frame needs."""
JOIN_S = 1.0
"""Most seconds that the end waits for a look into transcripts."""
NEWS_S = 1.0
"""Seconds between two looks whether another process has written down a call."""
LARGEST_POLICY = 1 << 20
"""Most bytes of a policy file that are shown."""


class NotHere(AgsError):
    """The work tree cannot be served; the message says why."""


class BesideAgents:
    """Fills the port ``Beside`` of the app for one work tree; its calls may come from any thread."""

    def __init__(
        self,
        top: Path,
        places: "Places",
        keys: "Callable[[], Keys]",
        *,
        root: Path | None = None,
        sockets: Path | None = None,
        homes: tuple[str, ...] = (),
    ) -> None:
        """Prepare; nothing is read or written yet.

        Args:
            top: Top of the work tree.
            places: The user's folders.
            keys: Gives the keys of the workspace, unlocked where they have a passphrase.
            root: Folder that holds ``tasks/``, where the command line chose one.
            sockets: Folder of the sockets; tests alone give one.
            homes: Home folders in which clients keep transcripts; none = those of the user.
        """
        self._homes = homes
        self._top = top
        self._places = places
        self._keys = keys
        self._root = root
        self._sockets = sockets
        self._lock = threading.RLock()
        self._running = ExitStack()
        self._ears: Ears | None = None
        self._server: DecisionServer | None = None
        self._policy: TreePolicy | None = None
        self._reads: SessionReads | None = None
        self._tree: Tree | None = None

    @property
    def tree(self) -> "Tree":
        """The work tree, opted in: its hooks have a say from now on.

        Raises:
            AgsError: It is gone, or the state directory cannot be written.
        """
        with self._lock:
            if self._tree is None:
                from ags_tui.io.trees import opt_in

                tree = opt_in(str(self._top.resolve()), self._places)
                self._tree = tree if self._root is None else replace(tree, root=str(self._root))
            return self._tree

    # -- the decision server -------------------------------------------------------------------------

    def start(self, ears: "Ears") -> None:
        """Begin to answer hooks, in a thread of its own.

        Args:
            ears: Who is told of calls and alarms.
        """
        try:
            tree = self.tree
        except (AgsError, OSError) as error:
            ears.alarm(f"hooks are not answered here: {error}")
            return
        from ags_tui.agents.live import LiveJudge
        from ags_tui.agents.serve import serving

        judge = LiveJudge(tree, self._places)

        async def judged(caller: "Caller", agent: str, payload: bytes) -> "Reply":
            try:
                return await judge(caller, agent, payload)
            finally:
                with suppress(Exception):  # the screen may be gone; the answer is not
                    ears.answered()

        with self._lock:
            self._ears = ears
            server = serving(
                Path(tree.top), judged, on_alarm=ears.alarm, on_call=ears.asked, folder=self._sockets
            )
            self._server = self._running.enter_context(server)
            self._running.callback(judge.leave)  # said before the server cancels what waits
            self._running.enter_context(self._watching(tree, ears))
            self._running.enter_context(self._listening(tree, ears))

    @contextmanager
    def _listening(self, tree: "Tree", ears: "Ears") -> "Generator[None]":
        """Tell what other processes write down of calls: hooks without a server, and another server."""
        stop = threading.Event()

        def listen() -> None:
            from ags_tui.io.session_reads import SessionNews

            news = SessionNews(tree, self._places)
            news.moved()
            while not stop.wait(NEWS_S):
                if news.moved():
                    with suppress(Exception):  # the screen may be gone
                        ears.answered()

        with _working("ags-activity", listen, stop):
            yield

    @contextmanager
    def _watching(self, tree: "Tree", ears: "Ears") -> "Generator[None]":
        """Watch the clients' transcripts beside the server, while this process has the seat."""
        stop = threading.Event()

        def watch() -> None:
            if stop.wait(FIRST_LOOK_S):
                return
            from ags_tui.agents.transcript_watch import TranscriptWatch
            from ags_tui.io.session_reads import SessionReads

            reads = SessionReads(tree, self._places)  # of its own: whoever ends this holds our lock
            watched = TranscriptWatch(tree, self._places, ears.alarm, homes=self._homes)
            watched.run(stop, lambda: self.serving, lambda: [one.record for one in reads.read()])

        with _working("ags-transcripts", watch, stop):
            yield

    def stop(self) -> None:
        """Take back what waits and leave the seat; at most a few seconds."""
        with self._lock:
            self._server = None
            self._running.close()

    def move(self, root: Path) -> None:
        """Go on with another root, whose sessions were moved there.

        Args:
            root: Folder that holds ``tasks/`` from now on.
        """
        with self._lock:
            ears = self._ears
            self.stop()
            self._root, self._tree, self._policy, self._reads = root, None, None, None
            self._running = ExitStack()
            if ears is not None:
                self.start(ears)

    @property
    def key(self) -> str:
        """Name of the work tree's own log."""
        return self.tree.key

    @property
    def serving(self) -> bool:
        """Whether hooks reach this process."""
        server = self._server
        return server is not None and server.serving

    @property
    def waiting(self) -> int:
        """How many calls have no answer yet."""
        server = self._server
        return 0 if server is None else server.waiting

    @property
    def when_absent(self) -> str:
        """What hooks answer while nobody is there."""
        try:
            return self._rules_of().rules().limits.when_absent
        except (AgsError, OSError):
            return "deny"

    # -- sessions ------------------------------------------------------------------------------------

    def sessions(self) -> "tuple[SessionSeen, ...]":
        """The sessions of the work tree with their last events."""
        with self._lock:
            if self._reads is None:
                from ags_tui.io.session_reads import SessionReads

                self._reads = SessionReads(self.tree, self._places)
            return self._reads.read()

    # -- rules ---------------------------------------------------------------------------------------

    def rules(self) -> "RulesRead":
        """All rules, read anew."""
        from ags_tui.core.checks.findings import Outcome
        from ags_tui.core.policy.self_tests import self_test
        from ags_tui.core.rules_read import RulesRead
        from ags_tui.io.tree_log import TreeLog, standing_in

        tree, policy = self.tree, self._rules_of()
        with self._lock:
            files, ground = policy.rules(), policy.ground("")
        path = Path(tree.root) / "policy.toml"
        text = _text_of(path)
        log = TreeLog(tree, self._places).read(self._keys())
        digest = files.repository.digest if files.repository else ""
        standing = standing_in(log, digest, datetime.now(UTC))
        found = (("user", files.user), ("repository", files.repository))
        intact = log.integrity is Outcome.PASSED or not log.entries
        return RulesRead(
            key=tree.key,
            user=files.user,
            user_path=str(self._places.config / "policy.toml"),
            repository=files.repository,
            repository_path=str(path),
            repository_text=text if _digest(text) == digest else b"",
            trusted=bool(standing.trusted),
            remembered=standing.remembered,
            failing=tuple((name, one) for name, file in found if file for one in self_test(file, ground)),
            trouble="" if intact else "the log of this work tree is not intact: " + _first(log.findings),
        )

    def try_line(self, line: str) -> "Verdict":
        """What a shell line would get at the top of the work tree, from the agent that was here last."""
        from ags_tui.core.policy.calls import ToolCall

        last = next((seen.record.agent for seen in self.sessions()), "")
        call = ToolCall("shell", "shell", command=line, cwd=self.tree.top, agent=last)
        with self._lock:
            return self._rules_of().verdict(call, "", datetime.now(UTC))

    def base(self, task_id: str, request: str) -> "Base | None":
        """The call behind a request, from the activity log of its session."""
        from ags_tui.core.activity import VERDICT
        from ags_tui.core.rule_making import base_of, call_of
        from ags_tui.io.activity import lines_of
        from ags_tui.io.sessions import sessions_of

        for record in reversed(sessions_of(self.tree)):
            for line in reversed(lines_of(self._places, record.session)):
                if line.event != VERDICT or line.task != task_id or request not in line.request.split():
                    continue
                call = call_of(line)
                if call is None:
                    return None
                with self._lock:
                    policy = self._rules_of()
                    verdict = policy.verdict(call, task_id, datetime.now(UTC))
                    return base_of(call, verdict, policy.ground(task_id), task_id)
        return None

    def obeys(self, agent: str, *, shell: bool) -> bool:
        """Whether a client runs another input than the one that it asked for."""
        from ags_tui.agents.clients import adapter
        from ags_tui.agents.events import HookEvent, UnreadableEvent
        from ags_tui.core.policy.calls import ToolCall

        call = ToolCall("shell", "Bash", command="true") if shell else ToolCall("edit_file", "Edit")
        event = HookEvent(agent, "before-tool", "PreToolUse", "none", self.tree.top, calls=(call,))
        try:
            return adapter(agent).obeys_updated_input(event)
        except UnreadableEvent:
            return False

    def preview(self, base: "Base", rule: "RememberedRule") -> "Preview":
        """What a rule does for its call, and would have done for those of the past 30 days."""
        from ags_tui.core.rule_making import LOOKED_BACK, preview
        from ags_tui.io.activity import since
        from ags_tui.io.sessions import sessions_of

        now = datetime.now(UTC)
        own = {record.session for record in sessions_of(self.tree)}
        lines = [line for line in since(self._places, now - LOOKED_BACK) if line.session in own]
        with self._lock:
            policy = self._rules_of()
            policies, terms = self._policies(policy, now), policy.terms(base.task, now)
            ground = policy.ground(base.task)
        return preview(base, rule, lines, ground=ground, policies=policies, terms=terms, now=now)

    def record(self, draft: "Draft") -> "LoggedEntry":
        """Record what a human decided about rules or trust, in the log of the work tree."""
        from ags_tui.io.tree_log import TreeLog

        return TreeLog(self.tree, self._places).record(draft, self._keys(), datetime.now(UTC))

    def _rules_of(self) -> "TreePolicy":
        with self._lock:
            if self._policy is None:
                from ags_tui.agents.tree_policy import TreePolicy

                self._policy = TreePolicy(self.tree, self._places)
            return self._policy

    def _policies(self, policy: "TreePolicy", now: datetime) -> "Policies":
        from ags_tui.core.policy.calls import Policies
        from ags_tui.io.tree_log import TreeLog

        files = policy.rules()
        digest = files.repository.digest if files.repository else ""
        standing = TreeLog(self.tree, self._places).rules(digest, now)
        return Policies(files.user, files.repository, bool(standing.trusted), standing.remembered)


def _text_of(path: Path) -> bytes:
    from ags_tui.io.plain_files import NotPlain, read_plain

    try:
        return read_plain(path, limit=LARGEST_POLICY)
    except (FileNotFoundError, NotPlain):
        return b""


def _digest(data: bytes) -> str:
    from ags_tui.core.digests import digest

    return digest(data)


def _first(findings: "tuple[object, ...]") -> str:
    return str(getattr(findings[0], "message", "see ags-tui verify")) if findings else "see ags-tui verify"


@contextmanager
def _working(name: str, work: "Callable[[], None]", stop: threading.Event) -> "Generator[None]":
    """Have a thread of its own work while the block runs; it ends as soon as it sees ``stop``.

    Args:
        name: Of the thread.
        work: What it does.
        stop: Set when the block ends.
    """
    thread = threading.Thread(target=work, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(JOIN_S)
