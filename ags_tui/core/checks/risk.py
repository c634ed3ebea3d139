"""Risk: which of several is the highest."""

from collections.abc import Iterable

LEVELS = ("low", "medium", "high", "critical")
"""All levels, rising."""

_RANK = {level: rank for rank, level in enumerate(LEVELS)}


def rank(risk: str) -> int:
    """Position of a risk among :data:`LEVELS`; what is not known counts as the highest."""
    return _RANK.get(risk, len(LEVELS) - 1)


def highest(risks: Iterable[str]) -> str:
    """The highest of several risks; ``low`` where there are none."""
    return LEVELS[max(map(rank, risks), default=0)]
