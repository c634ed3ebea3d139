"""Whatever the arguments are: an exit code of the table, one line, nothing for the terminal to obey."""

import pytest

from tests import builders
from tests.cli.conftest import Cli
from tests.cli.test_contract_commands import put

JUNK = (
    "",
    "\udcff",
    "\x1b]0;x\x07\n",
    "-",
    "--",
    "a" * 5000,
    "../..",
    "/dev/null",
    ".",
    "login/../login",
    "로그인",
)
COMMANDS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("baseline",): (), ("close",): (), ("status",): (), ("validate",): (), ("scope",): (), ("gate",): (),
    ("route",): (), ("migrate",): (), ("report",): (), ("check",): (), ("log",): (), ("verify",): (),
    ("wait",): ("--claim", "x", "--timeout", "0"), ("deny",): ("--reason", "x"),
    ("block",): ("--reason", "x"), ("schema", "--out"): (), ("verify", "--trust"): (),
    ("verify", "--base"): (), ("gate", "--base"): (), ("scope", "login", "--tree"): (),
    ("request", "--tool", "shell", "--risk", "low", "--reason", "r", "--task"): (), ("-C",): ("status",),
    ("escalate", "--free-text", "--question", "q", "--task"): (), ("task", "new", "T", "--id"): (),
    ("validate", "--fixtures"): (), ("config", "path", "--root"): (),
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids="-".join)
def test_junk_is_explained(cli: Cli, command: tuple[str, ...]):
    put(cli.task("login") / "task.json", builders.agent_task(id="login"))
    for number, junk in enumerate(JUNK):
        more = ("--json",) if number % 2 else ()
        done = cli(*command, junk, *COMMANDS[command], *more)
        assert done.code in (0, 1, 2, 3, 4, 10, 13), (junk, done)
        assert not set(done.out + done.err) & set("\x1b\x07"), junk
        if done.code == 2:
            assert done.err.count("\n") == 1, (junk, done)
