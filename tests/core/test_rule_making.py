"""A rule is made from one exact call, never wider than chosen, and held against the past before it counts."""

import posixpath
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from ags_tui.core.activity import VERDICT, ActivityLine
from ags_tui.core.policy.calls import Ground, Policies, RememberedRule, ToolCall
from ags_tui.core.policy.decide import decide
from ags_tui.core.rule_making import Base, Preview, Widening, base_of, preview, rule_for

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
GROUND = Ground("/w", "/w/.ai", "/home/me", ("/state",), posixpath.normpath)
NONE = Policies()


def made(call: ToolCall) -> Base:
    verdict = decide(call, ground=GROUND, policies=NONE, terms=None, now=NOW)
    return base_of(call, verdict, GROUND)


def shell(command: str, **more: str) -> ToolCall:
    return replace(ToolCall("shell", "Bash", command, cwd="/w", agent="codex"), **more)


def edit(path: str) -> ToolCall:
    return ToolCall("edit_file", "Edit", paths=(path,), cwd="/w", agent="codex")


def decision(call: ToolCall, rule: RememberedRule) -> str:
    policies = Policies(remembered=(rule,))
    return decide(call, ground=GROUND, policies=policies, terms=None, now=NOW).decision


@pytest.mark.parametrize(
    ("steps", "covered", "asked"),
    [
        (0, ["npm test -- 'a b'"], ["npm test -- 'a  b'", "npm test --", "npm test -- 'a b' c", "npm ci"]),
        (1, ["npm test -- 'a b'", "npm test --", "npm test -- x y"], ["npm test", "npm ci"]),
        (2, ["npm test", "npm test x"], ["npm ci", "npm"]),
        (3, ["npm ci", "npm"], ["pnpm test"]),
        (9, ["npm ci"], ["pnpm test"]),
    ],
)
def test_a_command_is_widened_word_by_word_from_its_end(steps: int, covered: list[str], asked: list[str]):
    rule = rule_for(made(shell("npm test -- 'a b'")), Widening(steps=steps), NOW)
    assert {line: decision(shell(line), rule) for line in (*covered, *asked)} == {
        **dict.fromkeys(covered, "allow"), **dict.fromkeys(asked, "ask")
    }  # fmt: skip


def test_a_star_of_the_call_itself_stays_a_star() -> None:
    rule = rule_for(made(shell("npm test '*'")), Widening(), NOW)
    assert decision(shell("npm test '*'"), rule) == "allow"
    assert decision(shell("npm test login"), rule) == "ask"


@pytest.mark.parametrize(
    ("steps", "covered", "asked"),
    [
        (0, ["/w/src/a/b[1].py"], ["/w/src/a/b1.py", "/w/src/a/c.py"]),
        (1, ["/w/src/a/c.py"], ["/w/src/a/d/c.py", "/w/src/c.py"]),
        (2, ["/w/src/a/d/c.py"], ["/w/src/c.py"]),
        (3, ["/w/src/c.py"], ["/w/README.md", "/elsewhere/src/c.py"]),
    ],
)
def test_a_file_is_widened_folder_by_folder_and_never_to_the_whole_tree(
    steps: int, covered: list[str], asked: list[str]
) -> None:
    rule = rule_for(made(edit("/w/src/a/b[1].py")), Widening(steps=steps), NOW)
    assert [decision(edit(path), rule) for path in covered] == ["allow"] * len(covered)
    assert [decision(edit(path), rule) for path in asked] == ["ask"] * len(asked)


def test_folder_agent_and_end_are_those_of_the_call_until_they_are_widened() -> None:
    base = made(shell("npm ci"))
    exact, wide = rule_for(base, Widening(), NOW), rule_for(base, Widening(any_cwd=True, any_agent=True), NOW)
    for other in (shell("npm ci", cwd="/w/web"), shell("npm ci", agent="gemini")):
        assert (decision(other, exact), decision(other, wide)) == ("ask", "allow")
    lives = [rule_for(base, Widening(life=index), NOW).expires - NOW for index in range(3)]
    assert lives == [timedelta(hours=8), timedelta(hours=1), timedelta(days=7)]
    assert exact.rule.rule_id != wide.rule.rule_id


def test_each_part_that_asks_needs_a_rule_of_its_own() -> None:
    base = made(shell("npm test && npm ci > out.txt && ls"))
    assert [target.what for target in base.targets] == ["npm test", "npm ci", "> out.txt"]
    for index in range(3):
        rule = rule_for(base, Widening(target=index), NOW)
        found = preview(base, rule, (), ground=GROUND, policies=NONE, terms=None, now=NOW)
        assert found.verdict.decision == "ask"


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (shell("rm -rf $X"), "the shell computes a part of it"),
        (edit("/etc/hosts"), "outside of the work tree"),
        (shell("ls"), "no part of this call waits"),
    ],
)
def test_what_cannot_be_said_as_a_rule_is_refused(call: ToolCall, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        rule_for(made(call), Widening(), NOW)


def test_a_rule_for_what_always_asks_is_seen_to_change_nothing() -> None:
    base = made(shell("git push --force"))
    rule = rule_for(base, Widening(), NOW)
    found = preview(base, rule, (), ground=GROUND, policies=NONE, terms=None, now=NOW)
    assert found.verdict.decision == "ask"


def past(call_id: str, command: str, got: str, source: str, **more: object) -> ActivityLine:
    plain = ActivityLine(
        NOW - timedelta(days=2), VERDICT, "s", "codex", call_id=call_id, tool="shell", name="Bash",
        command=command, cwd="/w", decision=got, source=source,
    )  # fmt: skip
    return replace(plain, **more)


def test_the_preview_counts_each_past_call_once_by_what_it_got_in_the_end() -> None:
    base = made(shell("npm test a"))
    rule = rule_for(base, Widening(steps=1), NOW)
    lines = [
        past("1", "npm test b", "ask", "built-in"), past("1", "npm test b", "allow", "human"),
        past("2", "npm test c", "deny", "human"), past("3", "npm ci", "allow", "human"),
        past("4", "npm test d", "allow", "human", cwd="/w/other"), past("5", "ls", "allow", "built-in"),
        past("6", "npm test && rm -r src", "deny", "human"),
    ]  # fmt: skip
    found = preview(base, rule, lines, ground=GROUND, policies=NONE, terms=None, now=NOW)
    assert found == Preview(found.verdict, matched=2, approved=1, denied=1, looked_at=6,
                            examples=("npm test b", "npm test c"))  # fmt: skip
    assert found.verdict.decision == "allow"
