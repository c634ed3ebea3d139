"""Answers an event while nobody is at the TUI: what policy decides holds, what needs a human is refused.

The same judge as with a TUI. Only what cannot be done without contracts and logs imports them.
"""

from ags_tui.agents.events import Answer, HookEvent, block, silent
from ags_tui.agents.judge import Judge, Question, TurnEnd
from ags_tui.io.activity import tale
from ags_tui.io.sessions import read_session


def answer_alone(judge: Judge, event: HookEvent, task: str) -> Answer:
    """Answer an event.

    Args:
        judge: Of the work tree.
        event: The event.
        task: ``AGS_TASK`` of the client; empty where it is not set.

    Raises:
        AgsError: It cannot be judged: to be denied.
    """
    outcome = judge.judge(event, task=task)
    if isinstance(outcome, Question):
        return judge.absent(outcome)
    if isinstance(outcome, TurnEnd):
        return _turn_end(judge, outcome)
    if event.event in ("after-tool", "after-batch"):
        _take_back(judge, event)
    elif event.event == "session-end":
        settle_end(judge, event)
    return outcome


def settle_end(judge: Judge, event: HookEvent) -> None:
    """Hold the transcript of a session that is over against what was said.

    Args:
        judge: Of the work tree.
        event: Its end.
    """
    from ags_tui.agents.reconcile import settle

    known = read_session(judge.tree, event.session_id)
    if known is not None:
        settle(judge.places, judge.aftermath, known, event.transcript_path)


def _turn_end(judge: Judge, end: TurnEnd) -> Answer:
    """Send the agent back a few times; nobody is there to hold the turn after that."""
    from ags_tui.agents.queue import Queue
    from ags_tui.agents.reconcile import settle
    from ags_tui.agents.stop_gate import StopGate

    settle(judge.places, judge.aftermath, end.session, end.event.transcript_path)
    gate = StopGate(judge, Queue(judge))
    ruling = gate.judge(end.event, end.session)
    if not ruling.holds:
        return silent()
    if ruling.for_human:
        gate.give_up(end.event, end.session, "it was sent back often enough, and nobody is at ags-tui")
        return silent()
    return block(ruling.reason)


def _take_back(judge: Judge, event: HookEvent) -> None:
    """Take back what a killed hook left open for calls that are over."""
    for call_id in filter(None, event.call_ids):
        verdict = tale(judge.places, event.session_id, call_id).verdict
        if verdict is None or not verdict.request or verdict.decision not in ("ask", "defer"):
            continue
        from ags_tui.agents.queue import Queue

        left = tuple(verdict.request.split())
        Queue(judge).withdraw_left_behind(verdict.task, left, "the call is over")
