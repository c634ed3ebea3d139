"""``init``: the ``.ai/`` skeleton."""

from pathlib import Path

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import OK, CommandFailed
from ags_tui.core.layout import valid_task_id
from ags_tui.core.wording import counted
from ags_tui.io.init_folder import InitReport, init_folder
from ags_tui.io.policy_files import POLICY_NAME
from ags_tui.view.text import Span

app = new_app()


@command(app)
def init(call: Call) -> int:
    """Make the .ai/ skeleton: .gitignore, policy.toml and copies of the contract schemas.

    Files that are there stay as they are, apart from older schema copies. Nothing outside .ai/ is touched.
    """
    from ags_tui.cli.session_tasks import Sessions

    root, sessions = root_for(call), Sessions(call)
    try:
        report = init_folder(root)
    except FileNotFoundError as error:
        raise CommandFailed(f"{root}: {error.strerror or error}") from error
    moved = sessions.move(root)
    asked_again = _asked_again(root, report)
    for problem in (*report.problems, *filter(None, (asked_again, sessions.note))):
        call.out.note(problem)
    changed = [(name, done) for name, done in report.files if done != "kept"]
    for name, done in changed:
        call.out.line(Span(f"{done:<8}", "ok"), name)
    for name in moved:
        call.out.line(Span(f"{'moved':<8}", "ok"), f"tasks/{name}")
    kept = len(report.files) - len(changed)
    call.out.line(Span(f"{report.root}: {len(changed)} written, {kept} left as they were", "muted"))
    call.out.document({
        "root": str(report.root),
        "files": [{"path": name, "outcome": done} for name, done in report.files],
        "problems": list(report.problems),
        "askedAgain": asked_again,
        "movedSessions": list(moved),
    })  # fmt: skip
    return OK


def _asked_again(root: Path, report: InitReport) -> str:
    """Say that a new policy makes earlier approvals void; empty where no task could have any."""
    if (POLICY_NAME, "created") not in report.files:
        return ""
    tasks = sum(valid_task_id(one.name) and one.is_dir() for one in (root / "tasks").iterdir())
    if not tasks:
        return ""
    return (
        f"{POLICY_NAME} is new and there {'is' if tasks == 1 else 'are'} {counted(tasks, 'task')} already: "
        "approvals are bound to the policy, so requests that were approved and not used yet are asked again."
    )


def root_for(call: Call) -> Path:
    """The root that is meant: ``--root``, else the setting or ``.ai`` at the top of the work tree."""
    from ags_tui.io.git import GitDoor
    from ags_tui.io.settings import read_settings

    chosen = call.chosen_root()
    if chosen is not None:
        return chosen
    top = Path(GitDoor.open(call.directory).repo().top)
    return top / read_settings(call.places, call.environment).settings.root_for(top)
