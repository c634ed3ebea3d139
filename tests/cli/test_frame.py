"""The frame around all commands: options, exit codes, one line on stderr, no traceback, broken pipes."""

import subprocess
import sys
from pathlib import Path

import pytest

from ags_tui.cli.arguments import COMMANDS, split
from tests.cli.conftest import Cli


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        ([], {}),
        (["."], {"path": "."}),
        (["/some/where"], {"path": "/some/where"}),
        (["-C", "x"], {"directory": "x"}),
        (["-Cx", "--root=r", "y"], {"directory": "x", "root": "r", "path": "y"}),
        (["--state", "gate", "--config", "c"], {"state": "gate", "config": "c"}),
        (["--", "gate"], {"path": "gate"}),
        (["./gate"], {"path": "./gate"}),
        (["gate"], None),
        (["-C", "x", "gate"], None),
        (["--help"], None),
        (["--json"], None),
        (["-C"], None),
        (["a", "b"], None),
        (["--", "a", "b"], None),
    ],
)
def test_tui_is_told_from_commands(arguments: list[str], asked: dict[str, str] | None):
    assert split(arguments) == asked


def test_road_to_the_tui_imports_no_command_library():
    program = (
        "import sys\nfrom ags_tui.cli.arguments import split\nassert split([]) == {}\n"
        "loaded = set(sys.modules)\nimport ags_tui.cli.tui\n"
        "print('typer' in sys.modules, len(loaded & {'typing', 're', 'json', 'argparse'}))\n"
    )
    start = f"import sys; sys.path[:0] = {sys.path!r}\n{program}"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", start], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "0"]


def test_help_lists_every_command_and_version_is_said_anywhere(cli: Cli):
    done = cli("--help")
    assert done.code == 0
    for name in COMMANDS:
        assert f"\n  {name} " in done.out
    for words in (("--version",), ("config", "path", "--version")):
        assert cli(*words).out.startswith("ags-tui 0.")


@pytest.mark.parametrize(
    ("words", "needle"),
    [
        (("gat",), "did you mean: ags-tui gate"),
        (("a", "b"), "No such command 'a'"),
        (("config",), "Missing command"),
        (("config", "pth"), "Did you mean 'path'"),
        (("wait",), "Missing argument"),
        (("scope", "x", "--nope"), "No such option"),
        (("config", "path", "-C", "/nowhere/at/all"), "no such folder"),
        (("-C",), "requires an argument"),
    ],
)
def test_usage_errors_are_one_line_and_2(cli: Cli, words: tuple[str, ...], needle: str):
    done = cli.raw([sys.executable, "-m", "ags_tui", *words])
    assert done.code == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert done.err.startswith("ags-tui: ")
    assert needle in done.err


def test_without_a_terminal_the_tui_says_what_to_use(cli: Cli):
    done = cli()
    assert done.code == 2
    assert "ags-tui status" in done.err
    assert done.err.count("\n") == 1


def test_global_options_before_and_after_the_command(cli: Cli):
    state, config = str(cli.folder / "s"), str(cli.folder / "c")
    run = [sys.executable, "-m", "ags_tui"]
    before = cli.raw([*run, "--json", "--config", config, "--state", state, "config", "path"])
    between = cli.raw([*run, "config", "--json", "--config", config, "path", "--state", state])
    after = cli.raw([*run, "config", "path", "--json", "--config", config, "--state", state])
    assert before.json == between.json == after.json
    assert before.json["path"] == f"{config}/config.toml"


def test_later_option_wins_over_an_earlier_one(cli: Cli):
    run = [
        sys.executable,
        "-m",
        "ags_tui",
        "--config",
        "/a",
        "config",
        "path",
        "--config",
        "/b",
        "--state",
        "/s",
    ]
    assert cli.raw(run).out == "/b/config.toml\n"


def test_settings_warnings_go_to_stderr_and_stdout_stays_one_document(cli: Cli):
    (cli.folder / "config").mkdir()
    (cli.folder / "config" / "config.toml").write_text('version = 1\n"x\\u001b]0;y" = 1\n')
    done = cli("config", "path", "--json")
    assert done.json["exists"] is True
    assert "unknown key" in done.err
    assert "\x1b" not in done.err
    assert "\x1b" not in done.out


def test_hostile_argument_reaches_the_terminal_inert(cli: Cli):
    done = cli("config", "path", "-C", "/no\x1b]52;c;evil\x07\u202e\r")
    assert done.code == 2
    assert not set(done.err) & set("\x1b\x07\u202e\r")


def test_errors_are_a_document_too_where_json_is_wanted(cli: Cli):
    done = cli("config", "path", "-C", "/nowhere", "--json")
    assert done.code == 2
    assert done.json["error"]["exitCode"] == 2
    assert "no such folder" in done.json["error"]["message"]


def test_own_failure_is_70_one_line_and_a_file_without_locals(cli: Cli, tmp_path: Path):
    broken = (
        "import sys, ags_tui.cli.config as c\n"
        "def fail(*a):\n    secret = 'locals-' + 'stay-out'\n    raise ZeroDivisionError('boom')\n"
        "c.read_settings = fail\nfrom ags_tui.__main__ import main\nsys.exit(main())\n"
    )
    words = ["config", "path", "--state", str(cli.folder / "state"), "--config", str(cli.folder / "config")]
    done = cli.raw([sys.executable, "-c", broken, *words])
    assert done.code == 70
    assert done.err.count("\n") == 1
    assert "ZeroDivisionError" in done.err
    (crash,) = (cli.folder / "state" / "crashes").iterdir()
    assert str(crash) in done.err
    text = crash.read_text()
    assert "boom" in text
    assert "locals-stay-out" not in text
    assert crash.stat().st_mode & 0o777 == 0o600


def test_own_failure_without_a_state_folder_is_still_one_line(cli: Cli):
    broken = (
        "import sys, ags_tui.cli.config as c\nc.read_settings = lambda *a: 1 // 0\n"
        "from ags_tui.__main__ import main\nsys.exit(main())\n"
    )
    (cli.folder / "file").write_text("")
    words = ["config", "path", "--state", str(cli.folder / "file" / "state"), "--config", "/c"]
    done = cli.raw([sys.executable, "-c", broken, *words])
    assert done.code == 70
    assert done.err.count("\n") == 1


def test_reader_that_goes_away_makes_no_noise(cli: Cli):
    process = cli.start("schema", "--help")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.wait(30)


def test_verdict_survives_a_reader_that_goes_away_and_closed_streams(cli: Cli):
    process = cli.start("config", "path", "--json")
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(30) == 0
    assert process.stderr is not None
    assert process.stderr.read() == b""
    closed = cli.raw(
        ["/bin/sh", "-c", 'exec "$@" >&- 2>&-', "sh", *cli.arguments("config", "path", "-C", "/nope")]
    )
    assert closed.code == 2


def test_native_windows_and_a_broken_installation_are_one_line(cli: Cli):
    start = "import sys; {}; from ags_tui.__main__ import main; sys.exit(main())"
    windows = cli.raw([sys.executable, "-c", start.format("sys.platform = 'win32'")])
    assert (windows.code, windows.err.count("\n")) == (1, 1)
    broken = cli.raw(
        [sys.executable, "-c", start.format("sys.modules['ags_tui.cli.entry'] = None"), "status"]
    )
    assert (broken.code, broken.err.count("\n")) == (70, 1)


@pytest.mark.parametrize("encoding", [{"LC_ALL": "C", "PYTHONIOENCODING": "cp932"}, {"LC_ALL": "POSIX"}])
def test_output_is_utf_8_whatever_the_locale(cli: Cli, encoding: dict[str, str]):
    cli.environment.update(encoding)
    folder = cli.folder / "설정 表"
    folder.mkdir()
    done = cli.raw([*cli.arguments("config", "path"), "--config", str(folder)])
    assert done.out == f"{folder}/config.toml\n"


def test_no_repository_is_said_clearly(cli: Cli, tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = cli("status", "-C", elsewhere)
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert str(elsewhere) in done.err
