"""Becoming a user whom the permissions of files bind, where the tests run as root."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

NOBODY = 65534
"""User and group of the other user."""


def as_ordinary_user(command: list[str], *own: Path) -> list[str]:
    """A command as somebody who may not everything.

    Args:
        command: What to run.
        own: Files and folders that the other user gets; the ways to the first are opened. It lies outside
            of pytest's own folders, which the next run of pytest closes again.
    """
    if os.geteuid() != 0:
        return command
    if shutil.which("setpriv") is None:
        pytest.skip("root cannot become an ordinary user here")
    prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    for folder in (own[0], *own[0].parents):
        facts = folder.stat()
        if facts.st_uid == 0 and facts.st_mode & 0o001 == 0:
            folder.chmod(facts.st_mode | 0o011)
    for place in own:
        os.chown(place, NOBODY, NOBODY)
    if subprocess.run([*prefix, command[0], "-c", ""], capture_output=True, check=False).returncode:
        pytest.skip("an ordinary user cannot start this interpreter")
    return [*prefix, *command]
