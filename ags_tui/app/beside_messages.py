"""What is told of agents' clients beside the app: calls, alarms, sessions and rules."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from datetime import datetime

    from ags_tui.core.assessment import Pending
    from ags_tui.core.decisions import Draft
    from ags_tui.core.effective import Effective
    from ags_tui.core.policy.calls import RememberedRule, Verdict
    from ags_tui.core.promotion import Promotion
    from ags_tui.core.rule_making import Base, Preview
    from ags_tui.core.rules_read import RulesRead
    from ags_tui.core.session_calls import SessionSeen


@dataclass(eq=False)
class ClockTicked(Message):
    """The clock of the ages went on; whoever looks now and then looks now."""

    def can_replace(self, message: Message) -> bool:
        """Two ticks in a row are one."""
        return isinstance(message, ClockTicked)


@dataclass(eq=False)
class ServingBegan(Message):
    """The decision server was started; hooks reach it where no other TUI has the seat."""


@dataclass(eq=False)
class HookAsked(Message):
    """A client's hook has asked."""

    agent: str
    """Which client."""
    at: "datetime"
    """When, UTC."""


@dataclass(eq=False)
class HookAnswered(Message):
    """A hook has its answer, and the activity log a line more."""

    def can_replace(self, message: Message) -> bool:
        """One look at the log finds all lines."""
        return isinstance(message, HookAnswered)


@dataclass(eq=False)
class AlarmRaised(Message):
    """The decision server has something to tell."""

    text: str
    """One sentence; foreign text."""


@dataclass(eq=False)
class AlarmsAsked(Message):
    """The human wants to read the alarms."""


@dataclass(eq=False)
class SessionPromoted(Message):
    """The form that makes a session a planned task was filled in and valid."""

    promotion: "Promotion"
    """Task and plan to write."""


@dataclass(eq=False)
class SessionsSeen(Message):
    """The sessions of the work tree were read."""

    sessions: "tuple[SessionSeen, ...]"
    """The one that did something last first."""

    def can_replace(self, message: Message) -> bool:
        """A newer reading makes an older one useless."""
        return isinstance(message, SessionsSeen)


@dataclass(eq=False)
class RulesAsked(Message):
    """The human wants to see the rules, or they have changed while a screen shows them."""


@dataclass(eq=False)
class RulesFound(Message):
    """The rules were read."""

    rules: "RulesRead"
    """All of them."""


@dataclass(eq=False)
class LineAsked(Message):
    """The human wants to know what a shell line would get."""

    line: str
    """As typed."""


@dataclass(eq=False)
class LineTried(Message):
    """What a shell line would get."""

    line: str
    """As typed."""
    verdict: "Verdict"
    """What policy says."""


@dataclass(eq=False)
class RuleWanted(Message):
    """The human wants to make a rule of the call behind a request."""

    pending: "Pending"
    """The request."""


@dataclass(eq=False)
class BaseFound(Message):
    """The call behind a request was looked up."""

    pending: "Pending"
    """The request."""
    base: "Base | None"
    """The call; None where it is not known here."""


@dataclass(eq=False)
class InputJudged(Message):
    """What a human wrote in place of an agent's input was held against policy."""

    pending: "Pending"
    """The request."""
    effective: "Effective"
    """What is to run instead."""
    refusal: str = ""
    """Why it must not; empty where it may. Foreign text."""


@dataclass(eq=False)
class PreviewWanted(Message):
    """A rule is to be held against the past."""

    base: "Base"
    """The call that it is made from."""
    rule: "RememberedRule"
    """The rule."""

    def can_replace(self, message: Message) -> bool:
        """Only the last wanted preview is made."""
        return isinstance(message, PreviewWanted)


@dataclass(eq=False)
class PreviewMade(Message):
    """What a rule would have done."""

    rule: "RememberedRule"
    """The rule of the wish, to know a late answer."""
    preview: "Preview | None"
    """What was found; None where it could not be made."""
    problem: str = ""
    """Why not; foreign text."""


@dataclass(eq=False)
class RuleDrafted(Message):
    """A screen of the rules returned what the human decided."""

    draft: "Draft"
    """To be recorded in the log of the work tree."""
