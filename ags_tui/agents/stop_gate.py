"""An agent wants to end its turn: the gate of its task speaks, as everywhere else, and the findings go back.

It acts only where there is something to judge: the work tree changed since the last stop, or a plan exists
and a result claims to be complete. What only a human can settle does not keep an agent going. Clients let a
turn end when this hook fails, so the real barrier is the check in git and in CI.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ags_tui.agents.events import HookEvent
from ags_tui.agents.judge import Judge
from ags_tui.agents.queue import Queue
from ags_tui.core.activity import STOP, ActivityLine
from ags_tui.core.approvals import WAITER
from ags_tui.core.assessment import GateReport, TaskAssessment
from ags_tui.core.checks.assess import assess
from ags_tui.core.checks.findings import Finding, Outcome, Severity
from ags_tui.core.contracts.human import Escalation, EscalationOption, EscalationSource
from ags_tui.core.contracts.results import ImplementationResult
from ags_tui.core.decisions import Draft
from ags_tui.core.digests import digest
from ags_tui.core.failures import AgsError
from ags_tui.core.log_state import LogState
from ags_tui.core.observations import due, is_young
from ags_tui.core.sessions import SessionRecord
from ags_tui.core.snapshot import Snapshot
from ags_tui.io.activity import ActivityUnwritable, append
from ags_tui.io.log import record
from ags_tui.io.request_files import ESCALATIONS, file_contract, new_id
from ags_tui.io.sessions import SessionUnwritable, change_session
from ags_tui.io.workspace import Workspace

MOST_BLOCKS = 3
"""Blocks of one turn after which a human holds it instead."""
MOST_FINDINGS = 12
"""Most findings that are handed to the agent."""

END = "end"
"""Option by which a human lets the turn end."""
GO_ON = "go-on"
"""Option by which a human sends the agent back to work."""

_OPEN = (Outcome.FAILED, Outcome.UNKNOWN)
_RESULTS = ("implementation-result.json", "fix-result.json")


@dataclass(frozen=True, slots=True)
class TurnRuling:
    """What becomes of a turn that wants to end."""

    holds: bool
    """Whether it may not end yet."""
    reason: str = ""
    """What is open. Raw text."""
    for_human: bool = False
    """Whether the agent was sent back often enough, so that a human holds it now."""


@dataclass(frozen=True, slots=True)
class HumanHold:
    """A question that holds a turn for a human."""

    task: str
    """Its task."""
    item_id: str
    """Its id."""


class StopGate:
    """Judges the ends of turns in one work tree. Blocks: run it in a thread."""

    def __init__(self, judge: Judge, queue: Queue) -> None:
        """Prepare; the work tree is opened when a turn ends.

        Args:
            judge: The judge of the work tree.
            queue: Reads logs and ends questions.
        """
        self._judge = judge
        self._queue = queue
        self._workspace: Workspace | None = None

    def judge(self, event: HookEvent, session: SessionRecord) -> TurnRuling:
        """Say whether a turn may end, and count that it was held.

        Args:
            event: The stop.
            session: The session.

        Raises:
            AgsError: The work tree cannot be read: the turn is to be held once.
        """
        task = self._assessed(session.task)
        changes = task.task.changes if task is not None else None
        tree = "" if changes is None or changes.unknown else changes.tree_digest
        if task is None or not (tree != session.stop_tree or _claims_completion(task)):
            return self._ended(event, session, tree, "nothing to judge")
        open_findings = _held(task.gate)
        own = [one for one in open_findings if one.next_action != "human"]
        if task.gate.outcome not in _OPEN:
            return self._ended(event, session, tree, "the gate is passed")
        if not own:
            return self._ended(event, session, tree, "what is open waits for a human")
        blocks = self._count(event, session)
        reason = _reason(session.task, own, len(open_findings) - len(own), blocks)
        self._note(event, session, "deny", reason)
        return TurnRuling(True, reason, for_human=blocks > MOST_BLOCKS)

    def give_up(self, event: HookEvent, session: SessionRecord, why: str) -> None:
        """Write down that a turn ended with an open gate.

        Args:
            event: The stop.
            session: The session.
            why: In one clause.
        """
        self._note(event, session, "allow", f"the turn ended with an open gate: {why}")

    def ask_human(self, event: HookEvent, session: SessionRecord, ruling: TurnRuling) -> HumanHold:
        """Ask a human what becomes of a turn that was held often enough.

        Args:
            event: The stop.
            session: The session.
            ruling: Why it is held.

        Raises:
            CannotFile: The question cannot be written.
        """
        now = self._judge.clock()
        identity = new_id("stop", now)
        document = Escalation(
            escalation_id=identity,
            task_id=session.task,
            source=EscalationSource(system="agent", ref=f"{event.agent} {event.session_id}"),
            question=f"{event.agent} wants to stop, and the gate is open. {ruling.reason}",
            options=(
                EscalationOption(id=GO_ON, label="send it back", consequence="the agent goes on working"),
                EscalationOption(
                    id=END, label="let it stop", consequence="the turn ends; the gate stays open"
                ),
            ),
            allow_free_text=True,
            risk_level="low",
            evidence=(),
            next_actions=("human",),
            created_at=now,
        )
        file_contract(self._queue.tasks.folder(session.task), ESCALATIONS, identity, document)
        return HumanHold(session.task, identity)

    def human_said(self, hold: HumanHold) -> tuple[str, str] | None:
        """What a human answered; None while there is no answer.

        Args:
            hold: The question.

        Returns:
            ``go-on`` or ``end``, and the words for the agent.
        """
        log = self._queue.tasks.log(hold.task)
        row = log.answered.get(hold.item_id)
        if row is None or log.integrity is not Outcome.PASSED:
            return None
        option = row.entry.data.get("option")
        return (END, row.entry.reason) if option == END else (GO_ON, row.entry.reason)

    def withdraw(self, hold: HumanHold, why: str) -> None:
        """Take a question back; one that cannot be taken back stays open, which the human sees.

        Args:
            hold: The question.
            why: In one clause.
        """
        folder = self._queue.tasks.folder(hold.task)
        path = folder / ESCALATIONS / f"{hold.item_id}.json"
        with suppress(AgsError, OSError):
            bytes_digest = digest(path.read_bytes())
            log = self._queue.tasks.log(hold.task)
            if hold.item_id in log.answered or _withdrawn(log, hold.item_id):
                return
            draft = Draft(
                hold.task, "request", "withdrawn", hold.item_id, bytes_digest, source="system", via="hook",
                data={WAITER: "hook", "why": why},
            )  # fmt: skip
            now = self._judge.clock()
            record(folder, draft, self._queue.keys, self._judge.places, now=now, current=None)

    def _assessed(self, task_id: str) -> TaskAssessment | None:
        tree, places = self._judge.tree, self._judge.places
        if self._workspace is None:
            self._workspace = Workspace.open(Path(tree.top), root=Path(tree.root), places=places)
        workspace = self._workspace
        snapshot = workspace.read()
        if self._observe(workspace, snapshot):
            snapshot = workspace.read()
        assessment = assess(snapshot, self._judge.clock())
        return next((task for task in assessment.tasks if task.task_id == task_id), None)

    def _observe(self, workspace: Workspace, snapshot: Snapshot) -> int:
        """Record results that were written a moment ago together with the tree of this moment."""
        written = 0
        for task in snapshot.tasks:
            young = {path for path, file in task.files.artifacts.items() if is_young(file, snapshot)}
            with suppress(AgsError):
                for draft in due(task, snapshot, snapshot.taken_at, via="hook") if young else ():
                    if draft.kind == "observation" and draft.subject_id in young:
                        workspace.record(draft)
                        written += 1
        return written

    def _ended(self, event: HookEvent, session: SessionRecord, tree: str, why: str) -> TurnRuling:
        with suppress(SessionUnwritable):
            change_session(
                self._judge.tree,
                session.session,
                self._judge.places,
                lambda old: replace(old, stop_tree=tree or old.stop_tree, blocks=0, turn=event.turn_id),
            )
        self._judge.forget(session.session)
        self._note(event, session, "allow", why)
        return TurnRuling(False)

    def _count(self, event: HookEvent, session: SessionRecord) -> int:
        """How often this turn was held, with this time."""

        def counted(old: SessionRecord) -> SessionRecord:
            same = old.turn == event.turn_id if event.turn_id else event.stop_active
            return replace(old, turn=event.turn_id, blocks=old.blocks + 1 if same else 1)

        changed = change_session(self._judge.tree, session.session, self._judge.places, counted)
        self._judge.forget(session.session)
        return changed.blocks if changed is not None else MOST_BLOCKS + 1

    def _note(self, event: HookEvent, session: SessionRecord, decision: str, reason: str) -> None:
        line = ActivityLine(
            at=self._judge.clock(),
            event=STOP,
            session=event.session_id,
            agent=event.agent,
            task=session.task,
            turn=event.turn_id,
            decision=decision,
            source="built-in",
            reason=reason,
        )
        with suppress(ActivityUnwritable):
            append(self._judge.places, line)


def _claims_completion(task: TaskAssessment) -> bool:
    """Whether a plan exists and a result says that the work is done."""
    artifacts = task.task.files.artifacts
    if "plan.json" not in artifacts:
        return False
    documents = (artifacts[name].document for name in _RESULTS if name in artifacts)
    claims = any(isinstance(one, ImplementationResult) and one.status == "completed" for one in documents)
    return claims or "final-report.json" in artifacts


def _held(gate: GateReport) -> list[Finding]:
    """What holds the gate, in its order; a condition without a finding of its own speaks for itself."""
    found: list[Finding] = []
    for row in gate.conditions:
        if row.outcome not in _OPEN:
            continue
        holding = [one for one in row.findings if one.unknown or one.severity is Severity.ERROR]
        found += holding or [Finding(row.name.upper(), row.reason)]
    return list(dict.fromkeys(found))


def _reason(task: str, own: Iterable[Finding], for_human: int, blocks: int) -> str:
    rows = [f"- {one.code}: {one.message}" + (f" ({one.artifact})" if one.artifact else "") for one in own]
    more = len(rows) - MOST_FINDINGS
    lines = [f"The gate of {task} is open, so this is not done yet:", *rows[:MOST_FINDINGS]]
    if more > 0:
        lines.append(f"- and {more} more: ags-tui gate {task}")
    if for_human:
        lines.append(f"{for_human} further finding{'s wait' if for_human > 1 else ' waits'} for a human.")
    if blocks <= MOST_BLOCKS:
        lines.append(f"Settle this, then stop again (held {blocks} of {MOST_BLOCKS} times in this turn).")
    else:
        lines.append("You were sent back often enough: a human holds this turn now.")
    return "\n".join(lines)


def _withdrawn(log: LogState, item_id: str) -> bool:
    return any(
        row.counted and row.entry.subject.id == item_id and row.entry.kind == "request" for row in log.entries
    )
