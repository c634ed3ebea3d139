"""What the shell shows, frozen, and what is selected in it: pure lookups without a screen."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal, cast

from ags_tui.app.key_rules import Facts
from ags_tui.core.assessment import Assessment, Pending, PendingKind, TaskAssessment
from ags_tui.core.promotion import may_promote
from ags_tui.core.session_calls import NONE_AWAY, Alarm, Away, SessionSeen, away_of
from ags_tui.core.snapshot import EMPTY, Artifact, Snapshot
from ags_tui.view.inbox import PROBLEMS_KEY, TREE_KEY, attest_only, item_key, task_key
from ags_tui.view.passed import Passed, passed_items
from ags_tui.view.remembered import LastShown
from ags_tui.view.status import Watching

if TYPE_CHECKING:
    from ags_tui.core.contracts.plan import AgentPlan


_NO_SESSION = "Select the session of an agent first."


@dataclass(frozen=True, slots=True, eq=False)
class ShellState:
    """Everything the screens show; a new one for every reading, compared by identity."""

    snapshot: Snapshot | None = None
    """Last reading; None before the first."""
    assessment: Assessment | None = None
    """What the checks say about it."""
    names: tuple[str, ...] = ()
    """Names of the task folders, known before anything is read."""
    last_shown: Mapping[str, LastShown] = field(default_factory=lambda: EMPTY)
    """What the list showed last of each task, until the first assessment; shown only, never asked."""
    watching: Watching = field(default_factory=Watching)
    """How the files are watched."""
    watched: tuple[str, ...] = ()
    """Names of the watched folders, for the header."""
    demo: str = ""
    """Folder of the demo that is played, for the header; empty outside of one."""
    aside: tuple[str, ...] = ()
    """What the agents of the demo that is played said last, oldest first; empty outside of one."""
    recording: bool = False
    """A decision is being written."""
    tasks: Mapping[str, TaskAssessment] = field(default_factory=lambda: EMPTY)
    """Assessments by task id."""
    sessions: tuple[SessionSeen, ...] = ()
    """Sessions of agents' clients, the one that did something last first."""
    heard: Mapping[str, datetime] = field(default_factory=lambda: EMPTY)
    """When a client's hook asked here last, by agent."""
    beside: bool = False
    """Whether agents' clients are served beside the app."""
    seat: str = ""
    """``here`` or ``other``: who answers the hooks; empty while nobody is asked to."""
    alarms: tuple[Alarm, ...] = ()
    """What a human must look at, oldest first."""
    unread: int = 0
    """How many of the newest alarms nobody has read."""

    @property
    def pending(self) -> tuple[Pending, ...]:
        """What waits for a human."""
        return () if self.assessment is None else self.assessment.pending

    @property
    def passed(self) -> tuple[Passed, ...]:
        """Requests that are over without a decision."""
        return () if self.assessment is None else passed_items(self.assessment)

    @property
    def away(self) -> Away:
        """Calls past the gate that a human put away."""
        return NONE_AWAY if self.assessment is None else away_of(one.task for one in self.assessment.tasks)

    @property
    def troubles(self) -> int:
        """Number of things that are wrong with the root, the policy or the repository."""
        if self.snapshot is None or self.assessment is None:
            return 0
        problems = len(self.snapshot.problems) + len(self.snapshot.policy.problems)
        return problems + len(self.assessment.findings)


@dataclass(frozen=True, slots=True)
class Selection:
    """What the centre shows."""

    kind: Literal["item", "task", "tree", "problems", "none"] = "none"
    """Sort of thing."""
    task_id: str = ""
    """Its task, for items and tasks."""
    item_id: str = ""
    """Its id, for items."""
    place: str = ""
    """Folder of its file, for items; empty for what a check asks."""

    @property
    def key(self) -> str:
        """The key of its row."""
        if self.kind == "item":
            return item_key(self.task_id, self.item_id, self.place)
        if self.kind == "task":
            return task_key(self.task_id)
        return {"tree": TREE_KEY, "problems": PROBLEMS_KEY}.get(self.kind, "")


def selection_of(key: str) -> Selection:
    """Give the selection that a row of the left column stands for."""
    kind, _, rest = key.partition(":")
    if kind == "item":
        name, _, place = rest.partition("@")
        task_id, _, item_id = name.rpartition("/")
        return Selection("item", task_id, item_id, place)
    if kind == "task":
        return Selection("task", rest)
    if key == TREE_KEY:
        return Selection("tree")
    return Selection("problems") if key == PROBLEMS_KEY else Selection()


def task_of(state: ShellState, selection: Selection) -> TaskAssessment | None:
    """Find the assessment of the selected task."""
    return state.tasks.get(selection.task_id)


def item_of(state: ShellState, selection: Selection) -> Pending | None:
    """Find the selected inbox item, while it waits."""
    if selection.kind != "item":
        return None
    wanted = (selection.task_id, selection.item_id, selection.place)
    return next((one for one in state.pending if (one.task_id, one.item_id, one.place) == wanted), None)


def first_item(state: ShellState, task_id: str, *, questions: bool, rows: Iterable[str]) -> Selection | None:
    """Give the first request of a task that waits, in the order of the inbox; one that fits the key first.

    Args:
        state: What is shown.
        task_id: The task.
        questions: Whether an escalation is wanted, or anything else.
        rows: Keys of the inbox rows, in order.
    """
    chosen = [one for one in map(selection_of, rows) if one.kind == "item" and one.task_id == task_id]
    waiting = [(one, item) for one in chosen if (item := item_of(state, one)) is not None]
    fitting = (one for one, item in waiting if (item.kind is PendingKind.ESCALATION) == questions)
    return next(fitting, waiting[0][0] if waiting else None)


def passed_of(state: ShellState, selection: Selection) -> Passed | None:
    """Find the selected request, where it is over without a decision."""
    if selection.kind != "item":
        return None
    wanted = (selection.task_id, selection.item_id, selection.place)
    return next((p for p in state.passed if (p.task_id, p.status.item_id, p.status.place) == wanted), None)


def sessions_for(state: ShellState, selection: Selection) -> tuple[SessionSeen, ...]:
    """Give the sessions of what is selected: of its task, or all of the work tree."""
    if selection.kind not in ("item", "task"):
        return state.sessions
    return tuple(seen for seen in state.sessions if seen.record.task == selection.task_id)


def artifact_of(task: TaskAssessment | None, name: str) -> Artifact | None:
    """Find a valid contract of a task by its path in the task folder."""
    return None if task is None else task.task.files.artifacts.get(name)


def planned_tests(task: TaskAssessment | None) -> tuple[str, ...]:
    """Give the test commands of a task's plan."""
    artifact = artifact_of(task, "plan.json")
    return () if artifact is None else cast("AgentPlan", artifact.document).tests_to_run


def recent_reasons(state: ShellState, verdict: str) -> tuple[str, ...]:
    """Give the words of past decisions with a verdict, over all tasks, newest first, each once."""
    entries = (
        logged.entry
        for task in state.tasks.values()
        for logged in task.task.log.entries
        if logged.entry.verdict == verdict and logged.entry.reason
    )
    newest = sorted(entries, key=lambda entry: entry.decided_at, reverse=True)
    return tuple(dict.fromkeys(entry.reason for entry in newest))


def facts_of(state: ShellState, selection: Selection, *, path: str = "", search: bool = False) -> Facts:
    """Collect what decides which keys work.

    Args:
        state: What is shown.
        selection: What is selected.
        path: Selected path; empty for none.
        search: Whether something was searched for.
    """
    task, item, passed = task_of(state, selection), item_of(state, selection), passed_of(state, selection)
    count = len(state.tasks) or len(state.names)
    return Facts(
        recording=state.recording,
        tasks=count,
        task=task is not None,
        frozen=task is not None and task.task.log.frozen,
        blocked=task is not None and bool(task.task.log.blocks),
        item="" if item is None else item.kind.value,
        passed="" if passed is None else passed.status.state.value,
        malformed="" if item is None else item.malformed,
        prose=task is not None and bool(task.gate.prose),
        attest_due=task is not None and attest_only(task),
        tests=bool(planned_tests(task)),
        path=bool(path),
        diff=bool(path) or (item is not None and item.path is not None),
        readable=bool(path) or (item is not None and bool(item.artifact)),
        search=search,
        waiting=bool(state.pending),
        promotion=_NO_SESSION if task is None else may_promote(task.task),
        alarms=bool(state.alarms),
        beside=state.beside,
        openable=item is not None or selection.kind in ("task", "tree", "problems"),
    )
