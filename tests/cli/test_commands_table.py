"""The commands in the README are those of this program; run this module to write them."""

from pathlib import Path

from ags_tui.cli.arguments import COMMANDS
from tests.cli.conftest import Cli

README = Path(__file__).resolve().parents[2] / "README.md"
BEGIN = "<!-- commands: the lines of ags-tui --help, compared by a test -->"
END = "<!-- /commands -->"


def with_commands(text: str) -> str:
    """The README with today's commands."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    rows = [f"| `{name}` | {summary} |" for name, (_, summary) in COMMANDS.items()]
    table = "\n".join(["| Command | Does |", "|---|---|", *rows])
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def test_every_command_is_in_the_readme():
    text = README.read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1
    assert text == with_commands(text), "run: python -m tests.cli.test_commands_table"


def test_the_hook_is_in_the_help_and_says_how_it_is_called(cli: Cli):
    assert "  hook " in cli("--help").out
    told = cli("hook", "--help")
    assert (told.code, "on stdin" in told.out) == (0, True)
    done = cli("-C", cli.work, "hook", "codex")
    assert done.code == 2, "no client takes it for leave"
    assert "ags-tui hook codex" in done.err


if __name__ == "__main__":
    README.write_text(with_commands(README.read_text(encoding="utf-8")), encoding="utf-8")
