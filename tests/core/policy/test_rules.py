"""Rules of files and remembered ones: precedence, trust, expiry, self-tests; and the cases about bypasses."""

import itertools
import json
import random
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ags_tui.core.policy.calls import Policies, RememberedRule, ToolCall
from ags_tui.core.policy.decide import decide
from ags_tui.core.policy.parse import parse_policy
from ags_tui.core.policy.patterns import command_pattern, compile_command
from ags_tui.core.policy.read_only import SPECS
from ags_tui.core.policy.self_tests import self_test
from ags_tui.core.shell.analyse import analyse
from tests.core.policy.ground import GROUND, NOW, TOP, path, rule, rules, shell, terms

CASES = Path(__file__).resolve().parents[2] / "cases"
NPM = rules("allow shell npm test *")


def table(case: str) -> list[tuple[str, str]]:
    return [(row[0], row[1]) for row in json.loads((CASES / case / "commands.json").read_text())]


@pytest.mark.parametrize(("line", "expected"), table("022-chained"))
def test_022_chained(line: str, expected: str):
    for pattern in ("npm test*", "npm test *"):
        assert shell(line, user=rules(f"allow shell {pattern}")).decision in expected


@pytest.mark.parametrize(("line", "expected"), table("024-env-prefix-deny"))
def test_024_env_prefix_deny(line: str, expected: str):
    for pattern in ("git push*", "git push *"):
        assert shell(line, user=rules("allow *", f"deny shell {pattern}")).decision == expected


@pytest.mark.parametrize(("line", "expected"), table("027-newline-in-glob"))
def test_027_newline_in_glob(line: str, expected: str):
    assert shell(line, user=rules("deny shell *secret*", "allow shell cat *")).decision == expected


@pytest.mark.parametrize(("line", "expected"), table("029-git-output-flag"))
def test_029_git_output_flag(line: str, expected: str):
    assert shell(line).decision == expected


def test_032_sibling_prefix():
    case = json.loads((CASES / "032-sibling-prefix" / "paths.json").read_text())
    for given_path, side in case["check"]:
        verdict = path("read_file", given_path)
        assert (verdict.decision == "allow") == (side == "in"), given_path


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("npm test", "allow"),
        ("npm test -- -k foo", "allow"),
        ("npm test 'a b' '$X'", "allow"),
        ("npm test $X", "ask"),
        ("npm test a$X", "ask"),
        ('npm test "${X}"', "ask"),
        ("npm test `npm test`", "ask"),
        ("npm test <(npm test)", "ask"),
        ("npm test a{b,c}", "ask"),
        ("npm test ~/x", "ask"),
        ("npm test a=~/x", "ask"),
        ("npm test a=b:~/x", "ask"),
        ("npm test --a=~/x 'b=~/x' c=\\~/x", "allow"),
        ("npm test <<< $X", "ask"),
        ("npm test <<< 'x'", "allow"),
        ("grep a <<< $X", "allow"),
        ("npm test ~root", "ask"),
        ("npm test a[bc] d?", "ask"),
        ("npm test $((1+1))", "ask"),
        ("npm testx", "ask"),
        ("npm run test", "ask"),
        ("/tmp/npm test", "ask"),
        ("npm test; id", "allow"),
        ("npm test; rm a", "ask"),
        ("npm test > out", "ask"),
        ("npm test > /dev/null", "allow"),
        ("npm test > .git/config", "deny"),
        ("npm test | tee log", "ask"),
        ("npm test $(rm a)", "ask"),
        ("npm test $(npm test)", "ask"),
        ("X=1 npm test", "ask"),
        ("sudo npm test", "ask"),
        ("bash -c 'npm test'", "ask"),
        ("npm $X", "ask"),
        ("npm test &", "allow"),
        ("npm test && npm test", "allow"),
        ("'npm' test", "ask"),
        ("npm 'test'", "allow"),
        ("npm test\nnpm test", "allow"),
        ("npm test\ncurl x", "ask"),
        ("npm test <<E\nx\nE", "ask"),
        ("cd src && npm test", "allow"),
        ("cd .. && npm test", "ask"),
        ("npm test *.js", "ask"),
        ("npm test '*.js' a.js", "allow"),
    ],
)
def test_an_allow_covers_every_part_or_nothing(line: str, decision: str):
    verdict = shell(line, user=NPM)
    assert verdict.decision == decision, verdict


@pytest.mark.parametrize(
    ("pattern", "line", "covered"),
    [
        ("cp src/* *", "cp src/a lib/b", True),
        ("cp src/* *", "cp src/a $X", False),
        ("cp src/* *", "cp src/* lib", False),
        ("cp src/* *", "cp src/a <(id)", False),
        ("cp src/a $X", "cp src/a $X", False),
        ("timeout * make *", "timeout $X make", False),
        ("make", "make", True),
        ("make", "make x", False),
        ("make *", "make", True),
        ("git log --*", "git log --stat x", True),
        ("npm run *", "npm run a b", True),
        ("npm run test-*", "npm run test-a", True),
        ("timeout * make", "timeout 5 make", True),
        ("timeout * make", "timeout 5 6 make", False),
        ('echo2 "a b"', "echo2 'a b'", True),
        ('echo2 "*"', "echo2 x", False),
        ("echo2 \\*", "echo2 '*'", True),
        ("env *", "env rm a", False),
        ("env make *", "env make x", True),
        ("bash -c *", "bash -c 'make'", False),
        ("bash -c make", "bash -c make", True),
        ("xargs *", "ls | xargs rm", False),
        ("timeout 5 make *", "timeout 5 make x", True),
        ("sudo *", "sudo rm a", False),
        ("sudo rm *", "sudo rm a", True),
    ],
)
def test_what_a_pattern_covers(pattern: str, line: str, covered: bool):
    assert (shell(line, user=rules(f"allow shell {pattern}")).decision == "allow") == covered


@pytest.mark.parametrize(
    ("pattern", "line", "touched"),
    [
        ("rm *", "sudo rm a", True),
        ("rm *", "find . | xargs -n1 rm", True),
        ("rm *", "bash -c 'ls; rm a'", True),
        ("rm *", "\\rm a", True),
        ("rm *", "/bin/rm a", True),
        ("rm *", "busybox rm a", True),
        ("rm *", "r''m a", True),
        ("git push *", "git --no-pager -c a=b push", True),
        ("git push", "git push x", False),
        ("docker * rm *", "docker -H x rm y", True),
        ("kubectl delete *", "kubectl --context x delete y", True),
        ("*secret*", "cat a/secret/b", True),
        ("*secret*", "echo ok\necho secret", True),
        ("git push *", "git log push", False),
        ("RM *", "rm a", True),
        ("npm publish*", "npm publish", True),
        ("rm *", "echo $(rm a)", True),
        ("rm *", "ls > rm", False),
        ("rm *", "ls *(e:'rm a':)", False),
        ("rm *", "if rm a; then", True),
        ("rm *", "eval 'eval \"rm a\"'", True),
    ],
)
def test_what_a_deny_touches(pattern: str, line: str, touched: bool):
    verdict = shell(line, user=rules("allow *", f"deny shell {pattern}"))
    assert (verdict.decision == "deny" and verdict.source == "user") == touched, verdict
    asked = shell(line, user=rules("allow *", f"ask shell {pattern}"))
    by_rule = asked.source == "user" or "always waits" in asked.reason
    assert (asked.decision == "ask" and by_rule) == touched, asked


def test_the_order_of_precedence():
    everything = ("allow *", "ask shell git push *", "deny shell git push --tags *")
    assert shell("git push --tags", user=rules(*everything)).decision == "deny"
    assert shell("git push", user=rules(*everything)).source == "user"
    assert "always" in shell("git push -f", user=rules("allow shell git push *")).reason
    assert shell("git push", user=rules("allow shell git push *")).decision == "allow"
    assert shell("ls", user=rules("ask shell ls *")).decision == "ask"
    assert shell("ls", user=rules("deny shell ls *")).rule_id == "r0"
    assert shell("ags-tui log", user=rules("allow shell ags-tui *")).source == "built-in"
    both = shell("make", user=rules("allow shell make"), repository=rules("deny shell make"))
    assert (both.decision, both.source) == ("deny", "repository")


def test_the_repository_only_tightens_until_it_is_trusted():
    file = rules("allow shell make *", "deny shell rm *", "ask shell ls *")
    assert shell("make", repository=file).decision == "ask"
    assert shell("make", repository=file, trusted=True).decision == "allow"
    for trusted in (False, True):
        assert shell("rm a", repository=file, trusted=trusted).decision == "deny"
        assert shell("ls", repository=file, trusted=trusted).decision == "ask"


def test_rules_end():
    file = rules("allow shell make;expires = 2026-06-01T13:00:00Z")
    assert shell("make", user=file).decision == "allow"
    assert shell("make", user=file, now=NOW + timedelta(hours=1)).decision == "ask"
    denied = rules("deny shell ls;expires = 2026-06-01T13:00:00Z")
    assert shell("ls", user=denied).decision == "deny"
    assert shell("ls", user=denied, now=NOW + timedelta(hours=2)).decision == "allow"


def test_risk_at_most():
    file = rules('allow shell make;risk_at_most = "medium"')
    assert shell("make", user=file).decision == "allow"
    assert shell("make", user=file, risk="high").decision == "ask"
    assert shell("make", user=file, plan=terms(risk="high")).decision == "ask"
    assert shell("make", user=file, plan=terms(risk="high")).risk == "high"


def test_remembered_rules():
    made = rule("allow", "shell", command_pattern(["npm", "run", "a b"]))
    one = RememberedRule(made, NOW - timedelta(hours=1), NOW + timedelta(hours=1), cwd=TOP, agent="codex")
    assert shell("npm run 'a b'", remembered=(one,), agent="codex").source == "remembered"
    assert shell("npm run 'a b' c", remembered=(one,), agent="codex").decision == "ask"
    assert shell("npm run a b", remembered=(one,), agent="codex").decision == "ask"
    assert shell("npm run 'a b'", remembered=(one,), agent="gemini").decision == "ask"
    assert shell("npm run 'a b'", remembered=(one,), agent="codex", cwd=f"{TOP}/src").decision == "ask"
    assert shell("npm run 'a b'", remembered=(replace(one, agent=None),)).decision == "allow"
    for now in (NOW + timedelta(hours=1), NOW - timedelta(hours=2)):
        assert shell("npm run 'a b'", remembered=(one,), agent="codex", now=now).decision == "ask"
    assert (
        shell("npm run 'a b'", remembered=(one,), agent="codex", user=rules("ask shell npm *")).decision
        == "ask"
    )


@pytest.mark.parametrize(
    "words", [["a"], ["a", ""], ["a", "*", "b c", "'", '"', "\\", "x*y"], ["한글", "\n", "~"]]
)
def test_an_exact_pattern_is_exact(words: list[str]):
    pattern = compile_command(command_pattern(words))
    assert list(pattern.words) == words
    assert not pattern.rest


def test_paths_of_rules():
    file = rules('allow edit_file ;paths = ["docs/**", "README.md"]', 'deny edit_file ;paths = ["docs/x.md"]')
    assert path("edit_file", "docs/a.md", user=file).decision == "allow"
    assert path("edit_file", "docs/x.md", user=file).decision == "deny"
    assert path("edit_file", "README.md", user=file).decision == "allow"
    assert path("edit_file", "a/README.md", user=file).decision == "ask"
    assert path("edit_file", "../docs/a.md", user=file).decision == "ask"
    assert shell("echo x > docs/x.md", user=file).decision == "deny"
    assert shell("rm docs/x.md", user=file).decision == "deny"
    assert shell("echo x > docs/a.md", user=file).decision == "ask"
    secret = rules('deny read_file ;paths = [".env", "~/.ssh/**"]')
    for line in ("cat .env", "cat < .env", "cat a/.env", "cat ~/.ssh/id_rsa"):
        assert shell(line, user=secret).decision == "deny", line
    assert path("read_file", "sub/.env", user=secret).decision == "deny"
    assert path("edit_file", "a", user=rules("allow edit_file")).decision == "allow"
    assert path("edit_file", "../a", user=rules("allow edit_file")).decision == "ask"
    out = rules('allow shell npm test *;paths = ["out/**"]')
    assert shell("npm test > out/a", user=out).decision == "allow"
    assert shell("npm test > src/a", user=out).decision == "ask"


def test_other_tools():
    def tool(name: str, kind: str, command: str | None = None, refuse: str = "") -> str:
        call = ToolCall(kind, name, command, risk="low", refuse=refuse)
        file = rules("allow external_api mcp__docs__*", "deny * mcp__evil__*", "ask external_api WebFetch")
        policies = Policies(user=file)
        return decide(call, ground=GROUND, policies=policies, terms=None, now=NOW).decision

    assert tool("mcp__docs__search", "external_api") == "allow"
    assert tool("mcp__other__x", "external_api") == "ask"
    assert tool("mcp__evil__x", "unknown") == "deny"
    assert tool("BrandNewTool", "unknown") == "ask"
    assert tool("Bash", "shell", command="ls", refuse="an interactive shell cannot be gated") == "deny"


def test_a_broken_file_lets_everything_ask_but_what_it_denies():
    broken = parse_policy(
        b'[[rule]]\nid="d"\ndecision="deny"\ntool="shell"\ncommand="rm *"\n[[rule]]\nid="x"\n'
    )
    assert broken.problems
    assert shell("ls", user=broken).decision == "ask"
    assert shell("rm a", user=broken).decision == "deny"
    assert shell("ags-tui log", repository=broken).decision == "deny"
    assert "broken" in shell("ls", repository=broken).reason


def test_a_failing_self_test_takes_the_allows_of_its_file():
    good = rules(
        'allow shell npm test *;match = ["npm test", "npm test -- login"]'
        ';not_match = ["npm test && rm -rf /", "npm test > /etc/passwd", "npm testx", "X=1 npm test"]'
    )
    assert self_test(good, GROUND) == ()
    assert shell("npm test", user=good).decision == "allow"
    bad = rules('allow shell npm test *;not_match = ["npm test -- x"]', "deny shell rm *", "allow shell make")
    problems = self_test(bad, GROUND)
    assert [(one.field, one.line) for one in problems] == [("rule.0.not_match", 1)]
    for line in ("npm test", "make"):
        verdict = shell(line, user=bad)
        assert verdict.decision == "ask"
        assert "self-test" in verdict.reason
    assert shell("rm a", user=bad).decision == "deny"
    assert shell("ls", user=bad).decision == "allow"
    assert shell("make", user=rules("allow shell make"), repository=bad).decision == "allow"


@pytest.mark.parametrize(
    "table",
    [
        'deny shell git push *;match = ["CI=1 git push", "sudo git push"];not_match = ["git log"]',
        'allow edit_file ;paths = ["src/**"];match = ["src/a"];not_match = ["src/../x", "/etc/x", "a"]',
        'deny read_file ;paths = [".env"];match = [".env", "a/.env"];not_match = ["env"]',
        'allow external_api mcp__a__*;match = ["mcp__a__b"];not_match = ["mcp__b__a"]',
        'allow shell npm test *;paths = ["out/**"];match = ["npm test > out/x"];not_match = ["npm test > x"]',
    ],
)
def test_self_tests_that_pass(table: str):
    assert self_test(rules(table), GROUND) == ()


@pytest.mark.parametrize("pattern", ["**", "*", "/etc/**", "../x", "~/x/**", "/"])
def test_patterns_that_can_never_allow_are_reported(pattern: str):
    assert self_test(rules(f'allow edit_file ;paths = ["{pattern}"]'), GROUND)


JOINS = ("; ", " && ", " || ", " | ", "\n", " & ", " |& ")
PARTS = (
    "ls -la",
    "cat src/a.py",
    "git status",
    "npm test x",
    "pwd",
    "grep x a | wc -l",
    'echo "$(ls)"',
    "cd src && ls",
)


@pytest.mark.parametrize("join", JOINS)
@pytest.mark.parametrize("part", PARTS)
def test_what_is_allowed_is_not_with_anything_added(part: str, join: str):
    assert shell(part, user=NPM).decision == "allow"
    for bad in ("rm a", "npm publish", "$X", "A=1", "ags-tui log", "./x"):
        for line in (
            f"{part}{join}{bad}",
            f"{bad}{join}{part}",
            f"{part} $({bad})",
            f"{part} <({bad})",
            f"({bad}){join}{part}",
        ):
            assert shell(line, user=NPM).decision != "allow", line


WRAPS = (
    "env {}",
    "env -i A=1 {}",
    "timeout -k 1 5 {}",
    "nice -n 5 {}",
    "nohup {}",
    "stdbuf -oL {}",
    "time -p {}",
    "sudo -u x {}",
    "doas {}",
    "xargs -0 -n 1 {}",
    "find . -exec {} ;",
    "command {}",
    "exec -a x {}",
    "busybox {}",
    "setsid -w {}",
    "A=1 {}",
    "! {}",
    "( {} )",
    "{{ {}; }}",
    "ls; {}",
    "ls | {} &",
    "echo $({})",
    'echo "$({})"',
    "cat <({})",
    "if {}; then :; fi",
    "while {}; do :; done",
    "f() {{ {}; }}",
    "cat <<E\n$({})\nE",
    "uv run {}",
    "npx {}",
    "watch {}",
    "strace -f {}",
    "sudo --odd y {}",
)
QUOTES = (
    "bash -c {}",
    "sh -ec {}",
    "eval {}",
    "env -S {}",
    "su -c {}",
    "script -qc {} /dev/null",
    "echo {} | sh",
    "trap {} EXIT",
)
FORBIDDEN = (
    ("git push origin", "user"),
    ("/usr/bin/git -C sub push", "user"),
    ("ags-tui log", "built-in"),
    ("tmux send-keys y", "built-in"),
)
DENIER = rules("allow *", "deny shell git push *")


def _wrapped(chance: random.Random, line: str) -> str:
    for _ in range(chance.randrange(1, 4)):
        if chance.random() < 0.25:
            line = chance.choice(QUOTES).format("'" + line.replace("'", "'\\''") + "'")
        else:
            line = chance.choice(WRAPS).format(line)
    return line


def test_each_wrapper_is_looked_through():
    for (line, source), wrap in itertools.product(FORBIDDEN, (*WRAPS, *QUOTES)):
        text = wrap.format(f"'{line}'" if wrap in QUOTES else line)
        verdict = shell(text, user=DENIER)
        assert (verdict.decision, verdict.source) == ("deny", source), text


@pytest.mark.parametrize("seed", range(3))
def test_denials_survive_any_composition_of_wrappers(seed: int):
    chance = random.Random(seed)
    for _ in range(150):
        line, _source = chance.choice(FORBIDDEN)
        text = _wrapped(chance, line)
        assert shell(text, user=DENIER).decision == "deny", text


SHELLISH = st.text(alphabet="lscat pwd-/.$`'\"\\\n(){}[]<>|&;#=~*?!E\r\t한", max_size=60)


@given(
    st.text(max_size=120)
    | SHELLISH
    | st.binary(max_size=80).map(lambda raw: raw.decode("utf-8", "surrogateescape"))
)
@settings(max_examples=250, deadline=None, derandomize=True)
def test_any_text_gets_a_verdict_and_is_allowed_only_where_every_command_is_known(line: str):
    verdict = shell(line)
    assert verdict.decision in ("allow", "ask", "deny")
    if verdict.decision == "allow":
        analysis = analyse(line)
        assert not analysis.doubts
        names = {one.name for one in analysis.commands if not one.guess}
        assert names <= {*SPECS, "echo", "printf", "cd", "git", "find", "sed", "command"}


@given(st.text(max_size=60), st.text(max_size=60))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_any_path_gets_a_verdict(given_path: str, cwd: str):
    for tool in ("read_file", "edit_file"):
        verdict = path(tool, given_path, cwd=f"/{cwd}", plan=terms())
        assert verdict.decision in ("allow", "ask", "deny")
        assert (
            tool == "read_file"
            or verdict.decision != "allow"
            or "src" in given_path + cwd
            or ".ai" in given_path + cwd
        )


def test_nothing_heavy_is_imported():
    program = (
        "import sys, datetime, posixpath\n"
        "import ags_tui.core.policy.decide as d, ags_tui.core.policy.calls as c\n"
        "late = ('pydantic', 'tree_sitter', 'tree_sitter_bash', 'tomllib', 'wcmatch', 'json', 'pathlib')\n"
        "assert not set(late) & set(sys.modules), set(late) & set(sys.modules)\n"
        "g = c.Ground('/w', '/w/.ai', '/h', ('/s',), posixpath.normpath)\n"
        "n = datetime.datetime.now(datetime.timezone.utc)\n"
        "k = dict(ground=g, policies=c.Policies(), terms=None, now=n)\n"
        "assert d.decide(c.ToolCall('read_file', 'Read', paths=('a',), cwd='/w'), **k).decision == 'allow'\n"
        "assert not set(late) & set(sys.modules), 'a path rule needs no parser'\n"
        "assert d.decide(c.ToolCall('shell', 'Bash', command='ls', cwd='/w'), **k).decision == 'allow'\n"
        "assert 'tree_sitter' in sys.modules and 'pydantic' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
