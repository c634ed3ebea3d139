"""``connect``: shown before it is written, proven by a call, taken back byte for byte."""

import json
import os
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import ptyprocess
import pytest

from tests.cli.conftest import Cli

SETTINGS = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
}
THEIRS = b'{\n   "model":"x" , "hooks": {"Stop": []}\n}'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "their home"
    made.mkdir()
    return made


@pytest.fixture(params=SETTINGS)
def agent(request: pytest.FixtureRequest) -> str:
    return request.param


def test_round_trip_restores_every_byte(cli: Cli, home: Path, agent: str):
    path = home / SETTINGS[agent]
    path.parent.mkdir()
    path.write_bytes(THEIRS)
    path.chmod(0o640)
    shown = cli("connect", agent, "--home", home, "--print")
    assert shown.code == 0
    assert path.read_bytes() == THEIRS
    refused = cli("connect", agent, "--home", home)
    assert (refused.code, path.read_bytes()) == (2, THEIRS)
    assert "--yes" in refused.err
    done = cli("connect", agent, "--home", home, "--yes")
    assert done.code == 0
    assert done.out.startswith(shown.out.rstrip("\n")), "what was shown is what is written"
    assert path.read_bytes() != THEIRS
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert cli("connect", agent, "--home", home, "--yes").out.startswith("nothing to write")
    assert cli("connect", agent, "--home", home, "--remove", "--yes").code == 0
    assert path.read_bytes() == THEIRS
    assert cli("connect", agent, "--home", home, "--remove", "--yes").out.startswith("nothing to write")


def test_what_did_not_exist_is_gone_again(cli: Cli, home: Path, agent: str):
    assert cli("connect", agent, "--home", home, "--yes").code == 0
    assert stat.S_IMODE((home / SETTINGS[agent]).stat().st_mode) == 0o600
    assert cli("connect", agent, "--home", home, "--remove", "--yes").code == 0
    assert not (home / SETTINGS[agent]).exists()


def test_later_changes_of_the_human_survive_the_removal(cli: Cli, home: Path, agent: str):
    path = home / SETTINGS[agent]
    path.parent.mkdir()
    path.write_bytes(THEIRS)
    cli("connect", agent, "--home", home, "--yes")
    path.write_text(json.dumps({**json.loads(path.read_text()), "added": "later"}))
    assert cli("connect", agent, "--home", home, "--yes").out.startswith("nothing to write")
    done = cli("connect", agent, "--home", home, "--remove", "--yes")
    assert "was changed since" in done.err
    assert json.loads(path.read_text()) == {**json.loads(THEIRS), "added": "later"}


def test_settings_that_are_no_json_are_left_alone(cli: Cli, home: Path, agent: str):
    path = home / SETTINGS[agent]
    path.parent.mkdir()
    path.write_text("{\n  // mine\n}")
    done = cli("connect", agent, "--home", home, "--yes")
    assert done.code == 1
    assert "line 2, column 3" in done.err
    assert path.read_text() == "{\n  // mine\n}"


def test_a_link_to_settings_stays_a_link(cli: Cli, home: Path):
    (home / ".claude").mkdir()
    (home / "dotfiles.json").write_bytes(THEIRS)
    (home / ".claude/settings.json").symlink_to("../dotfiles.json")
    assert cli("connect", "claude-code", "--home", home, "--yes").code == 0
    assert (home / ".claude/settings.json").is_symlink()
    assert b"hook.py" in (home / "dotfiles.json").read_bytes()


def test_it_asks_on_a_terminal_and_no_is_the_answer_to_enter(cli: Cli, home: Path):
    for typed, written in (("\n", False), ("y\n", True)):
        terminal = ptyprocess.PtyProcess.spawn(
            cli.arguments("connect", "claude-code", "--home", home), cwd=str(cli.work), env=cli.env()
        )
        seen = b""
        while b"[y/N]" not in seen:
            seen += terminal.read()
        terminal.write(typed.encode())
        with suppress(EOFError):
            while terminal.read():
                pass
        assert (terminal.wait() == 0) is written
        assert (home / SETTINGS["claude-code"]).exists() is written


def test_check_proves_it_by_a_call_and_names_what_is_missing(cli: Cli, home: Path, agent: str):
    client = home / "client"
    client.write_text("#!/bin/sh\necho agent 9.9.9\n")
    client.chmod(0o755)
    words = ("connect", agent, "--home", home, "--client", client, "--check", "--json")
    before = {row["area"]: row["state"] for row in cli(*words).json["checks"]}
    assert before["entries"] == "broken"
    assert before["call"] == "ok"
    cli("connect", agent, "--home", home, "--yes")
    done = cli(*words)
    rows = {row["area"]: row for row in done.json["checks"]}
    assert rows["entries"]["state"] == rows["call"]["state"] == "ok", done.out
    assert "unknown version" in rows["version"]["message"]
    assert {"stop-fail-open"} <= rows.keys()
    (home / SETTINGS[agent]).write_text(
        (home / SETTINGS[agent]).read_text().replace("hook.py", "gone/ags_tui/agents/hook.py")
    )
    gone = cli(*words)
    assert gone.code == 1
    assert "which is not there" in {row["area"]: row for row in gone.json["checks"]}["entries"]["message"]


def test_old_versions_are_told_to_fail_open(cli: Cli, home: Path):
    client = home / "claude"
    client.write_text("#!/bin/sh\necho '2.1.197 (Claude Code)'\n")
    client.chmod(0o755)
    rows = cli("connect", "claude-code", "--home", home, "--client", client, "--check", "--json").json[
        "checks"
    ]
    assert "fail-open" in [row["area"] for row in rows]
    client.write_text("#!/bin/sh\necho '2.1.332 (Claude Code)'\n")
    rows = cli("connect", "claude-code", "--home", home, "--client", client, "--check", "--json").json[
        "checks"
    ]
    assert "fail-open" not in [row["area"] for row in rows]
    assert {"area": "version", "state": "ok"}.items() <= next(
        r for r in rows if r["area"] == "version"
    ).items()


def test_check_sees_a_repository_that_switches_hooks_off(cli: Cli, home: Path):
    (cli.work / ".claude").mkdir()
    (cli.work / ".claude/settings.local.json").write_text('{"disableAllHooks": true}')
    (cli.work / ".gemini").mkdir()
    (cli.work / ".gemini/settings.json").write_text('{"hooksConfig": {"disabled": ["ags-tui"]}}')
    for agent in ("claude-code", "gemini"):
        done = cli("connect", agent, "--home", home, "--check", "--json")
        assert "broken" in [row["state"] for row in done.json["checks"] if row["area"] == "repository"]


def test_check_sees_a_repository_that_sets_variables_of_the_hook(cli: Cli, home: Path):
    (cli.work / ".claude").mkdir()
    (cli.work / ".claude/settings.json").write_text('{"env": {"OPENSSL_CONF": "x.cnf", "MY": "1"}}')
    (cli.work / ".env").write_text("MY=1\nexport LD_PRELOAD=./x.so\n")
    for agent, name in (("claude-code", "OPENSSL_CONF"), ("gemini", "LD_PRELOAD")):
        checks = cli("connect", agent, "--home", home, "--check", "--json").json["checks"]
        (row,) = [row for row in checks if row["area"] == "repository"]
        assert row["state"] == "broken"
        assert f"sets {name}, with" in row["message"]


def test_connecting_inside_a_work_tree_gives_the_hook_a_say(cli: Cli, home: Path):
    cli("connect", "claude-code", "--home", home, "--yes")
    assert len(list((cli.folder / "state/trees").glob("*/opted-in"))) == 1
    assert cli.git("status", "--porcelain") == "", "nothing is written into the repository"


def test_git_hooks_hold_a_commit_and_a_push(cli: Cli):
    hooks = cli.work / ".git/hooks"
    for name in os.listdir(hooks):
        (hooks / name).unlink()
    earlier = b"#!/bin/sh\necho earlier $# >> ../earlier\n"
    (hooks / "pre-push").write_bytes(earlier)
    (hooks / "pre-push").chmod(0o755)
    assert cli("connect", "git").code == 2
    assert cli("connect", "git", "--check").code == 1
    done = cli("connect", "git", "--yes")
    assert "ags-tui gate --tree HEAD --trust" in done.out
    assert cli("connect", "git", "--check").code == 0
    subprocess.run(["git", "init", "-q", "--bare", str(cli.folder / "far")], check=True)

    def git(*words: str) -> "subprocess.CompletedProcess[bytes]":
        own = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"]
        return subprocess.run(
            ["git", *own, *words], cwd=cli.work, env=cli.env(), capture_output=True, check=False
        )

    assert git("push", "-q", str(cli.folder / "far"), "main").returncode == 0, "no task, nothing to hold"
    cli("task", "new", "A fix", "--id", "fix", "--expect", "it works")
    (cli.work / "src/app.py").write_text("print('changed')\n")
    git("add", "src/app.py")
    held = git("commit", "-m", "second")
    assert held.returncode != 0
    assert b"fix" in held.stderr
    assert git("commit", "-am", "second").returncode != 0, "an index of its own is judged, too"
    assert git("commit", "-q", "--no-verify", "-m", "second").returncode == 0
    assert git("push", "-q", str(cli.folder / "far"), "main").returncode != 0
    assert git("push", "-q", str(cli.folder / "far"), ":main").returncode == 0, "deleting pushes no commit"
    assert (cli.folder / "earlier").read_text().splitlines() == ["earlier 2"] * 3
    assert cli("connect", "git", "--remove", "--yes").code == 0
    assert os.listdir(hooks) == ["pre-push"]
    assert (hooks / "pre-push").read_bytes() == earlier


def test_connecting_git_leaves_the_gates_of_open_tasks_as_they_were(cli: Cli):
    cli("task", "new", "A fix", "--id", "fix", "--expect", "it works")
    assert cli("connect", "git", "--yes").code == 0
    assert "git:hooks" not in cli("status", "--json").out
    (cli.work / ".git/hooks/pre-commit").write_text("#!/bin/sh\nexit 0\n")
    assert "git:hooks/pre-commit" in cli("status", "--json").out


def test_hooks_that_live_elsewhere_are_not_ours_to_write(cli: Cli):
    cli.git("config", "core.hooksPath", ".husky")
    done = cli("connect", "git", "--yes")
    assert done.code == 1
    assert ".husky" in done.err


def test_the_printed_command_is_the_one_of_this_installation(cli: Cli, home: Path):
    shown = cli("connect", "codex", "--home", home, "--print", "--json").json
    assert f"exec {sys.executable} -I -S" in shown["diff"]
    assert shown["written"] is False
