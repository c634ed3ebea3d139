"""``$EDITOR`` for a request or a file: no shell, not in the repository, a request as a read-only copy."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ags_tui.core.failures import AgsError

LARGEST_TEXT = 4 << 20
"""Most bytes of a text that comes back from the editor."""


class NoEditor(AgsError):
    """The editor cannot be run; the message says why."""


def editor_command(environment: Mapping[str, str]) -> list[str]:
    """Give the editor's command line.

    Args:
        environment: The process environment; ``VISUAL``, then ``EDITOR``, then ``vi``.

    Raises:
        NoEditor: It cannot be read as a command line.
    """
    text = environment.get("VISUAL") or environment.get("EDITOR") or "vi"
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise NoEditor(f"$EDITOR cannot be read: {error}") from error
    if not words:
        raise NoEditor("$EDITOR names no program")
    return words


def edit_file(path: str, environment: Mapping[str, str]) -> None:
    """Open a file of the work tree; blocks until the editor ends.

    The editor starts in an empty folder, so that it reads no configuration from the repository.

    Raises:
        NoEditor: The file is gone, or the editor cannot be run.
    """
    if not Path(path).is_file():
        raise NoEditor("the file is gone")
    with tempfile.TemporaryDirectory(prefix="ags-tui-") as folder:
        _run([*editor_command(environment), path], folder)


def show_copy(name: str, data: bytes, environment: Mapping[str, str]) -> None:
    """Open a read-only copy of a request's bytes; blocks until the editor ends, then the copy is removed.

    Raises:
        NoEditor: The editor cannot be run.
    """
    with tempfile.TemporaryDirectory(prefix="ags-tui-") as folder:
        copy = Path(folder) / (Path(name).name or "request.json")
        copy.write_bytes(data)
        copy.chmod(0o400)
        _run([*editor_command(environment), str(copy)], folder)


def edit_text(name: str, text: str, environment: Mapping[str, str]) -> str:
    """Let the human change a text in a file of its own; blocks until the editor ends, then it is removed.

    Args:
        name: Name of the file; its ending tells the editor what it is.
        text: What stands in it at first.
        environment: The process environment.

    Returns:
        What was saved.

    Raises:
        NoEditor: The editor cannot be run, or what it saved is no text.
    """
    with tempfile.TemporaryDirectory(prefix="ags-tui-") as folder:
        copy = Path(folder) / (Path(name).name or "input.txt")
        copy.write_bytes(text.encode("utf-8", "surrogateescape"))
        _run([*editor_command(environment), str(copy)], folder)
        try:
            data = copy.read_bytes()
        except OSError as error:
            raise NoEditor(f"what was saved cannot be read: {error.strerror}") from error
        if len(data) > LARGEST_TEXT:
            raise NoEditor("what was saved is larger than 4 MiB")
        return data.decode("utf-8", "surrogateescape")


def _run(command: list[str], folder: str) -> None:
    """Run the editor on the terminal."""
    try:
        subprocess.run(command, cwd=folder, check=False, env=dict(os.environ))
    except OSError as error:
        raise NoEditor(f"{command[0]} cannot be run: {error.strerror}") from error
