"""Patterns over work-tree paths: the one meaning that plans, policies and prose share (``formats.md`` §3).

``/``-separated, anchored at the top of the work tree, whole match; ``*``, ``?`` and ``[…]`` stay within one
segment and match dot files; ``**`` stands for any number of segments, none included (so ``src/**`` matches
``src`` itself); ``dir/`` is ``dir/**``; no braces, negation, extended globs or backslash escapes (``[*]`` is
a literal star).

The time is linear in the path whatever the patterns are (``core.pattern_walk``): a plan cannot freeze us.
That is why there is neither one combined regular expression nor a loop over patterns here.
"""

import re
import unicodedata

from ags_tui.core.light import Iterable, Literal, lru_cache
from ags_tui.core.pattern_walk import BRACKET, WILD, PatternWalk, fold, impossible
from ags_tui.core.records import Record

__all__ = [
    "PatternProblem",
    "PatternSet",
    "compile_patterns",
    "normalise",
    "prose_match",
]

Side = Literal["allow", "deny"]
"""Which list a pattern stands in: allow narrow, deny wide."""

MAX_CHARACTERS = 1024
"""Longest pattern."""
MAX_SEGMENTS = 64
"""Most segments of a pattern."""
MAXWILDCARDS = 1024
"""Most wildcard patterns of one set; literal paths are not limited."""

_DRIVE = re.compile(r"[A-Za-z]:[/\\]")
_UNTIDY = re.compile(r"(?:^|/)\.{0,2}/|/\.{0,2}$|^\.{1,2}$")
_WORDLIKE = re.compile(r"[^\W_]")


class PatternProblem(Record):
    """Why a pattern is refused or cannot do what it seems to say."""

    index: int  # pyright: ignore[reportIncompatibleMethodOverride] (nobody searches in a problem)
    """Position in the list as given."""
    pattern: str
    """The pattern as written; foreign text."""
    code: str
    """``AMBIGUOUS_PATTERN``, ``OVERBROAD_PATTERN`` or ``DEAD_PATTERN``."""
    message: str
    """What is wrong and what to write instead."""


def normalise(path: str) -> str:
    """Bring a path to the form that patterns compare: NFC, single ``/``, no ``.``, ``..`` folded lexically.

    A path that is absolute or leads out of the tree keeps its leading ``/`` or ``..``: no allow pattern
    matches it.
    """
    if not path.isascii():
        path = unicodedata.normalize("NFC", path)
    if not _UNTIDY.search(path):
        return path
    kept: list[str] = []
    for segment in path.split("/"):
        if segment == ".." and kept and kept[-1] != "..":
            kept.pop()
        elif segment not in {"", "."}:
            kept.append(segment)
    return ("/" if path.startswith("/") else "") + "/".join(kept)


def _refusal(pattern: str) -> tuple[str, str] | None:
    """Code and message where a pattern has no single meaning, None where it has."""
    if len(pattern) > MAX_CHARACTERS:
        return "AMBIGUOUS_PATTERN", f"longer than {MAX_CHARACTERS} characters"
    if not pattern.strip() or not pattern.strip("./"):
        kind = "absolute" if pattern.strip().startswith("/") else "outside" if ".." in pattern else "empty"
        return "AMBIGUOUS_PATTERN", f"{kind}: name a path below the top of the work tree"
    if "\0" in pattern:
        return "AMBIGUOUS_PATTERN", "contains NUL"
    if pattern.startswith("!"):
        return "AMBIGUOUS_PATTERN", "starts with !: there is no negation; list what is meant"
    if pattern.startswith("/") or _DRIVE.match(pattern):
        return "AMBIGUOUS_PATTERN", "absolute: write it relative to the top of the work tree"
    if "\\" in pattern:
        return "AMBIGUOUS_PATTERN", "contains a backslash: separate with /, take a wildcard literally as [*]"
    segments = pattern.split("/")
    if ".." in segments:
        return "AMBIGUOUS_PATTERN", "contains ..: write where it leads"
    if len(segments) > MAX_SEGMENTS:
        return "AMBIGUOUS_PATTERN", f"more than {MAX_SEGMENTS} segments"
    return None


def _segments(pattern: str) -> tuple[str, ...]:
    """Split into segments: leading ``./`` dropped, ``dir/`` as ``dir/**``, doubled ``**`` joined, NFC."""
    if pattern.endswith("/"):
        pattern += "**"
    kept: list[str] = []
    for segment in unicodedata.normalize("NFC", pattern).split("/"):
        if segment in {"", "."} or (segment == "**" and kept[-1:] == ["**"]):
            continue
        kept.append(segment)
    return tuple(kept)


def _dead(pattern: str, segments: tuple[str, ...]) -> str:
    """Why a pattern can never match as written; empty where it can."""
    inner = pattern.split("/")
    while inner and inner[0] == ".":
        inner.pop(0)
    if any(segment in {"", "."} for segment in inner[:-1]) or inner[-1:] == ["."]:
        return "has an empty or . segment, which no path has"
    if segments[0].startswith("~") and len(segments) > 1:
        return "~ is not expanded, and home folders are outside of the work tree"
    for segment in segments:
        if impossible(segment):
            return f"the range in {segment} holds no character"
    return ""


def _overbroad(segments: tuple[str, ...]) -> bool:
    """Whether no segment asks for anything particular: ``**``, ``*``, ``**/*.*``, ``**/[!.]*``."""
    return any(WILD.search(segment) for segment in segments) and not any(
        _WORDLIKE.search(BRACKET.sub("", segment).replace("*", "").replace("?", "")) for segment in segments
    )


class PatternSet:
    """Compiled patterns of one list."""

    def __init__(self, patterns: tuple[str, ...], side: Side, ignore_case: bool) -> None:
        """Compile; use :func:`compile_patterns`, which keeps what it compiled."""
        self.patterns = patterns
        self.side: Side = side
        self._ignore_case = ignore_case
        self._exact: dict[str, int] = {}
        self._anywhere: dict[str, int] = {}
        self._memo: dict[str, int] = {}
        problems: list[PatternProblem] = []
        bare: list[str] = []
        rows: list[tuple[int, tuple[str, ...]]] = []
        for index, pattern in enumerate(patterns):
            problem, segments = self._judge(index, pattern)
            if problem:
                problems.append(problem)
            if not segments:
                continue
            text = "/".join(segments)
            key = fold(text) if ignore_case else text
            if "**" in segments or WILD.search(text):
                if len(rows) < MAXWILDCARDS:
                    rows.append((index, segments))
                else:
                    message = f"more than {MAXWILDCARDS} patterns with wildcards in one list"
                    problems.append(PatternProblem(index, pattern, "AMBIGUOUS_PATTERN", message))
            elif len(segments) > 1:
                self._exact.setdefault(key, index)
            else:
                bare.append(text)
                if side == "deny":
                    self._anywhere.setdefault(key, index)
        self.problems = tuple(problems)
        self.bare = tuple(dict.fromkeys(bare))
        self._walk = PatternWalk(rows, ignore_case) if rows else None

    def _judge(self, index: int, pattern: str) -> tuple[PatternProblem | None, tuple[str, ...]]:
        """The problem of a pattern, and the segments that are matched nevertheless (none = never)."""
        refusal = _refusal(pattern)
        if refusal:
            problem = PatternProblem(index, pattern, *refusal)
            # A deny that is only badly written still denies what it can only mean.
            tidy = pattern.replace("\\", "/").lstrip("/")
            if self.side == "deny" and tidy != pattern and not _refusal(tidy):
                return problem, _segments(tidy)
            return problem, ()
        segments = _segments(pattern)
        dead = _dead(pattern, segments)
        if dead:
            problem = PatternProblem(index, pattern, "DEAD_PATTERN", dead)
            return problem, segments if self.side == "deny" else ()
        if self.side == "allow" and _overbroad(segments):
            message = "allows everything; name the files or folders that are meant"
            return PatternProblem(index, pattern, "OVERBROAD_PATTERN", message), ()
        return None, segments

    def match(self, path: str) -> str | None:
        """The first pattern that matches a path, as written; None for none.

        On the allow side bare names never match here (the caller resolves :attr:`bare` against the baseline
        tree), and patterns with a problem allow nothing.
        """
        index = self._memo.get(path)
        if index is None:
            index = self._find(path)
            if len(self._memo) >= 1 << 17:
                self._memo.clear()
            self._memo[path] = index
        return None if index < 0 else self.patterns[index]

    def _find(self, path: str) -> int:
        text = normalise(path)
        if self.side == "allow" and (text == ".." or text.startswith(("/", "../"))):
            return -1
        text = fold(text) if self._ignore_case else text
        found = [self._exact[text]] if text in self._exact else []
        if self._anywhere:
            found += [self._anywhere[name] for name in text.split("/") if name in self._anywhere]
        if self._walk and text:
            wild = self._walk.find(text)
            if wild >= 0:
                found.append(wild)
        return min(found, default=-1)


@lru_cache(maxsize=256)
def _compiled(patterns: tuple[str, ...], side: Side, ignore_case: bool) -> PatternSet:
    return PatternSet(patterns, side, ignore_case)


def compile_patterns(patterns: Iterable[str], *, side: Side, ignore_case: bool = False) -> PatternSet:
    """Compile a list of patterns; equal lists share one set and its memory of paths.

    Args:
        patterns: As written in a plan or policy.
        side: ``allow`` (a pattern with any problem allows nothing) or ``deny`` (bare names match at any
            depth, as file or folder; a badly written pattern still denies what it can only mean).
        ignore_case: As in ``core.ignoreCase``.
    """
    return _compiled(tuple(patterns), side, ignore_case)


@lru_cache(maxsize=65536)
def prose_match(sentence: str, path: str) -> bool:
    """Whether a sentence such as ``NetworkClient 수정`` names a path.

    Its Latin words of four letters and more are held against whole segments and stems of the path, without
    case; what looks like a path or pattern in it is matched as one. Ordinary words of English prose name
    nothing.
    """
    from ags_tui.core.prose import path_words, word_match  # its patterns of words are much to compile

    text = normalise(path)
    paths, words = path_words(sentence)
    if paths and compile_patterns(paths, side="deny", ignore_case=True).match(text):
        return True
    return word_match(words, text)
