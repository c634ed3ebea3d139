"""Who may write what into a log: the verdicts of each kind, and whose signature gives them effect.

One function serves both sides, ``record`` before it signs and ``replay`` when it reads, so that nothing is
ever written that would not count. The safe direction (deny, block) counts whoever of ours signed it.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from ags_tui.core.contracts.log_entry import LogEntry
from ags_tui.core.decisions import Draft, Source, Via
from ags_tui.core.log_state import Signer

Writer = Literal["human", "system", "either"]
"""Whose signature a verdict needs: a human's through the TUI, this program's, or one of both."""

DECISIONS = frozenset({"tool-request", "edit", "plan", "spec"})
"""Kinds that are approved or denied."""

SESSION_PREFIX = "session-"
"""Task ids of sessions without a task: they may be closed from the command line."""

_DECIDED: Mapping[str, Writer] = MappingProxyType(
    {"approved": "human", "denied": "either", "amended": "human"}
)

WRITERS: Mapping[str, Mapping[str, Writer]] = MappingProxyType({
    "baseline": {"recorded": "system", "accepted": "human"},
    "observation": {"recorded": "system"},
    "tool-request": _DECIDED,
    "edit": _DECIDED,
    "plan": _DECIDED,
    "spec": _DECIDED,
    "escalation": {"answered": "human"},
    "attest": {"attested": "human", "withdrawn": "human"},
    "block": {"blocked": "either", "lifted": "human"},
    "finalize": {"finalized": "human", "reopened": "human"},
    "close": {"closed": "human", "reopened": "human"},
    "rule": {"created": "human", "revoked": "human"},
    "trust": {"trusted": "human", "distrusted": "human"},
    "request": {"consumed": "system", "expired": "system", "withdrawn": "system", "dismissed": "human"},
    "restore": {"done": "human"},
    "interject": {"done": "human"},
})  # fmt: skip
"""Writer by kind and verdict (``formats.md`` §4). An approval by rule needs the rule engine to show that the
rule covers the request; until the log can prove that, only a human approves."""

VERDICTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {kind: tuple(verdicts) for kind, verdicts in WRITERS.items()}
)
"""Verdicts by kind."""


class Authority(NamedTuple):
    """What decides whether an entry has effect."""

    kind: str
    """Kind of the entry."""
    verdict: str
    """Its verdict."""
    source: Source
    """Who decided, as written."""
    via: Via
    """Through which door, as written."""
    task_id: str
    """Task folder."""


def signing_role(draft: Draft) -> Literal["human", "system"]:
    """Return whose key signs a draft: the human key only for what a human did in the TUI."""
    return "human" if draft.source == "human" and draft.via == "tui" else "system"


def draft_refusal(draft: Draft) -> str:
    """Say why a draft must not be recorded; empty where it may be."""
    authority = Authority(draft.kind, draft.verdict, draft.source, draft.via, draft.task_id)
    return refusal(authority, signing_role(draft))


def entry_refusal(entry: LogEntry, signer: Signer) -> str:
    """Say why an entry has no effect; empty where it has. An unsigned baseline is not judged here."""
    actor = entry.actor
    return refusal(Authority(entry.kind, entry.verdict, actor.source, actor.via, entry.task_id), signer)


def refusal(authority: Authority, signer: Signer) -> str:
    """Say why a verdict by this signer has no effect; empty where it has.

    Args:
        authority: What is claimed.
        signer: Whose key signed or will sign.
    """
    verdicts = WRITERS.get(authority.kind)
    writer = verdicts.get(authority.verdict) if verdicts is not None else None
    if writer is None:
        why = "no such verdict"
    elif signer not in ("human", "system"):
        why = "not signed by a trusted key"
    elif writer == "either" or _closes_session(authority):
        return ""
    elif signer != writer:
        why = f"needs the {writer} key, signed by the {signer} key"
    elif writer == "human" and (authority.source, authority.via) != ("human", "tui"):
        why = f"is decided by a human in the TUI, not by {authority.source} via {authority.via}"
    else:
        return ""
    return f"{authority.kind} {authority.verdict}: {why}"


def _closes_session(authority: Authority) -> bool:
    closes = (authority.kind, authority.verdict) == ("close", "closed")
    return closes and authority.task_id.startswith(SESSION_PREFIX)
