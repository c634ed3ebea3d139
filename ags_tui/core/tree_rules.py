"""The work tree's own log: rules that a human remembered, and trust in the repository's policy file.

Pure. A rule is made from one exact call and maybe widened; it always has an end. Trust is in exact bytes.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ags_tui.core.checks.findings import Outcome
from ags_tui.core.decisions import Draft
from ags_tui.core.digests import canonical, digest
from ags_tui.core.log_state import LoggedEntry, LogState
from ags_tui.core.policy.calls import RememberedRule
from ags_tui.core.policy.remembered import rule_document, rule_from

POLICY_SUBJECT = "policy"
"""Subject of decisions about trust in the repository's policy file."""


def rules_in_force(log: LogState, now: datetime) -> tuple[tuple[RememberedRule, LoggedEntry], ...]:
    """Return the rules that are neither revoked nor over, in the order of their making, with their entries.

    Args:
        log: The log of the work tree.
        now: The wall clock, UTC.
    """
    if log.integrity is not Outcome.PASSED:
        return ()
    found: dict[str, tuple[RememberedRule, LoggedEntry]] = {}
    for row in log.entries:
        entry = row.entry
        if not row.counted or entry.kind != "rule":
            continue
        found.pop(entry.subject.id, None)
        rule = rule_from(entry.data.get("rule")) if entry.verdict == "created" else None
        if rule is None or entry.expires_at is None or rule.rule.rule_id != entry.subject.id:
            continue
        if rule.expires <= entry.expires_at and now < rule.expires:
            found[entry.subject.id] = (rule, row)
    return tuple(found.values())


def trust_entry(log: LogState, policy_digest: str) -> LoggedEntry | None:
    """Return the entry by which a human trusts exactly this policy file; None where nobody does.

    Args:
        log: The log of the work tree.
        policy_digest: Digest of the repository's policy file.
    """
    if log.integrity is not Outcome.PASSED:
        return None
    rows = [
        row
        for row in log.entries
        if row.counted
        and row.entry.kind == "trust"
        and row.entry.subject.id == POLICY_SUBJECT
        and row.entry.subject.digest == policy_digest
    ]
    return rows[-1] if rows and rows[-1].entry.verdict == "trusted" else None


def remember(key: str, rule: RememberedRule, *, preview: int, call: Mapping[str, Any]) -> Draft:
    """Draft a remembered rule.

    Args:
        key: Key of the work tree, which names its log.
        rule: The rule, as the human saw it.
        preview: How many calls of the past 30 days it would have covered, as shown.
        call: The exact call that it was made from, JSON data.
    """
    document = rule_document(rule)
    return Draft(
        task_id=key,
        kind="rule",
        verdict="created",
        subject_id=rule.rule.rule_id,
        subject_digest=digest(canonical(document)),
        reason=rule.rule.reason,
        data={"rule": document, "preview": preview, "call": dict(call)},
        expires_at=rule.expires,
    )


def revoke(key: str, rule: RememberedRule, reason: str) -> Draft:
    """Draft the end of a remembered rule.

    Args:
        key: Key of the work tree.
        rule: The rule.
        reason: Words of the human.
    """
    document = rule_document(rule)
    return Draft(key, "rule", "revoked", rule.rule.rule_id, digest(canonical(document)), reason)


def trust_policy(key: str, policy_digest: str, path: str) -> Draft:
    """Draft that a human trusts a policy file of the repository, in exactly these bytes.

    Args:
        key: Key of the work tree.
        policy_digest: Digest of the file.
        path: Where it is.
    """
    return Draft(key, "trust", "trusted", POLICY_SUBJECT, policy_digest, data={"path": path})


def distrust_policy(key: str, policy_digest: str, reason: str) -> Draft:
    """Draft that a human no longer trusts a policy file.

    Args:
        key: Key of the work tree.
        policy_digest: Digest of the file.
        reason: Words of the human.
    """
    return Draft(key, "trust", "distrusted", POLICY_SUBJECT, policy_digest, reason)
