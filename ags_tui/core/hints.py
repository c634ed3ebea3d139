"""Where to look again, and how changes are noticed: what the watch tells the reader.

A hint means "look again here", never "this changed so". Losing precision is therefore always allowed
(``None`` means everything), losing a hint never.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Hint:
    """Where to look again."""

    tasks: frozenset[str] | None = frozenset()
    """Names of task folders, as on disk; None means all."""
    paths: frozenset[str] | None = frozenset()
    """Paths relative to the work tree (surrogate escapes for bytes that are not UTF-8); None means all.
    A path may be a folder that came or went: all below it is meant. Files that ``formats.md`` §1 knows in the
    root are left out: git is not asked about them."""
    git: bool = False
    """HEAD, index, refs, hooks or configuration of git may differ."""
    why: str = ""
    """Words for the log: ``events``, ``sweep``, ``start``, ``overflow`` …"""
    state_changed: bool = False
    """The state of the watch itself is another one (a message came or went)."""

    @property
    def everything(self) -> bool:
        """Whether nothing may be taken from earlier reads."""
        return self.tasks is None and self.paths is None and self.git


EVERYTHING = Hint(tasks=None, paths=None, git=True)
"""Look at everything."""


@dataclass(frozen=True, slots=True)
class WatchState:
    """How changes are noticed at the moment."""

    mode: Literal["events", "polling"] = "events"
    """``polling`` as soon as any part is polled."""
    message: str = ""
    """What the human should know: why it polls, what was lost, what is gone. Empty when all is well."""
