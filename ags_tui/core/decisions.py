"""Drafts of log entries: what somebody wants to record, before sequence, link and signature exist."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from ags_tui.core.snapshot import EMPTY

Source = Literal["human", "rule", "timeout", "system"]
"""Who decides."""

Via = Literal["tui", "hook", "cli", "mcp", "runner"]
"""Through which door."""


@dataclass(frozen=True, slots=True)
class Bound:
    """The exact bytes a decision is about; re-hashed when recorded and when used."""

    request: str | None = None
    """Digest of the request file."""
    plan: str | None = None
    """Digest of plan.json."""
    policy: str | None = None
    """Digest of the policy in force."""
    files: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    """Digests of touched work-tree files by path; ``absent`` where the file does not exist."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A log entry before it has its place in the log."""

    task_id: str
    """Task folder."""
    kind: str
    """``formats.md`` §4."""
    verdict: str
    """``formats.md`` §4."""
    subject_id: str
    """What it is about: a request id, ``plan``, ``task#expectedBehavior/0`` …"""
    subject_digest: str
    """Digest of its bytes; empty only where there are no bytes."""
    reason: str = ""
    """Words of the human or the rule."""
    bound: Bound = Bound()
    """What must still be equal."""
    source: Source = "human"
    """Who decides."""
    via: Via = "tui"
    """Through which door."""
    actor: str = ""
    """Name of the human, rule or process."""
    rule_id: str | None = None
    """The rule, for ``source`` rule."""
    data: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    """Further facts, JSON."""
    expires_at: datetime | None = None
    """When an approval ends."""
    expected_sequence: int | None = None
    """The number this entry must get; a log that has grown since is a stale revision. None = any."""
