"""Figures: what was measured, against what, and whether the target is met."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

HEADER = ("id", "what", "peer or limit in the same run", "measured", "target", "met", "seen")
RATIO = "×"


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table. ``value`` is a ratio unless ``unit`` says otherwise; lower is better."""

    id: str
    """``B5``; a row beside it has a letter behind, ``B5a``."""
    what: str
    """What was measured."""
    peer: str
    """What it was held against in the same run."""
    value: float | None
    """The median; None where it could not be measured, and ``seen`` says why."""
    target: float | None = None
    """Most that the value may be; None for information."""
    unit: str = RATIO
    """Follows the number: ``×``, ``% of a core``, or empty for counts."""
    p90: float | None = None
    """Ratio of the ninetieth percentiles, where asked for."""
    seen: str = ""
    """The plain numbers behind the value, for readers who know the machine."""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None for information."""
        if self.target is None:
            return None
        return self.value is not None and self.value <= self.target


def table(figures: Iterable[Figure]) -> str:
    """One Markdown table of all figures."""
    rows = [HEADER, tuple("---" for _ in HEADER), *(_cells(figure) for figure in figures)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def line(figure: Figure) -> str:
    """One figure as a sentence, for those who wait for the table."""
    return " · ".join(cell for cell in _cells(figure) if cell)


def _cells(figure: Figure) -> tuple[str, ...]:
    measured = "not measured" if figure.value is None else _number(figure.value) + _spaced(figure.unit)
    if figure.p90 is not None:
        measured += f" (p90 {_number(figure.p90)}{_spaced(figure.unit)})"
    target = "" if figure.target is None else _target(figure)
    met = {True: "yes", False: "no", None: "for information"}[figure.met]
    return figure.id, figure.what, figure.peer, measured, target, met, figure.seen


def _target(figure: Figure) -> str:
    sign = "=" if figure.target == 0 else "≤"
    return f"{sign} {_number(figure.target or 0)}{_spaced(figure.unit)}"


def _spaced(unit: str) -> str:
    return f" {unit}" if unit else ""


def _number(value: float) -> str:
    """Three significant digits, as many as a busy machine can repeat."""
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{min(digits, 4)}f}"


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least so many percent of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def ratio(ours: Sequence[float], peer: Sequence[float]) -> float:
    """Ratio of the medians."""
    return statistics.median(ours) / statistics.median(peer)


def p90_ratio(ours: Sequence[float], peer: Sequence[float]) -> float:
    """Ratio of the ninetieth percentiles."""
    return percentile(ours, 90) / percentile(peer, 90)


def seen(ours: Sequence[float], peer: Sequence[float]) -> str:
    """Medians in milliseconds and the number of rounds; the values are seconds."""
    return f"{milliseconds(ours)} against {milliseconds(peer)} ms, {len(ours)} rounds"


def milliseconds(values: Sequence[float]) -> str:
    """The median of seconds, in milliseconds."""
    return _number(statistics.median(values) * 1000)
