"""What the ``data`` of an observation says beside its digests, for those who only show it. No models here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

SAYS = "says"
"""Key of what a contract says, in a few words (``core.sayings``)."""

OUTSIDE_PLAN = "outsidePlan"
"""Key of the facts of paths that left the plan or came back (``core.outside``)."""

LAST = "last"
"""Key that says that the log takes no further entry of this sort."""

MOST_NAMED = 20
"""Most paths that an entry names of a kind; of the others it says how many there are."""


@dataclass(frozen=True, slots=True)
class Named:
    """Some paths, of which the first are named."""

    names: tuple[str, ...]
    """As ``path_text`` writes them, sorted, at most ``MOST_NAMED``."""
    count: int
    """How many there are."""

    @property
    def whole(self) -> bool:
        """Whether all are named."""
        return len(self.names) == self.count


@dataclass(frozen=True, slots=True)
class OutsideEntry:
    """What an entry says."""

    now: Named
    """What is outside the plan at that moment."""
    left: Named
    """What has left the plan since the entry before."""
    back: Named
    """What is not outside any more."""
    how: tuple[str, ...] = ()
    """For each named one of ``back``: ``taken back``, ``approved``, ``now in the plan`` and so on."""
    last: bool = False
    """Whether the log takes no further entry of this sort."""


NONE = Named((), 0)
"""No paths."""


def entry_of(data: Mapping[str, Any]) -> OutsideEntry | None:
    """Read the facts of an entry; None where it is of another sort or of another shape.

    Args:
        data: The entry's ``data``.
    """
    facts = data.get(OUTSIDE_PLAN)
    if not isinstance(facts, Mapping):
        return None
    facts = cast("Mapping[str, object]", facts)
    how = facts.get("how")
    words = cast("Sequence[object]", how) if isinstance(how, list | tuple) else ()
    return OutsideEntry(
        _named(facts.get("now")), _named(facts.get("left")), _named(facts.get("back")),
        tuple(str(word) for word in words), facts.get(LAST) is True,
    )  # fmt: skip


def _named(value: object) -> Named:
    if not isinstance(value, Mapping):
        return NONE
    facts = cast("Mapping[str, object]", value)
    paths, count = facts.get("paths"), facts.get("count")
    several = cast("Sequence[object]", paths) if isinstance(paths, list | tuple) else ()
    names = tuple(path for path in several if isinstance(path, str))
    return Named(names, count if isinstance(count, int) else len(names))
