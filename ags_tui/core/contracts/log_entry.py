"""LogEntry 1.0.0: one signed, chained entry of a task's log (``formats.md`` §4)."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from ags_tui.core.contracts.base import Contract, Digest, FileDigest, Text, Timestamp

Kind = Literal[
    "baseline", "observation", "tool-request", "edit", "plan", "spec", "escalation", "attest", "block",
    "finalize", "close", "rule", "trust", "request", "restore", "interject",
]  # fmt: skip
"""Kinds of entries."""


class Subject(Contract):
    """What an entry is about."""

    id: Text
    """Request id, ``plan``, prose id and so on."""
    digest: Digest | Literal[""]
    """Digest of its bytes; empty where there are none."""


class BoundFile(Contract):
    """A work-tree file that a decision depends on."""

    path: Text
    """Relative to the work tree."""
    digest: FileDigest
    """Digest of its bytes, or ``absent``."""


class BoundDigests(Contract):
    """The exact bytes that a decision depends on."""

    request: Digest | None
    """The request file."""
    plan: Digest | None
    """plan.json."""
    policy: Digest | None
    """The policy in force."""
    files: tuple[BoundFile, ...]
    """Touched files."""


class Actor(Contract):
    """Who decided, and through which door."""

    source: Literal["human", "rule", "timeout", "system"]
    """A human, or what stood in for one."""
    name: str
    """Login name or process."""
    via: Literal["tui", "hook", "cli", "mcp", "runner"]
    """The door."""
    rule_id: str | None
    """The rule, where one decided."""


class LogEntry(Contract):
    """One entry; its file is the canonical JSON of the envelope plus a newline."""

    contract_name: ClassVar[str] = "LogEntry"

    log_id: Text
    """Random, the same in all entries of a log."""
    sequence: Annotated[int, Field(ge=0, le=999_999)]
    """Number, without gaps from 0."""
    previous_digest: Digest | None
    """Digest of the previous file's bytes; null in the first."""
    task_id: Text
    """Name of the task folder."""
    kind: Kind
    """What sort of entry."""
    verdict: Text
    """Which of the verdicts of its kind."""
    subject: Subject
    """What it is about."""
    bound: BoundDigests
    """What must still be equal when it is used."""
    actor: Actor
    """Who."""
    reason: str
    """Words."""
    data: dict[str, Any]
    """Facts of the kind."""
    expires_at: Timestamp | None
    """When an approval ends."""
    decided_at: Timestamp
    """When, by the writer's clock."""
    key_id: str
    """Id of the signing key; empty where unsigned (a headless baseline without a reachable key)."""
    signature: str
    """``ed25519:`` or ``sshsig:`` and base64, over the canonical payload without this field, or empty."""
