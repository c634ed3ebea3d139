"""The root folder (``.ai/``) among the changes: its known names are not changes, the unknown ones are."""

from ags_tui.core.digests import digest
from ags_tui.core.layout import known_in_root

GITIGNORE = """\
# Written by `ags-tui init`. The log of a task travels with the change, so that CI and colleagues see it;
# sessions, evidence files and unfinished writes stay here.
tasks/session-*
tasks/*/artifacts/
.tmp-*
"""
"""Content of ``.ai/.gitignore`` as ``init`` writes it."""

_OWN = digest(GITIGNORE.encode())


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

    def without_own(self, hiding: dict[str, str]) -> dict[str, str]:
        """Leave out the rule file that ``init`` writes: it hides nothing that counts as a change, and a task
        that is older than ``init`` need not be looked at for it. The same name with other words stays.

        Args:
            hiding: digests of rule files by name.
        """
        own = f"{self.name}/.gitignore" if self.name else ""
        return {name: seen for name, seen in hiding.items() if name != own or seen != _OWN}

    def knows(self, path: bytes) -> bool:
        """Whether a path lies in the root and has a name of ``formats.md`` §1."""
        if not self.holds(path):
            return False
        try:
            return known_in_root(path[len(self._prefix) :].decode("utf-8"))
        except UnicodeDecodeError:
            return False
