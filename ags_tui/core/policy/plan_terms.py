"""The terms of a plan as a small value that can be kept: patterns, prose and what made them binding.

Light on purpose: a hook without a TUI reads this instead of contracts and logs. ``core.checks.plan_terms``
makes it, ``io.known_terms`` keeps it for exactly the files it was made of.
"""

from ags_tui.core.globs import PatternSet, prose_match
from ags_tui.core.light import Any, cast, datetime
from ags_tui.core.policy.calls import Terms
from ags_tui.core.policy.model import RISKS, Risk
from ags_tui.core.records import Record


class PlanAllowed(PatternSet):
    """``filesToEdit`` without what the prose of task and plan forbids: such a path is asked about."""

    def __init__(self, plan: "PlanTerms", *, ignore_case: bool) -> None:
        """Compile.

        Args:
            plan: The terms.
            ignore_case: ``core.ignoreCase``.
        """
        super().__init__(plan.allow, "allow", ignore_case)
        self._prose = plan.prose
        self._dependencies = plan.dependencies

    def match(self, path: str) -> str | None:
        """The pattern that allows a path; None for none, and where prose speaks against it."""
        found = super().match(path)
        if found is None or not (self._prose or self._dependencies):
            return found
        from ags_tui.core.prose import is_dependency_file  # few plans forbid anything in prose

        if self._dependencies and is_dependency_file(path):
            return None
        return None if any(prose_match(sentence, path) for sentence in self._prose) else found


class PlanTerms(Record):
    """What the plan in force allows."""

    approved: bool
    """A human approved exactly this plan, and edits inside it need no approval of their own."""
    allow: tuple[str, ...] = ()
    """Patterns of paths that may be edited; bare names as the paths that they stand for."""
    deny: tuple[str, ...] = ()
    """Patterns of paths that must not be."""
    prose: tuple[str, ...] = ()
    """Sentences of task and plan that may name paths."""
    dependencies: bool = False
    """Whether manifests and lock files are asked about."""
    risk: Risk = "low"
    """The highest of task and plan."""
    operations: tuple[str, ...] | None = None
    """Allowed operations; None = all."""
    until: datetime | None = None
    """When something in it ends by itself; None for never."""
    entry: str = ""
    """Name of the log file that holds the approval; empty where nobody approved it."""
    entry_digest: str = ""
    """Digest of that file."""
    frozen: bool = False
    """The task is finalized or closed."""

    def terms(self, *, ignore_case: bool) -> Terms:
        """Compile the patterns.

        Args:
            ignore_case: ``core.ignoreCase``.
        """
        return Terms(
            approved=self.approved,
            allow=PlanAllowed(self, ignore_case=ignore_case),
            deny=PatternSet(self.deny, "deny", ignore_case),
            risk=self.risk,
            operations=None if self.operations is None else frozenset(self.operations),
        )


def terms_document(plan: PlanTerms) -> dict[str, Any]:
    """Write terms as JSON data.

    Args:
        plan: The terms.
    """
    return {
        "approved": plan.approved,
        "allow": list(plan.allow),
        "deny": list(plan.deny),
        "prose": list(plan.prose),
        "dependencies": plan.dependencies,
        "risk": plan.risk,
        "operations": None if plan.operations is None else list(plan.operations),
        "until": None if plan.until is None else plan.until.isoformat(),
        "entry": plan.entry,
        "entryDigest": plan.entry_digest,
        "frozen": plan.frozen,
    }


def terms_from(document: object) -> PlanTerms | None:
    """Read terms back; None where the data has another shape.

    Args:
        document: JSON data.
    """
    if not isinstance(document, dict):
        return None
    row = cast("dict[str, Any]", document)
    try:
        risk = row["risk"]
        if risk not in RISKS or not all(
            isinstance(row[name], bool) for name in ("approved", "dependencies", "frozen")
        ):
            return None
        return PlanTerms(
            approved=row["approved"],
            allow=_texts(row["allow"]),
            deny=_texts(row["deny"]),
            prose=_texts(row["prose"]),
            dependencies=row["dependencies"],
            risk=risk,
            operations=None if row["operations"] is None else _texts(row["operations"]),
            until=None if row["until"] is None else datetime.fromisoformat(row["until"]),
            entry=_texts([row["entry"]])[0],
            entry_digest=_texts([row["entryDigest"]])[0],
            frozen=row["frozen"],
        )
    except (KeyError, TypeError, ValueError):
        return None


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError("not a list")
    found = cast("list[object]", value)
    if not all(isinstance(one, str) for one in found):
        raise TypeError("not texts")
    return tuple(cast("list[str]", found))
