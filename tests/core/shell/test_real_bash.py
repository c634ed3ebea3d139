"""What matters most: every program that a real bash starts is among the commands of the analysis."""

import random
from pathlib import Path

import pytest

from ags_tui.core.shell.analyse import analyse
from tests.core.shell.real_bash import RealBash, generate, missed

LINES = 130
TRAPS = (
    "find . -maxdepth 0 > out -exec c1 {} \\;",
    "c1 > out -x c2",
    "c1 <<E -x\nE\nc2",
    "c1 <<E\n`c2 in` $(c3 in)\nE\n",
    "c1 <<E\n`c2 in`\n;&E\n",
    "c1 <<'E'\n`c2 in`\nE\nc3",
    "c\\\n1 a; c2 b\\\nc",
    "c1 a\\\n; c2",
    ">& '$(c1)' c2",
    "time A=1 c1",
    "! time -p c1",
    "env A#=1 c1",
    "env -S 'c1 a b'",
    "$NOTHING c1 a",
    "timeout 5 $NOTHING c1",
    "sh -c 'c1 &>out c2'",
    "eval 'c1; ' \"c2\"",
    "eval \"eval 'eval c1'\"",
    "echo 'c1; c2 x' | bash",
    "bash <<< 'c1 here'",
    "bash <<'E'\nc1 doc\nE\n",
    "cat <<'E' | sh\nc1 doc\nE\n",
    'c1 "$ `c2`"',
    'c1 "`c2 "$(c3)"`"',
    "c1 $'a\\'b' 'c' ; c2",
    "f() { c1 in; }; f; f() ( c2 )\nf",
    "for V in c1 c2; do $V; c3; done",
    "case x in x) c1;; *) c2;; esac",
    "if c1; then c2; else c3; fi; while c4 && false; do :; done",
    "coproc c1 a; wait",
    "c1 & c2 & wait",
    "[[ -n $(c1) ]] && (( $(c2; echo 1) )) ; V=$(c3) ; V[$(c4; echo 0)]=1",
    "echo ${V:-$(c1)} ${W:=`c2`} $(( $(c3; echo 1) + 1 ))",
    "cat <(c1) | tee >(c2) >/dev/null; wait",
    "trap 'c1 bye' EXIT",
    "nice -n 5 env -u Q B=2 timeout -s KILL 5 nohup c1 a b",
    "c1 a{1,2}b ~ \"q\"'r's # c2\nc3",
    "\\c1; 'c2'; \"c\"3; c''4; $'c\\x35'",
    "{ c1; } 2>&1 | ( c2; ( c3 ) )",
    "exec c1 last",
)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> RealBash:
    return RealBash.build(tmp_path_factory.mktemp("bash"))


@pytest.mark.parametrize("line", TRAPS)
def test_traps(real: RealBash, line: str):
    started = real.started(line)
    assert missed(analyse(line), started) == []


def test_traps_start_something(real: RealBash):
    """Were the stubs not found, nothing could be missed."""
    assert sum(bool(real.started(line)) for line in TRAPS[:10]) >= 8


@pytest.mark.parametrize("seed", range(4))
def test_generated_lines(real: RealBash, seed: int):
    chance = random.Random(seed)
    count = clean = 0
    for _ in range(LINES):
        line = generate(chance)
        started = real.started(line)
        analysis = analyse(line)
        assert missed(analysis, started) == [], line
        count += len(started)
        clean += bool(started) and not analysis.doubts
    assert count > LINES
    assert clean > LINES // 10


def test_the_comparison_can_fail(real: RealBash, tmp_path: Path):
    assert missed(analyse("c1 a"), [["c2", "a"]]) == [["c2", "a"]]
    assert missed(analyse("c1 a"), [["c1", "b"]]) == [["c1", "b"]]
    assert real.started("c1 a 'b c'") == [["c1", "a", "b c"]]
