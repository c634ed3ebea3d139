"""Sentences of a task or plan, asked together whether one of them names a path.

Most paths are named by none of them: one look at all words answers that, and only a hit asks which it was.
"""

from dataclasses import dataclass
from functools import lru_cache

from ags_tui.core.globs import PatternSet, compile_patterns, normalise, prose_match
from ags_tui.core.prose import path_words, word_match


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """Sentences with their positions, those that can name nothing left out."""

    rows: tuple[tuple[int, str], ...]
    """Position and words of each sentence that names something."""
    words: tuple[str, ...]
    """The words of all of them, in the form of ``prose.word_match``."""
    patterns: PatternSet | None
    """The paths and file names in all of them."""

    def first(self, path: str) -> tuple[int, str] | None:
        """Position and words of the first sentence that names a path."""
        if not self.rows or not _names(self, path):
            return None
        return next(((index, text) for index, text in self.rows if prose_match(text, path)), None)

    def all(self, path: str) -> tuple[int, ...]:
        """Positions of all sentences that name a path."""
        if not self.rows or not _names(self, path):
            return ()
        return tuple(index for index, text in self.rows if prose_match(text, path))


@lru_cache(maxsize=4096)
def sentences_of(texts: tuple[str, ...]) -> Sentences:
    """Read sentences.

    Args:
        texts: In the order of their field; an empty one keeps its position and names nothing.
    """
    rows: list[tuple[int, str]] = []
    words: dict[str, None] = {}
    patterns: dict[str, None] = {}
    for index, text in enumerate(texts):
        found, named = path_words(text)
        if found or named:
            rows.append((index, text))
            words |= dict.fromkeys(named)
            patterns |= dict.fromkeys(found)
    compiled = compile_patterns(patterns, side="deny", ignore_case=True) if patterns else None
    return Sentences(tuple(rows), tuple(words), compiled)


@lru_cache(maxsize=65536)
def _names(sentences: Sentences, path: str) -> bool:
    text = normalise(path)
    if word_match(sentences.words, text):
        return True
    return sentences.patterns is not None and sentences.patterns.match(text) is not None
