"""Why a key is off right now, in one sentence that names the next step."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ags_tui.app.keys import BY_ID, DECIDE


@dataclass(frozen=True, slots=True)
class Facts:
    """What decides whether a key can do its work now; made by the main screen."""

    recording: bool = False
    """A decision is being written."""
    tasks: int = 0
    """Number of tasks."""
    task: bool = False
    """A task is selected (itself, or through one of its requests)."""
    frozen: bool = False
    """The selected task is finalized or closed."""
    blocked: bool = False
    """A human block holds the selected task."""
    item: str = ""
    """Kind of the selected inbox item (``tool-request``, ``escalation`` …); empty for none."""
    passed: str = ""
    """``expired`` or ``withdrawn`` where the selected item can only be dismissed."""
    past_gate: bool = False
    """A call past the gate is meant that nobody has put away."""
    malformed: str = ""
    """Why the selected request can only be denied."""
    prose: bool = False
    """The task has sentences to attest."""
    attest_due: bool = False
    """All that holds the task are sentences that a human has to attest."""
    tests: bool = False
    """The plan of the selected task names test commands."""
    path: bool = False
    """A changed path is selected."""
    diff: bool = False
    """A diff is shown."""
    readable: bool = False
    """There is a file, request or contract to open in an editor."""
    search: bool = False
    """Something was searched for."""
    waiting: bool = False
    """Something waits for the human, in whichever task."""
    alarms: bool = False
    """There is an alarm."""
    promotion: str = ""
    """Why the selected task cannot be made a planned one; empty where it can."""
    beside: bool = False
    """Agents' clients are served beside the app."""
    openable: bool = False
    """The selected row opens into a screen of its own."""


_NOTHING_WAITS = "No request waits here; 1 goes to the inbox."


def why_off(key_id: str, facts: Facts) -> str:
    """Say why a key can do nothing right now.

    Args:
        key_id: Id in the registry.
        facts: What holds now.

    Returns:
        One sentence that names the next step; empty where the key works.
    """
    if facts.recording and BY_ID[key_id].group == DECIDE:
        return "A decision is being recorded; one moment."
    rule = _RULES.get(key_id)
    return "" if rule is None else rule(facts)


def _approve(facts: Facts) -> str:
    if facts.passed:
        return f"This request is {facts.passed}; x puts it away, the agent has to ask again."
    if facts.malformed:
        return f"This request can only be denied: {facts.malformed}."
    return {
        "": _NOTHING_WAITS,
        "escalation": "An escalation is answered, not approved: r.",
        "finalization": "Finalization has a screen of its own: F.",
    }.get(facts.item, "")


def _deny(facts: Facts) -> str:
    if facts.passed:
        return f"This request is {facts.passed}; x puts it away."
    return {
        "": _NOTHING_WAITS,
        "escalation": "An escalation is answered, not denied: r.",
        "finalization": "To hold a finalization, block it: b.",
        "baseline": "A baseline is accepted (a) or left as it is; b blocks the task.",
    }.get(facts.item, "")


def _task(facts: Facts) -> str:
    if not facts.task:
        return "Select a task first." if facts.tasks else "There is no task yet: N makes one."
    return "This task is finalized or closed." if facts.frozen else ""


def _lift(facts: Facts) -> str:
    return _task(facts) or ("" if facts.blocked else "No block holds this task.")


def _attest(facts: Facts) -> str:
    return _task(facts) or ("" if facts.prose else "This task has no sentence to attest.")


def _tests(facts: Facts) -> str:
    return _task(facts) or ("" if facts.tests else "The plan of this task names no test command.")


def _answer(facts: Facts) -> str:
    if facts.passed:
        return f"This escalation is {facts.passed}; x puts it away."
    return "" if facts.item == "escalation" else "No escalation waits here; 1 goes to the inbox."


def _dismiss(facts: Facts) -> str:
    if facts.passed or facts.past_gate:
        return ""
    return "Only expired or withdrawn requests and calls past the gate can be put away."


def _searching(facts: Facts) -> str:
    if facts.search or facts.waiting:
        return ""
    return "Nothing was searched for yet: / searches. Nothing needs you."


def _diff(facts: Facts) -> str:
    return "" if facts.diff else "No diff is shown."


_RULES: Mapping[str, Callable[[Facts], str]] = MappingProxyType(
    {
        "approve": _approve,
        "deny": _deny,
        "answer": _answer,
        "attest": _attest,
        "block": _task,
        "lift": _lift,
        "finalize": _task,
        "close": lambda facts: "" if facts.task else _task(facts),
        "dismiss": _dismiss,
        "promote": lambda facts: facts.promotion,
        "tests": _tests,
        "search-next": _searching,
        "open": lambda facts: "" if facts.openable else "There is nothing to open here.",
        "edit": lambda facts: "" if facts.readable else "There is nothing to open in an editor.",
        "copy": lambda facts: "" if facts.readable or facts.path else "There is nothing to copy.",
        "reviewed": lambda facts: "" if facts.path else "Select a changed file first: 4 shows them.",
        "rules": lambda facts: "" if facts.beside else "The rules are not at hand here.",
        "alarms": lambda facts: "" if facts.alarms else "There is no alarm.",
        "wrap": _diff,
        "next-hunk": _diff,
        "previous-hunk": _diff,
        "next-file": lambda facts: "" if facts.path else "No changed file is selected.",
        "previous-file": lambda facts: "" if facts.path else "No changed file is selected.",
        "demo": lambda facts: "The demo starts only where there is no task." if facts.tasks else "",
    }
)
