"""Who must act next on an open condition of the gate: one answer for the screen and for the commands."""

from ags_tui.core.assessment import Condition, SharedStep
from ags_tui.core.checks.findings import Basis, Outcome, Severity

YOU, AGENTS, LATER = "you", "agents", "later"
"""Who must act: the human, the agents, or nobody before the rest of the task holds."""


def who_acts(condition: Condition) -> str:
    """Say who must act next on an open condition.

    Args:
        condition: The condition.

    Returns:
        ``you`` where a human has something to decide, else ``agents``, or ``later`` where it is asked once
        the other conditions hold; empty where the condition holds nothing.
    """
    if condition.outcome not in (Outcome.FAILED, Outcome.UNKNOWN):
        return ""
    if condition.for_human:
        return YOU
    held = [one for one in condition.findings if one.unknown or one.severity is Severity.ERROR]
    if not held:
        return YOU if condition.basis is Basis.HUMAN else AGENTS
    if condition.name == "evidence":  # a sentence that is computed waits for what is not there yet
        return YOU if any(one.basis is Basis.HUMAN for one in held) else AGENTS
    if any(one.next_action in ("human", "stop") for one in held):
        return YOU
    later = {path for one in condition.shared if one.step is SharedStep.LATER for path in one.paths}
    return LATER if later and all(one.path in later for one in held) else AGENTS
