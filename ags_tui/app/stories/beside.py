"""Beside: real agents' clients. Their hooks are answered, their sessions shown, their rules kept.

The decision server starts when the first reading is on the screen, so that neither waits for the other.
"""

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from ags_tui.app.beside import Scout
from ags_tui.app.beside_messages import (
    AlarmRaised,
    AlarmsAsked,
    BaseFound,
    ClockTicked,
    HookAnswered,
    HookAsked,
    InputJudged,
    LineAsked,
    LineTried,
    PreviewMade,
    PreviewWanted,
    RuleDrafted,
    RulesAsked,
    RulesFound,
    RuleWanted,
    ServingBegan,
    SessionsSeen,
)
from ags_tui.app.inputs import input_shape
from ags_tui.app.messages import (
    AssessmentReady,
    DecisionDrafted,
    DecisionRecorded,
    DecisionRefused,
    ReadFailed,
)
from ags_tui.app.stories.working import WorkingStory
from ags_tui.core.hints import Hint
from ags_tui.core.session_calls import NONE_AWAY, Alarm, Away, alarms_of, away_of, past_gate
from ags_tui.core.wording import counted

if TYPE_CHECKING:
    from datetime import datetime

    from textual.screen import Screen

    from ags_tui.app.screens.decision import DecisionScreen
    from ags_tui.core.assessment import Pending
    from ags_tui.core.contracts.tool_request import ToolRequestV2
    from ags_tui.core.decisions import Draft
    from ags_tui.core.snapshot import Artifact

LOOK_AFTER = 0.2
"""Seconds after an answer at which the sessions are read; a flood of calls is read at this pace."""

LEAVING = timedelta(seconds=15)
"""How long a second ``q`` leaves while calls wait."""

MOST_ALARMS = 50
"""Most alarms of the decision server that are kept."""


@runtime_checkable
class ShowsRules(Protocol):
    """A screen that shows the rules."""

    def rules_found(self, message: RulesFound) -> None:
        """Show them."""
        ...

    def line_tried(self, message: LineTried) -> None:
        """Show what a line would get."""
        ...


@runtime_checkable
class ShowsPreview(Protocol):
    """A screen that shows what a rule would have done."""

    def preview_made(self, message: PreviewMade) -> None:
        """Show it; a late answer is dropped."""
        ...


class BesideStory(WorkingStory):
    """Starts and stops what stands beside the app, and turns what it tells into state."""

    _scout: Scout | None = None
    _began = False
    _seat_asked = False  # before the answer nobody knows who has it
    _looking = False
    _raised: tuple[Alarm, ...] = ()
    _forged: tuple[str, ...] = ()
    _away: Away = NONE_AWAY  # as the newest reading says
    _leaving: "datetime | None" = None

    def on_mount(self) -> None:
        """Take what stands beside the app, if anything does."""
        if self.outside.beside is not None:
            self._scout = Scout(self.outside.beside, self.post_message)

    def on_unmount(self) -> None:
        """Take back what waits: the hooks get no verdict and answer as ``when_absent`` says."""
        if self.outside.beside is not None:
            self.outside.beside.stop()

    def on_assessment_ready(self, message: AssessmentReady) -> None:
        """Start the decision server behind the first reading, and gather alarms."""
        self._begin_beside()
        self._look_soon()
        self._forged = message.snapshot.alarms
        self._away = away_of(message.snapshot.tasks)
        self._gather_alarms()

    def on_read_failed(self, message: ReadFailed) -> None:
        """A failed reading is no reason to leave hooks without an answer."""
        self._begin_beside()

    def _begin_beside(self) -> None:
        scout = self._scout
        if scout is not None and not self._began:
            self._began = True
            self.blocking(scout.begin, "beside")

    def _top_screen(self) -> "Screen[Any] | None":
        """Give the screen on top; None while the app ends."""
        return self.screen_stack[-1] if self.screen_stack else None

    # -- calls ---------------------------------------------------------------------------------------

    def on_serving_began(self, message: ServingBegan) -> None:
        """Say who answers the hooks."""
        self._seat_asked = True
        self._look_at_seat()

    def _look_at_seat(self) -> None:
        """Follow the seat: another TUI may have it, and leaves it to this one when it ends."""
        if self.outside.beside is None or not self._seat_asked:
            return
        serving = self.outside.beside.serving
        seat = "here" if serving else "other"
        if seat != self.state.seat:
            if serving and self.state.seat == "other":
                self.say("The other ags-tui has ended; hooks are answered here now.", "ok")
            self.change(seat=seat)

    def on_hook_asked(self, message: HookAsked) -> None:
        """Note the heartbeat of an agent."""
        self.change(heard={**self.state.heard, message.agent: message.at})
        self._look_soon()

    def on_hook_answered(self, message: HookAnswered) -> None:
        """Read what the answer left in the activity log."""
        self._look_soon()

    def _look_soon(self) -> None:
        """Read the sessions in a moment; what comes meanwhile is read with it."""
        if self._began and not self._looking:
            self._looking = True
            self.set_timer(LOOK_AFTER, self._look, name="sessions")

    def on_clock_ticked(self, message: ClockTicked) -> None:
        """Look now and then: hooks may be answered elsewhere, and the seat may have become free."""
        self._look_at_seat()
        if self._began and not self._looking:
            self._look()

    def _look(self) -> None:
        self._looking = False
        if self._scout is not None:
            self.blocking(self._scout.look, "sessions")

    def on_sessions_seen(self, message: SessionsSeen) -> None:
        """Show the sessions, where something is new."""
        if message.sessions is not self.state.sessions:
            past = past_gate(message.sessions) - past_gate(self.state.sessions)
            self.change(sessions=message.sessions)
            self._gather_alarms()
            if past:  # the gate of their tasks holds; no file of the task has changed
                tasks = frozenset(task for task, _ in past)
                self.look_again(Hint(tasks=tasks, why="a call ran past the gate"))

    # -- alarms --------------------------------------------------------------------------------------

    def on_alarm_raised(self, message: AlarmRaised) -> None:
        """Keep what the decision server has to tell."""
        self._raised = (*self._raised, Alarm(self.look.clock(), message.text))[-MOST_ALARMS:]
        self._gather_alarms()

    def _gather_alarms(self) -> None:
        """Join the alarms of the server, of the sessions and of the last reading."""
        now = self.look.clock()
        known = {alarm.text: alarm.at for alarm in self.state.alarms}
        of_reading = tuple(Alarm(known.get(text, now), text) for text in self._forged)
        found = (*of_reading, *alarms_of(self.state.sessions, now, self._away), *self._raised)
        alarms = tuple(sorted(dict.fromkeys(found), key=lambda alarm: alarm.at))
        if alarms != self.state.alarms:
            fresh = [alarm for alarm in alarms if alarm not in self.state.alarms]
            unread = self.state.alarms[len(self.state.alarms) - self.state.unread :]
            still = [alarm for alarm in unread if alarm in alarms]
            self.change(alarms=alarms, unread=len(still) + len(fresh))

    def on_alarms_asked(self, message: AlarmsAsked) -> None:
        """Show all alarms; they are read then."""
        from ags_tui.app.screens.alarms import AlarmsScreen

        self.push_screen(AlarmsScreen(self.look, self.state.alarms))
        self.change(unread=0)

    # -- rules ---------------------------------------------------------------------------------------

    def on_rules_asked(self, message: RulesAsked) -> None:
        """Read the rules and show them."""
        if self._scout is None:
            self.say("The rules are not at hand here.", "warn")
            return
        self.blocking(self._scout.rules, "rules")

    def on_rules_found(self, message: RulesFound) -> None:
        """Show the rules on the screen that shows them, or open it."""
        from ags_tui.app.screens.rules import RulesScreen

        for screen in self.screen_stack:
            if isinstance(screen, ShowsRules):
                screen.rules_found(message)
                return
        if self._top_screen() is self.main_screen:
            self.push_screen(RulesScreen(self.look, message.rules))

    def on_line_asked(self, message: LineAsked) -> None:
        """Try a line."""
        scout = self._scout
        if scout is not None:
            self.blocking(lambda: scout.try_line(message.line), "try-line")

    def on_line_tried(self, message: LineTried) -> None:
        """Show what a line would get."""
        for screen in self.screen_stack:
            if isinstance(screen, ShowsRules):
                screen.line_tried(message)

    def on_decision_screen_rule_wanted(self, message: "DecisionScreen.RuleWanted") -> None:
        """Look up the call behind a request of a decision screen."""
        self.post_message(RuleWanted(message.pending))

    def on_rule_wanted(self, message: RuleWanted) -> None:
        """Look up the call behind a request."""
        scout = self._scout
        if scout is None:
            self._refuse_rule("No hook was asked about this here.")
            return
        self.blocking(lambda: scout.base(message.pending), "base")

    def _refuse_rule(self, text: str) -> None:
        """Say on the screen that asked why no rule can be made."""
        say = getattr(self._top_screen(), "say", None)
        (say or self.say)(text)

    def on_base_found(self, message: BaseFound) -> None:
        """Open the screen that makes a rule, over the decision screen that asked for it."""
        from ags_tui.app.screens.decision import DecisionScreen
        from ags_tui.app.screens.remember import RememberScreen

        screen = self._top_screen()
        if not isinstance(screen, DecisionScreen) or screen.exhibit.shown.item_id != message.pending.item_id:
            return
        base = message.base
        if base is None or not base.targets:
            self._refuse_rule(
                "No call of a hook is known behind this request, so no rule can be made of it."
                if base is None
                else "This call would not ask any more: policy has changed meanwhile."
            )
            return
        key = "" if self.outside.beside is None else self.outside.beside.key

        def remembered(draft: "Draft | None") -> None:
            if draft is not None:  # the rule decides the call; what waits is settled by it
                screen.recording = True
                screen.dismiss(draft)

        self.push_screen(RememberScreen(base, self.look, key=key, tty=self.look.tty), remembered)

    def on_preview_wanted(self, message: PreviewWanted) -> None:
        """Hold a rule against the past."""
        scout = self._scout
        if scout is not None:
            self.blocking(lambda: scout.preview(message.base, message.rule), "preview")

    def on_preview_made(self, message: PreviewMade) -> None:
        """Show what a rule would have done."""
        screen = self._top_screen()
        if isinstance(screen, ShowsPreview):
            screen.preview_made(message)

    def on_rule_drafted(self, message: RuleDrafted) -> None:
        """Record a decision about rules or trust."""
        self.post_message(DecisionDrafted(message.draft))

    def on_decision_recorded(self, message: DecisionRecorded) -> None:
        """Show the rules again where one was made, revoked or trusted."""
        if message.draft.kind in ("rule", "trust"):
            self._renew_rules()

    def on_decision_refused(self, message: DecisionRefused) -> None:
        """Show the rules as they are."""
        if message.draft.kind in ("rule", "trust"):
            self._renew_rules()

    def _renew_rules(self) -> None:
        if any(isinstance(screen, ShowsRules) for screen in self.screen_stack):
            self.post_message(RulesAsked())

    # -- another input -------------------------------------------------------------------------------

    def edit_input(self, item: "Pending", artifact: "Artifact") -> bool:
        """Let the human change what a call of a client would run, where that client obeys."""
        from ags_tui.app.screens.decision import DecisionScreen

        beside, screen, document = self.outside.beside, self._top_screen(), artifact.document
        if beside is None or not isinstance(screen, DecisionScreen):
            return False
        shape = input_shape(item, document, self.state.tasks.get(item.task_id), beside.obeys)
        if isinstance(shape, str):
            screen.say(shape)
            return False
        self._edit(screen, cast("ToolRequestV2", document), *shape)
        return True

    def _edit(self, screen: "DecisionScreen", document: "ToolRequestV2", name: str, text: str) -> None:
        """Give the terminal to the editor, and hold what was saved against policy."""
        from ags_tui.app import editor
        from ags_tui.core.effective import effective_of

        item, scout = screen.exhibit.shown, self._scout
        held = screen.exhibit.effective
        try:
            with self.suspend():
                written = editor.edit_text(
                    name, text if held is None else held.text, self.outside.environment
                )
            before = (screen.exhibit.before() or b"").decode("utf-8")
            blob = str(item.facts.get("effectiveBlob", ""))
            effective = effective_of(document, written, before=before, blob=blob)
        except (editor.NoEditor, ValueError) as error:
            screen.say(f"Not taken: {error}.")
            return
        if effective is None or scout is None:
            screen.exhibit.amend(None)
            screen.say("Nothing was changed: what was asked for is what would run.")
            return
        self.blocking(lambda: scout.judge_input(item, effective), "judge-input")

    def on_input_judged(self, message: InputJudged) -> None:
        """Show what the human wrote beside what was asked for; policy may refuse it."""
        from ags_tui.app.screens.decision import DecisionScreen

        screen, item = self._top_screen(), message.pending
        if not isinstance(screen, DecisionScreen) or screen.exhibit.shown.digest != item.digest:
            return
        if message.refusal:
            screen.say(f"Not taken: {message.refusal}")
        else:
            screen.exhibit.amend(message.effective)

    # -- leaving -------------------------------------------------------------------------------------

    def may_leave(self) -> bool:
        """Whether ``q`` may leave now; where calls wait it says so first, and the next ``q`` may."""
        beside = self.outside.beside
        waiting = 0 if beside is None else beside.waiting
        now = self.look.clock()
        if not waiting or beside is None or (self._leaving is not None and now - self._leaving < LEAVING):
            return True
        self._leaving = now
        verb = "waits" if waiting == 1 else "wait"
        self.say(
            f"{counted(waiting, 'call')} {verb}; leaving answers them as when_absent: "
            f"{beside.when_absent}. q again to leave",
            "warn",
        )
        return False
