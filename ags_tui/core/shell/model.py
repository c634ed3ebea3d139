"""What is read from a shell line: words, simple commands, redirections, doubts.

Named tuples, not dataclasses: making these classes is part of what a hook costs.
"""

from typing import Literal, NamedTuple

Direction = Literal["write", "read", "both", "copy", "text"]
"""What a redirection does: ``copy`` joins descriptors, ``text`` feeds a here-document or here-string."""


class Word(NamedTuple):
    """One word of a command."""

    text: str
    """As written. Raw text."""
    value: str | None
    """What the program gets; None where the shell computes it (expansions, globs, braces, tilde)."""
    shape: str
    """The value with ``UNKNOWN``, ``HOME`` and ``CWD`` for what is computed; globs stay as written."""

    @property
    def plain(self) -> bool:
        """Whether it is written without quotes, escapes or anything computed."""
        return self.value == self.text


class SimpleCommand(NamedTuple):
    """One program or builtin with its words."""

    words: tuple[Word, ...]
    """Name and arguments; never empty."""
    text: str
    """Source text of the command that stands in the line. Raw text."""
    assignments: tuple[str, ...] = ()
    """Assignments before its name, as written."""
    wrappers: tuple[str, ...] = ()
    """Names of the wrappers looked through to find it, outermost first; empty where it stands by itself."""
    outer: int | None = None
    """Index of the command that starts this one; None where the shell itself does."""
    offset: int = 0
    """Index of its name among the words of ``outer``; 0 where it was read from a string."""
    places: tuple[str, ...] = ()
    """Where it stands, outermost first: ``pipe``, ``substitution``, ``background`` and so on."""
    guess: bool = False
    """Whether it is only a suspicion: it counts for denying, never for allowing."""

    @property
    def name(self) -> str | None:
        """Value of its first word; None where that is computed."""
        return self.words[0].value

    @property
    def line(self) -> str:
        """Its words with single blanks, computed ones as written."""
        return " ".join(word.text if word.value is None else word.value for word in self.words)


class Redirection(NamedTuple):
    """One redirection."""

    operator: str
    """As written: ``>``, ``>>``, ``<``, ``&>``, ``>&``, ``<<``, ``<<<`` and so on."""
    direction: Direction
    """What it does."""
    target: Word
    """The file, the descriptor, or the text."""
    text: str
    """As written. Raw text."""
    command: int | None = None
    """Index of its command; None where it belongs to a group or to no command."""


class ShellLine(NamedTuple):
    """A line, read."""

    text: str
    """The line, exactly."""
    commands: tuple[SimpleCommand, ...] = ()
    """Every simple command, in the order of the text; those found in another one stand after it."""
    redirections: tuple[Redirection, ...] = ()
    """Every redirection, in the order of the text."""
    doubts: tuple[str, ...] = ()
    """Why the line must not be allowed by itself, each once, in words."""
