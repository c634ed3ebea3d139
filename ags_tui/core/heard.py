"""What a waiter is told about the request that it waits for."""

from dataclasses import dataclass
from typing import Any

LOG_NOT_INTACT = "log-not-intact"
"""State of a request whose log cannot be believed."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a waiter is told."""

    state: str
    """State of the request, or that its log is not intact."""
    reason: str
    """Why."""
    effective: Any = None
    """What the waiter may do now: the approved call, or the answer; None where there is nothing."""
    digest: str | None = None
    """Digest of what was approved, else of the request; None where it was never read."""
