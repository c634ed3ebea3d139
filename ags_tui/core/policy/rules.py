"""Rules held against the parts of a call: allow narrow, deny and ask wide."""

from ags_tui.core.light import TYPE_CHECKING, Iterable, Iterator, Sequence, datetime, lru_cache
from ags_tui.core.policy.calls import Ground, Policies, RememberedRule, ToolCall
from ags_tui.core.policy.model import RISKS, PolicyFile, Risk, Rule
from ags_tui.core.policy.paths import Access, Facts
from ags_tui.core.policy.patterns import (
    CommandPattern,
    compile_command,
    covers,
    fixes,
    glob,
    touches,
    touches_text,
)
from ags_tui.core.policy.subjects import Subject

if TYPE_CHECKING:
    from ags_tui.core.globs import PatternSet
from ags_tui.core.records import Record

_SHELL = frozenset({"shell", "run_tests"})
_BY_ACCESS = {"read": "read_file", "write": "edit_file"}


class Candidate(Record):
    """A rule that is in force for a call."""

    rule: Rule
    """The rule."""
    source: str
    """``user``, ``repository`` or ``remembered``."""


def in_force(call: ToolCall, policies: Policies, now: datetime) -> Iterator[Candidate]:
    """All rules that have not ended, the user's first; of allows only those that count."""
    for remembered in policies.remembered:
        if _lives(remembered, call, now):
            yield Candidate(remembered.rule, "remembered")
    for source, file, counts in files_of(policies):
        for rule in file.rules:
            if rule.expires is not None and rule.expires <= now:
                continue
            if rule.decision != "allow" or (counts and not file.problems):
                yield Candidate(rule, source)


def files_of(policies: Policies) -> Iterator[tuple[str, PolicyFile, bool]]:
    """Each file with its source and whether its allows count."""
    if policies.user is not None:
        yield "user", policies.user, True
    if policies.repository is not None:
        yield "repository", policies.repository, policies.repository_trusted


def _lives(remembered: RememberedRule, call: ToolCall, now: datetime) -> bool:
    """Whether a remembered rule speaks of a call; a clock before its making is a clock set back."""
    ended = remembered.expires <= now or (
        remembered.rule.expires is not None and remembered.rule.expires <= now
    )
    if ended or remembered.made_at > now:
        return False
    if remembered.rule.decision != "allow":
        return True
    place = remembered.cwd is None or remembered.cwd == call.cwd
    return place and (remembered.agent is None or remembered.agent == call.agent)


@lru_cache(maxsize=1024)
def _patterns(patterns: tuple[str, ...], decision: str, home: str, ignore_case: bool) -> "PatternSet":
    """Path patterns of a rule; a deny may name the home folder or an absolute path."""
    from ags_tui.core.globs import compile_patterns  # few rules name paths

    if decision == "allow":
        return compile_patterns(patterns, side="allow", ignore_case=ignore_case)
    wide = [home.lstrip("/") + one[1:] if one.startswith("~/") else one.lstrip("/") for one in patterns]
    return compile_patterns(wide, side="deny", ignore_case=ignore_case)


class Context(Record):
    """What is the same for all rules and parts of one call."""

    call: ToolCall
    """The call."""
    ground: Ground
    """The work tree."""
    risk: Risk
    """The risk of the whole call."""


def allows(rule: Rule, subject: Subject, context: Context) -> bool:
    """Whether an allow rule covers one part of a call.

    A command needs a ``command`` that covers it, or a rule that names neither command nor path and so speaks
    of every line; a redirection needs ``paths``; a path without ``paths`` must lie in the work tree.
    Suspicions are never covered.
    """
    call, ground = context.call, context.ground
    if rule.tool not in (call.tool, "*") or not _within(rule, context.risk):
        return False
    if subject.command is not None:
        if rule.command is None or subject.command.guess:
            return rule.command is None and rule.paths is None and not subject.command.guess
        return covers(compile_command(rule.command), subject.command)
    if subject.access is not None:
        if rule.command is not None and rule.paths is None:
            return False
        return bool(subject.facts) and all(_allows_path(rule, one, ground) for one in subject.facts)
    return rule.paths is None and (
        rule.command is None or glob(compile_command(rule.command).text, call.name)
    )


def allows_inner(rule: Rule, outer: Subject, offset: int, context: Context) -> bool:
    """Whether a rule that covers a wrapper names what it starts, too."""
    if rule.command is None or not allows(rule, outer, context):
        return False
    return fixes(compile_command(rule.command), offset)


def _allows_path(rule: Rule, facts: Facts, ground: Ground) -> bool:
    if facts.inside is None:
        return False
    if rule.paths is None:
        return True
    patterns = _patterns(rule.paths, "allow", ground.home, ground.ignore_case)
    return bool(facts.shown) and all(
        patterns.match(form) is not None or form in patterns.bare for form in facts.shown
    )


def tightens(rule: Rule, subject: Subject, context: Context) -> bool:
    """Whether a deny or ask rule touches one part of a call, in any reading of it."""
    call, ground = context.call, context.ground
    if not _within(rule, context.risk):
        return False
    if call.tool in _SHELL:
        return _tightens_line(rule, subject, call, ground)
    if rule.tool not in (call.tool, "*"):
        return False
    if rule.command is not None and not _names(rule.command, call.name):
        return False
    return rule.paths is None or any(_touches_path(rule, one, ground) for one in subject.facts)


def _tightens_line(rule: Rule, subject: Subject, call: ToolCall, ground: Ground) -> bool:
    touched = _touched(subject)
    if rule.tool in ("read_file", "edit_file"):
        return rule.command is None and any(
            rule.tool == _BY_ACCESS[access] and (rule.paths is None or _touches_path(rule, facts, ground))
            for access, facts in touched
        )
    if rule.tool not in (*_SHELL, "*"):
        return False
    if rule.command is not None:
        pattern = compile_command(rule.command)
        if subject.command is None:
            return rule.paths is None and _touches_line(pattern, call)
        if not touches(pattern, subject.command, call.command or ""):
            return False
    return rule.paths is None or any(_touches_path(rule, facts, ground) for _, facts in touched)


def _touches_line(pattern: CommandPattern, call: ToolCall) -> bool:
    return touches_text(pattern, call.command or "")


def _touched(subject: Subject) -> Sequence[tuple[Access, Facts]]:
    if subject.access is not None:
        access = subject.access
        return [(access, facts) for facts in subject.facts]
    return subject.arguments


def _touches_path(rule: Rule, facts: Facts, ground: Ground) -> bool:
    patterns = _patterns(rule.paths or (), rule.decision, ground.home, ground.ignore_case)
    forms = (*facts.shown, facts.lexical.lstrip("/"), facts.real.lstrip("/"))
    return any(patterns.match(form) is not None for form in forms if form)


def _names(command: str, name: str) -> bool:
    """Whether a pattern names a tool that is no shell, such as ``mcp__server__*``."""
    pattern = compile_command(command)
    return touches_text(pattern, name) or (not pattern.rest and pattern.text == name)


def _within(rule: Rule, risk: Risk) -> bool:
    return rule.risk_at_most is None or RISKS.index(risk) <= RISKS.index(rule.risk_at_most)


def broken(policies: Policies) -> Iterable[tuple[str, PolicyFile]]:
    """Files with an error: of them only denials count, and everything else asks."""
    return [(source, file) for source, file, _ in files_of(policies) if file.problems]
