"""All rules for tool calls in one work tree, as read for the human: both files, and what was remembered."""

from dataclasses import dataclass
from datetime import datetime

from ags_tui.core.policy.calls import RememberedRule
from ags_tui.core.policy.model import PolicyFile, PolicyProblem, Rule


@dataclass(frozen=True, slots=True, eq=False)
class RulesRead:
    """The rules of a work tree."""

    key: str
    """``DEV-INO`` of the work tree: names its log."""
    user: PolicyFile | None = None
    """The user's file; None where there is none."""
    user_path: str = ""
    """Where it is looked for."""
    repository: PolicyFile | None = None
    """The repository's file; None where there is none."""
    repository_path: str = ""
    """Where it is looked for."""
    repository_text: bytes = b""
    """Its bytes, those of ``repository.digest``."""
    trusted: bool = False
    """A human trusts exactly these bytes."""
    remembered: tuple[RememberedRule, ...] = ()
    """Rules that were remembered and have not ended, oldest first."""
    failing: tuple[tuple[str, PolicyProblem], ...] = ()
    """Self-tests that fail, each with ``user`` or ``repository``."""
    trouble: str = ""
    """Why nothing that was remembered or trusted counts; empty where it does."""

    def file(self, source: str) -> PolicyFile | None:
        """One of the two files; None where there is none.

        Args:
            source: ``user`` or ``repository``.
        """
        return self.user if source == "user" else self.repository


def silence(rules: RulesRead, source: str, rule: Rule, now: datetime) -> str:
    """Why a rule of a file does not count; empty where it does.

    Args:
        rules: All rules.
        source: ``user`` or ``repository``.
        rule: A rule of that file.
        now: The wall clock, UTC.
    """
    if rule.expires is not None and rule.expires <= now:
        return "ended"
    if rule.decision == "deny":
        return ""
    file = rules.file(source)
    if file is not None and file.problems:
        return "its file is broken"
    if rule.decision != "allow":
        return ""
    if any(one == source for one, _ in rules.failing):
        return "a self-test of its file fails"
    return "" if source == "user" or rules.trusted else "its file is not trusted"
