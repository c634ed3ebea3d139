"""What one check of ``doctor`` says."""

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "note", "broken"]
"""Fine; worth knowing; does not work."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of ``doctor``."""

    area: str
    """``terminal``, ``git``, ``files``, ``keys``, ``clients`` …"""
    state: State
    """How it stands."""
    message: str
    """What was found; foreign text."""
    next_step: str = ""
    """What to do about it."""
