"""``report``: the final report from observed facts."""

import os
import secrets
from pathlib import Path
from typing import Annotated, Literal

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import OK, CommandFailed
from ags_tui.cli.tasks import task_of
from ags_tui.core.checks.assess import assess
from ags_tui.core.contracts.report import FinalReport
from ags_tui.core.log_entries import writable
from ags_tui.core.report import final_report, render_markdown, report_bytes
from ags_tui.io.plain_files import NotPlain, open_folder, write_new
from ags_tui.view.text import Span

app = new_app()

NAMES = ("final-report.json", "final-report.md")
"""Files that ``--write`` makes."""


@command(app)
def report(
    call: Call,
    task: Annotated[str, typer.Argument(metavar="TASK", help="A task.")],
    write: Annotated[bool, typer.Option("--write", help="Write both files into the task folder.")] = False,
    form: Annotated[Literal["md", "json"], typer.Option("--format", help="What to print.")] = "md",
) -> int:
    """Make the final report from git, the log and the contracts as they are; prints it."""
    workspace, now = call.workspace(), call.now()
    snapshot = workspace.read()
    found = task_of(assess(snapshot, now), task)
    made = _writable(final_report(found, snapshot, now))
    document, markdown = report_bytes(made), render_markdown(made)
    written: list[str] = []
    if write:
        folder = workspace.folder(task)
        for name, data in zip(NAMES, (document, markdown.encode()), strict=True):
            written.append(str(folder / name))
            _replace(folder, name, data)
    text = markdown if form == "md" else document.decode()
    for line in text.splitlines():
        call.out.line(line)
    for path in written:
        call.out.line(Span(f"written: {path}", "muted"))
    call.out.document(
        {"taskId": task, "report": made.model_dump(mode="json", by_alias=True), "written": written}
    )
    return OK


def _writable(report: FinalReport) -> FinalReport:
    """The report with paths that are not UTF-8 in the reversible form that the log uses, too."""
    lists = ("changed_files", "risks", "not_changed", "human_review_targets")
    return report.model_copy(update={name: tuple(map(writable, getattr(report, name))) for name in lists})


def _replace(task_folder: Path, name: str, data: bytes) -> None:
    """Put a whole file in the place of an older one; never through a link."""
    temporary = f".tmp-{os.getpid()}-{secrets.randbelow(10**9)}"
    try:
        with open_folder(task_folder) as folder:
            write_new(folder, temporary, data)
            try:
                os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                os.unlink(temporary, dir_fd=folder)
                raise
    except (NotPlain, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise CommandFailed(f"{task_folder / name}: cannot be written: {why}") from error
