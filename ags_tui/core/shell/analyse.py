"""One shell line to all that it would run: commands, those inside commands, redirections, doubts."""

import re
from collections import deque
from functools import lru_cache
from typing import NamedTuple

from ags_tui.core.shell.model import Redirection, ShellLine, SimpleCommand, Word
from ags_tui.core.shell.tree import MOST_COMMANDS, Found, walk
from ags_tui.core.shell.words import literal
from ags_tui.core.shell.wrappers import SHELLS, base_name, look_through

LONGEST = 16 * 1024
"""Bytes of a line that may be allowed by itself."""

_LONGEST_PARSED = 64 * 1024
_LONGEST_ROUGH = 1024 * 1024
_DEEPEST = 8
_MOST_WORDS = 256
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_./-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_CONTINUED = re.compile(r"(?<![ \t])\\\n")
_ASSIGNED = re.compile(r"""(?<!\S)\w+\+?=(?:'[^']*'|"[^"]*"|[^\s'"])*(?!\S)""")
_REDIRECTED = re.compile(r"(?:(?<!\S)\d+)?[<>][<>&|]*\s*[^\s<>]*")
_CUTS = re.compile(r"[;|()\n`{}]|(?<![<>])&|\$\(")
_SHIFTING = frozenset(
    {"alias", "unalias", "unset", "hash", "enable", "shopt", "set", "setopt", "bind", "trap"}
)
_ORDINARY = re.compile(
    r"it (?:defines|sets|declares|unsets|computes|branches)"
    r"|it holds (?:a (?:test|here-document|loop|construct)|\$|backquotes)"
)
_COMPUTED_NAME = "the name of a command is computed"
_MISSING = "tree-sitter and its Bash grammar are not installed, so it cannot be read"
_TOO_LONG = f"it is longer than {LONGEST // 1024} KiB"


@lru_cache(maxsize=1024)
def analyse(line: str) -> ShellLine:
    """Read a shell line.

    Args:
        line: the line exactly as the shell would get it; any text, it may hold several lines.

    Returns:
        Everything that is found. What is not understood is in ``doubts``; commands that are only suspected
        (in text that cannot be parsed, behind unknown options of a wrapper) are marked as guesses.
    """
    return _Analysis(line).run()


class _Script(NamedTuple):
    """A text that a shell would read."""

    text: str
    """The text."""
    outer: int | None = None
    """Index of the command that starts it; None for the line itself."""
    wrappers: tuple[str, ...] = ()
    """Wrappers looked through to find it."""
    places: tuple[str, ...] = ()
    """Where that command stands."""
    guess: bool = False
    """Whether it is only suspected."""
    depth: int = 0
    """How many texts it stands in."""


class _Analysis:
    def __init__(self, line: str) -> None:
        self._line = line
        self._commands: list[SimpleCommand] = []
        self._redirections: list[Redirection] = []
        self._doubts: dict[str, None] = {}
        self._scripts: deque[_Script] = deque([_Script(line)])
        self._seen: set[tuple[str, bool]] = set()

    def run(self) -> ShellLine:
        while self._scripts and len(self._commands) < MOST_COMMANDS:
            self._read(self._scripts.popleft())
        if self._scripts:
            self._doubts.setdefault("it holds too many commands")
        return ShellLine(self._line, tuple(self._commands), tuple(self._redirections), tuple(self._doubts))

    def _read(self, script: _Script) -> None:
        """Read the line itself, or one that a command of it would run."""
        source = script.text.encode("utf-8", "surrogatepass")
        doubts = dict.fromkeys(_text_doubts(script.text, len(source)))
        if len(source) <= _LONGEST_PARSED:
            try:
                found = walk(source)
            except ImportError:
                doubts.setdefault(_MISSING)
            else:
                doubts.update(found.doubts)
                self._take(found, script)
        if any(not _ORDINARY.match(doubt) for doubt in doubts):
            self._rough(script)
        if not script.guess:
            self._doubts.update(doubts)

    def _take(self, found: Found, script: _Script) -> None:
        first = len(self._commands)
        for one in found.commands:
            places = tuple(dict.fromkeys((*script.places, *one.places)))
            self._commands.append(
                SimpleCommand(
                    tuple(one.words), one.text, tuple(one.assignments), script.wrappers, script.outer, 0,
                    places, script.guess,
                )
            )  # fmt: skip
        for one in found.redirections:
            command = None if one.command is None else first + one.command
            self._redirections.append(Redirection(one.operator, one.direction, one.target, one.text, command))
        mine = self._commands[first:]
        for index, command in enumerate(mine, start=first):
            self._inner(index, command, script.depth)
            if not script.guess:
                self._name_doubts(command)
        self._fed(found, first, script.depth)
        for text in found.hidden:
            for part in re.split(r"`|\$\(", text)[1:]:
                self._queue(_Script(part, guess=True, depth=script.depth + 1))

    def _inner(self, index: int, command: SimpleCommand, depth: int) -> None:
        """Find what a command starts, through all wrappers."""
        words = command.words
        todo: list[tuple[int, int, tuple[str, ...], bool]] = [
            (0, len(words), command.wrappers, command.guess)
        ]
        seen: set[tuple[int, int]] = set()
        while todo:
            start, end, wrappers, unknown = todo.pop()
            inner = look_through(words[start:end])
            if inner.doubt and not unknown:
                self._doubts.setdefault(inner.doubt)
            named = words[start].value is not None and not (inner.nothing and "xargs" in wrappers)
            if not named and not unknown:
                self._doubts.setdefault(_COMPUTED_NAME)
            if not inner.spans and not inner.scripts:
                continue
            through = (*wrappers, base_name(words[start]) or "")
            unsure = unknown or not inner.sure
            for script in inner.scripts:
                self._queue(_Script(script, index, through, command.places, unsure, depth + 1))
            for low, high in inner.spans:
                span = (start + low, start + high)
                if span in seen or len(self._commands) > MOST_COMMANDS:
                    continue
                seen.add(span)
                part = words[span[0] : span[1]]
                self._commands.append(
                    SimpleCommand(
                        part,
                        command.text,
                        command.assignments,
                        through,
                        index,
                        span[0],
                        command.places,
                        unsure,
                    )
                )
                todo.append((*span, through, unsure))

    def _queue(self, script: _Script) -> None:
        key = (script.text, script.guess)
        if script.depth > _DEEPEST:
            self._doubts.setdefault("it holds lines inside lines too deep to follow")
        elif script.text.strip() and key not in self._seen:
            self._seen.add(key)
            self._scripts.append(script)

    def _fed(self, found: Found, first: int, depth: int) -> None:
        """Where a shell reads its input, whatever the line writes may be what it runs."""
        commands = self._commands[first:]
        names = [base_name(command.words[0]) for command in commands]
        if not any((name or "").casefold() in SHELLS for name in names):
            return
        texts = list(found.texts)
        for name, command in zip(names, commands, strict=True):
            if name in ("echo", "printf"):
                texts.append(" ".join(word.value or word.text for word in command.words[1:]))
                texts.extend(word.value for word in command.words[1:] if word.value)
        for text in texts:
            self._queue(_Script(text, first, ("input",), (), True, depth + 1))

    def _name_doubts(self, command: SimpleCommand) -> None:
        word = command.words[0]
        if command.assignments:
            self._doubts.setdefault("it sets a variable")
        if word.value is not None and not (word.plain and _PLAIN_NAME.fullmatch(word.value)):
            self._doubts.setdefault("the name of a command is not written plainly")
        elif word.value in _SHIFTING:
            self._doubts.setdefault(f"it changes what names mean ({word.value})")

    def _rough(self, script: _Script) -> None:
        """Take text that cannot be parsed apart at every sign of the shell; what comes out is suspicion."""
        joined = script.text[:_LONGEST_ROUGH].replace("\\\n", "")
        seen: set[str] = set()
        for piece in _CUTS.split(joined)[:MOST_COMMANDS]:
            bare = _rough_words(piece)[:_MOST_WORDS]
            if not bare or piece in seen:
                continue
            seen.add(piece)
            shell = any(one.rpartition("/")[2] in (*SHELLS, "eval") for one in bare)
            for start in range(len(bare) if shell else 1):  # what its quotes held can no longer be told
                words: tuple[Word, ...] = tuple(literal(one) for one in bare[start:])
                command = SimpleCommand(words, piece[:1024], (), script.wrappers, script.outer, 0, (), True)
                self._commands.append(command)
                self._inner(len(self._commands) - 1, command, script.depth)


def _rough_words(piece: str) -> list[str]:
    """Words of text between two signs of the shell, without quotes, assignments and redirections in front."""
    piece = _REDIRECTED.sub(" ", _ASSIGNED.sub(" ", _CONTROL.sub("", piece)))
    words = re.sub(r"['\"\\$]", "", piece).split()
    for index, word in enumerate(words):
        name = word.lstrip("<>!=&")
        if name and not re.match(r"\w+\+?=", name):
            return [name, *words[index + 1 :]]
    return []


def _text_doubts(text: str, size: int) -> list[str]:
    """What can be said against a line before it is parsed."""
    found: list[str] = []
    if size > LONGEST:
        found.append(_TOO_LONG)
    if not text.isascii() and any(not char.isprintable() for char in text if char > "\x7f"):
        found.append("it holds an invisible or unusual character")
    if _CONTROL.search(text):
        found.append("it holds a control character")
    if _CONTINUED.search(text):
        found.append("a word is continued on the next line")
    return found
