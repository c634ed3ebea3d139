"""The form of a new task: a TOML file that a human fills in with the editor of their choice."""

import os
import shlex
import subprocess
import tempfile
import tomllib
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ags_tui.cli.call import Call
from ags_tui.cli.failures import CommandFailed, UsageProblem
from ags_tui.core.layout import valid_task_id

LONGEST_SLUG = 60
"""Most bytes of an id that is made of a title."""

KEYS: Mapping[str, type] = {
    "description": str,
    "category": str,
    "risk_level": str,
    "expected_behavior": list,
    "forbidden_changes": list,
    "required_evidence": list,
}
"""Keys of the form and the type of their values."""

_FORM = '''\
# A new task. Save and close to make it; empty the file to give up.

# What is to be done, in prose.
description = """
{title}
"""

# bug_fix | feature | review | test | documentation
category = "feature"

# low | medium | high: high asks for a plan that a human approved
risk_level = "medium"

# What must hold afterwards; you attest each line before you finalize.
expected_behavior = [
]

# Paths, patterns or sentences: what must stay untouched.
forbidden_changes = [
]

# What must be shown before the task is done.
required_evidence = [
]
'''


def slug(title: str, taken: frozenset[str]) -> str:
    """Make a task id of a title: letters and digits of any script, the rest as dashes.

    Args:
        title: any text.
        taken: ids that exist.
    """
    text = unicodedata.normalize("NFC", title.lower())
    kept = "".join(
        char if char.isalnum() or unicodedata.category(char).startswith("M") else "-" for char in text
    )
    base = "-".join(part for part in kept.split("-") if part)
    while len(base.encode()) > LONGEST_SLUG:
        base = base[:-1]
    base = base.strip("-")
    if not valid_task_id(base):
        base = "".join(char for char in base if char.isascii()) or "task"
    name, number = base, 2
    while name in taken:
        name, number = f"{base}-{number}", number + 1
    return name


def edit_form(call: Call, title: str) -> dict[str, Any]:
    """Let the human fill in the form.

    Args:
        call: where the editor and the folder for the form come from.
        title: title of the task.

    Returns:
        Fields of an AgentTask.

    Raises:
        UsageProblem: no editor is set.
        CommandFailed: the editor failed, the human gave up, or the form cannot be read; it is kept then.
    """
    editor = call.environment.get("VISUAL") or call.environment.get("EDITOR")
    if not editor:
        raise UsageProblem("task new: set EDITOR for a form, or give --description and the other options")
    descriptor, name = tempfile.mkstemp(".toml", "task-", call.places.state_folder("forms"))
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(_FORM.format(title=title.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')))
    path = Path(name)
    try:
        done = subprocess.run([*shlex.split(editor), name], check=False)
    except (OSError, ValueError) as error:
        path.unlink()
        raise CommandFailed(f"the editor {editor!r} cannot be started: {error}") from error
    if done.returncode != 0:
        raise CommandFailed(f"the editor ended with {done.returncode}; the form is kept: {path}")
    fields = read_form(path)
    path.unlink()
    return fields


def read_form(path: Path) -> dict[str, Any]:
    """Read a filled-in form.

    Raises:
        CommandFailed: it is empty (the human gave up) or cannot be read; the message names the line.
    """
    text = path.read_text(encoding="utf-8", errors="replace")
    if not text.strip():
        path.unlink()
        raise CommandFailed("the form was emptied; no task was made")
    try:
        document = tomllib.loads(text)
    except ValueError as error:
        raise CommandFailed(
            f"{path}: {error}; the form is kept, correct it and run task new again"
        ) from error
    for key, value in document.items():
        kind = KEYS.get(key)
        if kind is None or not isinstance(value, kind):
            known = "is not a key of the form" if kind is None else f"must be a {kind.__name__}"
            raise CommandFailed(f"{path}: {key} {known}; the form is kept")
    return {key: value.strip() if isinstance(value, str) else value for key, value in document.items()}
