"""Remembered rules as JSON data: what the log of a work tree holds, and what a hook keeps of it."""

from ags_tui.core.light import UTC, Any, cast, datetime
from ags_tui.core.policy.calls import RememberedRule
from ags_tui.core.policy.model import DECISIONS, RISKS, TOOLS, Rule


def rule_document(rule: RememberedRule) -> dict[str, Any]:
    """Write a rule as JSON data.

    Args:
        rule: The rule.
    """
    own = rule.rule
    return {
        "id": own.rule_id,
        "decision": own.decision,
        "tool": own.tool,
        "command": own.command,
        "paths": None if own.paths is None else list(own.paths),
        "riskAtMost": own.risk_at_most,
        "reason": own.reason,
        "madeAt": _moment(rule.made_at),
        "expires": _moment(rule.expires),
        "cwd": rule.cwd,
        "agent": rule.agent,
    }


def rule_from(document: object) -> RememberedRule | None:
    """Read a rule back; None where the data has another shape: such a rule covers nothing.

    Args:
        document: JSON data.
    """
    if not isinstance(document, dict):
        return None
    row = cast("dict[str, Any]", document)
    try:
        decision, tool, risk = row["decision"], row["tool"], row["riskAtMost"]
        if decision not in DECISIONS or tool not in TOOLS or not (risk is None or risk in RISKS):
            return None
        paths = row["paths"]
        rule = Rule(
            rule_id=_text(row["id"]),
            decision=decision,
            tool=tool,
            command=_maybe(row["command"]),
            paths=None if paths is None else tuple(_text(path) for path in cast("list[object]", paths)),
            risk_at_most=risk,
            reason=_text(row["reason"]),
        )
        made, expires = datetime.fromisoformat(row["madeAt"]), datetime.fromisoformat(row["expires"])
        if made.tzinfo is None or expires.tzinfo is None:
            return None
        return RememberedRule(rule, made, expires, cwd=_maybe(row["cwd"]), agent=_maybe(row["agent"]))
    except (KeyError, TypeError, ValueError):
        return None


def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _maybe(value: object) -> str | None:
    return None if value is None else _text(value)
