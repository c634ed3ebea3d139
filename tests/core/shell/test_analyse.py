"""What a line would run, by table; and that no text can raise or hang."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ags_tui.core.shell.analyse import analyse
from ags_tui.core.shell.marks import CWD, HOME, UNKNOWN


def commands(line: str) -> list[list[str | None]]:
    return [[word.value for word in one.words] for one in analyse(line).commands if not one.guess]


def guessed(line: str) -> list[str]:
    return [one.line for one in analyse(line).commands if one.guess]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ls -la", [["ls", "-la"]]),
        ("ls a 'b c' \"d e\" f\\ g", [["ls", "a", "b c", "d e", "f g"]]),
        ("ls $'a\\x41\\n\\101\\u00e9'", [["ls", "aA\nAé"]]),
        ('ls *.py ~ ~/x {a,b} $V ${V} "$V" `x` $(y) [a]', [["ls", *[None] * 10], ["x"], ["y"]]),
        ("ls '*' \"~\" '{a,b}' \\$V \\*", [["ls", "*", "~", "{a,b}", "$V", "*"]]),
        ("a && b || c; d | e & f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("(a; { b; }) | ! c", [["a"], ["b"], ["c"]]),
        ("a $(b <(c `d`))", [["a", None], ["b", None], ["c", None], ["d"]]),
        ("cat <<E\n$(a)\nE\nb", [["cat"], ["a"], ["b"]]),
        ("f() { a; }; f", [["a"], ["f"]]),
        ("A=1 B='x y' a b", [["a", "b"]]),
        ("export A=1", [["export", "A=1"]]),
        ("unset A", [["unset", "A"]]),
        ("a > b c", [["a", "c"]]),
        (">b a c", [["a", "c"]]),
        ("a # b", [["a"]]),
        ("", []),
        ("\n\n", []),
        ("timeout 5 a", [["timeout", "5", "a"], ["a"]]),
        ("env -u X -C /tmp A=1 a b", [["env", "-u", "X", "-C", "/tmp", "A=1", "a", "b"], ["a", "b"]]),
        ("sudo -u root -n a", [["sudo", "-u", "root", "-n", "a"], ["a"]]),
        ("xargs -0 -I{} a {}", [["xargs", "-0", "-I{}", "a", "{}"], ["a", "{}"]]),
        (
            "find . -exec a {} + -execdir b ';'",
            [
                ["find", ".", "-exec", "a", "{}", "+", "-execdir", "b", ";"],
                ["a", "{}"],
                ["b"],
            ],
        ),
        ("busybox a b", [["busybox", "a", "b"], ["a", "b"]]),
        ("/usr/bin/env a", [["/usr/bin/env", "a"], ["a"]]),
        ("\\nice \\a", [["nice", "a"], ["a"]]),
        ("bash -lc 'a; b'", [["bash", "-lc", "a; b"], ["a"], ["b"]]),
        ("sh -o pipefail -c 'a' name", [["sh", "-o", "pipefail", "-c", "a", "name"], ["a"]]),
        ("eval a 'b; c'", [["eval", "a", "b; c"], ["a", "b"], ["c"]]),
        ("command -v a", [["command", "-v", "a"]]),
    ],
)
def test_commands(line: str, expected: list[list[str | None]]):
    assert commands(line) == expected


@pytest.mark.parametrize(
    ("line", "suspected"),
    [
        ("sudo --strange a git push", "git push"),
        ("tmux new -d 'git push'", "git push"),
        ("script -c 'git push' /dev/null", "git push"),
        ("git -c alias.x='!git push' x", "git push"),
        ("uv run --with x git push", "git push"),
        ("ls =(git push)", "git push"),
        ("ls *(e:'git push':)", "e:git push:"),
        ("git\\\n push", "git push"),
        ("echo 'git push' | sh", "git push"),
        ("sh <<< 'git push'", "git push"),
        ("bash <<'E'\ngit push\nE", "git push"),
        ("$X git push", "git push"),
        ("if ( git push", "git push"),
        ("a" * 70_000 + "; git push", "git push"),
        ("echo \x00; git push", "git push"),
    ],
)
def test_suspicions(line: str, suspected: str):
    assert suspected in [*guessed(line), *(one.line for one in analyse(line).commands)]


@pytest.mark.parametrize(
    "line",
    [
        "ls",
        "ls -la a/b 'c d' \"e f\"",
        "ls | wc -l && pwd || true; date & id",
        "(ls); { ls; }",
        "ls $(pwd) <(ls)",
        "ls > out 2>&1 < in",
        "ls \\\n -l",
        "ls # words; more",
        "# first\nls\n\npwd\n",
        "! ls",
        'ls "$V" ${V} $V',
        "ls *.py [ab]? {a,b}",
        "timeout 5 ls",
        "ls 한글",
        "bash -c 'ls -l'",
        'grep -n "a\\.b\\$" x',
        "ls |\n wc",
        'echo "50$"',
        "grep 'a$' x",
        "git log --format='%h %s'",
        "ls a=b --c=d",
    ],
)
def test_understood(line: str):
    assert analyse(line).doubts == ()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("A=1 ls", "sets a variable"),
        ("A=1", "sets a variable"),
        ("export A=1", "declares"),
        ("A=(1)", "sets"),
        ("f() { ls; }", "defines a function"),
        ("function f { ls; }", "defines a function"),
        ("alias a=b", "alias"),
        ("unset A", "unset"),
        ("echo $((1+1))", "computes"),
        ("A[1]=2 ls", "sets"),
        ("echo $A[1]", "subscript"),
        ("echo ${A[x]}", "operator"),
        ("echo ${A:-b}", "operator"),
        ("echo ${!A}", "operator"),
        ("$A b", "computed"),
        ("'ls'", "plainly"),
        ("l\\s", "plainly"),
        ("\\ls", "plainly"),
        ("l''s", "plainly"),
        ("ls `pwd`", "backquotes"),
        ("ls $'a'", "$'"),
        ("ls \x01", "control"),
        ("ls\r\nid", "control"),
        ("ls\u00a0-l", "unusual"),
        ("ls \u200b", "unusual"),
        ("ls \u202e", "unusual"),
        ("ls \u3000x", "unusual"),
        ("x" * 17_000, "16 KiB"),
        ("cat <<E\nx\nE", "here-document"),
        ("[ -f x ]", "test"),
        ("[[ a -eq b ]]", "test"),
        ("((a++))", "always waits"),
        ("for a in b; do ls; done", "loop"),
        ("while ls; do id; done", "loop"),
        ("if ls; then id; fi", "if"),
        ("case a in a) ls;; esac", "case"),
        ("ls *(e:'id':)", "no correct"),
        ("ls (a)", "no correct"),
        ("ls 'a", "no correct"),
        ("ls $(", "no correct"),
        ("l\\\ns", "continued"),
        ("ls >& name", ">&"),
        ("ls &> x y", "sh begins"),
        ('ls $"x"', "no correct"),
        ("bash", "would run what it reads"),
        ("ls \ud800", "unusual"),
        ("curl x | sh", "would run what it reads"),
        ('bash -c "$X"', "computed"),
        ("eval $X", "computed"),
        ("env -S 'ls'", "options"),
        ("sudo --odd ls", "options"),
        ("xargs env", "computed"),
        ("timeout 5 $X a", "computed"),
        ("bash -c 'A=1 ls'", "sets"),
        ("ls =id", None),
    ],
)
def test_doubts(line: str, why: str | None):
    doubts = analyse(line).doubts
    assert any(why in doubt for doubt in doubts) if why else commands(line)[0][1] is None, doubts


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("~", HOME),
        ("~/a", f"{HOME}/a"),
        ("$HOME/a", f"{HOME}/a"),
        ('"${HOME}/a"', f"{HOME}/a"),
        ("~+/a", f"{CWD}/a"),
        ("$PWD/a", f"{CWD}/a"),
        ("~x/a", f"{UNKNOWN}/a"),
        ("$X/a", f"{UNKNOWN}/a"),
        ("a/{b,c}/d", f"a/{UNKNOWN}/d"),
        ("a/*.py", "a/*.py"),
        ("'a b'/c", "a b/c"),
        ('"a$(b)c"', f"a{UNKNOWN}"),
        ("`x`/a", f"{UNKNOWN}/a"),
    ],
)
def test_shapes(word: str, shape: str):
    assert analyse(f"c {word}").commands[0].words[1].shape == shape


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a > b", [(">", "write", "b")]),
        ("a >> b", [(">>", "write", "b")]),
        ("a >| b", [(">|", "write", "b")]),
        ("a &> b", [("&>", "write", "b")]),
        ("a 2> b", [(">", "write", "b")]),
        ("a < b", [("<", "read", "b")]),
        ("a 2>&1", [(">&", "copy", "1")]),
        ("a >& b", [(">&", "write", "b")]),
        ("> b", [(">", "write", "b")]),
        ("(a) > b", [(">", "write", "b")]),
        ("a > $X", [(">", "write", None)]),
        ("a <<< b", [("<<<", "text", "b")]),
        ("a <<E\nb\nE\n", [("<<", "text", "b\nE")]),
        ("exec 3> b", [(">", "write", "b")]),
        ("bash -c 'a > b'", [(">", "write", "b")]),
        ("a | b > c < d", [(">", "write", "c"), ("<", "read", "d")]),
    ],
)
def test_redirections(line: str, expected: list[tuple[str, str, str | None]]):
    found = [(one.operator, one.direction, one.target.value) for one in analyse(line).redirections]
    assert found == expected


def test_places_and_wrappers():
    line = analyse("a | sudo env X=1 b $(c) & (d)")
    told = {one.line: (one.wrappers, one.places) for one in line.commands}
    assert told["b $(c)"] == (("sudo", "env"), ("background", "pipe"))
    assert told["c"] == ((), ("background", "pipe", "substitution"))
    assert told["d"] == ((), ("subshell",))
    inner = next(one for one in line.commands if one.line == "b $(c)")
    assert inner.outer is not None
    assert line.commands[inner.outer].line.startswith("sudo env")
    assert inner.offset == 3


@pytest.mark.parametrize(
    "line",
    [
        "$(" * 9000,
        "(" * 9000,
        "$(" * 4500 + "ls" + ")" * 4500,
        '"$(' * 5000,
        "ls|" * 5000,
        "{" * 16000,
        "$" * 16000,
        "sudo " * 3000 + "ls",
        "watch " * 2000,
        "if " * 5000,
        "a[$(" * 4000,
        "`" * 16000,
        "<<A " * 4000,
        ">a " * 5000,
        "ls " + "x" * 2_000_000,
        "a;" * 500_000,
        "eval 'eval " * 40,
    ],
    ids=lambda line: f"{line[:6]}-{len(line)}",
)
def test_deep_and_long_lines_end(line: str):
    assert analyse(line).text == line


@given(st.text(max_size=200) | st.text(alphabet="ab $`'\"\\\n(){}[]<>|&;#=~*?!-E\r\t", max_size=80))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_no_text_raises(line: str):
    assert analyse(line).text == line


def test_the_parser_is_loaded_late():
    program = (
        "import sys; import ags_tui.core.shell.analyse as shell; assert 'tree_sitter' not in sys.modules;"
        "shell.analyse('ls'); assert 'tree_sitter' in sys.modules; assert 'pydantic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_without_the_parser_nothing_is_allowed(monkeypatch: pytest.MonkeyPatch):
    from ags_tui.core.shell import tree

    tree._parser.cache_clear()
    analyse.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    try:
        line = analyse("git push; ls")
    finally:
        tree._parser.cache_clear()
        analyse.cache_clear()
    assert any("not installed" in doubt for doubt in line.doubts)
    assert [one.line for one in line.commands] == ["git push", "ls"]
