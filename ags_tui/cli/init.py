"""``init``: the ``.ai/`` skeleton."""

from pathlib import Path

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import OK, CommandFailed
from ags_tui.io.init_folder import init_folder
from ags_tui.view.text import Span

app = new_app()


@command(app)
def init(call: Call) -> int:
    """Make the .ai/ skeleton: .gitignore, policy.toml and copies of the contract schemas.

    Files that are there stay as they are, apart from older schema copies. Nothing outside .ai/ is touched.
    """
    root = root_for(call)
    try:
        report = init_folder(root)
    except FileNotFoundError as error:
        raise CommandFailed(f"{root}: {error.strerror or error}") from error
    for problem in report.problems:
        call.out.note(problem)
    changed = [(name, done) for name, done in report.files if done != "kept"]
    for name, done in changed:
        call.out.line(Span(f"{done:<8}", "ok"), name)
    kept = len(report.files) - len(changed)
    call.out.line(Span(f"{report.root}: {len(changed)} written, {kept} left as they were", "muted"))
    call.out.document({
        "root": str(report.root),
        "files": [{"path": name, "outcome": done} for name, done in report.files],
        "problems": list(report.problems),
    })  # fmt: skip
    return OK


def root_for(call: Call) -> Path:
    """The root that is meant: ``--root``, else the setting or ``.ai`` at the top of the work tree."""
    from ags_tui.io.git import GitDoor
    from ags_tui.io.settings import read_settings

    chosen = call.chosen_root()
    if chosen is not None:
        return chosen
    top = Path(GitDoor.open(call.directory).repo().top)
    return top / read_settings(call.places, call.environment).settings.root_for(top)
