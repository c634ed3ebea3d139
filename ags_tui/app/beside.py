"""Blocking work for what stands beside the app, in worker threads. Each call ends in a message."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from textual.message import Message

from ags_tui.app.beside_messages import (
    AlarmRaised,
    BaseFound,
    HookAnswered,
    HookAsked,
    InputJudged,
    LineTried,
    PreviewMade,
    RulesFound,
    ServingBegan,
    SessionsSeen,
)
from ags_tui.app.messages import Said
from ags_tui.core.failures import AgsError

if TYPE_CHECKING:
    from ags_tui.app.ports import Beside
    from ags_tui.core.assessment import Pending
    from ags_tui.core.effective import Effective
    from ags_tui.core.policy.calls import RememberedRule
    from ags_tui.core.rule_making import Base


HEARD_AGAIN = timedelta(seconds=0.5)
"""How long further calls of an agent are no news; the activity log brings each of them."""


class Listener:
    """Hears the decision server, in its thread, and posts; a flood of answers is one message."""

    def __init__(self, post: Callable[[Message], object]) -> None:
        """Take what takes the messages, from any thread."""
        self._post = post
        self._told = False
        self._heard: dict[str, datetime] = {}

    def asked(self, agent: str, at: "datetime") -> None:
        """A hook has asked; an agent that asks all the time is heard now and then."""
        before = self._heard.get(agent)
        if before is None or not before <= at < before + HEARD_AGAIN:
            self._heard[agent] = at
            self._post(HookAsked(agent, at))

    def answered(self) -> None:
        """A hook has its answer; told once until somebody looks."""
        if not self._told:
            self._told = True
            self._post(HookAnswered())

    def looked(self) -> None:
        """Somebody looks now: what comes from here on is told again."""
        self._told = False

    def alarm(self, text: str) -> None:
        """The human should know something."""
        self._post(AlarmRaised(text))


class Scout:
    """Does what blocks; failures become sentences."""

    def __init__(self, beside: "Beside", post: Callable[[Message], object]) -> None:
        """Take what does the work and what takes the messages.

        Args:
            beside: Sessions and rules.
            post: Takes messages from any thread.
        """
        self.beside = beside
        self.post = post
        self.listener = Listener(post)

    def begin(self) -> None:
        """Start to answer hooks."""
        try:
            self.beside.start(self.listener)
        except Exception as error:  # noqa: BLE001 (without hooks the app still shows and decides)
            self.post(AlarmRaised(f"hooks are not answered here: {type(error).__name__}: {error}"))
        else:
            self.post(ServingBegan())
        self.look()

    def look(self) -> None:
        """Read the sessions."""
        self.listener.looked()
        try:
            self.post(SessionsSeen(self.beside.sessions()))
        except (AgsError, OSError) as error:
            self.post(Said(f"the sessions cannot be read: {error}", "warn"))

    def rules(self) -> None:
        """Read the rules."""
        try:
            self.post(RulesFound(self.beside.rules()))
        except (AgsError, OSError) as error:
            self.post(Said(f"the rules cannot be read: {error}", "error"))

    def try_line(self, line: str) -> None:
        """Say what a line would get."""
        try:
            self.post(LineTried(line, self.beside.try_line(line)))
        except (AgsError, OSError) as error:
            self.post(Said(f"the line cannot be tried: {error}", "error"))

    def base(self, pending: "Pending") -> None:
        """Look up the call behind a request."""
        try:
            self.post(BaseFound(pending, self.beside.base(pending.task_id, pending.item_id)))
        except (AgsError, OSError) as error:
            self.post(Said(f"the call cannot be looked up: {error}", "error"))

    def judge_input(self, pending: "Pending", effective: "Effective") -> None:
        """Hold what a human wrote against policy: what is denied to everybody is not approved either."""
        refusal = ""
        try:
            if not effective.path:
                verdict = self.beside.try_line(effective.text)
                refusal = verdict.reason if verdict.decision == "deny" else ""
        except (AgsError, OSError) as error:
            refusal = f"what you wrote cannot be judged: {error}"
        self.post(InputJudged(pending, effective, refusal))

    def preview(self, base: "Base", rule: "RememberedRule") -> None:
        """Hold a rule against the past."""
        try:
            self.post(PreviewMade(rule, self.beside.preview(base, rule)))
        except (AgsError, OSError) as error:
            self.post(PreviewMade(rule, None, str(error)))
