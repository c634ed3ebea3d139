"""Calls that want to leave the sandbox of their client: our word would answer its own question about that."""

from ags_tui.agents.events import HookEvent
from ags_tui.core.policy.calls import Verdict
from ags_tui.core.records import replace

FIELDS = ("dangerouslyDisableSandbox", "with_escalated_permissions", "sandbox_permissions")
"""Fields of a call's input that say so; ``use_default`` and what is empty or false says nothing."""

_SAYS_NOTHING = (None, False, "", "use_default")


def boxed(verdict: Verdict, event: HookEvent) -> Verdict:
    """Let no rule and no list of commands allow such a call: neither speaks of the sandbox.

    Args:
        verdict: What policy says.
        event: The event, about one call.
    """
    if verdict.decision != "allow" or all(event.input.get(name) in _SAYS_NOTHING for name in FIELDS):
        return verdict
    from ags_tui.core.policy.decide import NEEDS, NEXT  # rare

    reason = f"{NEEDS}it asks to run outside of the sandbox of its client{NEXT}"
    return replace(verdict, decision="ask", reason=reason, source="built-in", rule_id="unboxed", risk="high")
