"""What the entries of a log bring about, one after the other: baseline, observations, blocks, ends."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from ags_tui.core.log_entries import path_of
from ags_tui.core.log_state import Baseline, BaselineFile, LoggedEntry, Observation
from ags_tui.core.seen import OUTSIDE_PLAN
from ags_tui.core.snapshot import TreeEntry

_NO_FILE = "000000"


@dataclass(slots=True)
class Effects:
    """What is in force after the entries so far."""

    baseline: Baseline | None = None
    """Baseline in force."""
    offered: dict[str, LoggedEntry] = field(default_factory=dict[str, LoggedEntry])
    """Recorded baselines by the digest of their entry; the first is in force, later ones wait for a human."""
    observations: list[Observation] = field(default_factory=list[Observation])
    """Observations of files."""
    tests: list[Observation] = field(default_factory=list[Observation])
    """Observed test runs."""
    outside: list[Observation] = field(default_factory=list[Observation])
    """What left the plan and came back."""
    blocks: list[LoggedEntry] = field(default_factory=list[LoggedEntry])
    """Blocks that are not lifted."""
    attested: dict[str, LoggedEntry] = field(default_factory=dict[str, LoggedEntry])
    """Attestations in force by prose id."""
    answered: dict[str, LoggedEntry] = field(default_factory=dict[str, LoggedEntry])
    """Last answer by escalation id."""
    finalized: LoggedEntry | None = None
    """Finalization in force."""
    closed: LoggedEntry | None = None
    """Closing in force."""


def apply_entry(effects: Effects, row: LoggedEntry) -> None:
    """Add what an entry brings about.

    Args:
        effects: What is in force; changed.
        row: An entry that counts.
    """
    effect = _EFFECTS.get((row.entry.kind, row.entry.verdict))
    if effect is not None:
        effect(effects, row)


def _baseline_recorded(effects: Effects, row: LoggedEntry) -> None:
    effects.offered[row.digest] = row
    if effects.baseline is None:
        effects.baseline = _read_baseline(row)


def _baseline_accepted(effects: Effects, row: LoggedEntry) -> None:
    """Accept the baseline named by its entry's digest, the one in ``data``, or the one in force."""
    entry = row.entry
    offered = effects.offered.get(entry.subject.digest)
    if offered is not None:
        chosen = _read_baseline(offered)
    elif "head" in entry.data:
        chosen = _read_baseline(row)
    else:
        chosen = effects.baseline if entry.subject.digest == "" else None
    if chosen is not None:
        effects.baseline = replace(chosen, accepted=True)


def _read_baseline(row: LoggedEntry) -> Baseline | None:
    """Read the facts of a baseline entry; None where they are not of the right shape."""
    data = row.entry.data
    try:
        files = {file.path: file for file in map(_read_file, data["files"])}
        return Baseline(
            commit=_text(data["head"]),
            unborn=data["unborn"] is True,
            files=MappingProxyType(files),
            hiding=MappingProxyType({_text(name): _text(value) for name, value in data["hiding"].items()}),
            hidden_bits=tuple(path_of(_text(path)) for path in data["hiddenBits"]),
            late=data["late"] is not False,
            accepted=False,
            signed=row.signer in ("human", "system"),
            recorded_at=row.entry.decided_at,
            sequence=row.entry.sequence,
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _read_file(value: dict[str, Any]) -> BaselineFile:
    mode, blob = value.get("mode"), value.get("blob")
    there = bool(mode) and mode != _NO_FILE and bool(blob)
    return BaselineFile(
        path=path_of(_text(value["path"])),
        entry=TreeEntry(_text(mode), _text(blob)) if there else None,
        kept=value.get("kept") is True,
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _observed(effects: Effects, row: LoggedEntry) -> None:
    data = row.entry.data
    tree = data.get("treeDigest")
    observation = Observation(
        path=row.entry.subject.id,
        digest=row.entry.subject.digest,
        tree_digest=tree if isinstance(tree, str) else "",
        observed_at=row.entry.decided_at,
        valid=data.get("valid") is True,
        sequence=row.entry.sequence,
        data=MappingProxyType(data),
    )
    if data.get("testRun") is True:
        effects.tests.append(observation)
    elif OUTSIDE_PLAN in data:
        effects.outside.append(observation)
    else:
        effects.observations.append(observation)


def _blocked(effects: Effects, row: LoggedEntry) -> None:
    effects.blocks.append(row)


def _lifted(effects: Effects, row: LoggedEntry) -> None:
    """Lift the block whose entry the subject names by digest; all that stand where it names none."""
    named = row.entry.subject.digest
    effects.blocks = [block for block in effects.blocks if named not in ("", block.digest)]


def _attested(effects: Effects, row: LoggedEntry) -> None:
    effects.attested[row.entry.subject.id] = row


def _attestation_withdrawn(effects: Effects, row: LoggedEntry) -> None:
    effects.attested.pop(row.entry.subject.id, None)


def _answered(effects: Effects, row: LoggedEntry) -> None:
    effects.answered[row.entry.subject.id] = row


def _finalized(effects: Effects, row: LoggedEntry) -> None:
    effects.finalized = row


def _closed(effects: Effects, row: LoggedEntry) -> None:
    effects.closed = row


def _reopened(effects: Effects, row: LoggedEntry) -> None:
    del row
    effects.finalized = effects.closed = None


_EFFECTS: Mapping[tuple[str, str], Callable[[Effects, LoggedEntry], None]] = MappingProxyType({
    ("baseline", "recorded"): _baseline_recorded,
    ("baseline", "accepted"): _baseline_accepted,
    ("observation", "recorded"): _observed,
    ("block", "blocked"): _blocked,
    ("block", "lifted"): _lifted,
    ("attest", "attested"): _attested,
    ("attest", "withdrawn"): _attestation_withdrawn,
    ("escalation", "answered"): _answered,
    ("finalize", "finalized"): _finalized,
    ("finalize", "reopened"): _reopened,
    ("close", "closed"): _closed,
    ("close", "reopened"): _reopened,
})  # fmt: skip
