"""What is shown, in a few words: the task in the heading of the centre, and what a log entry is about."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ags_tui.view.rows import wrapped
from ags_tui.view.text import Line, Span, cell_len, clip, printable

if TYPE_CHECKING:
    from ags_tui.core.assessment import TaskAssessment
    from ags_tui.core.contracts.log_entry import LogEntry

_LONGEST = 400
"""Characters of a text that are looked at; a row shows far fewer."""


def task_heading(task_id: str, title: str, width: int) -> tuple[Line, ...]:
    """Draw a task's id and title: on one line, else each on its own; of the id nothing is cut but by far.

    Args:
        task_id: Foreign text.
        title: Foreign text.
        width: Cells of a line.
    """
    name, words = printable(task_id), printable(title)
    if cell_len(name) + 3 + cell_len(words) <= width:
        return ((Span(name, "title"), Span(f"   {words}", "muted")),)
    lines = tuple((Span(text, "title"),) for text in wrapped(name, width, limit=3))
    return (*lines, (Span(clip(words, width), "muted"),)) if words and words != name else lines


def subjects_of(task: "TaskAssessment") -> Mapping[str, str]:
    """Collect what the entries of a task's log can be about: words by digest, and by id of a sentence.

    Args:
        task: The task; its request files, plan and task are still on disk, or nothing is known of them.
    """
    known = {prose.prose_id: _short(prose.text) for prose in task.gate.prose}
    for artifact in task.task.files.artifacts.values():
        words = _words(artifact.document)
        if words:
            known[artifact.digest] = _short(words)
    return known


def about(entry: "LogEntry", known: Mapping[str, str]) -> str:
    """Say what an entry is about; empty where its id says all there is to say.

    Args:
        entry: The entry.
        known: What :func:`subjects_of` found.
    """
    found = known.get(entry.subject.digest) or known.get(entry.subject.id)
    if found:
        return found
    for name in ("path", "command"):
        value = entry.data.get(name)
        if isinstance(value, str) and value != entry.subject.id:
            return _short(value)
    return ""


def _words(document: object) -> str:
    """Give the words of a contract that a human knows it by."""
    tool = getattr(document, "tool", "")
    if tool:
        change = getattr(document, "proposed_change", None)
        path = getattr(document, "target_path", None) or getattr(change, "path", "")
        return f"{tool} {path or getattr(document, 'command', None) or ''}".strip()
    for name in ("question", "summary", "title"):
        value = getattr(document, name, "")
        if isinstance(value, str) and value:
            return value
    subject = getattr(document, "subject", None)
    return f"approve {subject.kind} {subject.path or ''}".strip() if subject is not None else ""


def _short(text: str) -> str:
    """Make a text one inert line; it is cut to its place later."""
    return printable(" ".join(text[:_LONGEST].split()))
