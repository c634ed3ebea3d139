"""Lines that look as if they only read, and reach further: each was let through once."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ags_tui.agents.tree_policy import TreePolicy
from ags_tui.core.policy.calls import ToolCall
from tests.agents.judging import TASK, Desk, said
from tests.agents.test_offline import reply
from tests.core.policy.ground import TOP, ground, rules, shell, terms

REACHING = r"""
grep -R x .
grep -nR x src
grep --dereference-recursive x .
rg -L x
rg --follow x
find -L . -name x
find . -follow -name x
ls -LR .
du -L .
tree -l
diff -r a b
diff --recursive a b
yarn --version
pnpm --version
cargo --version
rustc --version
go --version
jq -n env
jq -n '$ENV.HOME'
jq -n '"\(env)"'
jq -n 'import "../x" as $d; $d'
jq -n 'include "x"; .'
jq -n '"x" | modulemeta'
printf %d 'a[$(touch x)]'
printf '%5.2f' 'PATH=3'
printf '%*s' 'a[`touch x`]' b
"""
READING = r"""
grep -rn x src
rg -n x src
find . -name '*.py'
ls -la
diff -u a b
jq .env a.json
jq '.["import"]' a.json
jq .include.env a.json
printf '%s = %s\n' 'a[0]' '$x'
printf '%d%% %x\n' 5 0x1f
printf '%d\n' "$N"
node --version
ags-tui request --task T --tool edit_file --path src/a --reason /etc/hosts --content-file src/new.txt
ags-tui request --task T --tool edit_file --path src/a --reason r --content-file -
ags-tui validate .ai/tasks/T/plan.json
ags-tui status
"""
FILES = """
ags-tui request --task T --tool edit_file --path a --reason r --content-file /etc/shadow
ags-tui request --task T --tool edit_file --path a --reason r --content-file=../other/secret
ags-tui request --task T --tool edit_file --path a --reason r --content-file link
ags-tui validate /etc/passwd
ags-tui validate --fixtures ../other
"""


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.parametrize("line", lines(REACHING))
def test_what_reaches_out_of_the_tree_waits_for_a_human(line: str):
    assert shell(line).decision == "ask"


@pytest.mark.parametrize("line", lines(READING))
def test_what_only_reads_does_not(line: str):
    assert shell(line).decision == "allow"


@pytest.mark.parametrize("line", lines(FILES))
def test_the_agents_side_of_ags_tui_reads_no_file_outside(line: str):
    assert shell(line, on=ground(links={f"{TOP}/link": "/home/u/secret"})).decision == "ask"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path.resolve())


async def test_a_request_says_where_a_link_leads(desk: Desk):
    (desk.work / "ci.yml").write_text("print('hello')\n")
    (desk.work / "src" / "app.py").unlink()
    os.symlink("../ci.yml", desk.work / "src" / "app.py")
    desk.open()
    await desk.ask(desk.event("SessionStart", source="startup"))
    waiting = desk.start(desk.edit("e", "hello", "bye"))
    (item,) = await desk.human.pending()
    assert f"the file is {desk.work / 'ci.yml'}" in str(item)
    await desk.human.deny("no")
    assert said(await waiting) == "deny"


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("cat src/*.py", "allow"),
        ("cat s*/app.py", "allow"),
        ("cat src/[a]pp.py < s*/app.py", "allow"),
        ("cat src/*", "ask"),
        ("cat src/ou?/secret", "ask"),
        ("cat s*/out/secret", "ask"),
        ("head s*/[o]ut/s*", "ask"),
        ("cat < src/ou*/secret", "ask"),
        ("grep x src/[^a]*", "ask"),
        ("cat **/secret", "ask"),
        ("cd src/o* && cat secret", "ask"),
    ],
)
def test_a_pattern_is_what_it_names(desk: Desk, line: str, decision: str):
    (desk.folder / "other").mkdir()
    (desk.folder / "other" / "secret").write_text("secret")
    os.symlink("../../other", desk.work / "src" / "out")
    call = ToolCall("shell", "Bash", command=line, cwd=str(desk.work))
    judge = TreePolicy(desk.tree, desk.places)
    assert judge.verdict(call, TASK, datetime.now(UTC)).decision == decision


def test_a_pattern_may_not_say_where_a_line_writes():
    plan = terms(allow=("src/**",))
    assert shell("echo x > src/a", plan=plan).decision == "allow"
    assert shell("echo x > s*c/a", plan=plan).decision == "ask"
    assert shell("echo x > src/o*/a", plan=plan).decision == "ask"


def test_what_a_pattern_names_is_looked_for_each_time(desk: Desk):
    payload = desk.bash("c", "cat src/*")
    assert [said(reply(desk, payload)) for _ in range(2)] == ["allow", "allow"]
    os.symlink("/etc/passwd", desk.work / "src" / "out")
    assert said(reply(desk, payload)) == "deny"


@pytest.mark.parametrize("place", [".g[i]t/hooks/x", ".g*/config", "sub/.?it/hooks"])
def test_no_rule_covers_hooks_of_git_behind_a_pattern(place: str):
    user = rules("allow shell cp src/* *")
    assert shell(f"cp src/a {place}", user=user).decision == "deny"
    assert shell("cp src/a src/b/hooks/x", user=user).decision == "allow"
