"""Small pieces of English that several checks say."""

from collections.abc import Iterable

from ags_tui.core.snapshot import LoadProblem


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 path``, ``2 paths``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def not_there(artifact: str, what: str, writer: str, problems: Iterable[LoadProblem]) -> str:
    """Say why a document is missing: nobody wrote it, it is being written, or what lies there is none.

    Args:
        artifact: its file.
        what: what it would be, such as ``plan``.
        writer: who writes it.
        problems: what is wrong with the files of the task.
    """
    wrong = next((one for one in problems if one.artifact == artifact), None)
    if wrong is None:
        return f"There is no {what} yet. Let a {writer} write {artifact}."
    if wrong.code == "BEING_WRITTEN":
        return f"There is no {what} yet: {artifact} is being written."
    return f"There is no {what} that can be read: {artifact} is wrong. Let the {writer} correct it."
