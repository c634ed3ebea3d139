"""Small pieces of English that several checks say."""

from collections.abc import Iterable, Sequence

from ags_tui.core.snapshot import LoadProblem


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 path``, ``2 paths``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


_LABELS = {"workflow": "AGS runs"}


def condition_label(name: str) -> str:
    """What a condition of the gate is called for people; its name is for programs."""
    return _LABELS.get(name, name)


def on_one_line(text: str) -> str:
    """Join the lines of foreign prose. Only line feeds go: what else could hide something stays in sight."""
    return " ".join(part.strip(" ") for part in text.split("\n") if part.strip(" "))


def listed(names: Sequence[str], most: int = 3) -> str:
    """Name some things and count the rest: ``a, b, c and 4 more``; no name begins a line of its own."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]).replace("\n", "\\n") + more


def refused(artifact: str, problems: Iterable[LoadProblem]) -> LoadProblem | None:
    """Give what is wrong with a file that was written and cannot be read; None where that is not so.

    Args:
        artifact: the file.
        problems: what is wrong with the files of the task.
    """
    found = (one for one in problems if one.artifact == artifact and one.code != "BEING_WRITTEN")
    return next(found, None)


def cannot_be_read(artifact: str, what: str, writer: str) -> str:
    """Say that a file which was written is no document of its kind.

    Args:
        artifact: its file.
        what: what it would be, such as ``plan``.
        writer: who writes it.
    """
    return f"There is no {what} that can be read: {artifact} is wrong. Let the {writer} correct it."


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
    return cannot_be_read(artifact, what, writer)
