"""The strict shape of ``policy.toml`` (``formats.md`` §6): rules, limits, and what is wrong with a file."""

from ags_tui.core.light import Literal, datetime
from ags_tui.core.records import Record

Decision = Literal["allow", "ask", "deny"]
"""What a rule says."""

Risk = Literal["low", "medium", "high", "critical"]
"""Risk in policy files."""

WhenAbsent = Literal["deny", "defer"]
"""What a hook answers while nobody is there."""

DECISIONS: tuple[Decision, ...] = ("allow", "ask", "deny")
"""All decisions."""

RISKS: tuple[Risk, ...] = ("low", "medium", "high", "critical")
"""All risks, rising."""

TOOLS = ("read_file", "edit_file", "run_tests", "shell", "external_api", "*")
"""Contract tool names that a rule may name; ``*`` stands for every tool."""

LONGEST_TIMEOUT_S = 7 * 24 * 3600
"""Upper bound of a request's life, seconds."""

LARGEST_FILE = 1024 * 1024
"""Bytes; a larger policy file is refused."""

MOST_ATTEMPTS = 10
"""Upper bound of ``max_schema_attempts``."""


class PolicyProblem(Record):
    """One thing that is wrong with a policy file."""

    message: str
    """What is wrong and what is expected instead. Holds raw text of the file."""
    line: int | None = None
    """Line, counted from 1, where known."""
    field: str = ""
    """Key path such as ``rule.2.paths``; empty where the whole file is meant."""


class Rule(Record):
    """One ``[[rule]]``: what it covers and what it says."""

    rule_id: str
    """Its id, unique in its file."""
    decision: Decision
    """What it says."""
    tool: str
    """Contract tool name, or ``*``."""
    command: str | None = None
    """Words a simple command must have, ``*`` = the rest; None = every command."""
    paths: tuple[str, ...] | None = None
    """Patterns for paths; None = every path."""
    risk_at_most: Risk | None = None
    """Covers requests up to this risk; None = every risk."""
    reason: str = ""
    """Shown beside the verdict."""
    match: tuple[str, ...] = ()
    """Self-tests: lines (or paths) that the rule must cover."""
    not_match: tuple[str, ...] = ()
    """Self-tests: lines (or paths) that it must not cover."""
    expires: datetime | None = None
    """When it ends (UTC); None = never."""
    line: int | None = None
    """Line of its header in the file."""


class Limits(Record):
    """The ``[limits]`` table; None = the file does not say."""

    request_timeout_s: int | None = None
    """Life of a request, seconds."""
    when_absent: WhenAbsent | None = None
    """What a hook answers while nobody is there."""
    max_schema_attempts: int | None = None
    """Distinct invalid versions of one file before the task stops."""


class PolicyFile(Record):
    """One policy file, parsed.

    While ``problems`` is not empty only ``denies`` may be used and everything else asks.
    """

    digest: str
    """``sha256:`` and hex of its raw bytes."""
    rules: tuple[Rule, ...] = ()
    """Rules without a problem of their own, in order."""
    limits: Limits = Limits()
    """Its limits; of a broken file only those that could be read."""
    problems: tuple[PolicyProblem, ...] = ()
    """All that is wrong with it, by line."""

    @property
    def denies(self) -> tuple[Rule, ...]:
        """The rules that hold even while the file is broken."""
        return tuple(rule for rule in self.rules if rule.decision == "deny")


class EffectiveLimits(Record):
    """Limits in force after user and repository have spoken."""

    request_timeout_s: int = 3600
    """Life of a request, seconds."""
    when_absent: WhenAbsent = "deny"
    """What a hook answers while nobody is there."""
    max_schema_attempts: int = 2
    """Distinct invalid versions of one file before the task stops."""


def combine_limits(user: Limits | None, repository: Limits | None) -> EffectiveLimits:
    """Join the limits of both files: the user decides, the repository can only tighten.

    Args:
        user: limits of the user's file, None where there is none or it cannot be read.
        repository: limits of the repository's file, None likewise.
    """
    user = user or Limits()
    repository = repository or Limits()
    default = EffectiveLimits()
    timeout = default.request_timeout_s if user.request_timeout_s is None else user.request_timeout_s
    attempts = default.max_schema_attempts if user.max_schema_attempts is None else user.max_schema_attempts
    absent = user.when_absent or default.when_absent
    return EffectiveLimits(
        request_timeout_s=min(timeout, repository.request_timeout_s or timeout),
        when_absent="deny" if repository.when_absent == "deny" else absent,
        max_schema_attempts=min(attempts, repository.max_schema_attempts or attempts),
    )
