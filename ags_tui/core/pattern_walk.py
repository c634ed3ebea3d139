"""The machine behind patterns: all wildcard patterns of a set walked together over the segments of a path.

One bit stands for one pattern segment that has been matched (shift-and); ``**`` keeps the bit before it
alive. The state after each folder is kept, so that a path costs one step for its last segment. Nothing
backtracks: within a segment the pieces between stars are found leftmost in atomic groups, which is exact for
globs.
"""

import re
import unicodedata

from ags_tui.core.light import Callable, Iterable, Iterator, lru_cache

WILD = re.compile(r"[*?\[]")
"""A character that makes a segment a wildcard segment."""
BRACKET = re.compile(r"\[[!^]?\]?(?:\[:\w+:\]|[^\]])*\]")
"""A closed character class."""


def fold(text: str) -> str:
    """The form in which names are compared where the file system ignores case."""
    return unicodedata.normalize("NFC", text.casefold())


def impossible(segment: str) -> bool:
    """Whether a segment holds a class without any character, such as ``[z-a]``."""
    return "[" in segment and "(?!)" in "".join(_chunks(segment))


@lru_cache(maxsize=4096)
def _chunks(segment: str) -> tuple[str, ...]:
    """Regular expressions of the pieces between the stars of a segment, each of a fixed length."""
    from wcmatch import fnmatch  # 35 ms, and most patterns have one plain star only

    pieces: list[str] = [""]
    position = 0
    while position < len(segment):
        bracket = BRACKET.match(segment, position)
        piece = bracket.group() if bracket else segment[position]
        if piece == "*":
            pieces.append("")
        else:
            pieces[-1] += piece
        position += len(piece)
    flags = fnmatch.DOTMATCH | fnmatch.FORCEUNIX | fnmatch.CASE
    return tuple(fnmatch.translate(p, flags=flags)[0][0][5:-2] if p else "" for p in pieces)


@lru_cache(maxsize=4096)
def _segment_test(segment: str, ignore_case: bool) -> tuple[str, Callable[[str], object]]:
    """A literal that every match holds, and the test of one wildcard segment (linear in the name)."""
    first, *rest = _chunks(segment)
    middle = "".join(f"(?>.*?{chunk})" for chunk in rest[:-1] if chunk)
    last = f".*{rest[-1]}" if rest else ""
    test = re.compile(f"(?s:{first}{middle}{last})", re.IGNORECASE if ignore_case else 0).fullmatch
    needed = max(WILD.split(BRACKET.sub("*", segment)), key=len)
    return fold(needed) if ignore_case else needed, test


class _NameTests:
    """The wildcard segments of one set, found by name: those with one star by their ends."""

    def __init__(self, segments: Iterable[str], ignore_case: bool) -> None:
        """Sort ``segments`` (without ``**``) by how they are tested."""
        self._heads: dict[int, dict[str, list[tuple[int, str, str]]]] = {}
        self._tails: dict[int, dict[str, list[tuple[int, str, str]]]] = {}
        self._tests: list[tuple[str, Callable[[str], object], str]] = []
        for segment in segments:
            before, star, after = segment.partition("*")
            if not star or WILD.search(before + after):
                self._tests.append((*_segment_test(segment, ignore_case), segment))
                continue
            if ignore_case:
                before, after = fold(before), fold(after)
            table, end, other = (
                (self._heads, before, after) if len(before) > len(after) else (self._tails, after, before)
            )
            entry = (len(before) + len(after), other, segment)
            table.setdefault(len(end), {}).setdefault(end, []).append(entry)

    def hits(self, name: str) -> Iterator[str]:
        """The segments that match ``name``."""
        size = len(name)
        for length, ends in self._tails.items():
            for least, head, segment in ends.get(name[size - length :] if length <= size else name + "/", ()):
                if size >= least and name.startswith(head):
                    yield segment
        for length, ends in self._heads.items():
            for least, tail, segment in ends.get(name[:length], ()):
                if size >= least and name.endswith(tail):
                    yield segment
        for needed, test, segment in self._tests:
            if needed in name and test(name):
                yield segment


def _bits(positions: Iterable[int], size: int) -> int:
    field = bytearray(size // 8 + 1)
    for position in positions:
        field[position >> 3] |= 1 << (position & 7)
    return int.from_bytes(field, "little")


class PatternWalk:
    """Wildcard patterns of one set, walked together (shift-and, one bit a segment)."""

    def __init__(self, rows: list[tuple[int, tuple[str, ...]]], ignore_case: bool) -> None:
        """Lay out ``rows`` of (index in the set, segments)."""
        self._literal: dict[str, list[int]] = {}
        self._wild: dict[str, list[int]] = {}
        self._ignore_case = ignore_case
        start: list[int] = []
        loops: list[int] = []
        final: list[int] = []
        self._owner: dict[int, int] = {}
        position = 0
        for index, segments in rows:
            start.append(position)
            for segment in segments:
                if segment == "**":
                    loops.append(position)
                    continue
                position += 1
                wild = WILD.search(segment)
                key = segment if wild or not ignore_case else fold(segment)
                (self._wild if wild else self._literal).setdefault(key, []).append(position)
            final.append(position)
            self._owner[position] = index
            position += 1
        self._size = position
        self._loop, self._final = _bits(loops, position), _bits(final, position)
        self._tests = _NameTests(self._wild, ignore_case)
        self._wild_masks: dict[str, int] = {}
        self._masks: dict[str, int] = {}
        self._states: dict[str, int] = {"": _bits(start, position)}
        self._limit = max(256, (1 << 28) // (position + 512))

    def _mask(self, name: str) -> int:
        """Bits of all pattern segments that ``name`` satisfies."""
        mask = self._masks.get(name)
        if mask is None:
            mask = _bits(self._literal[name], self._size) if name in self._literal else 0
            for key in self._tests.hits(name):
                if key not in self._wild_masks:
                    self._wild_masks[key] = _bits(self._wild[key], self._size)
                mask |= self._wild_masks[key]
            if len(self._masks) >= self._limit:
                self._masks.clear()
            self._masks[name] = mask
        return mask

    def _state(self, folder: str) -> int:
        """The state after all segments of a folder."""
        missing: list[tuple[str, str]] = []
        while folder not in self._states:
            parent, _, name = folder.rpartition("/")
            missing.append((folder, name))
            folder = parent
        state = self._states[folder]
        if len(self._states) + len(missing) >= self._limit:
            self._states = {"": self._states[""]}
        for folder, name in reversed(missing):
            state = ((state << 1) & self._mask(name)) | (state & self._loop)
            self._states[folder] = state
        return state

    def find(self, path: str) -> int:
        """Index of the first pattern that matches, -1 for none."""
        folder, _, name = path.rpartition("/")
        state = self._state(folder)
        hits = (((state << 1) & self._mask(name)) | (state & self._loop)) & self._final
        return self._owner[(hits & -hits).bit_length() - 1] if hits else -1
