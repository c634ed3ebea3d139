"""The root folder (``.ai/``) among the changes: its known names are not changes, the unknown ones are."""

from ags_tui.core.layout import known_in_root


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

    def knows(self, path: bytes) -> bool:
        """Whether a path lies in the root and has a name of ``formats.md`` §1."""
        if not self.holds(path):
            return False
        try:
            return known_in_root(path[len(self._prefix) :].decode("utf-8"))
        except UnicodeDecodeError:
            return False
