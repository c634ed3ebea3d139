"""Bytes of a ``policy.toml`` to a ``PolicyFile``: strict, with all complaints, never an exception."""

import re
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from ags_tui.core.digests import digest
from ags_tui.core.policy.lines import locate_keys
from ags_tui.core.policy.model import (
    DECISIONS,
    LARGEST_FILE,
    LONGEST_TIMEOUT_S,
    MOST_ATTEMPTS,
    RISKS,
    TOOLS,
    Decision,
    Limits,
    PolicyFile,
    PolicyProblem,
    Risk,
    Rule,
    WhenAbsent,
)

_RULE_KEYS = (
    "id", "decision", "tool", "command", "paths", "risk_at_most", "reason", "match", "not_match", "expires",
)  # fmt: skip
_LIMIT_KEYS = ("request_timeout_s", "when_absent", "max_schema_attempts")
_POSITION = re.compile(r"^(.*?)\s*\(at (?:line (\d+), column \d+|end of document)\)$", re.DOTALL)


def parse_policy(data: bytes) -> PolicyFile:
    """Parse a policy file.

    Args:
        data: the raw bytes of the file.

    Returns:
        The file with its digest. With ``problems`` only its deny rules count and everything else asks; a file
        that is not TOML at all has no rules.
    """
    if len(data) > LARGEST_FILE:
        return PolicyFile(digest(data), problems=(PolicyProblem("the file is larger than 1 MiB", 1),))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return PolicyFile(digest(data), problems=(PolicyProblem("the text is not UTF-8", line),))
    if not text.strip():
        return PolicyFile(
            digest(data), problems=(PolicyProblem("the file is empty: delete it or write rules", 1),)
        )
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        return PolicyFile(digest(data), problems=(_syntax_problem(error, text),))
    return _Reader(document, locate_keys(text)).read(digest(data))


def _syntax_problem(error: Exception, text: str) -> PolicyProblem:
    found = _POSITION.match(str(error))
    if isinstance(error, RecursionError):
        return PolicyProblem("not TOML: nested too deep", 1)
    if not found:
        return PolicyProblem(f"not TOML: {error}", 1)
    line = int(found[2]) if found[2] else text.count("\n") + 1
    return PolicyProblem(f"not TOML: {found[1]}", line)


class _Reader:
    """Walks one parsed document and collects what is wrong."""

    def __init__(self, document: Mapping[str, Any], lines: Mapping[str, int]) -> None:
        self._document = document
        self._lines = lines
        self._problems: list[PolicyProblem] = []

    def read(self, file_digest: str) -> PolicyFile:
        self._refuse_unknown(self._document, ("rule", "limits"), "")
        rules = self._rules()
        limits = self._limits()
        problems = sorted(self._problems, key=lambda p: (p.line or 0, p.field))
        return PolicyFile(file_digest, rules, limits, tuple(problems))

    def _complain(self, field: str, message: str) -> None:
        line, path = None, field
        while line is None and path:
            line = self._lines.get(path)
            path = path.rpartition(".")[0]
        self._problems.append(PolicyProblem(message, line, field))

    def _refuse_unknown(self, table: Mapping[str, Any], known: tuple[str, ...], field: str) -> None:
        for key in table:
            if key not in known:
                name = f"{field}.{key}" if field else key
                self._complain(name, f"unknown key {key!r}; known here: {', '.join(known)}")

    def _rules(self) -> tuple[Rule, ...]:
        listed = self._document.get("rule", [])
        if not isinstance(listed, list):
            self._complain("rule", "rules are written as [[rule]] tables")
            return ()
        rules: list[Rule] = []
        seen: set[str] = set()
        for index, item in enumerate(cast("list[Any]", listed)):
            rule = self._rule(item, f"rule.{index}")
            if rule is None:
                continue
            if rule.rule_id in seen:
                self._complain(f"rule.{index}.id", f"the id {rule.rule_id!r} is used twice")
            seen.add(rule.rule_id)
            rules.append(rule)
        return tuple(rules)

    def _rule(self, item: object, field: str) -> Rule | None:
        if not isinstance(item, dict):
            self._complain(field, "rules are written as [[rule]] tables")
            return None
        table = cast("dict[str, Any]", item)
        self._refuse_unknown(table, _RULE_KEYS, field)
        before = len(self._problems)
        rule_id = self._text(table, "id", field, required=True)
        decision = self._choice(table, "decision", DECISIONS, field, required=True)
        tool = self._choice(table, "tool", TOOLS, field, required=True)
        command = self._text(table, "command", field)
        paths = self._texts(table, "paths", field)
        readable = len(self._problems) == before
        rule = Rule(
            rule_id=rule_id or "",
            decision=cast("Decision", decision),
            tool=tool or "",
            command=command,
            paths=paths,
            risk_at_most=cast("Risk | None", self._choice(table, "risk_at_most", RISKS, field)),
            reason=self._text(table, "reason", field) or "",
            match=self._texts(table, "match", field) or (),
            not_match=self._texts(table, "not_match", field) or (),
            expires=self._moment(table, "expires", field),
            line=self._lines.get(field),
        )
        intact = len(self._problems) == before
        return rule if intact or (readable and decision == "deny") else None

    def _limits(self) -> Limits:
        item = self._document.get("limits", {})
        if not isinstance(item, dict):
            self._complain("limits", "limits are written as a [limits] table")
            return Limits()
        table = cast("dict[str, Any]", item)
        self._refuse_unknown(table, _LIMIT_KEYS, "limits")
        absent = self._choice(table, "when_absent", ("deny", "defer"), "limits")
        return Limits(
            request_timeout_s=self._number(table, "request_timeout_s", 1, LONGEST_TIMEOUT_S),
            when_absent=cast("WhenAbsent | None", absent),
            max_schema_attempts=self._number(table, "max_schema_attempts", 1, MOST_ATTEMPTS),
        )

    def _text(self, table: Mapping[str, Any], key: str, field: str, *, required: bool = False) -> str | None:
        value = table.get(key)
        if value is None:
            if required:
                self._complain(f"{field}.{key}", f"{key!r} is missing")
            return None
        if not isinstance(value, str) or not value.strip():
            self._complain(f"{field}.{key}", f"{key!r} must be a text that is not empty")
            return None
        return value

    def _texts(self, table: Mapping[str, Any], key: str, field: str) -> tuple[str, ...] | None:
        value = table.get(key)
        if value is None:
            return None
        items = cast("list[Any]", value) if isinstance(value, list) else []
        if not items or not all(isinstance(item, str) and item.strip() for item in items):
            self._complain(f"{field}.{key}", f"{key!r} must be a list of texts, none of them empty")
            return None
        return tuple(cast("list[str]", items))

    def _choice(
        self,
        table: Mapping[str, Any],
        key: str,
        allowed: tuple[str, ...],
        field: str,
        *,
        required: bool = False,
    ) -> str | None:
        value = self._text(table, key, field, required=required)
        if value is not None and value not in allowed:
            self._complain(f"{field}.{key}", f"{key!r} must be one of {', '.join(allowed)}, not {value!r}")
            return None
        return value

    def _moment(self, table: Mapping[str, Any], key: str, field: str) -> datetime | None:
        value = table.get(key)
        if value is None:
            return None
        if not isinstance(value, datetime) or value.tzinfo is None:
            message = f"{key!r} must be a time with its offset, such as 2026-12-31T00:00:00Z"
            self._complain(f"{field}.{key}", message)
            return None
        try:
            return value.astimezone(UTC)
        except OverflowError:
            self._complain(f"{field}.{key}", f"{key!r} is outside the calendar")
            return None

    def _number(self, table: Mapping[str, Any], key: str, low: int, high: int) -> int | None:
        value = table.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self._complain(f"limits.{key}", f"{key!r} must be a whole number from {low} to {high}")
            return None
        return value
