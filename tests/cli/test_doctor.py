"""``doctor``: finds what is broken, asks nothing, and measures glyphs only on a terminal."""

import json
import os
from pathlib import Path

import ptyprocess
import pyte
import pytest

from tests.cli.conftest import Cli
from tests.emulator import Screen


def checks(cli: Cli) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for row in cli("doctor", "--json").json["checks"]:
        found.setdefault(row["area"], set()).add(row["state"])
    return found


def test_healthy_machine_is_0_with_every_area(cli: Cli):
    cli("init")
    cli("task", "new", "T", "--risk", "low")
    done = cli("doctor")
    assert done.code == 0, done.out
    found = checks(cli)
    assert {"terminal", "git", "files", "watch", "keys", "settings", "policy", "clients"} <= set(found)
    assert not [area for area, states in found.items() if "broken" in states]
    assert "log entries are created by" in done.out


def test_keys_that_others_can_read_are_broken(cli: Cli):
    cli("task", "new", "T", "--risk", "low")
    key = next((cli.folder / "state" / "keys").glob("*.key"))
    key.chmod(0o644)
    done = cli("doctor")
    assert done.code == 1
    assert f"chmod go-rwx {key}" in done.out
    key.chmod(0o600)
    (cli.folder / "state" / "keys").chmod(0o755)
    assert cli("doctor").code == 1


def test_broken_policy_is_broken_with_its_line(cli: Cli):
    cli("init")
    (cli.root / "policy.toml").write_text("[limits]\nnope = 1\n")
    done = cli("doctor")
    assert done.code == 1
    assert "policy.toml:2" in done.out


def test_outside_a_repository_it_still_answers(cli: Cli, tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    done = cli("doctor", "-C", tmp_path / "elsewhere", "--json")
    assert done.code == 0
    assert any(row["area"] == "git" and row["state"] == "note" for row in done.json["checks"])


def test_clients_on_the_path_are_named(cli: Cli, tmp_path: Path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "codex").write_text("#!/bin/sh\necho must not run > /tmp/AGS_MARK\n")
    (tmp_path / "bin" / "codex").chmod(0o755)
    cli.environment["PATH"] = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    rows = [row for row in cli("doctor", "--json").json["checks"] if row["area"] == "clients"]
    assert any("Codex" in row["message"] and str(tmp_path) in row["message"] for row in rows)


@pytest.mark.parametrize("answers", [True, False])
def test_glyphs_are_measured_where_the_terminal_answers(cli: Cli, answers: bool):
    screen = Screen(100, 30)
    stream = pyte.ByteStream(screen)
    process = ptyprocess.PtyProcess.spawn(
        cli.arguments("doctor"), cwd=str(cli.work), env=cli.env(), dimensions=(30, 100)
    )

    def answer(data: str) -> None:
        if answers:
            process.write(data.encode())

    screen.write_process_input = answer
    output = b""
    while True:
        try:
            data = process.read(4096)
        except EOFError:
            break
        output += data
        stream.feed(data)
    process.wait()
    text = output.decode()
    assert process.exitstatus == 0, text
    assert ("all symbols are one cell wide" in text) is answers
    assert ("does not answer" in text) is not answers
    assert "100×30" in text


def test_json_is_one_document(cli: Cli):
    document = json.loads(cli("doctor", "--json").out)
    assert document["ok"] is True
