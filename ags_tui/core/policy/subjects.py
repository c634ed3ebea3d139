"""What of a call is judged by itself: a command, a redirection, a path; and what the built-ins say of it."""

from ags_tui.core.light import TYPE_CHECKING
from ags_tui.core.policy.model import RISKS, Decision, Risk
from ags_tui.core.policy.paths import Access, Facts
from ags_tui.core.records import Record

if TYPE_CHECKING:
    from ags_tui.core.shell.model import SimpleCommand


class Step:
    """The order of precedence of ``formats.md`` §6; the lower one is looked at first."""

    DENY = 1
    """A denial, built in or of a file."""
    ALWAYS_ASK = 2
    """A built-in question that no rule answers."""
    ASK_RULE = 3
    """An ``ask`` rule of a file, or a file that is broken."""
    ALLOW_RULE = 4
    """A remembered rule, or an ``allow`` of a file that counts."""
    BUILT_IN = 5
    """What is built in for the rest."""
    NOTHING = 6
    """Nothing speaks of it: ask."""


class Ruling(Record):
    """What one subject got."""

    step: int
    """Where in the order it was decided."""
    decision: Decision
    """What it got."""
    reason: str
    """Why, in one sentence."""
    source: str = "built-in"
    """``built-in``, ``repository``, ``user``, ``remembered``, ``plan``."""
    rule_id: str = ""
    """Id of the rule or built-in."""


class Subject(Record):
    """One thing to judge."""

    what: str
    """As shown. Raw text."""
    ruling: Ruling
    """What the built-ins say."""
    risk: Risk = "medium"
    """Risk of its kind."""
    command: "SimpleCommand | None" = None
    """The command, where it is one."""
    number: int = -1
    """Index of that command in its line."""
    access: Access | None = None
    """What is done to the path, where it is one."""
    facts: tuple[Facts, ...] = ()
    """The path, from every folder it may count from."""
    arguments: tuple[tuple[Access, Facts], ...] = ()
    """Paths among the arguments of a command."""

    @property
    def name(self) -> str:
        """How a sentence names it: a path from the top of the work tree where it lies in it. Raw text."""
        if self.command is not None or not self.facts:
            return self.what
        return self.facts[0].inside or self.facts[0].given


def highest(*risks: Risk) -> Risk:
    """The highest of some risks."""
    return RISKS[max(RISKS.index(risk) for risk in risks)]


def deny(reason: str, rule_id: str, source: str = "built-in") -> Ruling:
    """A denial."""
    return Ruling(Step.DENY, "deny", reason, source, rule_id)


def built_in(decision: Decision, reason: str, rule_id: str, source: str = "built-in") -> Ruling:
    """What is built in where no rule speaks."""
    return Ruling(Step.BUILT_IN, decision, reason, source, rule_id)
