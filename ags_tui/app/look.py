"""How the shell looks and what its keys are: chosen once at the start, handed to every screen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from time import monotonic

from ags_tui.app.keys import BY_ID, Key
from ags_tui.view.glyphs import ASCII, UNICODE, Glyphs


def utc_now() -> datetime:
    """Give the wall clock."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Look:
    """Glyphs, clocks, zone and keys."""

    glyphs: Glyphs = UNICODE
    """Symbols."""
    registry: Mapping[str, Key] = field(default_factory=lambda: BY_ID)
    """The keys, with the user's own ones."""
    clock: Callable[[], datetime] = utc_now
    """Gives now, in UTC."""
    ticks: Callable[[], float] = monotonic
    """Gives monotonic seconds, on the clock of Textual's events."""
    zone: tzinfo = UTC
    """Zone of the times that are shown."""
    guard_seconds: float = 0.7
    """How long deciding keys are dead after a dialog was painted."""

    tty: str = ""
    """Name of the terminal, for the log; empty where it is not known."""

    @property
    def ascii_only(self) -> bool:
        """Whether our own sentences keep to ASCII, too."""
        return self.glyphs is ASCII

    @property
    def plain_lines(self) -> bool:
        """Whether lines between panes are drawn with ASCII: box drawing is of ambiguous width."""
        return self.glyphs is not UNICODE
