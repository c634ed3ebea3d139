"""``doctor``: what this machine can do, and what is broken."""

import shutil

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.doctor_checks import check_files, check_git, check_keys, check_settings
from ags_tui.cli.doctor_rows import Row
from ags_tui.cli.doctor_terminal import check_terminal
from ags_tui.cli.failures import FAILED, OK
from ags_tui.view.text import Span

app = new_app()

CLIENTS = {"claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI"}
"""Coding agents by the name of their program."""

_STYLES = {"ok": "ok", "note": "warn", "broken": "error"}


@command(app)
def doctor(call: Call) -> int:
    """Check terminal, git, file system, keys, settings and clients; 1 where something is broken."""
    rows = [
        *check_terminal(call.environment),
        *check_git(call),
        *check_files(call),
        *check_keys(call),
        *check_settings(call),
        *_clients(call),
    ]
    for row in rows:
        call.out.line(Span(f"{row.state:<7}", _STYLES[row.state]), f"{row.area:<9} ", row.message)
        if row.next_step:
            call.out.line(" " * 17, Span(row.next_step, "muted"))
    broken = [row for row in rows if row.state == "broken"]
    call.out.document({
        "ok": not broken,
        "checks": [
            {"area": row.area, "state": row.state, "message": row.message, "nextStep": row.next_step}
            for row in rows
        ],
    })  # fmt: skip
    return FAILED if broken else OK


def _clients(call: Call) -> list[Row]:
    path = call.environment.get("PATH")
    found = {title: shutil.which(name, path=path) for name, title in CLIENTS.items()}
    there = [f"{title} ({where})" for title, where in found.items() if where]
    missing = [title for title, where in found.items() if not where]
    rows = [Row("clients", "ok", ", ".join(there))] if there else []
    if missing:
        rows.append(Row("clients", "ok" if there else "note", f"not on PATH: {', '.join(missing)}"))
    return rows
