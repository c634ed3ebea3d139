"""The root folder (``.ai/``) among the changes: its known names are not changes, the unknown ones are."""

import re
from pathlib import Path

from ags_tui.core.digests import digest
from ags_tui.core.layout import known_in_root
from ags_tui.io.plain_files import NotPlain, read_plain

GITIGNORE = """\
# Written by `ags-tui init`. The log of a task travels with the change, so that CI and colleagues see it;
# sessions, evidence files and unfinished writes stay here.
tasks/session-*
tasks/*/artifacts/
.tmp-*
"""
"""Content of ``.ai/.gitignore`` as ``init`` writes it."""

IGNORES = ".gitignore"
"""Name of the rule file in the root."""
SESSIONS = "tasks/session-*"
"""The line that keeps sessions out of commits."""

_OWN = digest(GITIGNORE.encode())
_EXCEPTION = re.compile(rb"^!tasks/session-[^/*?\[\]\\\s]+/\n", re.MULTILINE)
_LARGEST = 64 * 1024


def exception(task_id: str) -> str:
    """The line that lets the task of a promoted session travel with the change.

    Args:
        task_id: its id, which begins with ``session-``.
    """
    return f"!tasks/{task_id}/\n"


class Root:
    """The root folder's place in the work tree."""

    def __init__(self, name: str) -> None:
        """Prepare.

        Args:
            name: path of the root relative to the work tree; empty where it lies elsewhere.
        """
        self.name = name.strip("/")
        self._prefix = self.name.encode("utf-8", "surrogateescape") + b"/"

    def holds(self, path: bytes) -> bool:
        """Whether a path lies in the root."""
        return bool(self.name) and path.startswith(self._prefix)

    def without_own(self, hiding: dict[str, str], top: str) -> dict[str, str]:
        """Leave out the rule file that ``init`` writes: it hides nothing that counts as a change, and a task
        that is older than ``init`` need not be looked at for it. Exceptions for promoted sessions hide still
        less. The same name with other words stays.

        Args:
            hiding: digests of rule files by name.
            top: absolute top of the work tree.
        """
        own = f"{self.name}/{IGNORES}" if self.name else ""
        if own not in hiding or not (hiding[own] == _OWN or _is_own(Path(top, own), hiding[own])):
            return hiding
        return {name: seen for name, seen in hiding.items() if name != own}

    def knows(self, path: bytes) -> bool:
        """Whether a path lies in the root and has a name of ``formats.md`` §1."""
        if not self.holds(path):
            return False
        try:
            return known_in_root(path[len(self._prefix) :].decode("utf-8"))
        except UnicodeDecodeError:
            return False


def _is_own(path: Path, seen: str) -> bool:
    """Whether a rule file says what ``init`` wrote, exceptions for promoted sessions aside.

    Its bytes must be those whose digest was seen: a file that was put back since says nothing about them.
    """
    try:
        data = read_plain(path, limit=_LARGEST)
    except (NotPlain, OSError):
        return False
    return digest(data) == seen and digest(_EXCEPTION.sub(b"", data)) == _OWN
