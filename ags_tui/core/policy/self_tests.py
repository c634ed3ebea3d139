"""Self-tests of policy files: the lines and paths that a rule must, or must not, cover."""

from ags_tui.core.light import lru_cache
from ags_tui.core.policy.calls import Ground, Policies, ToolCall
from ags_tui.core.policy.model import PolicyFile, PolicyProblem, Rule
from ags_tui.core.policy.path_calls import judge_path
from ags_tui.core.policy.paths import facts_of
from ags_tui.core.policy.rules import Context, allows, allows_inner, files_of, tightens
from ags_tui.core.policy.subjects import Subject, built_in


def self_test(file: PolicyFile, ground: Ground) -> tuple[PolicyProblem, ...]:
    """Hold every ``match`` and ``not_match`` of a file against its rule.

    Args:
        file: the file; what is already wrong with it is not repeated.
        ground: the work tree, for paths. Links are not looked at: the tests say what the words mean.

    Returns:
        One problem for each failing self-test and each pattern that cannot do what it seems to say.
    """
    plain = Ground(
        top=ground.top,
        root=ground.root,
        home=ground.home,
        own=(),
        real=_itself,
        ignore_case=ground.ignore_case,
    )
    return _self_test(file, plain)


def _itself(path: str) -> str:
    import posixpath

    return posixpath.normpath(path)


@lru_cache(maxsize=64)
def _self_test(file: PolicyFile, ground: Ground) -> tuple[PolicyProblem, ...]:
    problems: list[PolicyProblem] = []
    for index, rule in enumerate(file.rules):
        field = f"rule.{index}"
        problems += _pattern_problems(rule, field)
        for kind, examples, wanted in (("match", rule.match, True), ("not_match", rule.not_match, False)):
            for example in examples:
                if covered(rule, example, ground) != wanted:
                    said = "is not covered" if wanted else "is covered"
                    message = (
                        f"self-test of rule {rule.rule_id}: {example!r} {said}; correct the rule or the test"
                    )
                    problems.append(PolicyProblem(message, rule.line, f"{field}.{kind}"))
    return tuple(problems)


def _pattern_problems(rule: Rule, field: str) -> list[PolicyProblem]:
    side = "allow" if rule.decision == "allow" else "deny"
    if rule.paths is None or side == "deny":
        return [
            PolicyProblem(f"rule {rule.rule_id}: {one!r} names nothing", rule.line, f"{field}.paths")
            for one in rule.paths or ()
            if not one.strip("/. ")
        ]
    from ags_tui.core.globs import compile_patterns

    return [
        PolicyProblem(f"rule {rule.rule_id}: {one.pattern!r}: {one.message}", rule.line, f"{field}.paths")
        for one in compile_patterns(rule.paths, side=side).problems
    ]


def failing_sources(policies: Policies, ground: Ground) -> frozenset[str]:
    """Sources (``user``, ``repository``) of whose file a self-test fails."""
    return frozenset(source for source, file, _ in files_of(policies) if self_test(file, ground))


def covered(rule: Rule, example: str, ground: Ground) -> bool:
    """Whether a rule covers a shell line, a path or the name of a tool, whatever its risk and its end.

    Args:
        rule: the rule.
        example: the line, path or name.
        ground: the work tree.
    """
    bare = Rule(rule.rule_id, rule.decision, rule.tool, rule.command, rule.paths, None, rule.reason)
    subjects, call = _example(bare, example, ground)
    context = Context(call, ground, "low")
    if bare.decision != "allow":
        return any(tightens(bare, one, context) for one in subjects)
    real = [one for one in subjects if one.command is None or not one.command.guess]
    return bool(real) and all(
        allows(bare, one, context) or _inner_of_covered(bare, one, real, context)
        for one in real
        if one.ruling.rule_id not in ("no-file", "text")
    )


def _inner_of_covered(rule: Rule, subject: Subject, subjects: list[Subject], context: Context) -> bool:
    command = subject.command
    outer = next((one for one in subjects if command and one.number == command.outer), None)
    return (
        command is not None
        and command.outer is not None
        and outer is not None
        and allows_inner(rule, outer, command.offset, context)
    )


def _example(rule: Rule, example: str, ground: Ground) -> tuple[list[Subject], ToolCall]:
    """The subjects of an example, read as the rule's tool would be called."""
    tool = rule.tool
    if tool == "*":
        tool = "shell" if rule.command is not None or rule.paths is None else "edit_file"
    if tool in ("shell", "run_tests"):
        from ags_tui.core.policy.shell_calls import shell_subjects

        call = ToolCall(tool, tool, command=example, cwd=ground.top, risk="low")
        return shell_subjects(call, ground, None), call
    if tool in ("read_file", "edit_file"):
        call = ToolCall(tool, tool, paths=(example,), cwd=ground.top, risk="low")
        facts = (facts_of(example, example, ground.top, ground),)
        return [judge_path(example, "read" if tool == "read_file" else "write", facts, ground, None)], call
    call = ToolCall(tool, example, cwd=ground.top, risk="low")
    return [Subject(example, built_in("ask", "", ""))], call
