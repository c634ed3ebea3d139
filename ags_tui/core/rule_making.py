"""Makes a remembered rule of one exact call, widened step by step, and says what it would have covered. Pure.

A rule is made for one part of the call that waits for a human: a command of the line, a file, a tool. The
other parts need rules of their own, so a rule never covers what its maker did not look at.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import cast

from ags_tui.core.activity import LONGEST_TEXT, VERDICT, WITHDRAWN, ActivityLine
from ags_tui.core.checks.plan_terms import literal
from ags_tui.core.digests import canonical, digest
from ags_tui.core.policy.calls import (
    Ground,
    Part,
    Policies,
    RememberedRule,
    Terms,
    ToolCall,
    Verdict,
)
from ags_tui.core.policy.decide import decide
from ags_tui.core.policy.model import TOOLS, Rule
from ags_tui.core.policy.paths import facts_of
from ags_tui.core.policy.patterns import command_pattern
from ags_tui.core.policy.remembered import rule_document

LIVES: tuple[timedelta, ...] = (timedelta(hours=8), timedelta(hours=1), timedelta(days=7))
"""How long a rule may live; the first is the usual one."""
LOOKED_BACK = timedelta(days=30)
"""How far a preview looks back."""
MOST_LOOKED_AT = 3_000
"""Most different calls that a preview judges; each costs up to a few milliseconds."""
EXAMPLES = 6
"""Most calls that a preview names."""

_SHELL = ("shell", "run_tests")
_FILES = ("edit_file", "read_file")


@dataclass(frozen=True, slots=True)
class Target:
    """One part of a call that a rule can be made for."""

    what: str
    """As policy names it. Raw text."""
    words: tuple[str, ...] = ()
    """Words of a command, name first."""
    paths: tuple[str, ...] = ()
    """Every form of a file's path, relative to the top of the work tree."""
    name: str = ""
    """Name of a tool that is neither a command nor a file."""
    refusal: str = ""
    """Why no rule can be made for it; empty where one can."""

    @property
    def steps(self) -> int:
        """How often it can be widened."""
        if self.refusal:
            return 0
        return max(0, len(self.words) - 1) if self.words else len(_wider(self.paths)) if self.paths else 0


@dataclass(frozen=True, slots=True)
class Base:
    """The exact call that a rule is made from."""

    call: ToolCall
    """The call."""
    verdict: Verdict
    """What policy says of it now."""
    targets: tuple[Target, ...] = ()
    """Parts of it that wait for a human, in their order."""
    task: str = ""
    """Task of its session."""


@dataclass(frozen=True, slots=True)
class Widening:
    """What the human chose; nothing of it is wider than the call at first."""

    target: int = 0
    """Which part."""
    steps: int = 0
    """How often it was widened."""
    any_cwd: bool = False
    """In every folder."""
    any_agent: bool = False
    """For every agent."""
    life: int = 0
    """Index of its end in ``LIVES``."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a rule does and would have done."""

    verdict: Verdict
    """What the call itself gets with the rule."""
    matched: int = 0
    """Calls of the past that the rule alone would have let run."""
    approved: int = 0
    """Of these, those that a human let run."""
    denied: int = 0
    """Of these, those that were denied, by whomever."""
    looked_at: int = 0
    """Calls of the past that were looked at."""
    cut: bool = False
    """Whether there were more calls than are looked at."""
    examples: tuple[str, ...] = ()
    """Some of them, each once, newest first. Raw text."""


def base_of(call: ToolCall, verdict: Verdict, ground: Ground, task: str = "") -> Base:
    """Find the parts of a call that a rule can be made for.

    Args:
        call: The call.
        verdict: What policy says of it.
        ground: The work tree.
        task: Task of its session.
    """
    asking = [part for part in verdict.parts if part.decision == "ask"]
    return Base(call, verdict, tuple(_target(part, call, ground) for part in asking), task)


def _target(part: Part, call: ToolCall, ground: Ground) -> Target:
    if call.tool in _FILES or call.tool not in _SHELL:
        if part.what == call.name and call.tool not in _FILES:
            return Target(part.what, name=call.name)
        return _file_target(part.what, call, ground)
    from ags_tui.core.shell.analyse import analyse  # the grammar is loaded where a line is read

    line = analyse(call.command or "")
    command = next((one for one in line.commands if part.what in (one.text, one.line)), None)
    if command is None:
        path = next((one.target.value for one in line.redirections if one.text == part.what), None)
        if path is None:
            return Target(part.what, refusal="it is neither one command nor one file")
        return _file_target(path, call, ground, what=part.what)
    values = [word.value for word in command.words]
    if command.guess or any(value is None for value in values):
        return Target(part.what, refusal="the shell computes a part of it")
    return Target(part.what, words=tuple(cast("list[str]", values)))


def _file_target(path: str, call: ToolCall, ground: Ground, what: str = "") -> Target:
    facts = facts_of(path, path, call.cwd, ground)
    if facts.inside is None or not facts.shown:
        return Target(what or path, refusal="it lies outside of the work tree")
    return Target(what or path, paths=facts.shown)


def _wider(paths: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Wider and wider patterns for a file: its folder, all below it, all below the folders above."""
    parts = paths[0].split("/")[:-1]
    if len(paths) > 1 or not parts:
        return []
    folders = ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]
    return [(f"{literal(folders[0] + '/')}*",), *((f"{literal(one + '/')}**",) for one in folders)]


def rule_for(base: Base, chosen: Widening, now: datetime) -> RememberedRule:
    """Make the rule that was chosen.

    Args:
        base: The call.
        chosen: How it was widened.
        now: The wall clock, UTC; its life begins.

    Raises:
        ValueError: No rule can be made for that part; the message says why.
    """
    if not base.targets:
        raise ValueError("no part of this call waits for a rule")
    target = base.targets[chosen.target]
    if target.refusal:
        raise ValueError(target.refusal)
    call = base.call
    command, paths = _patterns(target, min(chosen.steps, target.steps))
    tool = call.tool if call.tool in TOOLS else "*"  # an unknown tool is known by its name alone
    rule = Rule(
        rule_id="",
        decision="allow",
        tool=tool,
        command=command,
        paths=paths,
        risk_at_most=base.verdict.risk,
        reason="remembered by a human",
    )
    made = RememberedRule(
        rule,
        made_at=now,
        expires=now + LIVES[chosen.life],
        cwd=None if chosen.any_cwd else call.cwd,
        agent=None if chosen.any_agent else call.agent,
    )
    name = digest(canonical(rule_document(made))).removeprefix("sha256:")[:12]
    return replace(made, rule=replace(rule, rule_id=f"remembered-{name}"))


def _patterns(target: Target, steps: int) -> tuple[str | None, tuple[str, ...] | None]:
    """Command and paths of a rule for a part, widened so many times."""
    if target.words:
        kept = target.words[: len(target.words) - steps]
        return command_pattern(kept) + (" *" if steps else ""), None
    if target.paths:
        return None, _wider(target.paths)[steps - 1] if steps else tuple(map(literal, target.paths))
    return command_pattern((target.name,)), None


def preview(
    base: Base,
    rule: RememberedRule,
    lines: Iterable[ActivityLine],
    *,
    ground: Ground,
    policies: Policies,
    terms: Terms | None,
    now: datetime,
) -> Preview:
    """Say what a rule does for the call itself, and which past calls it alone would have let run.

    Args:
        base: The call that it is made from.
        rule: The rule.
        lines: Events of past sessions in this work tree.
        ground: The work tree.
        policies: Rules in force, without the new one.
        terms: What the plan of the call's task allows; None where there is none.
        now: The wall clock, UTC.
    """
    with_it = replace(policies, remembered=(*policies.remembered, rule))
    own = decide(base.call, ground=ground, policies=with_it, terms=terms, now=now)
    alone = replace(policies, remembered=(rule,))
    known: dict[ToolCall, bool] = {}
    matched = approved = denied = looked_at = 0
    cut = False
    examples: dict[str, None] = {}
    for line in sorted(_last_verdicts(lines), key=lambda one: one.at, reverse=True):
        call = call_of(line)
        if call is None:
            continue
        looked_at += 1
        if call not in known:
            if len(known) >= MOST_LOOKED_AT:
                cut = True
                continue
            known[call] = _covers(rule, call, ground, alone, now)
        if known[call]:
            matched += 1
            approved += line.decision == "allow" and line.source == "human"
            denied += line.decision == "deny"
            if len(examples) < EXAMPLES:
                examples.setdefault(line.command or " ".join(line.paths) or line.name)
    return Preview(own, matched, approved, denied, looked_at, cut, tuple(examples))


def _covers(rule: RememberedRule, call: ToolCall, ground: Ground, alone: Policies, now: datetime) -> bool:
    if rule.rule.tool not in (call.tool, "*"):
        return False
    if (rule.cwd or call.cwd) != call.cwd or (rule.agent or call.agent) != call.agent:
        return False
    verdict = decide(call, ground=ground, policies=alone, terms=None, now=now)
    return verdict.decision == "allow" and any(part.rule_id == rule.rule.rule_id for part in verdict.parts)


def _last_verdicts(lines: Iterable[ActivityLine]) -> Iterator[ActivityLine]:
    """The last verdict on each call."""
    last: dict[tuple[str, str], ActivityLine] = {}
    for line in lines:
        if line.event == VERDICT and line.source != WITHDRAWN:
            last[line.session, line.call_id] = line
    yield from last.values()


def call_of(line: ActivityLine) -> ToolCall | None:
    """Give the call of a line; None where the line does not hold all of it.

    Args:
        line: A verdict.
    """
    if len(line.command) >= LONGEST_TEXT:
        return None
    command = line.command or None
    return ToolCall(line.tool, line.name, command, line.paths, line.cwd, agent=line.agent)
