"""Command patterns of rules: words, where ``*`` stands for what may vary. Allow narrow, deny wide."""

from ags_tui.core.light import TYPE_CHECKING, Sequence, lru_cache
from ags_tui.core.records import Record

if TYPE_CHECKING:
    from ags_tui.core.shell.model import SimpleCommand

_STAR = "\0"
_MOST_WORDS = 512
_GIT_VALUED = frozenset({
    "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env",
    "--attr-source",
})  # fmt: skip


class CommandPattern(Record):
    """A command pattern, compiled."""

    words: tuple[str, ...]
    """Its words; a NUL stands for a star."""
    rest: bool
    """Whether any words may follow."""

    @property
    def text(self) -> str:
        """The whole pattern with single blanks."""
        return " ".join([*self.words, *([_STAR] if self.rest else [])])


@lru_cache(maxsize=1024)
def compile_command(pattern: str) -> CommandPattern:
    """Compile ``npm test *``: quotes and backslashes hold words together and make a star literal.

    A last word ``*`` stands for any further words, none included; behind a letter or digit, as in
    ``npm test*``, it says the same. A star elsewhere stands for any text within its word.
    """
    words = _split(pattern)
    if words and words[-1] == _STAR and len(words) > 1:
        return CommandPattern(tuple(words[:-1]), rest=True)
    return CommandPattern(tuple(words), rest=False)


def _split(pattern: str) -> list[str]:
    words: list[str] = []
    current: str | None = None
    quote = ""
    escaped = False
    for char in pattern:
        if escaped or (quote and char != quote and not (quote == '"' and char == "\\")):
            current = (current or "") + char
            escaped = False
        elif char == "\\":
            escaped = True
        elif quote:
            quote = ""
        elif char in "'\"":
            quote = char
            current = current or ""
        elif char.isspace():
            if current is not None:
                words.append(current)
            current = None
        else:
            current = (current or "") + (_STAR if char == "*" else char)
    return words if current is None else [*words, current]


def command_pattern(words: Sequence[str]) -> str:
    """The pattern that covers exactly these words."""
    return " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    plain = word and not any(char.isspace() or char in "'\"\\*" for char in word)
    return word if plain else '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def glob(pattern: str, text: str) -> bool:
    """Whether a text matches a pattern whose stars are NULs; the time is linear in the text."""
    first, *others = pattern.split(_STAR)
    if not others:
        return text == first
    last = others.pop()
    if not text.startswith(first) or len(text) < len(first) + len(last) or not text.endswith(last):
        return False
    position, end = len(first), len(text) - len(last)
    for piece in others:
        found = text.find(piece, position, end)
        if found < 0:
            return False
        position = found + len(piece)
    return True


def covers(pattern: CommandPattern, command: "SimpleCommand") -> bool:
    """Whether an allow pattern covers a command, word by word.

    No pattern covers a word that the shell computes (``$X``, ``$(…)``, ``<(…)``, ``*.c``, ``~a``, ``{a,b}``),
    also where a star stands: whoever wrote the pattern has not seen what it becomes. The name must be written
    as in the pattern: ``/tmp/npm`` is not ``npm``.
    """
    words, rest = pattern.words, pattern.rest
    if words and words[-1].endswith(_STAR) and words[-1][-2:-1].isalnum():
        words, rest = (*words[:-1], words[-1][:-1]), True
    if not words or len(command.words) < len(words) or (len(command.words) > len(words) and not rest):
        return False
    values = [word.value for word in command.words if word.value is not None]
    return len(values) == len(command.words) and all(map(glob, words, values))


def fixes(pattern: CommandPattern, offset: int) -> bool:
    """Whether a pattern itself says the word at an index, and so speaks of the command that begins there."""
    if offset == 0:
        return not pattern.rest and not any(_STAR in word for word in pattern.words)
    return offset < len(pattern.words) and _STAR not in pattern.words[offset]


def touches(pattern: CommandPattern, command: "SimpleCommand", line: str) -> bool:
    """Whether a deny or ask pattern touches a command: its words in any reading, or text of the line.

    Args:
        pattern: the pattern.
        command: one command of the line.
        line: the whole line; it and each of its lines are held against patterns with a star.
    """
    if any(_in_order(pattern, reading) for reading in _readings(command)):
        return True
    text = pattern.text.casefold()
    return _STAR in text and glob(text, command.line.casefold())


def touches_text(pattern: CommandPattern, line: str) -> bool:
    """Whether a deny or ask pattern with a star matches the whole line, or one line of it."""
    text = pattern.text.casefold()
    if _STAR not in text:
        return False
    folded = line.casefold()
    return any(glob(text, one.strip()) for one in (folded, *folded.splitlines()))


@lru_cache(maxsize=512)
def _readings(command: "SimpleCommand") -> tuple[tuple[str, ...], ...]:
    """The words of a command as they may be meant: by the bare name, without options behind it."""
    words = [one.text if one.value is None else one.value for one in command.words[:_MOST_WORDS]]
    name = words[0].rpartition("/")[2] or words[0]
    readings = [words, [name, *words[1:]]]
    index = 1
    while index < len(words) and words[index].startswith("-"):
        valued = words[index] in _GIT_VALUED if name.casefold() == "git" else False
        index += 2 if valued else 1
        readings.append([name, *words[index:]])
        if name.casefold() != "git":
            readings.append([name, *words[index + 1 :]])
    return tuple(tuple(word.casefold() for word in reading) for reading in readings if reading)


def _in_order(pattern: CommandPattern, words: Sequence[str]) -> bool:
    """Word by word, where a star that stands alone takes any number of words."""
    reached: set[int] = {0}
    for expected in pattern.words:
        expected = expected.casefold()
        if expected == _STAR:
            reached = set(range(min(reached), len(words) + 1))
            continue
        reached = {at + 1 for at in reached if at < len(words) and glob(expected, words[at])}
        if not reached:
            return False
    return (
        pattern.rest or (bool(pattern.words) and pattern.words[-1].endswith(_STAR)) or len(words) in reached
    )
