"""What left the plan and what came back: one bounded observation each, so that neither passes unnoticed.

A path outside the plan that is taken back leaves nothing behind in the work tree. Whoever looked away would
never know of it, so this program records it: once when the set of such paths has stood for a moment, and once
when it has shrunk again. The entries decide nothing and no check reads them.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from ags_tui.core.assessment import PathClass, PathVerdict, TaskAssessment, Verdict
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.decisions import Draft
from ags_tui.core.digests import path_text
from ags_tui.core.log_state import LogState, Observation
from ags_tui.core.seen import LAST, MOST_NAMED, NONE, OUTSIDE_PLAN, Named, entry_of

SUBJECT = "outside-the-plan"
"""Id of the subject of such an entry."""

SETTLED_S = 2.0
"""Seconds for which the set must have stood: what flickers is not recorded."""

MOST_ENTRIES = 200
"""Most such entries of a log: a tool that changes a file for ever must not fill it."""

_OUT = (PathClass.UNPLANNED, PathClass.EXCLUDED)
_NOT_SAID = (Verdict.NOT_APPLICABLE, Verdict.INCONCLUSIVE)
_HOW = {
    PathClass.IN_SCOPE: "now in the plan",
    PathClass.OWNERSHIP_UNKNOWN: "of another task's plan",
}
_TAKEN_BACK = "taken back"


def recorded(log: LogState) -> Named:
    """What was outside the plan by the last such entry of a log."""
    last: Observation | None = log.outside[-1] if log.outside else None
    said = None if last is None else entry_of(last.data)
    return NONE if said is None else said.now


class _Waiting(NamedTuple):
    """A set that is not on record yet."""

    seen: tuple[str, ...]
    since: datetime
    given: bool = False
    """It was given out once: where it could not be recorded, the next look tries again."""


class OutsideWatch:
    """Follows assessments and says what has to be recorded. Not for several threads at once."""

    def __init__(self) -> None:
        """Start without any memory."""
        self._judged: dict[str, TaskAssessment] = {}
        self._waiting: dict[str, _Waiting] = {}

    def look(self, tasks: Iterable[TaskAssessment], now: datetime) -> None:
        """Note what is outside now.

        Args:
            tasks: The newest assessment.
            now: The wall clock.
        """
        judged = {task.task_id: task for task in tasks}
        for task_id, task in judged.items():
            if self._judged.get(task_id) is not task or task_id in self._waiting:
                self._note(task, now)
        self._judged = judged
        self._waiting = {name: waits for name, waits in self._waiting.items() if name in judged}

    def take(self, now: datetime) -> tuple[Draft, ...]:
        """Give what has stood long enough to be recorded.

        Args:
            now: The wall clock.
        """
        ripe = [name for name, one in self._waiting.items() if (now - one.since).total_seconds() >= SETTLED_S]
        for name in ripe:
            self._waiting[name] = self._waiting[name]._replace(given=True)
        return tuple(_draft(self._judged[name], self._waiting[name].seen) for name in ripe)

    def wait(self, now: datetime) -> float | None:
        """Seconds until something will have stood long enough; None where nothing waits for that.

        Args:
            now: The wall clock.
        """
        waiting = (one for one in self._waiting.values() if not one.given)
        left = (SETTLED_S - (now - one.since).total_seconds() for one in waiting)
        return min((max(0.0, seconds) for seconds in left), default=None)

    def _note(self, task: TaskAssessment, now: datetime) -> None:
        outside = outside_now(task)
        waits = self._waiting.get(task.task_id)
        if outside is None or not _differs(outside, recorded(task.task.log)):
            self._waiting.pop(task.task_id, None)
        elif waits is None or waits.seen != outside or waits.since > now:
            self._waiting[task.task_id] = _Waiting(outside, now)


def outside_now(task: TaskAssessment) -> tuple[str, ...] | None:
    """Name what is outside the plan of a task and approved by nobody, sorted.

    Args:
        task: The task.

    Returns:
        None where that cannot be said or recorded: no plan, git unknown, a log that does not hold, a task
        that is over.
    """
    log, changes = task.task.log, task.task.changes
    usable = log.head_sequence >= 0 and log.integrity is Outcome.PASSED and not log.frozen
    if not usable or len(log.outside) >= MOST_ENTRIES:
        return None
    if changes is None or changes.unknown or task.scope.verdict in _NOT_SAID:
        return None
    return tuple(sorted(_text(one) for one in task.scope.paths if _is_out(one)))


def _is_out(one: PathVerdict) -> bool:
    """Whether a path is outside. Another task's plan takes it in only where a human approved that plan: an
    agent could write one beside what strays.
    """
    return (one.path_class in _OUT or one.proposed) and one.change is not None and not one.approved


def _text(one: PathVerdict) -> str:
    return path_text(one.path.encode("utf-8", "surrogateescape"))


def _differs(outside: tuple[str, ...], before: Named) -> bool:
    """Whether there is something to say: where there are too many to name, only that they are many."""
    if len(outside) > MOST_NAMED:
        return before.whole
    return not before.whole or outside != before.names


def _draft(task: TaskAssessment, outside: tuple[str, ...]) -> Draft:
    before = recorded(task.task.log)
    left = tuple(path for path in outside if path not in before.names) if before.whole else ()
    gone = tuple(path for path in before.names if path not in set(outside))
    count = len(gone) if before.whole else max(len(gone), before.count - len(outside))
    classes = {_text(one): one for one in task.scope.paths}
    gone = gone[:MOST_NAMED]
    facts = {
        "now": _facts(outside, len(outside)),
        "left": _facts(left, len(left)),
        "back": _facts(gone, count),
        "how": [_how(classes.get(path)) for path in gone],
        **({LAST: True} if len(task.task.log.outside) + 1 >= MOST_ENTRIES else {}),
    }
    changes = task.task.changes
    data = {OUTSIDE_PLAN: facts, "valid": True, "treeDigest": "" if changes is None else changes.tree_digest}
    return Draft(
        task_id=task.task_id,
        kind="observation",
        verdict="recorded",
        subject_id=SUBJECT,
        subject_digest="",
        source="system",
        data=data,
        expected_sequence=task.task.log.next_sequence,
    )


def _facts(paths: tuple[str, ...], count: int) -> dict[str, Any]:
    return {"paths": list(paths[:MOST_NAMED]), "count": count}


def _how(one: PathVerdict | None) -> str:
    """Say why a path is not outside the plan any more."""
    if one is None or one.change is None:
        return _TAKEN_BACK
    return "approved" if one.approved else _HOW.get(one.path_class, _TAKEN_BACK)
