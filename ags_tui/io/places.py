"""Where the state and the configuration of the user live.

The home folder comes from the password database. ``HOME`` and ``XDG_*`` are ignored on purpose: the
environment is inherited from whoever starts us, and it must never choose policy or keys. Arguments
(``--state``, ``--config``) may.
"""

import os
import pwd
import sys

from ags_tui.core.failures import AgsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

APPLICATION = "ags-tui"
"""Name of our folder in the user's folders."""

FOLDER_MODE = 0o700
"""Mode of every folder that is made here."""

_OTHERS_WRITE = 0o022


class PlaceUnusable(AgsError):
    """A folder of the user cannot be made or cannot be relied on; the message names it and the next step."""


class Places:
    """The two folders of the user; they need not exist, reading works without them.

    Kept as text: a hook asks for names of files only, and cannot afford ``pathlib``.
    """

    __slots__ = ("config_dir", "state_dir")

    def __init__(self, state: "str | Path", config: "str | Path") -> None:
        """Take both, absolute.

        Args:
            state: Keys, marks against rollback, kept contents, activity, own log.
            config: Settings, the user's policy, trusted keys.
        """
        self.state_dir = os.fspath(state)
        self.config_dir = os.fspath(config)

    @property
    def state(self) -> "Path":
        """Keys, marks against rollback, kept contents, activity, own log."""
        import pathlib

        return pathlib.Path(self.state_dir)

    @property
    def config(self) -> "Path":
        """Settings, the user's policy, trusted keys."""
        import pathlib

        return pathlib.Path(self.config_dir)

    def __eq__(self, other: object) -> bool:
        """Whether the other names the same folders."""
        return isinstance(other, Places) and self._both() == other._both()

    def __hash__(self) -> int:
        """Equal places have equal hashes."""
        return hash(self._both())

    def __repr__(self) -> str:
        """Name both folders."""
        return f"Places(state={self.state_dir!r}, config={self.config_dir!r})"

    def _both(self) -> tuple[str, str]:
        return self.state_dir, self.config_dir

    def made(self, *names: str) -> str:
        """Make (0700) and return a folder inside the state folder, as text.

        Args:
            names: Names from the state folder down; none for the state folder itself.

        Raises:
            PlaceUnusable: It cannot be made, or others may write into it.
        """
        return _made(self.state_dir, names)

    def state_folder(self, *names: str) -> "Path":
        """Make (0700) and return a folder inside the state folder.

        Args:
            names: Names from the state folder down; none for the state folder itself.

        Raises:
            PlaceUnusable: It cannot be made, or others may write into it.
        """
        import pathlib

        return pathlib.Path(_made(self.state_dir, names))

    def config_folder(self, *names: str) -> "Path":
        """Make (0700) and return a folder inside the configuration folder.

        Args:
            names: Names from the configuration folder down; none for that folder itself.

        Raises:
            PlaceUnusable: It cannot be made, or others may write into it.
        """
        import pathlib

        return pathlib.Path(_made(self.config_dir, names))


def default_places(platform: str = sys.platform) -> Places:
    """Return the folders of the user who runs this process, by the rules of the platform.

    Args:
        platform: ``sys.platform``.

    Raises:
        PlaceUnusable: The password database knows no absolute home folder for this user.
    """
    home = _home()
    if platform == "darwin":
        top = f"{home}/Library/Application Support/{APPLICATION}"
        return Places(state=f"{top}/state", config=f"{top}/config")
    return Places(state=f"{home}/.local/state/{APPLICATION}", config=f"{home}/.config/{APPLICATION}")


def _home() -> str:
    user = os.getuid()
    try:
        home = pwd.getpwuid(user).pw_dir
    except KeyError as error:
        raise PlaceUnusable(
            f"the password database has no entry for user {user}; pass --state DIR and --config DIR"
        ) from error
    if not home.startswith("/"):
        raise PlaceUnusable(
            f"the password database gives user {user} the home folder {home!r}, which is no absolute "
            "path; pass --state DIR and --config DIR"
        )
    return os.path.normpath(home)


def _made(top: str, names: tuple[str, ...]) -> str:
    folder = top
    try:
        os.makedirs(os.path.dirname(top), exist_ok=True)
        for step in (top, *("/".join((top, *names[: count + 1])) for count in range(len(names)))):
            folder = step
            if not os.path.isdir(folder):
                os.makedirs(folder, FOLDER_MODE, exist_ok=True)
            _check(folder)
    except OSError as error:
        raise PlaceUnusable(f"{error.filename or folder}: cannot be made: {error.strerror}") from error
    return folder


def _check(folder: str) -> None:
    facts = os.stat(folder)
    if facts.st_uid != os.geteuid():
        raise PlaceUnusable(f"{folder}: belongs to user {facts.st_uid}, not to you; choose another folder")
    if facts.st_mode & _OTHERS_WRITE:
        raise PlaceUnusable(f"{folder}: others may write into it; run: chmod 700 {folder}")
