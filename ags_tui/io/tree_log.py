"""The log of a work tree, outside of the repository: remembered rules, and trust in its policy file.

``STATE/trees/DEV-INO/log/`` has the format and the code of a task's log; its task id is ``DEV-INO``, so that
the log of one work tree says nothing in another. Hooks read what it brings about from what is kept of it, and
verify the signatures of those entries again.
"""

import os

from ags_tui.core.light import TYPE_CHECKING, UTC, Any, cast, datetime
from ags_tui.core.policy.calls import Policies, RememberedRule
from ags_tui.core.records import Record
from ags_tui.io.kept import keep, read_kept
from ags_tui.io.places import Places
from ags_tui.io.stamps import stamp_of
from ags_tui.io.trees import FOLDER, Tree

if TYPE_CHECKING:
    from ags_tui.core.decisions import Draft
    from ags_tui.core.log_state import LoggedEntry, LogState
    from ags_tui.core.policy.model import PolicyFile
    from ags_tui.io.keys import Keys
    from ags_tui.io.stamps import Stamp

LOG = "log"
"""Folder of the log."""
KEPT = "rules.json"
"""What is kept of it."""


class TreeRules(Record):
    """What the log of a work tree brings about."""

    trusted: str = ""
    """Digest of the policy file that a human trusts, if it is the one that was asked about."""
    remembered: tuple[RememberedRule, ...] = ()
    """Rules that are in force."""

    def policies(self, user: "PolicyFile | None", repository: "PolicyFile | None") -> Policies:
        """Join with both policy files, the repository's being the one that was asked about.

        Args:
            user: The user's file.
            repository: The repository's file.
        """
        return Policies(user, repository, bool(self.trusted), self.remembered)


NOTHING = TreeRules()
"""A work tree without a log."""


class TreeLog:
    """The log of one work tree, for hooks and for the human."""

    def __init__(self, tree: Tree, places: Places) -> None:
        """Prepare; nothing is read yet.

        Args:
            tree: The work tree.
            places: The user's folders.
        """
        self._tree = tree
        self._places = places
        self._own: tuple[Stamp, str, TreeRules] | None = None

    def rules(self, policy_digest: str, now: datetime) -> TreeRules:
        """Return what is in force; cheap where nothing changed.

        Args:
            policy_digest: Digest of the repository's policy file; empty where there is none.
            now: The wall clock, UTC.
        """
        folder = f"{self._tree.place}/{LOG}"
        if not os.path.exists(folder):
            return NOTHING
        stamp = stamp_of((), (folder,))
        if self._own is None or self._own[:2] != (stamp, policy_digest):
            found = self._kept(stamp, policy_digest, verified=True)
            self._own = (stamp, policy_digest, found or self._in_full(stamp, policy_digest, now))
        return _live(self._own[2], now)

    def unverified(self, policy_digest: str, now: datetime) -> TreeRules | None:
        """Return what would be in force if nobody had forged anything, without a look at any signature.

        A verdict that is the same with it and with nothing needs no signature, and those cost a hook more
        than all the rest.

        Args:
            policy_digest: Digest of the repository's policy file; empty where there is none.
            now: The wall clock, UTC.

        Returns:
            None where ``rules`` costs nothing, or alone can tell.
        """
        folder = f"{self._tree.place}/{LOG}"
        if not os.path.exists(folder):
            return None
        stamp = stamp_of((), (folder,))
        if self._own is not None and self._own[:2] == (stamp, policy_digest):
            return None
        found = self._kept(stamp, policy_digest, verified=False)
        return None if found is None else _live(found, now)

    def read(self, keys: "Keys") -> "LogState":
        """Read and replay the log in full, for the screen that lists and revokes.

        Args:
            keys: Whose signatures count.
        """
        from ags_tui.io.log import read_log

        return read_log(self._tree.folder, keys, self._places)

    def record(self, draft: "Draft", keys: "Keys", now: datetime) -> "LoggedEntry":
        """Record what a human decided about rules or trust.

        Args:
            draft: Of ``core.tree_rules``.
            keys: The human key signs.
            now: The wall clock.

        Raises:
            AgsError: The log does not take it; nothing was recorded.
        """
        from ags_tui.core.decisions import Bound
        from ags_tui.io.log import record

        self._places.state_folder(FOLDER, self._tree.key)
        return record(self._tree.folder, draft, keys, self._places, now=now.astimezone(UTC), current=Bound())

    def _kept(self, stamp: "Stamp", policy_digest: str, *, verified: bool) -> TreeRules | None:
        """What is in force by the entries that are kept as such; what they say is read from themselves."""
        value = read_kept(f"{self._tree.place}/{KEPT}", stamp)
        rows = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        if rows.get("policy") != policy_digest:
            return None
        trusted, rules = _entries(rows.get("trusted")), _entries(rows.get("rules"))
        if trusted is None or rules is None:
            return None
        from ags_tui.core.policy.remembered import rule_from
        from ags_tui.io.human_entries import human_payloads, unverified_payloads

        folder, named = f"{self._tree.place}/{LOG}", [*rules, *trusted]
        payloads = (
            human_payloads(folder, named, self._places) if verified else unverified_payloads(folder, named)
        )
        if payloads is None:
            return None
        try:
            found = [rule_from(payload["data"].get("rule")) for payload in payloads[: len(rules)]]
            trusts = any(payload["subject"]["digest"] == policy_digest for payload in payloads[len(rules) :])
        except (KeyError, TypeError, AttributeError):
            return None  # no entry of ours
        remembered = tuple(rule for rule in found if rule is not None)
        return TreeRules(policy_digest if trusts else "", remembered)

    def _in_full(self, stamp: "Stamp", policy_digest: str, now: datetime) -> TreeRules:
        from ags_tui.core.tree_rules import rules_in_force, trust_entry
        from ags_tui.io.keys import Keys

        log = self.read(Keys.open(self._places, create=False))
        rules, trust = rules_in_force(log, now), trust_entry(log, policy_digest)
        value = {
            "policy": policy_digest,
            "trusted": [] if trust is None else [_named(trust)],
            "rules": [_named(row) for _, row in rules],
        }
        keep(self._places, (FOLDER, self._tree.key, KEPT), stamp, value)
        return TreeRules("" if trust is None else policy_digest, tuple(rule for rule, _ in rules))


def standing_in(log: "LogState", policy_digest: str, now: datetime) -> TreeRules:
    """Return what a log of a work tree brings about, once it was read in full.

    Args:
        log: The log.
        policy_digest: Digest of the repository's policy file; empty where there is none.
        now: The wall clock, UTC.
    """
    from ags_tui.core.tree_rules import rules_in_force, trust_entry

    trusted = policy_digest if policy_digest and trust_entry(log, policy_digest) is not None else ""
    return TreeRules(trusted, tuple(rule for rule, _ in rules_in_force(log, now)))


def _live(whole: TreeRules, now: datetime) -> TreeRules:
    live = tuple(rule for rule in whole.remembered if now < rule.expires)
    return whole if len(live) == len(whole.remembered) else TreeRules(whole.trusted, live)


def _named(row: "LoggedEntry") -> list[str]:
    return [f"{row.entry.sequence:06d}.json", row.digest]


def _entries(value: object) -> list[tuple[str, str]] | None:
    """Names and digests of entries; None where they have another shape."""
    if not isinstance(value, list):
        return None
    found: list[tuple[str, str]] = []
    for one in cast("list[object]", value):
        row = cast("list[object]", one) if isinstance(one, list) else []
        if len(row) != 2 or not isinstance(row[0], str) or not isinstance(row[1], str):
            return None
        found.append((row[0], row[1]))
    return found
