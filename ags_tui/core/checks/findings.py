"""What a check says: findings with stable codes, and the four outcomes."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a finding weighs."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Basis(StrEnum):
    """What a statement rests on."""

    OBSERVED = "observed"
    """Seen by this program on disk, in git or in a run of its own."""
    DECLARED = "declared"
    """Said by an agent in a contract."""
    HUMAN = "human"
    """Decided or attested by a human."""


class Outcome(StrEnum):
    """The result of a check; unknown outranks passed, never the other way."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "not-applicable"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a check has to say."""

    code: str
    """Stable upper-case code of ``formats.md`` §3."""
    message: str
    """A short sentence that names what is wrong and the next step."""
    severity: Severity = Severity.ERROR
    """Weight."""
    artifact: str = ""
    """File it is about, relative to the task folder; empty where none."""
    field: str = ""
    """Field path inside the artifact, such as ``filesToEdit.2``."""
    path: str | None = None
    """Path in the work tree it is about."""
    next_action: str = ""
    """``retry``, ``human``, ``planner``, ``stop`` or empty."""
    basis: Basis = Basis.OBSERVED
    """What it rests on."""
    unknown: bool = False
    """True where the check could not decide: the outcome is unknown, not failed."""


def outcome_of(findings: Iterable[Finding]) -> Outcome:
    """Fold findings into one outcome: failed over unknown over passed.

    Warnings and infos never fail; a finding marked ``unknown`` makes the outcome unknown.
    """
    unknown = False
    for finding in findings:
        if finding.severity is Severity.ERROR and not finding.unknown:
            return Outcome.FAILED
        unknown = unknown or finding.unknown
    return Outcome.UNKNOWN if unknown else Outcome.PASSED


def join_outcomes(outcomes: Iterable[Outcome]) -> Outcome:
    """Join outcomes of parts: failed, then unknown, then passed; all not-applicable stays so."""
    seen = set(outcomes)
    for outcome in (Outcome.FAILED, Outcome.UNKNOWN, Outcome.PASSED):
        if outcome in seen:
            return outcome
    return Outcome.NOT_APPLICABLE
