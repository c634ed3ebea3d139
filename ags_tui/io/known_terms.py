"""The terms of a session's plan for the hooks: read in full once, then kept for exactly those files."""

from ags_tui.core.light import TYPE_CHECKING, Callable, datetime
from ags_tui.io.kept import keep, read_kept
from ags_tui.io.places import Places
from ags_tui.io.stamps import stamp_of
from ags_tui.io.trees import FOLDER, Tree

if TYPE_CHECKING:
    from ags_tui.core.policy.plan_terms import PlanTerms
    from ags_tui.io.stamps import Stamp

TERMS = "terms"
"""Folder below the one of the work tree."""

_NO_PLAN = "no plan"

Reader = Callable[[Tree, str, Places, datetime], "PlanTerms | None"]
"""Reads the terms in full."""


class KnownTerms:
    """Gives the terms of tasks of one work tree; remembers what it verified itself."""

    def __init__(self, tree: Tree, places: Places, *, full: Reader | None = None) -> None:
        """Prepare; nothing is read yet.

        Args:
            tree: The work tree.
            places: The user's folders.
            full: Reads in full what is not kept; None takes the log and the contracts.
        """
        self._tree = tree
        self._places = places
        self._full = full or _read_in_full
        self._own: dict[str, tuple[Stamp, PlanTerms | None]] = {}

    def of(self, task_id: str, now: datetime) -> "PlanTerms | None":
        """Return the terms of a task; None where it has no plan, now or in its log.

        Args:
            task_id: The task.
            now: The wall clock, UTC.
        """
        folder = f"{self._tree.root}/tasks/{task_id}"
        log = f"{folder}/log"
        stamp = stamp_of((f"{folder}/plan.json", f"{folder}/task.json"), (log,))
        known = self._own.get(task_id)
        if known is not None and known[0] == stamp and _holds(known[1], now):
            return known[1]
        kept = read_kept(f"{self._tree.place}/{TERMS}/{task_id}.json", stamp)
        if kept == _NO_PLAN:
            found = None
        else:
            found = self._verified(kept, log, now) or self._worked_out(task_id, stamp, now)
        self._own[task_id] = (stamp, found)
        return found

    def _verified(self, kept: object, log: str, now: datetime) -> "PlanTerms | None":
        if kept is None:
            return None
        # patterns and signatures, for a task with a plan only
        from ags_tui.core.policy.plan_terms import terms_from
        from ags_tui.io.human_entries import are_humans

        terms = terms_from(kept)
        if terms is None or not _holds(terms, now):
            return None
        approval = [(terms.entry, terms.entry_digest)] if terms.approved else []
        return terms if are_humans(log, approval, self._places) else None

    def _worked_out(self, task_id: str, stamp: "Stamp", now: datetime) -> "PlanTerms | None":
        found = self._full(self._tree, task_id, self._places, now)
        from ags_tui.core.policy.plan_terms import terms_document

        value = _NO_PLAN if found is None else terms_document(found)
        keep(self._places, (FOLDER, self._tree.key, TERMS, f"{task_id}.json"), stamp, value)
        return found


def _holds(terms: "PlanTerms | None", now: datetime) -> bool:
    return terms is None or terms.until is None or now < terms.until


def _read_in_full(tree: Tree, task_id: str, places: Places, now: datetime) -> "PlanTerms | None":
    from ags_tui.io.session_tasks import terms_of_task

    return terms_of_task(tree, task_id, places, now)
