"""Policy files as JSON data: what is kept of one that was parsed, so that a hook need not parse TOML."""

from ags_tui.core.light import Any, cast, datetime
from ags_tui.core.policy.model import DECISIONS, RISKS, TOOLS, Limits, PolicyFile, Rule

_TEXTS = ("command", "risk_at_most", "reason")
_LISTS = ("paths", "match", "not_match")
_LIMITS = ("request_timeout_s", "when_absent", "max_schema_attempts")


def policy_document(file: PolicyFile) -> dict[str, Any] | None:
    """Write a policy file as JSON data; None for a broken one, which is to be read each time.

    Args:
        file: The file.
    """
    if file.problems:
        return None
    rules = [
        {name: getattr(rule, name) for name in ("rule_id", "decision", "tool", "line", *_TEXTS, *_LISTS)}
        | {"expires": None if rule.expires is None else rule.expires.isoformat()}
        for rule in file.rules
    ]
    limits = {name: getattr(file.limits, name) for name in _LIMITS}
    return {"digest": file.digest, "rules": rules, "limits": limits}


def policy_from(document: object, digest: str) -> PolicyFile | None:
    """Read a policy file back; None where the data has another shape or was made of other bytes.

    Args:
        document: JSON data.
        digest: Digest of the file's bytes as they are now.
    """
    if not isinstance(document, dict):
        return None
    row = cast("dict[str, Any]", document)
    try:
        limits = row["limits"]
        if row["digest"] != digest or limits["when_absent"] not in (None, "deny", "defer"):
            return None
        return PolicyFile(
            digest=digest,
            rules=tuple(_rule(one) for one in row["rules"]),
            limits=Limits(
                request_timeout_s=_number(limits["request_timeout_s"]),
                when_absent=limits["when_absent"],
                max_schema_attempts=_number(limits["max_schema_attempts"]),
            ),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _rule(row: dict[str, Any]) -> Rule:
    decision, tool, risk, expires = row["decision"], row["tool"], row["risk_at_most"], row["expires"]
    if decision not in DECISIONS or tool not in TOOLS or not (risk is None or risk in RISKS):
        raise ValueError("no rule")
    ends = None if expires is None else datetime.fromisoformat(expires)
    if ends is not None and ends.tzinfo is None:
        raise ValueError("no time zone")
    command, paths = row["command"], row["paths"]
    return Rule(
        rule_id=_text(row["rule_id"]),
        decision=decision,
        tool=tool,
        command=None if command is None else _text(command),
        paths=None if paths is None else tuple(map(_text, paths)),
        risk_at_most=risk,
        reason=_text(row["reason"]),
        match=tuple(map(_text, row["match"])),
        not_match=tuple(map(_text, row["not_match"])),
        expires=ends,
        line=_number(row["line"]),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _number(value: object) -> int | None:
    if value is not None and type(value) is not int:
        raise TypeError("not a number")
    return value
