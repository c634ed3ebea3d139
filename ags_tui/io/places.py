"""Where the state and the configuration of the user live.

The home folder comes from the password database. ``HOME`` and ``XDG_*`` are ignored on purpose: the
environment is inherited from whoever starts us, and it must never choose policy or keys. Arguments
(``--state``, ``--config``) may.
"""

import os
import pwd
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from ags_tui.core.failures import AgsError

APPLICATION = "ags-tui"
"""Name of our folder in the user's folders."""

FOLDER_MODE = 0o700
"""Mode of every folder that is made here."""

_OTHERS_WRITE = 0o022


class PlaceUnusable(AgsError):
    """A folder of the user cannot be made or cannot be relied on; the message names it and the next step."""


@dataclass(frozen=True, slots=True)
class Places:
    """The two folders of the user; they need not exist, reading works without them."""

    state: Path
    """Keys, marks against rollback, kept contents, activity, own log."""
    config: Path
    """Settings, the user's policy, trusted keys."""

    def state_folder(self, *names: str) -> Path:
        """Make (0700) and return a folder inside the state folder.

        Args:
            names: Names from the state folder down; none for the state folder itself.

        Raises:
            PlaceUnusable: It cannot be made, or others may write into it.
        """
        return _made(self.state, names)

    def config_folder(self, *names: str) -> Path:
        """Make (0700) and return a folder inside the configuration folder.

        Args:
            names: Names from the configuration folder down; none for that folder itself.

        Raises:
            PlaceUnusable: It cannot be made, or others may write into it.
        """
        return _made(self.config, names)


def default_places(platform: str = sys.platform) -> Places:
    """Return the folders of the user who runs this process, by the rules of the platform.

    Args:
        platform: ``sys.platform``.

    Raises:
        PlaceUnusable: The password database knows no absolute home folder for this user.
    """
    home = _home()
    if platform == "darwin":
        top = home / "Library" / "Application Support" / APPLICATION
        return Places(state=top / "state", config=top / "config")
    return Places(state=home / ".local" / "state" / APPLICATION, config=home / ".config" / APPLICATION)


def _home() -> Path:
    user = os.getuid()
    try:
        home = Path(pwd.getpwuid(user).pw_dir)
    except KeyError as error:
        raise PlaceUnusable(
            f"the password database has no entry for user {user}; pass --state DIR and --config DIR"
        ) from error
    if not home.is_absolute():
        raise PlaceUnusable(
            f"the password database gives user {user} the home folder {str(home)!r}, which is no absolute "
            "path; pass --state DIR and --config DIR"
        )
    return home


def _made(top: Path, names: tuple[str, ...]) -> Path:
    folder = top
    try:
        top.parent.mkdir(parents=True, exist_ok=True)
        for step in (top, *(top.joinpath(*names[: count + 1]) for count in range(len(names)))):
            folder = step
            folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
            _check(folder)
    except OSError as error:
        raise PlaceUnusable(f"{error.filename or folder}: cannot be made: {error.strerror}") from error
    return folder


def _check(folder: Path) -> None:
    facts = folder.stat()
    if facts.st_uid != os.geteuid():
        raise PlaceUnusable(f"{folder}: belongs to user {facts.st_uid}, not to you; choose another folder")
    if stat.S_IMODE(facts.st_mode) & _OTHERS_WRITE:
        raise PlaceUnusable(f"{folder}: others may write into it; run: chmod 700 {folder}")
