"""``run``: the client gets this process, with hooks, environment and task in place."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

TOLD = """#!{python}
import json, os, sys
if sys.argv[1:] == ["--version"]:
    print("9.9.9")
    sys.exit()
print(json.dumps({{"words": sys.argv[1:], "env": dict(os.environ), "cwd": os.getcwd()}}))
sys.exit(7)
"""


@pytest.fixture
def client(cli: Cli) -> Path:
    """A program that says how it was started, and ends with 7."""
    import sys

    path = cli.folder / "client"
    path.write_text(TOLD.format(python=sys.executable))
    path.chmod(0o755)
    return path


def test_the_client_becomes_this_process(cli: Cli, client: Path):
    sub = cli.work / "src"
    done = cli.raw(
        cli.arguments("run", "claude-code", "--client", client, "--", "-p", "a b", "--json"), cwd=sub
    )
    assert done.code == 7
    told = json.loads(done.out)
    path = Path(told["words"][1])
    assert told["words"] == ["--settings", str(path), "-p", "a b", "--json"]
    assert told["cwd"] == str(sub)
    assert int(told["env"]["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"]) > 100
    assert path.is_relative_to(cli.folder / "state/connect/claude-code")
    settings = json.loads(path.read_text())
    assert settings["disableAllHooks"] is False
    assert settings["env"]["LD_PRELOAD"] == settings["env"]["BASH_ENV"] == settings["env"]["AGS_TASK"] == ""
    assert settings["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"] == "block"
    assert len(list((cli.folder / "state/trees").glob("*/opted-in"))) == 1
    assert cli.git("status", "--porcelain") == "", "nothing is written into the repository"


def test_a_task_is_joined_with_its_baseline(cli: Cli, client: Path):
    folder = cli.task("fix")
    folder.mkdir(parents=True)
    task = {"id": "fix", "title": "A fix", "description": "It.", "category": "bug_fix", "riskLevel": "low"}
    lists = {name: [] for name in ("expectedBehavior", "forbiddenChanges", "requiredEvidence")}
    (folder / "task.json").write_text(json.dumps(task | lists))
    done = cli("run", "claude-code", "--task", "fix", "--client", client)
    assert json.loads(done.out)["env"]["AGS_TASK"] == "fix"
    assert (folder / "log/000000.json").exists()
    unknown = cli("run", "claude-code", "--task", "nope", "--client", client)
    assert unknown.code == 2
    assert "fix" in unknown.err


@pytest.mark.parametrize(
    ("agent", "words", "why"),
    [
        ("claude-code", ["--bare"], "--bare"),
        ("claude-code", ["--safe-mode"], "--safe-mode"),
        ("claude-code", ["--settings={}"], "--settings"),
        ("codex", ["exec", "--dangerously-bypass-hook-trust"], "repository's own hooks"),
        ("codex", ["-c", "features.hooks=false"], "changes the hooks"),
        ("codex", ["-chooks.state={}"], "changes the hooks"),
        ("codex", ["--disable=hooks"], "changes the hooks"),
        ("gemini", ["--acp"], "BeforeTool"),
    ],
)
def test_what_would_switch_the_hooks_off_is_refused(
    cli: Cli, client: Path, agent: str, words: list[str], why: str
):
    done = cli("run", agent, "--client", client, "--", *words)
    assert (done.code, done.out) == (1, "")
    assert why in done.err


def test_words_behind_a_double_dash_are_the_prompt(cli: Cli, client: Path):
    done = cli("run", "claude-code", "--client", client, "--", "-p", "--", "--bare")
    assert json.loads(done.out)["words"][2:] == ["-p", "--", "--bare"]


def test_clear_errors(cli: Cli, tmp_path: Path):
    assert "claude-code, codex, gemini" in cli("run", "cursor").err
    cli.environment["PATH"] = "/usr/bin:/bin"
    missing = cli("run", "codex")
    assert missing.code == 127
    assert "not found on PATH" in missing.err
    outside = tmp_path / "plain"
    outside.mkdir()
    done = cli("run", "claude-code", cwd=outside)
    assert done.code == 2
    assert "git repository" in done.err


def test_codex_that_does_not_say_what_it_trusts_is_not_started(cli: Cli, client: Path):
    done = cli("run", "codex", "--client", client, "--", "exec", "x")
    assert (done.code, done.out) == (1, "")
    assert "ags-tui connect codex" in done.err


def test_gemini_starts_where_its_user_is_connected(cli: Cli, client: Path):
    lacking = cli("run", "gemini", "--client", client)
    assert (lacking.code, lacking.out) == (1, "")
    assert "ags-tui connect gemini" in lacking.err
    cli("connect", "gemini", "--home", cli.folder, "--yes")
    started = cli("run", "gemini", "--client", client)
    told = json.loads(started.out)["env"]
    assert told["LD_PRELOAD"] == told["BASH_ENV"] == told["GEMINI_CLI_HOME"] == ""
    (cli.work / ".gemini").mkdir()
    (cli.work / ".gemini/settings.json").write_text('{"hooksConfig": {"enabled": false}}')
    off = cli("run", "gemini", "--client", client)
    assert (off.code, off.out) == (1, "")
    assert "hooksConfig" in off.err


def test_signals_reach_the_client(cli: Cli):
    waiting = cli.folder / "waits"
    waiting.write_text("#!/bin/sh\nyes | head -n 1 >&2\necho $$\nexec sleep 60\n")
    waiting.chmod(0o755)
    process = cli.start("run", "claude-code", "--client", waiting)
    assert process.stdout is not None
    assert int(process.stdout.readline()) == process.pid
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(timeout=30) == -signal.SIGTERM
    assert process.stderr is not None
    assert process.stderr.read() == b"y\n", "a broken pipe ends a child as it would elsewhere"
