"""Asks for the passphrase of the human key, on the terminal and nowhere else."""

import getpass
import sys
from pathlib import Path

from ags_tui.cli.failures import CommandFailed, UsageProblem
from ags_tui.io.places import Places

HUMAN_KEY = Path("keys", "human.key")
"""The human key below the state directory."""

TRIES = 3
"""How often a wrong passphrase may be corrected."""

_LARGEST = 16 * 1024
_ENCRYPTED = b"BEGIN ENCRYPTED PRIVATE KEY"


def is_protected(places: Places) -> bool:
    """Whether the human key has a passphrase; looks without loading anything that opens keys."""
    try:
        with (places.state / HUMAN_KEY).open("rb") as file:
            return _ENCRYPTED in file.read(_LARGEST)
    except OSError:
        return False


def ask_to_unlock(places: Places) -> str | None:
    """Ask for the passphrase before the TUI opens.

    Args:
        places: The user's folders.

    Returns:
        A passphrase that opens the key; None where there is none to ask for, or where the human wants to look
        only: then nothing can be decided but ``deny`` and ``block`` from the command line.

    Raises:
        CommandFailed: It was wrong each time.
    """
    if not is_protected(places):
        return None
    from ags_tui.io.key_files import WrongPassphrase
    from ags_tui.io.keys import Keys

    keys = Keys.open(places, create=False)
    for _ in range(TRIES):
        passphrase = getpass.getpass("Passphrase of the human key (empty: only look): ")
        if not passphrase:
            return None
        try:
            keys.unlock(passphrase)
        except WrongPassphrase as error:
            sys.stderr.write(f"{error}\n")
        else:
            return passphrase
    raise CommandFailed("the human key stays locked; nothing was opened")


def change_passphrase(places: Places) -> bool:
    """Set, change or take away the passphrase of the human key.

    Args:
        places: The user's folders.

    Returns:
        Whether the key has a passphrase now.

    Raises:
        UsageProblem: There is no terminal to ask on.
        CommandFailed: The old passphrase is wrong, or the two new ones differ.
        AgsError: There is no human key, or it cannot be written.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageProblem("a passphrase is asked for on a terminal and taken from nowhere else")
    from ags_tui.io.keys import Keys

    keys = Keys.open(places)
    if keys.locked:
        keys.unlock(getpass.getpass("Passphrase now: "))
    first = getpass.getpass("New passphrase (empty: none): ")
    if first != getpass.getpass("Once more: "):
        raise CommandFailed("the two differ; nothing was changed")
    keys.set_passphrase(first or None)
    return bool(first)
